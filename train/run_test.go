package train

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel/cpu"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
)

// mixed is a run over several shapes with validations at steps 4, 8 and 12.
func mixed(t testing.TB) Options {
	g := randomGraph(5, 16, 3, 60)
	o := optionsFor(t, g, small(map[string]int{"1p": 2, "2p": 1, "2i": 1, "pin": 1}))
	o.Graphs[0].Validate = validator(t, g, slices.Collect(g.Triples())[:10])
	o.TraceEvery = 5
	return o
}

// outcome is everything that runs with the same options must agree on: models and states to the bit, losses and scores of the trace.
func outcome(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{"best": contents(t, dir, checkpoint.BestFile), "last": contents(t, dir, checkpoint.LastFile)}
	s, err := checkpoint.LoadState(filepath.Join(dir, checkpoint.StateFile), plain.New())
	if err != nil {
		t.Fatal(err)
	}
	slabs := map[string]gnn.Slab{"parameters": s.Model.Parameters, "first": s.First, "second": s.Second}
	if s.Average.Values != nil {
		slabs["average"] = s.Average
	}
	for name, slab := range slabs {
		values := make([]float32, slab.Len)
		s.Model.Device().Download(values, slab.Values)
		out[name] = fmt.Sprintf("%b", values) // exact
	}
	trace, err := openTrace(dir, math.MaxInt)
	if err != nil {
		t.Fatal(err)
	}
	trace.close()
	for i, line := range trace.lines {
		trace.lines[i] = Line{Step: line.Step, Loss: line.Loss, Valid: line.Valid}
	}
	out["trace"] = string(drawCurve(trace.lines))
	return out
}

func compareOutcomes(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for _, part := range slices.Sorted(maps.Keys(want)) {
		if got[part] != want[part] {
			t.Errorf("%s: %s differs from that of an uninterrupted run", what, part)
		}
	}
}

func TestRunLeavesItsFiles(t *testing.T) {
	o := mixed(t)
	var reports []Progress
	o.Version, o.Commit = "v1", "abc"
	o.Progress = func(p Progress) { reports = append(reports, p) }
	r := mustRun(t, o)
	if r.Reason != Finished || r.Step != 12 || r.BestStep == 0 || r.Stats.Queries != 72 || len(reports) != 15 {
		t.Errorf("result %+v, %d reports", r, len(reports))
	}
	if last := reports[len(reports)-1]; last.Step != 12 || last.Steps != 12 || last.Left != 0 || last.Score == nil || last.QueriesPerSecond <= 0 {
		t.Errorf("last report %+v", last)
	}
	m, card := loadModel(t, filepath.Join(o.Dir, checkpoint.BestFile))
	if card.Metrics["valid_mrr"] != r.Best.MRR || card.Metrics["1p_mrr"] != r.Best.MRR || card.Step != r.BestStep || card.Version != "v1" || card.Commit != "abc" || card.Graph.Name != "toy" {
		t.Errorf("card %+v", card)
	}
	score, _ := o.Graphs[0].Validate(context.Background(), Trained{Model: m, Graph: modelGraph(t, m, o.Graphs[0].Facts)})
	if score.MRR != r.Best.MRR {
		t.Errorf("the best model scores %v, the result says %v", score.MRR, r.Best.MRR)
	}
	_, card = loadModel(t, filepath.Join(o.Dir, checkpoint.LastFile))
	if last := reports[len(reports)-1].Score; card.Step != 12 || card.Metrics["valid_mrr"] != last.MRR {
		t.Errorf("card of the last model %+v, which scored %v", card, last)
	}
	if parsed, err := ParseConfig(card.Training, "card"); err != nil || !reflect.DeepEqual(parsed, o.Config) {
		t.Errorf("the card's configuration is %+v, %v", parsed, err)
	}
	if saved, err := SavedConfig(o.Dir); err != nil || !reflect.DeepEqual(saved, o.Config) {
		t.Errorf("the saved configuration is %+v, %v", saved, err)
	}
	steps := []int{}
	trace, _ := openTrace(o.Dir, math.MaxInt)
	for _, line := range trace.lines {
		steps = append(steps, line.Step)
	}
	if want := []int{4, 5, 8, 10, 12, 12}; !slices.Equal(steps, want) {
		t.Errorf("lines of the trace at steps %v, want %v", steps, want)
	}
	if svg := contents(t, o.Dir, curveFile); !strings.Contains(svg, "</svg>") || strings.Contains(svg, "NaN") {
		t.Error("the curve is broken")
	}
}

func TestResumeEqualsAnUninterruptedRun(t *testing.T) {
	whole := mixed(t)
	mustRun(t, whole)
	want := outcome(t, whole.Dir)
	for _, stopAt := range []int{1, 3, 4, 5, 8, 11} {
		o := mixed(t)
		ctx, cancel := context.WithCancel(context.Background())
		o.Progress = func(p Progress) {
			if p.Step == stopAt {
				cancel()
			}
		}
		r, err := Run(ctx, o)
		if kg.KindOf(err) != kg.Cancelled || r.Reason != Stopped || r.Step != stopAt {
			t.Fatalf("stopped at %d: %+v, %v", stopAt, r, err)
		}
		if _, err := checkpoint.Find(o.Dir); err != nil {
			t.Errorf("stopped at %d: %v", stopAt, err)
		}
		o.Resume, o.Progress = true, nil
		o.Graphs[0].Queries = drawer(t, o.Graphs[0].Facts, o.Config)
		if r := mustRun(t, o); r.Reason != Finished || r.Step != 12 {
			t.Errorf("resumed at %d: %+v", stopAt, r)
		}
		compareOutcomes(t, "resumed", outcome(t, o.Dir), want)
	}
}

// The record of an older program lacks settings; they are as that program had them.
func TestOldRecordsCanBeResumed(t *testing.T) {
	r, err := parseRecord([]byte(`{"config": {"steps": 7, "shapes": {"2p": 1}}, "step": 5}`), "x")
	if err != nil || r.Step != 5 || len(r.Config.Shapes) != 1 {
		t.Fatalf("record %+v, %v", r, err)
	}
	c := Default()
	c.Shapes = map[string]int{"2p": 1}
	if what := c.differs(r.Config); what != "" {
		t.Errorf("the settings differ: %s", what)
	}
}

// A run that ends early may be given more steps; those it has done are the same.
func TestResumeWithMoreSteps(t *testing.T) {
	o := mixed(t)
	o.Graphs[0].Validate = nil
	o.Config.Steps = 7
	mustRun(t, o)
	o.Config.Steps, o.Resume = 12, true
	mustRun(t, o)
	whole := mixed(t)
	whole.Graphs[0].Validate = nil
	mustRun(t, whole)
	a, _ := loadModel(t, filepath.Join(o.Dir, checkpoint.LastFile))
	b, _ := loadModel(t, filepath.Join(whole.Dir, checkpoint.LastFile))
	x, y := make([]float32, a.Parameters.Len), make([]float32, a.Parameters.Len)
	a.Device().Download(x, a.Parameters.Values)
	b.Device().Download(y, b.Parameters.Values)
	if !slices.Equal(x, y) {
		t.Error("7 and then 5 steps give other parameters than 12")
	}
}

// A model that only counted as the best for want of a validation does not outlive a resume.
func TestUnvalidatedBestGivesWay(t *testing.T) {
	o := mixed(t)
	o.Graphs[0].Validate = nil
	o.Config.Steps = 3
	mustRun(t, o)
	if path, _ := checkpoint.Find(o.Dir); filepath.Base(path) != checkpoint.BestFile {
		t.Errorf("after the run %s counts as the best", path)
	}
	o.Config.Steps, o.Resume = 12, true
	ctx, cancel := context.WithCancel(context.Background())
	o.Progress = func(Progress) { cancel() }
	if _, err := Run(ctx, o); kg.KindOf(err) != kg.Cancelled {
		t.Fatal(err)
	}
	if path, _ := checkpoint.Find(o.Dir); filepath.Base(path) != checkpoint.LastFile {
		t.Errorf("in the midst of the resumed run %s counts as the best", path)
	}
}

func TestSameBitsForAnyNumberOfThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var want map[string]string
	for _, threads := range []int{1, 2, 5} {
		runtime.GOMAXPROCS(threads)
		o := mixed(t)
		device, err := cpu.New(cpu.Options{})
		if err != nil {
			t.Fatal(err)
		}
		o.Device = device
		mustRun(t, o)
		got := outcome(t, o.Dir)
		if want == nil {
			want = got
		}
		compareOutcomes(t, "with more threads", got, want)
	}
}

// Every kind of network can be trained, foundation models included.
func TestEveryKindOfNetwork(t *testing.T) {
	for name, m := range map[string]gnn.Config{
		"compgcn": {Kind: gnn.CompGCN, Message: "corr", Width: 6, Layers: 2}, "rgcn": {Kind: gnn.RGCN, Width: 6, Layers: 2, Bases: 3},
		"ultra": tinyUltra(), "alternating": tinyAlternating(),
	} {
		o := mixed(t)
		o.Config.Model.Config, o.Config.Steps, o.Config.Rate = m, 40, 0.01
		var losses []float64
		o.Progress = func(p Progress) { losses = append(losses, p.Loss) }
		if r := mustRun(t, o); r.Step != 40 || r.Loss >= losses[0] {
			t.Errorf("%s: loss %v at the first step, %v at the end", name, losses[0], r.Loss)
		}
		if _, card := loadModel(t, filepath.Join(o.Dir, checkpoint.BestFile)); card.Config.Config != m {
			t.Errorf("%s: saved as %+v", name, card.Config)
		}
	}
}

// childFolder names, to a process of this test, the folder of a run to work on.
const childFolder = "LACUNA_TRAIN_TEST_CHILD"

// TestChildProcess is no test of its own: TestKilledTrainingResumes runs it in another process.
func TestChildProcess(t *testing.T) {
	dir := os.Getenv(childFolder)
	if dir == "" {
		return // not skipped: there is nothing to test but as the child of another test
	}
	o := mixed(t)
	o.Dir, o.SaveEvery = dir, 1
	_, err := os.Stat(filepath.Join(dir, checkpoint.StateFile))
	o.Resume = err == nil
	mustRun(t, o)
}

func TestKilledTrainingResumes(t *testing.T) {
	whole := mixed(t)
	mustRun(t, whole)
	want := outcome(t, whole.Dir)
	dir := filepath.Join(t.TempDir(), "killed")
	kills, finished := 0, false
	for delay := 2 * time.Millisecond; !finished && kills < 200; delay += 3*time.Millisecond + delay/50 {
		child := exec.Command(os.Args[0], "-test.run=^TestChildProcess$")
		child.Env = append(os.Environ(), childFolder+"="+dir, "TMPDIR="+t.TempDir()) // what a killed child leaves behind goes with this test
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(delay, func() { child.Process.Kill() })
		err := child.Wait()
		timer.Stop()
		var exit *exec.ExitError
		switch {
		case err == nil:
			finished = true
		case errors.As(err, &exit) && exit.ExitCode() == -1: // by a signal
			kills++
			checkUsable(t, dir)
		default:
			t.Fatalf("the child failed: %v", err)
		}
	}
	if !finished || kills < 3 {
		t.Fatalf("killed %d times, finished %v", kills, finished)
	}
	t.Logf("killed %d times", kills)
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	compareOutcomes(t, "after kills", outcome(t, dir), want)
}

// checkUsable wants a model in the folder as soon as there is anything of a run in it.
func checkUsable(t *testing.T, dir string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, checkpoint.StateFile)); err != nil {
		return // killed before it began
	}
	path, err := checkpoint.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	loadModel(t, path)
}

func TestMaxTimeStopsCleanly(t *testing.T) {
	o := mixed(t)
	o.Config.Steps, o.Config.Validations, o.MaxTime = 1_000_000, 1, 500*time.Millisecond
	r := mustRun(t, o)
	if r.Reason != TimeUp || r.Step == o.Config.Steps || r.BestStep != r.Step {
		t.Errorf("result %+v", r)
	}
	if r.Loss <= 0 { // though no interval of the trace may have ended
		t.Errorf("loss %v after %d steps", r.Loss, r.Step)
	}
	if _, err := checkpoint.Find(o.Dir); err != nil {
		t.Error(err)
	}
}

func TestCancelledBeforeItBegins(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, mixed(t)); kg.KindOf(err) != kg.Cancelled {
		t.Errorf("error %v", err)
	}
}

func TestDivergenceKeepsTheLastModel(t *testing.T) {
	o := mixed(t)
	o.Config.Rate = 1e38
	o.Graphs[0].Validate = nil
	r, err := Run(context.Background(), o)
	if r.Reason != Failed || err == nil || !strings.Contains(err.Error(), "the loss is") && !strings.Contains(err.Error(), "holds") {
		t.Fatalf("error %v", err)
	}
	path, err := checkpoint.Find(o.Dir)
	if err != nil {
		t.Fatal(err)
	}
	loadModel(t, path) // which refuses numbers that are none
}

func TestFailedValidationEndsTheRun(t *testing.T) {
	o := mixed(t)
	broken := errors.New("broken")
	o.Graphs[0].Validate = func(context.Context, Trained) (Score, error) { return Score{}, broken }
	if _, err := Run(context.Background(), o); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

// A validation that Ctrl-C cuts short is made up for by the resumed run.
func TestInterruptedValidationIsRepeated(t *testing.T) {
	whole := mixed(t)
	mustRun(t, whole)
	want := outcome(t, whole.Dir)
	o := mixed(t)
	ctx, cancel := context.WithCancel(context.Background())
	validate := o.Graphs[0].Validate
	o.Graphs[0].Validate = func(ctx context.Context, g Trained) (Score, error) {
		cancel()
		return Score{MRR: 1}, nil // of the few queries that were asked
	}
	if _, err := Run(ctx, o); kg.KindOf(err) != kg.Cancelled {
		t.Fatal(err)
	}
	o.Graphs[0].Validate, o.Resume = validate, true
	mustRun(t, o)
	compareOutcomes(t, "resumed", outcome(t, o.Dir), want)
}

func TestRunRefuses(t *testing.T) {
	began := mixed(t)
	mustRun(t, began)
	for want, change := range map[string]func(*Options){
		"holds a run already":    func(o *Options) {},
		"holds no run to resume": func(o *Options) { o.Resume, o.Dir = true, t.TempDir() },
		"batch is 7 where":       func(o *Options) { o.Resume, o.Config.Batch = true, 7 },
		"began with other queries": func(o *Options) {
			o.Resume, o.Graphs[0].Queries = true, drawer(t, o.Graphs[0].Facts, small(map[string]int{"2p": 1}))
		},
		"trained on another graph":     func(o *Options) { o.Resume, o.Graphs[0].Facts = true, randomGraph(5, 17, 3, 60) },
		"58 facts, this one has":       func(o *Options) { o.Resume, o.Graphs[0].Facts = true, randomGraph(5, 16, 3, 50) },
		"expected a folder":            func(o *Options) { o.Dir = "" },
		"no facts to learn from":       func(o *Options) { o.Graphs[0].Facts = graphOf(3, 1, nil) },
		"steps is 0, expected":         func(o *Options) { o.Config.Steps = 0 },
		"expected a device":            func(o *Options) { o.Device = nil },
		"expected times and intervals": func(o *Options) { o.MaxTime = -1 },
	} {
		o := mixed(t)
		o.Dir = began.Dir
		change(&o)
		if _, err := Run(context.Background(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
