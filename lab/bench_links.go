package lab

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/lab/linkbench"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/neural"
)

// benchLinksFlags say what to measure by links, and on what.
type benchLinksFlags struct {
	graph   command.GraphFlags
	device  command.DeviceFlags
	model   string
	file    string
	fitted  command.LinkFlags // the calibration alone
	follow  links.Follow
	rows    links.Options
	measure linkbench.Options
}

func (a *app) benchLinksCommand() *cobra.Command {
	var flags benchLinksFlags
	cmd := &cobra.Command{
		Use:   "links",
		Short: "Measure answers by links: rows, questions of each shape, and all shapes together",
		Long: `Measure answers by links on a graph: how long a row of links takes to compute, a question
of each of the 14 shapes asked by itself, and how many questions a second are answered
together. Cold is with no row kept, warm the same question again. Probabilities are fitted to
the graph beforehand, as for a first question. With --links rows come from a file, and those
that it lacks are computed.`,
		Example: `  lacuna-lab bench links -g FB15k-237-betae -m fb15k-237-links.safetensors
  lacuna-lab bench links -g FB15k-237-betae -m fb15k-237-links.safetensors --links fb.links --json`,
		Args: command.Arguments(0, 0, "no argument (name the graph by -g)"),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.benchLinks(cmd, &flags) },
	}
	flags.graph.Register(cmd)
	flags.device.Register(cmd)
	flags.device.RegisterCut(cmd)
	command.RegisterModel(cmd, &flags.model)
	flags.fitted.RegisterCalibration(cmd)
	f := cmd.Flags()
	f.StringVar(&flags.file, "links", "", "a file that lacuna links made of the graph")
	f.IntVar(&flags.follow.Most, "follow", 0, "entities that a step follows, -1 for all (default: 32 on a CPU, 256 on a GPU, 1024 with --links)")
	f.IntVar(&flags.follow.Lacking, "follow-lacking", 0, "with --links: entities among them that the file has no links of, -1 for all (default: 256 on a GPU; on a CPU none, or 32 where the file has none at all)")
	f.Int64Var(&flags.rows.Bytes, "keep", 0, "bytes of rows to keep (default: 256 MB on a CPU, 2 GB on a GPU)")
	f.IntVar(&flags.measure.Rows, "rows", 0, "rows to compute (default: 100 on a CPU, 4000 on a GPU)")
	f.IntVar(&flags.measure.Questions, "questions", 5, "questions of each shape")
	f.IntVar(&flags.measure.Batch, "batch", 256, "questions that are answered together")
	f.Uint64Var(&flags.measure.Seed, "seed", 1, "seed of the questions")
	command.First(cmd, "graph", "model", "links", "rows", "questions", "batch", "seed", "follow", "keep", "no-calibration", "read", "device")
	return cmd
}

func (a *app) benchLinks(cmd *cobra.Command, flags *benchLinksFlags) error {
	if flags.measure.Questions < 1 || flags.measure.Batch < 1 || flags.measure.Rows < 0 || flags.model == lacuna.Exact {
		return kg.Errorf(kg.Invalid, "", "bench links: expected a model, and one question and one row or more")
	}
	if err := (&command.LinkFlags{Follow: flags.follow}).CheckValues(); err != nil {
		return err
	}
	engine, err := a.Open(cmd.Context(), &flags.graph, command.ChosenModel(flags.model, &flags.graph, lacuna.Links), &flags.device, &flags.fitted)
	if err != nil {
		return err
	}
	defer engine.Close()
	if flags.file == "" { // whose rows have theirs
		if flags.rows.Map, err = engine.LinkMap(cmd.Context()); err != nil {
			return err
		}
	}
	measure, end, err := flags.on(engine.Model().Predictor)
	if err != nil {
		return err
	}
	defer end()
	bar := a.Progress("measuring")
	defer bar.Done()
	measure.Progress = func(what string) { bar.Update(0, 0, what) }
	report, err := linkbench.Run(cmd.Context(), measure)
	if err != nil {
		return err
	}
	if a.JSON {
		return a.PrintJSON(report)
	}
	bar.Done()
	a.Screen.Printf("%s\n", flags.device.Opened.Describe())
	a.showLinkBench(report)
	return nil
}

// on fills in what depends on the device, and opens the file.
func (f *benchLinksFlags) on(p *neural.Predictor) (measure linkbench.Options, end func(), err error) {
	device, rows, follow := p.Model.Network.Device(), f.rows, f.follow
	measure, end = f.measure, func() {}
	usual := links.FollowOn(device)
	follow.Lacking = cmp.Or(follow.Lacking, links.LackingOn(device))
	if f.file != "" {
		usual = links.FollowInFile
		if rows.File, err = openRows(f.file, p); err != nil {
			return measure, end, err
		}
		end = func() { rows.File.Close() }
	}
	follow.Most = cmp.Or(follow.Most, usual)
	rows.Bytes = cmp.Or(rows.Bytes, links.BytesOn(device))
	measure.Graph = p.Graph
	if measure.Rows == 0 {
		measure.Rows = 100
		if device.Memory() > 0 {
			measure.Rows = 4000
		}
	}
	measure.Cold = func() links.Executor { return links.NewExecutor(links.New(p.Graph, p, rows), follow) }
	return measure, end, nil
}

// openRows opens a file that is the graph's and the model's.
func openRows(path string, p *neural.Predictor) (*links.File, error) {
	hash, err := p.Model.Hash()
	if err != nil {
		return nil, err
	}
	file, err := links.OpenFile(path)
	if err != nil {
		return nil, err
	}
	if err := file.Fits(p.Graph, hash); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

func (a *app) showLinkBench(r *linkbench.Report) {
	s := a.Screen
	s.Printf("%s of a step %s followed\n\n", count.Of(r.Followed, "entity"), count.Either(r.Followed, "is", "are"))
	s.Printf("%s\n", s.Bold(fmt.Sprintf("%-9s %9s %9s %9s", "question", "cold ms", "warm ms", "rows")))
	for _, shape := range r.Shapes {
		s.Printf("%-9s %9.2f %9.2f %9.0f\n", shape.Shape, shape.ColdMS, shape.WarmMS, shape.Rows)
	}
	s.Printf("%-9s %9.2f %9.2f\n\n", "all", r.ColdMS, r.WarmMS)
	s.Printf("rows      %s together: %.3f ms each, %.0f predicted links each\n", count.Number(r.Rows.Rows), r.Rows.MS, r.Rows.Links)
	s.Printf("together  %s of all shapes, %d at a time: %.1f a second cold, %.1f warm\n", count.Of(r.Mix.Questions, "question"), r.Mix.Batch, r.Mix.Cold, r.Mix.Warm)
	s.Printf("          %.0f rows a question had to be made; %s are kept, %.0f MB\n", r.Mix.Rows, count.Number(r.Mix.Kept), r.Mix.Megabytes)
}
