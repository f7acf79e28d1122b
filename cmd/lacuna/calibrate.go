package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/calibrate"
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
}

func (a *app) calibrateCommand() *cobra.Command {
	var flags calibrateFlags
	cmd := &cobra.Command{
		Use:   "calibrate [-g GRAPH] [-m MODEL] -o FILE",
		Short: "Make a model's probabilities mean what they say on a graph",
		Long: `Hide a share of the graph's own facts, see how likely the model holds them among the
likeliest unknown links, and fit the two numbers of logit -> scale*logit + bias that make them
likeliest. The map is folded into the model's last layer: ask, eval and serve take the
new file as any other model, and the order of the answers to a single link is the same.

Then other facts are hidden, queries of all shapes are drawn that ask for them, and the
calibration error and the error of the predicted number of answers are printed as they
were before and as they are after.

Probabilities then hold for a graph that lacks about the share of its facts that was hidden.

With --by links it is the probabilities of single links that are fitted, to the graph's
validation facts where it holds some out and else to a share that is hidden, and the file is
for --calibration of ask and eval.`,
		Example: `  lacuna calibrate -g films.tsv -o films.safetensors
  lacuna ask -g films.tsv -m films.safetensors '?f : Directed(Fellini, f)'
  lacuna calibrate -g films.tsv --by links -o films.calibration
  lacuna ask -g films.tsv --by links --calibration films.calibration '?f : Directed(Fellini, f)'
  lacuna calibrate -g UMLS -m umls-model -o umls.safetensors --queries 200 --table markdown`,
		Args: arguments(0, 0, "no argument (name the graph by -g, the model by -m, the file by -o)"),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.calibrate(cmd, &flags) },
	}
	flags.graph.register(cmd)
	flags.device.register(cmd)
	registerModel(cmd, &flags.model)
	f := cmd.Flags()
	f.StringVarP(&flags.output, "output", "o", "", "the model to write, or the calibration by links (required)")
	f.StringVar(&flags.by, "by", lacuna.Sets, "what is calibrated: the model (sets), or the probabilities of single links (links)")
	f.IntVar(&flags.links.Rows, "rows", fit.DefaultRows, "by links: rows of links to look at, half of them to fit on")
	f.Float64Var(&flags.opts.Share, "share", calibrate.DefaultShare, "share of the facts to hide, once to fit on and once to measure on")
	f.IntVar(&flags.opts.Fit, "links", calibrate.DefaultFit, "single links to fit on")
	f.IntVar(&flags.opts.Candidates, "candidates", calibrate.DefaultCandidates, "likeliest unknown tails of each link that the fit looks at; -1 for all")
	f.IntVar(&flags.opts.Queries, "queries", calibrate.DefaultQueries, "queries of each shape to measure on")
	f.StringArrayVar(&flags.opts.Shapes, "shapes", nil, "shapes to measure, such as 1p,2in (default: all)")
	f.Uint64Var(&flags.opts.Seed, "seed", 1, "seed of the choice of facts and queries")
	f.StringVar(&flags.layout, "table", "text", "layout of the table: text or markdown")
	completeFlag(cmd, "table", "text", "markdown")
	completeFlag(cmd, "by", lacuna.Sets, lacuna.Links)
	return cmd
}

func (a *app) calibrate(cmd *cobra.Command, flags *calibrateFlags) error {
	if flags.output == "" {
		return kg.Errorf(kg.Invalid, "", "calibrate: -o FILE is needed, the file to write")
	}
	if flags.layout != "text" && flags.layout != "markdown" {
		return kg.Errorf(kg.Invalid, "", "--table %s: expected text or markdown", flags.layout)
	}
	if flags.by != lacuna.Sets && flags.by != lacuna.Links {
		return kg.Errorf(kg.Invalid, "", "--by %s: expected sets or links", flags.by)
	}
	splits, err := flags.graph.open(cmd.Context(), a)
	if err != nil {
		return err
	}
	defer splits.Close()
	engine, err := a.newEngine(cmd.Context(), splits.Train, flags.graph.name(), chosenModel(flags.model, &flags.graph), &flags.device)
	if err != nil {
		return err
	}
	defer engine.Close()
	if flags.by == lacuna.Links {
		return a.calibrateLinks(cmd.Context(), engine, splits.Valid, flags)
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

// calibrateLinks fits the probabilities of links and prints what they promise and keep.
func (a *app) calibrateLinks(ctx context.Context, engine *lacuna.Engine, held []kg.Triple, flags *calibrateFlags) error {
	how := flags.links
	how.Held, how.Share, how.Seed = held, flags.opts.Share, flags.opts.Seed
	bar := a.progress("calibrating")
	how.Progress = func(done, total int) { bar.update(int64(done), int64(total), "rows") }
	report, err := engine.FitLinks(ctx, flags.output, how)
	bar.done()
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(struct {
			Output string `json:"output"`
			Model  string `json:"model"`
			Graph  string `json:"graph"`
			*fit.Report
		}{flags.output, engine.ModelName(), flags.graph.name(), report})
	}
	a.showLinkCalibration(flags.output, engine, flags.graph.name(), report)
	return nil
}

func (a *app) showLinkCalibration(output string, engine *lacuna.Engine, graph string, r *fit.Report) {
	s, how := a.screen, "held out for validation"
	if r.Hidden {
		how = "hidden"
	}
	s.printf("%s: links by %s on %s; %s facts %s\n", output, engine.ModelName(), graph, thousands(r.Held), how)
	s.printf("measured on %s rows that were not fitted on, seed %d\n\n", thousands(r.Rows), r.Seed)
	s.printf("probability        before            after\n")
	for i, b := range r.Before.Bins {
		s.printf("%.2f to %.2f  %16s %16s\n", b.From, b.To, kept(b), kept(r.After.Bins[i]))
	}
	s.printf("0.50 to 1.00  %16s %16s\n", kept(r.Before.Likely), kept(r.After.Likely))
	s.printf("ECE           %14.2f %% %14.2f %%\n\n", 100*r.Before.ECE, 100*r.After.ECE)
	s.printf("%s\n", s.dim("Links expected to be facts held out → that are; ECE of the ten likeliest links of a row."))
	if engine.Seen() && r.Hidden {
		a.remark("the model was trained on this graph, the hidden facts among it: expect it to be less sure of what it has not seen than this says")
	}
}

func kept(b fit.Bin) string { return fmt.Sprintf("%.0f → %.0f", b.Expected, b.Found) }

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
	s.printf("fitted on %s unknown links, %s of them true; %s facts hidden to fit and %s others to measure, seed %d\n\n",
		thousands(r.Fit.Links), thousands(r.Fit.True), thousands(r.Hidden), thousands(r.Hidden), r.Seed)
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
		row(r.Shape, thousands(b.Queries), arrow(b.ECE, n.ECE), arrow(b.ECEAll, n.ECEAll), arrow(b.MAPE, n.MAPE), arrow(b.MRR, n.MRR))
	}
}
