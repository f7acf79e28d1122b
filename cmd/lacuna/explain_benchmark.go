package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/explain"
	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
)

// benchmarkFlags name a query of a query set.
type benchmarkFlags struct {
	set    string
	shape  string
	split  string
	index  int
	random uint64
}

func (f *benchmarkFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&f.set, "data", "d", "", "`folder` of queries: explain one of them as the paper does")
	flags.StringVar(&f.shape, "shape", "1p", "with -d: `shape` of the query")
	flags.StringVar(&f.split, "split", "test", "with -d: train, valid or test")
	flags.IntVar(&f.index, "index", 0, "with -d: the number of the query, from 0")
	flags.Uint64Var(&f.random, "random", 0, "with -d: draw the query, and its true grounding, by this seed")
	command.CompleteFlag(cmd, "split", "train", "valid", "test")
	cmd.MarkFlagsMutuallyExclusive("index", "random")
}

// refuse says that a flag has no meaning without -d.
func (f *benchmarkFlags) refuse(cmd *cobra.Command) error {
	for _, name := range []string{"shape", "split", "index", "random"} {
		if cmd.Flags().Changed(name) {
			return kg.Errorf(kg.Invalid, "", "--%s chooses a query of a query set: name the folder by -d", name)
		}
	}
	return nil
}

// visualise shows a benchmark query. Without --keep-known the model is shown as it is
// evaluated, facts doubted like everything else.
func (a *app) visualise(cmd *cobra.Command, flags *explainFlags, questions []string) error {
	if len(questions) > 0 || len(flags.answer) > 0 {
		return kg.Errorf(kg.Invalid, "", "-d takes the question from the query set: leave out the question and --answer, or -d")
	}
	flags.keepKnown = flags.keepKnown && cmd.Flags().Changed("keep-known")
	if !cmd.Flags().Changed("by") {
		flags.links.By = command.Ways{lacuna.Sets} // what the paper shows
	}
	options, err := flags.options(cmd)
	if err != nil {
		return err
	}
	by := flags.links.By[0] // the only one
	options = append(options, lacuna.By(by))
	var split dataset.Split
	if err := split.UnmarshalText([]byte(flags.split)); err != nil {
		return kg.Errorf(kg.Invalid, "--split", "%v", err)
	}
	set, err := a.OpenSet(cmd, &flags.graph, flags.set)
	if err != nil {
		return err
	}
	defer set.Close()
	q, index, err := flags.choose(cmd, set, split)
	if err != nil {
		return err
	}
	engine, err := a.judgedEngine(cmd, flags, by, set, split)
	if err != nil {
		return err
	}
	defer engine.Close()
	seed := flags.random
	if !cmd.Flags().Changed("random") {
		seed = uint64(index)
	}
	v, err := engine.Visualise(cmd.Context(), q.Expr, q.Hard, seed, options...)
	if err != nil {
		return err
	}
	v.Split, v.Index = split.String(), index
	return a.printVisualisation(flags, v)
}

func (a *app) printVisualisation(flags *explainFlags, v *explain.Visualisation) error {
	if err := a.writeDrawings(flags, v); err != nil {
		return err
	}
	if a.JSON {
		return a.PrintJSON(v)
	}
	a.showVariables(v)
	return nil
}

// choose finds the query.
func (f *benchmarkFlags) choose(cmd *cobra.Command, set *dataset.Set, split dataset.Split) (dataset.Query, int, error) {
	queries, err := set.Load(cmd.Context(), split, f.shape)
	if err != nil {
		return dataset.Query{}, 0, err
	}
	if len(queries) == 0 {
		return dataset.Query{}, 0, kg.Errorf(kg.NotFound, f.set, "no %s queries of the shape %s", split, f.shape)
	}
	index := f.index
	if cmd.Flags().Changed("random") {
		index = rand.New(rand.NewPCG(f.random, 0)).IntN(len(queries))
	}
	if index < 0 || index >= len(queries) {
		return dataset.Query{}, 0, kg.Errorf(kg.NotFound, "", "--index %d: there are %d %s queries of the shape %s, numbered from 0", index, len(queries), split, f.shape)
	}
	return queries[index], index, nil
}

// judgedEngine answers on the training graph and knows the facts up to the split's own.
func (a *app) judgedEngine(cmd *cobra.Command, flags *explainFlags, by lacuna.Way, set *dataset.Set, split dataset.Split) (*lacuna.Engine, error) {
	truth, err := split.FullGraph(cmd.Context(), set.Graph)
	if err != nil {
		return nil, err
	}
	engine, err := a.NewEngine(cmd.Context(), set.Graph.Train, flags.set, cmp.Or(flags.model, lacuna.DefaultModel(flags.set, by)), &flags.device,
		flags.links.Options(), flags.links.Calibrating(a.App, flags.graph.OfQueries(flags.set), &kg.Splits{}))
	if err != nil {
		return nil, err
	}
	return engine.WithTruth(truth), nil
}

// showVariables prints every variable with its judged entities and its true one.
func (a *app) showVariables(v *explain.Visualisation) {
	s := a.Screen
	s.Printf("%s\n", s.Bold(v.Query))
	s.Printf("%s\n", s.Dim(fmt.Sprintf("%s query %d of the shape %s; true grounding drawn by seed %d", v.Split, v.Index, v.Shape, v.Seed)))
	for _, variable := range v.Variables {
		s.Printf("\n%s  %s\n", s.Bold(variable.Name), s.Dim("= "+command.Clip(variable.Operator, s.Width-8)))
		s.Printf("   %s\n", s.Dim(fmt.Sprintf("%.1f entities expected; the graph gives %s of the %s true ones",
			variable.Cardinality, count.Number(variable.TrueEasy), count.Number(variable.TrueEasy+variable.TrueHard))))
		a.showJudged("easy", variable.Easy)
		a.showJudged("hard", variable.Hard)
		if t := variable.Truth; t != nil {
			ease := "hard"
			if t.Known {
				ease = "easy"
			}
			s.Printf("   truth  %s    %s (%s), filtered rank %s\n", explain.Percent(t.Probability), t.Entity, ease, s.Bold(fmt.Sprintf("%g", t.Rank)))
		}
	}
}

func (a *app) showJudged(heading string, all []explain.Judged) {
	s := a.Screen
	for i, j := range all {
		if i > 0 {
			heading = ""
		}
		mark := s.Green("✓")
		if !j.True {
			mark = s.Red("✗")
		}
		s.Printf("   %-5s  %s  %s %s\n", heading, explain.Percent(j.Probability), mark, j.Entity)
	}
	if len(all) == 0 {
		s.Printf("   %-5s  %s\n", heading, s.Dim("none of probability 0.1 or more"))
	}
}
