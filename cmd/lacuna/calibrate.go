package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/calibrate"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links/fit"
	"github.com/lacuna-kg/lacuna/query"
)

// calibrateFlags say which model is calibrated on which graph.
type calibrateFlags struct {
	graph  graphFlags
	device deviceFlags
	model  string
	output string
	layout string
	by     string
	opts   calibrate.Options
	links  fit.Options
	fitted string // a calibration to check
	check  string // the facts to check against
}

func (a *app) calibrateCommand() *cobra.Command {
	var flags calibrateFlags
	cmd := &cobra.Command{
		Use:   "calibrate [-g GRAPH] [-m MODEL] -o FILE",
		Short: "Make probabilities mean what they say on a graph",
		Long: `Fit the probabilities of links to a graph: to its validation facts, if it holds some out, or
to a share of its own facts that is hidden. Half of the rows are used to fit. The table shows what
the probabilities promise and keep on the other half. Pass the file to ask, eval and the others
by --calibration; without it they make a smaller fit at the first question.

Probabilities then hold for a graph that misses about as many facts as were hidden.

--check valid or --check test writes nothing. It asks questions drawn from what the graph states
and compares the ten likeliest predictions of each with the validation or test facts: how many
were expected to be right, and how many are. Unless --calibration names a file, it first fits links
to the validation facts (with --check valid to half of them, and compares with the other half).

With --by sets it is the model that is calibrated, for answers by sets: a share of the facts is
hidden, and the two numbers of logit -> scale*logit + bias are fitted that make them likeliest
among the likeliest unknown links. The map is folded into the model's last layer: ask, eval and
serve take the new file as any other model, and the order of the answers to a single link is the
same. Then other facts are hidden, queries of all shapes are drawn that ask for them, and the
calibration error and the error of the predicted number of answers are printed as they were
before and as they are after.`,
		Example: `  lacuna calibrate -g films.tsv -o films.calibration
  lacuna ask -g films.tsv --calibration films.calibration '?f : Directed(Fellini, f)'
  lacuna calibrate -g UMLS --check test --queries 200
  lacuna calibrate -g films.tsv --by sets -o films.safetensors
  lacuna ask -g films.tsv --by sets -m films.safetensors '?f : Directed(Fellini, f)'
  lacuna calibrate -g UMLS -m umls-model --by sets -o umls.safetensors --table markdown`,
		Args: arguments(0, 0, "no argument (name the graph by -g, the model by -m, the file by -o)"),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.calibrate(cmd, &flags) },
	}
	flags.graph.register(cmd)
	flags.device.register(cmd)
	flags.device.registerCut(cmd)
	registerModel(cmd, &flags.model)
	f := cmd.Flags()
	f.StringVarP(&flags.output, "output", "o", "", "the calibration to write, or by sets the model (required unless --check)")
	f.StringVar(&flags.by, "by", lacuna.Links, "what is calibrated: the probabilities of links (links), or a model that answers by sets (sets)")
	f.IntVar(&flags.links.Rows, "rows", 0, fmt.Sprintf("by links: rows of links to look at, half of them to fit on (default: %d; with --check as a first question, all of them to fit on)", fit.DefaultRows))
	f.Float64Var(&flags.opts.Share, "share", calibrate.DefaultShare, "share of the facts to hide; by sets once to fit on and once to measure on")
	f.IntVar(&flags.opts.Fit, "links", calibrate.DefaultFit, "by sets: single links to fit on")
	f.IntVar(&flags.opts.Candidates, "candidates", calibrate.DefaultCandidates, "by sets: likeliest unknown tails of each link that the fit looks at; -1 for all")
	f.IntVar(&flags.opts.Queries, "queries", lacuna.DefaultCheckQuestions, "questions of each shape to ask, with --check or by sets (there 100 unless given)")
	f.StringArrayVar(&flags.opts.Shapes, "shapes", nil, "by sets: shapes to measure, such as 1p,2in (default: all)")
	f.Uint64Var(&flags.opts.Seed, "seed", 1, "seed of the choice of facts and queries")
	f.StringVar(&flags.check, "check", "", "compare the probabilities of answers with these facts, valid or test, and write nothing")
	f.StringVar(&flags.fitted, "calibration", "", "by links: what --check checks, a file that calibrate made (default: a fit as for a first question)")
	completeFlag(cmd, "check", "valid", "test")
	f.StringVar(&flags.layout, "table", "text", "by sets: layout of the table, text or markdown")
	completeFlag(cmd, "table", "text", "markdown")
	completeFlag(cmd, "by", lacuna.Links, lacuna.Sets)
	return cmd
}

// bySets are the flags that mean nothing by links.
var bySets = []string{"links", "candidates", "shapes", "table"}

// verify refuses what does not go together.
func (flags *calibrateFlags) verify(cmd *cobra.Command) error {
	if flags.by != lacuna.Sets && flags.by != lacuna.Links {
		return kg.Errorf(kg.Invalid, "", "--by %s: expected links or sets", flags.by)
	}
	if flags.output == "" && flags.check == "" {
		return kg.Errorf(kg.Invalid, "", "calibrate: -o FILE is needed, the file to write")
	}
	if flags.output != "" && flags.check != "" {
		return kg.Errorf(kg.Invalid, "", "-o %s: --check writes nothing, expected -o or --check", flags.output)
	}
	if _, err := os.Stat(filepath.Dir(flags.output)); err != nil { // told before minutes are spent on what cannot be kept
		return kg.WriteError(flags.output, err)
	}
	if flags.layout != "text" && flags.layout != "markdown" {
		return kg.Errorf(kg.Invalid, "", "--table %s: expected text or markdown", flags.layout)
	}
	if flags.check != "" && (flags.by != lacuna.Links || flags.check != "valid" && flags.check != "test") {
		return kg.Errorf(kg.Invalid, "", "--check %s: expected valid or test, and --by links", flags.check)
	}
	if flags.by == lacuna.Sets {
		return nil
	}
	for _, name := range bySets {
		if cmd.Flags().Changed(name) {
			return kg.Errorf(kg.Invalid, "", "--%s is for a model that answers by sets: expected --by sets", name)
		}
	}
	if filepath.Ext(flags.output) == ".safetensors" {
		return kg.Errorf(kg.Invalid, "", "-o %s: a calibration by links is no model, expected a name such as %s, or --by sets",
			flags.output, strings.TrimSuffix(flags.output, ".safetensors")+".calibration")
	}
	return nil
}

func (a *app) calibrate(cmd *cobra.Command, flags *calibrateFlags) error {
	if err := flags.verify(cmd); err != nil {
		return err
	}
	splits, err := flags.graph.open(cmd.Context(), a)
	if err != nil {
		return err
	}
	defer splits.Close()
	engine, err := a.newEngine(cmd.Context(), splits.Train, flags.graph.name(), chosenModel(flags.model, &flags.graph, flags.by), &flags.device)
	if err != nil {
		return err
	}
	defer engine.Close()
	if flags.by == lacuna.Links {
		if flags.check != "" {
			return a.checkLinks(cmd.Context(), engine, splits, flags)
		}
		return a.calibrateLinks(cmd.Context(), engine, splits, flags)
	}
	if !cmd.Flags().Changed("queries") {
		flags.opts.Queries = calibrate.DefaultQueries
	}
	bar := a.progress("calibrating")
	flags.opts.Shapes = query.SplitShapes(flags.opts.Shapes...)
	flags.opts.Progress = func(stage string, done, total int) { bar.update(int64(done), int64(total), stage) }
	report, err := engine.Calibrate(cmd.Context(), flags.output, flags.opts)
	bar.done()
	if err != nil {
		return err
	}
	return a.showCalibration(flags, engine.ModelName(), engine.Seen(), report)
}

// showCalibration prints the map and, by shape, what it came to.
func (a *app) showCalibration(flags *calibrateFlags, model string, seen bool, r *calibrate.Report) error {
	if a.json {
		return a.printJSON(struct {
			Output string `json:"output"`
			Model  string `json:"model"`
			Graph  string `json:"graph"`
			Seen   bool   `json:"seen"`
			*calibrate.Report
		}{flags.output, model, flags.graph.name(), seen, r})
	}
	s := a.screen
	s.printf("%s: %s on %s, logit → %.3f·logit %+.3f (temperature %.2f)\n", flags.output, model, flags.graph.name(), r.Fit.Scale, r.Fit.Bias, 1/r.Fit.Scale)
	s.printf("fitted on %s, %s of them true; %s hidden to fit and %s others to measure, seed %d\n\n",
		count.Of(r.Fit.Links, "unknown link"), count.Number(r.Fit.True), count.Of(r.Hidden, "fact"), count.Number(r.Hidden), r.Seed)
	a.calibrationTable(append(r.Shapes, r.Mean), flags.layout == "markdown")
	s.printf("\n%s\n%s\n%s\n", s.dim("ECE: "+r.Rules.ECE+"."), s.dim("Candidates: "+r.Rules.Candidates+". Queries: "+r.Rules.Queries+"."), s.dim("MAPE: "+r.Rules.MAPE+"."))
	if seen {
		a.remark("the model was trained on this graph, the hidden facts among it: expect it to be less sure of what it has not seen than this says")
	}
	return nil
}

// calibrationTable prints a row a shape, before → after.
func (a *app) calibrationTable(rows []calibrate.ShapeReport, markdown bool) {
	begin, between, end := "", "  ", ""
	if markdown {
		begin, between, end = "| ", " | ", " |"
	}
	row := func(cells ...string) {
		line := begin
		for i, cell := range cells {
			if i > 0 {
				line += between
			}
			line += pad(cell, 15)
		}
		a.screen.printf("%s%s\n", line, end)
	}
	row("shape", "queries", "ECE %", "ECE all %", "MAPE %", "MRR %")
	if markdown {
		row("---", "---", "---", "---", "---", "---")
	}
	for _, r := range rows {
		arrow := func(before, after float64) string { return fmt.Sprintf("%.2f → %.2f", 100*before, 100*after) }
		b, n := r.Before, r.After
		row(r.Shape, count.Number(b.Queries), arrow(b.ECE, n.ECE), arrow(b.ECEAll, n.ECEAll), arrow(b.MAPE, n.MAPE), arrow(b.MRR, n.MRR))
	}
}
