package command

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
)

// linkFlags chooses how a model answers, and how far it looks by links.
type LinkFlags struct {
	By      Ways
	Follow  links.Follow
	ends    int
	Rows    links.Options
	File    string
	Fitted  string
	noFit   bool
	isGiven func(flag string) bool // on the command line; nil where flags are not registered
}

// Ways are ways to answer.
type Ways []lacuna.Way

// waysFlag is a flag of names with commas between them, which may be repeated.
type waysFlag struct {
	*Ways
	given bool // and no longer the default
}

// Set reads the flag; LinkFlags.Check says whether the names are any.
func (w *waysFlag) Set(names string) error {
	if !w.given {
		*w.Ways, w.given = nil, true
	}
	if names == "" {
		return nil
	}
	for name := range strings.SplitSeq(names, ",") {
		*w.Ways = append(*w.Ways, lacuna.Way(name))
	}
	return nil
}

// String is what a flag reads.
func (w Ways) String() string {
	names := make([]string, len(w))
	for i, way := range w {
		names[i] = string(way)
	}
	return strings.Join(names, ",")
}

// Only is the way if there is one, else "".
func (w Ways) Only() lacuna.Way {
	if len(w) != 1 {
		return ""
	}
	return w[0]
}

// Type is of the flag's value, for pflag.
func (w *waysFlag) Type() string { return "ways" }

// register adds the flags. Several ways to answer at once are for commands that compare them.
func (f *LinkFlags) Register(cmd *cobra.Command, ways ...lacuna.Way) {
	flags := cmd.Flags()
	f.isGiven, f.By = flags.Changed, ways
	flags.Var(&waysFlag{Ways: &f.By}, "by", "`how` the model answers: by links or, as in the paper, by sets")
	flags.IntVar(&f.Follow.Most, "follow", 0, "nodes followed per step, -1 for all (default: 32 on a CPU, 256 on a GPU, 1024 with --links)")
	flags.IntVar(&f.Follow.Lacking, "follow-lacking", 0, "with --links: nodes followed per step that are missing from the file, -1 for all (default: 256 on a GPU; on a CPU none, or 32 if the file has no links)")
	flags.Float32Var(&f.Follow.Weight, "follow-from", links.DefaultWeight, "follow only nodes that are at least this likely")
	flags.IntVar(&f.ends, "both-ends", 0, "rescore the N likeliest links of each step from the other end: better ranking, slower; -1 for none (default: none; eval: 32 on graphs of up to 50,000 facts, a million with a GPU)")
	flags.Float32Var(&f.Rows.Least, "least", links.DefaultLeast, "ignore predicted links below this probability")
	f.RegisterFile(cmd)
	f.RegisterCalibration(cmd)
	CompleteFlag(cmd, "by", string(lacuna.Links), string(lacuna.Sets))
}

// registerFile adds the flag of links made beforehand.
func (f *LinkFlags) RegisterFile(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.File, "links", "", "`file` made by lacuna links; links missing in it are computed")
}

// registerCalibration adds the flags of probabilities that hold.
func (f *LinkFlags) RegisterCalibration(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.Fitted, "calibration", "", "`file` made by lacuna calibrate (default: fitted at the first question, and kept)")
	cmd.Flags().BoolVar(&f.noFit, "no-calibration", false, "use the model's probabilities as they are, not fitted to the graph")
	cmd.MarkFlagsMutuallyExclusive("calibration", "no-calibration")
}

func (f *LinkFlags) Check() error {
	if f.isGiven != nil && f.isGiven("by") && len(f.By) == 0 {
		return kg.Errorf(kg.Invalid, "", "--by: expected links or sets")
	}
	for _, by := range f.By {
		if by != lacuna.Links && by != lacuna.Sets {
			return kg.Errorf(kg.Invalid, "", "--by %s: expected links or sets", by)
		}
	}
	if f.isGiven == nil || slices.Contains(f.By, lacuna.Links) {
		return f.CheckValues()
	}
	for _, name := range []string{"follow", "follow-lacking", "follow-from", "both-ends", "least", "links", "cut", "calibration", "no-calibration"} {
		if f.isGiven(name) {
			return kg.Errorf(kg.Invalid, "", "--%s is for answers by links: expected --by links, or no --%[1]s", name)
		}
	}
	return nil
}

// needModel refuses files of links and of their calibration where nothing is predicted.
func needModel(cmd *cobra.Command, _ []string) error {
	models := flagValues(cmd, "model")
	if len(models) == 0 || slices.ContainsFunc(models, func(m string) bool { return m != lacuna.Exact }) {
		return nil
	}
	for _, name := range []string{"links", "calibration"} {
		if cmd.Flags().Changed(name) {
			return kg.Errorf(kg.Invalid, "", "--%s is for predictions, and -m exact makes none: expected a model, or no --%[1]s", name)
		}
	}
	return nil
}

// checkValues refuses numbers that mean nothing, or nothing here.
func (f *LinkFlags) CheckValues() error {
	for _, n := range []struct {
		flag     string
		value    int
		expected string
	}{
		{"follow", f.Follow.Most, "a number of entities, or -1 for all"},
		{"follow-lacking", f.Follow.Lacking, "a number of entities, or -1 for all"},
		{"both-ends", f.ends, "a number of links, or -1 for none"},
	} {
		if n.value < -1 {
			return kg.Errorf(kg.Invalid, "", "--%s %d: expected %s", n.flag, n.value, n.expected)
		}
	}
	for _, p := range []struct {
		flag  string
		value float32
	}{{"follow-from", f.Follow.Weight}, {"least", f.Rows.Least}} {
		if !(p.value >= 0 && p.value <= 1) { // nor is NaN
			return kg.Errorf(kg.Invalid, "", "--%s %v: expected a probability, from 0 to 1", p.flag, p.value)
		}
	}
	switch given := f.isGiven; {
	case given == nil:
	case f.File != "" && given("least"):
		return kg.Errorf(kg.Invalid, "", "--least beside --links: a file has the links from the probability on that it was made with; expected lacuna links --least")
	case f.File == "" && given("follow-lacking"):
		return kg.Errorf(kg.Invalid, "", "--follow-lacking is of entities that a file of links lacks: expected --links beside it")
	}
	return nil
}

// options are those of an engine that may answer by links.
func (f *LinkFlags) Options() lacuna.Option {
	if f.isGiven == nil {
		return lacuna.Linking(lacuna.LinkOptions{})
	}
	o := lacuna.LinkOptions{Follow: f.Follow, Ends: f.ends, Rows: f.Rows, File: f.File}
	if o.Rows.Least == 0 {
		o.Rows.Least = -1 // the library's 0 is its default
	}
	if o.Follow.Weight == 0 {
		o.Follow.Weight = -1
	}
	return lacuna.Linking(o)
}

// calibrating fits the probabilities of links at the first question, to facts that the graph's folder holds out or else to
// some that are hidden, says so, and keeps the fit in the user's cache folder.
func (f *LinkFlags) Calibrating(a *App, graph string, splits *kg.Splits) lacuna.Option {
	o := a.fitting(graph)
	o.File, o.Off = f.Fitted, f.noFit
	o.Held, o.Elsewhere = splits.Valid, len(splits.Test)
	if cache, err := os.UserCacheDir(); err == nil {
		o.Folder = filepath.Join(cache, "lacuna", "calibration")
	}
	return lacuna.Calibrating(o)
}

// CalibratingAlike fits the probabilities of links in the same way on every machine: to facts of the graph that are hidden, however
// long it takes, and not to those that it holds out, which may be what is asked for. Rows is how many are looked at, 0 for a quick fit.
func (f *LinkFlags) CalibratingAlike(a *App, graph string, splits *kg.Splits, rows int) lacuna.Option {
	o := a.fitting(graph)
	o.File, o.Off, o.Rows, o.Time = f.Fitted, f.noFit, rows, -1
	o.Elsewhere = len(splits.Valid) + len(splits.Test)
	return lacuna.Calibrating(o)
}

// fitting is a calibration that is shown.
func (a *App) fitting(graph string) lacuna.CalibrationOptions {
	var bar *Progress // from when it begins
	return lacuna.CalibrationOptions{
		Progress: func(done, total int) {
			if bar == nil {
				bar = a.Progress("fitting probabilities to " + graph)
			}
			bar.Update(int64(done), int64(total), "rows")
		},
		Done: func(c lacuna.Calibrated) {
			if bar != nil {
				bar.Done()
			}
			if c.Failed != nil {
				a.Remark("the probabilities on %s are not fitted, so use them for ranking only: %v", graph, c.Failed)
				return
			}
			kept := ""
			if c.Around > 0 {
				kept = fmt.Sprintf(", on the %s around each", count.Of(c.Around, "entity"))
			}
			if c.Cut {
				kept += " with fewer rows than usual because the machine is busy"
			}
			switch {
			case c.Kept != "" && c.Cut:
				kept += fmt.Sprintf("; kept, and refined by a command %.0f minutes from now or later", lacuna.RefineAfter.Minutes())
			case c.Kept != "":
				kept += "; kept for next time"
			}
			seen := ""
			if c.Seen {
				seen = "; the model was trained on these facts, so it is surer of them than of new ones"
			}
			a.Remark("fitted probabilities to %s held out of %s in %.1f s%s (--no-calibration skips this)%s", count.Of(c.Facts, "fact"), graph, c.Took.Seconds(), kept, seen)
		},
	}
}

// one is the way to answer for commands that answer once.
func (f *LinkFlags) One() (lacuna.AskOption, error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	if len(f.By) != 1 {
		return nil, kg.Errorf(kg.Invalid, "", "--by %s: expected links or sets, not both", f.By)
	}
	return lacuna.By(f.By[0]), nil
}
