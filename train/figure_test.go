package train

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
)

// Whatever the series, the picture is XML and no coordinate is outside of it.
func TestFigureIsWellFormed(t *testing.T) {
	many := Figure{X: "step", Y: "MRR"}
	for i := range 30 {
		s := Series{Name: fmt.Sprintf("a run of a long name & number <%d>", i)}
		for step := range 50 {
			s.Points = append(s.Points, Point{float64(100 * step), 0.1 + 0.01*float64(i%7)})
		}
		many.Series = append(many.Series, s)
	}
	for name, f := range map[string]Figure{
		"empty": {}, "no points": {Series: []Series{{Name: "none"}}}, "one point": {Series: []Series{{"one", []Point{{0.25, 0.3}}}}},
		"categories": {Categories: []string{"nbfnet", "compgcn"}, Series: []Series{{"mrr", []Point{{0, 0.3}, {1, 0.2}}}}}, "many": many,
	} {
		checkPicture(t, name, string(f.SVG()))
	}
}

// traced writes the trace of a run with a validation at two steps.
func traced(t *testing.T, first, second float64) string {
	o := mixed(t)
	mustRun(t, o)
	text := fmt.Sprintf(`{"step":10,"loss":0.5}
{"step":10,"valid":{"mrr":%g,"details":{"train_mrr":0.9}}}
{"step":20,"valid":{"mrr":%g,"details":{"train_mrr":0.8}}}
`, first, second)
	if err := os.WriteFile(filepath.Join(o.Dir, traceFile), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return o.Dir
}

func TestRunsAreCompared(t *testing.T) {
	var runs []RunTrace
	for i, dir := range []string{traced(t, 0.3, 0.2), traced(t, 0.1, 0.4)} {
		r, err := ReadRun(dir)
		if err != nil {
			t.Fatal(err)
		}
		r.Name = fmt.Sprint("run ", i)
		r.Settings["traversal_dropout"] = 0.5 - 0.25*float64(i)
		r.Settings["model"].(map[string]any)["gnn"] = []string{"nbfnet", "rgcn"}[i]
		runs = append(runs, r)
	}
	f, err := OverSteps(runs, []string{"mrr", "train_mrr"})
	if err != nil || len(f.Series) != 4 || f.Series[2].Name != "run 1: validation MRR" || !slices.Equal(f.Series[2].Points, []Point{{10, 0.1}, {20, 0.4}}) {
		t.Errorf("over steps: %+v, %v", f, err)
	}
	// The best models are those of step 10 of the first run and step 20 of the second.
	f, err = OverSetting(runs, "traversal_dropout", []string{"mrr", "train_mrr"})
	if err != nil || !slices.Equal(f.Series[0].Points, []Point{{0.25, 0.4}, {0.5, 0.3}}) || !slices.Equal(f.Series[1].Points, []Point{{0.25, 0.8}, {0.5, 0.9}}) {
		t.Errorf("over dropout: %+v, %v", f, err)
	}
	f, err = OverSetting(runs, "model.gnn", []string{"mrr"})
	if err != nil || !slices.Equal(f.Categories, []string{"nbfnet", "rgcn"}) || f.Series[0].Points[1] != (Point{1, 0.4}) {
		t.Errorf("over the network: %+v, %v", f, err)
	}
	for what, try := range map[string]func() (Figure, error){
		`no values of "2p_mrr"`:      func() (Figure, error) { return OverSteps(runs, []string{"2p_mrr"}) },
		`no setting "model.gnn.x"`:   func() (Figure, error) { return OverSetting(runs, "model.gnn.x", nil) },
		`no setting "heads"`:         func() (Figure, error) { return OverSetting(runs, "heads", nil) },
		`run 0: the run has no valu`: func() (Figure, error) { return OverSetting(runs, "batch", []string{"hits"}) },
	} {
		if _, err := try(); kg.KindOf(err) != kg.NotFound || !strings.Contains(err.Error(), what) {
			t.Errorf("error %v, want %q", err, what)
		}
	}
}

func TestReadRunRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace")
	if _, err := ReadRun(path); kg.KindOf(err) != kg.NotFound {
		t.Errorf("a run that does not exist: %v", err)
	}
	os.WriteFile(path, []byte("{\"step\": 1}\nstep 2\n"), 0o666)
	if _, err := ReadRun(path); kg.KindOf(err) != kg.Invalid || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("a file that is no trace: %v", err)
	}
}
