package lab

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/eval"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/lab/tuples"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/links/fit"
	"github.com/lacuna-kg/lacuna/sample/pattern"
)

// tuplesFlags say which questions are asked of which models.
type tuplesFlags struct {
	graph   command.GraphFlags
	device  command.DeviceFlags
	links   command.LinkFlags
	dir     string
	models  []string
	split   string
	types   []string
	logic   fuzzy.Logic
	layout  string
	relaxed string
	opts    tuples.Options
}

func (a *app) tuplesCommand() *cobra.Command {
	var flags tuplesFlags
	cmd := &cobra.Command{
		Use:   "tuples -d DIR|FILE [-g GRAPH] [-m MODEL]",
		Short: "Measure answers to questions of any form, whose answers are tuples",
		Long: `Answer questions of any form, drawn by lacuna-lab sample --patterns or read from a JSON
file of AnyCQ or FIT (-d FILE -g GRAPH). Answers are ranked as tuples, jointly and each
variable by itself. Where a set has right and wrong tuples, or asks yes or no, it
measures how well they are told apart (F1, AUC), and which threshold does it best: of
validation questions that is what to give as --threshold for test questions.`,
		Example: `  lacuna-lab tuples -d cyclic --split valid --links fb237.links --relaxed links
  lacuna-lab tuples -d qac_test_3hub.json -g FB15k-237-betae --threshold 0.12 --time 2s
  lacuna-lab tuples -d valid_real_EFO1_qaa.json -g FB15k-237-betae --split valid`,
		Args: command.Arguments(0, 0, "no argument (name the questions by -d, a model by -m)"),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.tuples(cmd, &flags) },
	}
	flags.graph.Register(cmd)
	flags.device.Register(cmd)
	flags.device.RegisterCut(cmd)
	flags.links.Register(cmd, lacuna.Links)
	f := cmd.Flags()
	f.StringVarP(&flags.dir, "data", "d", "", "folder of questions, or a file of AnyCQ or FIT (required)")
	f.StringArrayVarP(&flags.models, "model", "m", nil, "a model: foundation (the default), turing, exact, a checkpoint or a training folder")
	f.StringVar(&flags.split, "split", "test", "train, valid or test")
	f.StringArrayVar(&flags.types, "types", nil, "types of questions, such as 2m,3c (default: all)")
	f.IntVar(&flags.opts.Limit, "limit", 0, "questions of each type (default: all)")
	f.Float64Var(&flags.opts.Yes, "threshold", tuples.DefaultYes, "the least probability that counts as right")
	f.DurationVar(&flags.opts.Time, "time", tuples.DefaultTime, "the most time that one question may take")
	command.RegisterLogic(cmd, &flags.logic)
	f.StringVar(&flags.layout, "table", "text", "layout of the table: text, markdown or csv")
	f.StringVar(&flags.relaxed, "relaxed", "", "also answer what is left of each question as a tree, by links or sets")
	command.CompleteFlag(cmd, "split", "train", "valid", "test")
	command.CompleteFlag(cmd, "relaxed", string(lacuna.Links), string(lacuna.Sets))
	command.CompleteFlag(cmd, "table", command.Layouts...)
	command.First(cmd, "data", "graph", "model", "split", "types", "limit", "threshold", "time", "links", "relaxed", "table", "read", "device")
	return cmd
}

func (f *tuplesFlags) check() error {
	switch {
	case f.dir == "":
		return kg.Errorf(kg.Invalid, "", "tuples: expected -d DIR or -d FILE, the questions")
	case !slices.Contains([]lacuna.Way{"", lacuna.Links, lacuna.Sets}, lacuna.Way(f.relaxed)):
		return kg.Errorf(kg.Invalid, "", "--relaxed %s: expected links or sets", f.relaxed)
	case !(f.opts.Yes > 0 && f.opts.Yes <= 1):
		return kg.Errorf(kg.Invalid, "", "--threshold %v: expected a probability, more than 0 and at most 1", f.opts.Yes)
	case f.opts.Time <= 0:
		return kg.Errorf(kg.Invalid, "", "--time %v: expected a time such as 2s", f.opts.Time)
	case !slices.Contains(command.Layouts, f.layout):
		return kg.Errorf(kg.Invalid, "", "--table %s: expected text, markdown or csv", f.layout)
	}
	if err := f.opts.Split.UnmarshalText([]byte(f.split)); err != nil {
		return kg.Errorf(kg.Invalid, "--split", "%v", err)
	}
	return f.links.Check()
}

func (a *app) tuples(cmd *cobra.Command, flags *tuplesFlags) error {
	if err := flags.check(); err != nil {
		return err
	}
	set, err := a.OpenSet(cmd, &flags.graph, flags.dir)
	if err != nil {
		return err
	}
	defer set.Close()
	flags.opts.Set, flags.opts.Types = set, pattern.Split(flags.types...)
	if len(flags.models) == 0 {
		flags.models = []string{lacuna.DefaultModel(flags.dir, lacuna.Links)}
	}
	var reports []*tuples.Report
	for _, model := range flags.models {
		report, err := a.rankTuples(cmd.Context(), flags, model, set)
		if err != nil {
			return err
		}
		reports = append(reports, report)
	}
	return a.showTuples(reports, flags.layout)
}

// rankTuples measures one model.
func (a *app) rankTuples(ctx context.Context, flags *tuplesFlags, model string, set *dataset.Set) (*tuples.Report, error) {
	engine, err := a.NewEngine(ctx, set.Graph.Train, set.Dir, model, &flags.device,
		flags.links.Options(), flags.links.CalibratingAlike(a.App, flags.graph.OfQueries(flags.dir), set.Graph, fit.DefaultRows))
	if err != nil {
		return nil, err
	}
	defer engine.Close()
	bar := a.Progress("evaluating " + cmp.Or(engine.Model().Name, lacuna.Exact))
	defer bar.Done()
	opts, relaxed := flags.opts, flags.relaxed
	opts.Progress = func(done, total int, of string) {
		bar.Update(int64(done), int64(total), fmt.Sprintf("%s, %s", count.Of(done, "question"), of))
	}
	if engine.Model().Predictor == nil {
		relaxed = ""
	}
	return evaluateTuples(ctx, engine, opts, relaxed, flags.logic)
}

// evaluateTuples measures how well an engine answers questions of any form. Where relaxed is given, "links" or "sets", questions with one
// answer variable are also answered in that way after links were dropped until their variables form a tree.
func evaluateTuples(ctx context.Context, e *lacuna.Engine, what tuples.Options, relaxed string, logic fuzzy.Logic) (*tuples.Report, error) {
	name, method, err := e.Method(ctx, lacuna.Logic(logic))
	if err != nil {
		return nil, err
	}
	what.Logic, what.Model, what.Rows = logic, name, links.New(e.Graph, nil, links.Options{})
	if by, isByLinks := method.(eval.ByLinks); isByLinks {
		what.Rows, what.Follow = by.Executor.Rows(), by.Executor.Follow()
	}
	if relaxed != "" {
		if _, what.Relaxed, err = e.Method(ctx, lacuna.Logic(logic), lacuna.By(lacuna.Way(relaxed))); err != nil {
			return nil, err
		}
	}
	return tuples.Run(ctx, what)
}

func (a *app) showTuples(reports []*tuples.Report, layout string) error {
	if a.JSON {
		if len(reports) == 1 {
			return a.PrintJSON(reports[0])
		}
		return a.PrintJSON(reports)
	}
	for _, r := range reports {
		a.Screen.Printf("%s", r.Table(layout))
	}
	return nil
}
