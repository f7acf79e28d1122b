package lab

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/lab/calibrate"
	"github.com/lacuna-kg/lacuna/query"
)

// calibrateFlags say which model is calibrated on which graph.
type calibrateFlags struct {
	graph  command.GraphFlags
	device command.DeviceFlags
	model  string
	output string
	layout string
	opts   calibrate.Options
}

func (a *app) calibrateCommand() *cobra.Command {
	var flags calibrateFlags
	cmd := &cobra.Command{
		Use:   "calibrate [-g GRAPH] [-m MODEL] -o FILE.safetensors",
		Short: "Calibrate a model that answers by sets, and measure what it gains",
		Long: `Calibrate a model for answers by sets (--by sets). A share of the facts is hidden, and the
scale and bias of logit -> scale*logit + bias are fitted that make them likeliest among the
likeliest unknown links. The map becomes part of the model's last layer: lacuna ask, eval and
serve take the new file like any other model, and single links keep their order.

Then other facts are hidden, and queries of all shapes are drawn that ask for them. The table
shows the calibration error and the error of the predicted number of answers, before and after.

lacuna calibrate fits the probabilities of links, which is what answers use by default.`,
		Example: `  lacuna-lab calibrate -g films.tsv -o films.safetensors
  lacuna ask -g films.tsv --by sets -m films.safetensors '?f : Directed(Fellini, f)'
  lacuna-lab calibrate -g UMLS -m umls-model -o umls.safetensors --table markdown`,
		Args: command.Arguments(0, 0, "no argument (name the graph by -g, the model by -m, the file by -o)"),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.calibrate(cmd, &flags) },
	}
	flags.graph.Register(cmd)
	flags.device.Register(cmd)
	command.RegisterModel(cmd, &flags.model)
	f := cmd.Flags()
	f.StringVarP(&flags.output, "output", "o", "", "the model to write (required)")
	f.Float64Var(&flags.opts.Share, "share", calibrate.DefaultShare, "share of the facts to hide, once to fit on and once to measure on")
	f.IntVar(&flags.opts.Fit, "fit-links", calibrate.DefaultFit, "single links to fit on")
	f.IntVar(&flags.opts.Candidates, "candidates", calibrate.DefaultCandidates, "likeliest unknown tails of each link that the fit looks at; -1 for all")
	f.IntVar(&flags.opts.Queries, "queries", calibrate.DefaultQueries, "questions of each shape to ask")
	f.StringArrayVar(&flags.opts.Shapes, "shapes", nil, "shapes to measure, such as 1p,2in (default: all)")
	f.Uint64Var(&flags.opts.Seed, "seed", 1, "seed of the choice of facts and queries")
	f.StringVar(&flags.layout, "table", "text", "layout of the table, text or markdown")
	command.CompleteFlag(cmd, "table", "text", "markdown")
	return cmd
}

func (a *app) calibrate(cmd *cobra.Command, flags *calibrateFlags) error {
	if flags.output == "" {
		return kg.Errorf(kg.Invalid, "", "calibrate: -o FILE is needed, the model to write")
	}
	if err := command.CanWrite(flags.output); err != nil {
		return err
	}
	if flags.layout != "text" && flags.layout != "markdown" {
		return kg.Errorf(kg.Invalid, "", "--table %s: expected text or markdown", flags.layout)
	}
	engine, err := a.Open(cmd.Context(), &flags.graph, command.ChosenModel(flags.model, &flags.graph, lacuna.Sets), &flags.device, nil)
	if err != nil {
		return err
	}
	defer engine.Close()
	bar := a.Progress("calibrating")
	flags.opts.Shapes = query.SplitShapes(flags.opts.Shapes...)
	flags.opts.Progress = func(stage string, done, total int) { bar.Update(int64(done), int64(total), stage) }
	report, err := calibrateModel(cmd.Context(), engine, flags.output, flags.opts)
	bar.Done()
	if err != nil {
		return err
	}
	return a.showCalibration(flags, engine.Model().Name, engine.Model().Seen(), report)
}

// showCalibration prints the map and, by shape, what it came to.
func (a *app) showCalibration(flags *calibrateFlags, model string, seen bool, r *calibrate.Report) error {
	if a.JSON {
		return a.PrintJSON(struct {
			Output string `json:"output"`
			Model  string `json:"model"`
			Graph  string `json:"graph"`
			Seen   bool   `json:"seen"`
			*calibrate.Report
		}{flags.output, model, flags.graph.Name(), seen, r})
	}
	s := a.Screen
	s.Printf("%s: %s on %s, logit → %.3f·logit %+.3f (temperature %.2f)\n", flags.output, model, flags.graph.Name(), r.Fit.Scale, r.Fit.Bias, 1/r.Fit.Scale)
	s.Printf("fitted on %s, %s of them true; %s hidden to fit and %s others to measure, seed %d\n\n",
		count.Of(r.Fit.Links, "unknown link"), count.Number(r.Fit.True), count.Of(r.Hidden, "fact"), count.Number(r.Hidden), r.Seed)
	a.calibrationTable(append(r.Shapes, r.Mean), flags.layout == "markdown")
	s.Printf("\n%s\n%s\n%s\n", s.Dim("ECE: "+r.Rules.ECE+"."), s.Dim("Candidates: "+r.Rules.Candidates+". Queries: "+r.Rules.Queries+"."), s.Dim("MAPE: "+r.Rules.MAPE+"."))
	if seen {
		a.Remark("the model was trained on this graph, the hidden facts among it: expect it to be less sure of what it has not seen than this says")
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
			line += command.Pad(cell, 15)
		}
		a.Screen.Printf("%s%s\n", line, end)
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
