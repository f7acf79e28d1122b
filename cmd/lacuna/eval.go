package main

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
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/links/fit"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/ranks"
)

// evalFlags says what is evaluated and how it is shown.
type evalFlags struct {
	graph     command.GraphFlags
	device    command.DeviceFlags
	ranks     command.RankFlags
	dir       string
	models    []string
	split     string
	keepKnown bool
	bothWays  bool
	links     command.LinkFlags
	logic     fuzzy.Logic
	layout    string
	relation  string
	hide      float64
	opts      eval.Options
}

func (a *app) evalCommand() *cobra.Command {
	var flags evalFlags
	cmd := &cobra.Command{
		Use:   "eval -d DIR | -g GRAPH [-m MODEL]",
		Short: "Measure how well a model finds the hard answers of a query set, or held-out facts",
		Long: `Rank every hard answer of a query set among the entities that are no answers and
print the paper's tables: MRR, H@1, H@3 and H@10 by shape with avg_p and avg_n,
how well the number of answers is predicted (MAPE, Spearman), and the same by how
many links of an answer's best derivation are missing from the graph.

Without -m it is the foundation model, on a graph that it need not have seen. -m exact
evaluates plain traversal; several -m stand side by side. Equal probabilities get the
mean of the best and the worst rank; both bounds are given.

Without -d it is link prediction: every fact that the graph holds out (--split valid or
test) is ranked from both ends among the entities that no split gives, with MRR, H@1, H@3
and H@10 over facts and a table by half-links: whether the graph states another fact of
the relation at the entity that is given, and at the one that is sought.

With --relation R a share of R's facts (--hide) is hidden and the model looks for them
among all pairs of entities that R may join: MRR, H@k, AUROC and AUPRC, beside two
baselines that only count facts.

Started by mpirun or srun, all ranks answer, each on a GPU of its own; rank 0 prints.`,
		Example: `  lacuna eval -d queries
  lacuna eval -g UMLS --split test -m foundation -m exact
  lacuna eval -g hetionet.tsv --relation treats --hide 0.2
  lacuna eval -d queries -m foundation -m models/umls
  lacuna eval -d FB15k-237-betae -m exact --split test --shapes 1p
  lacuna eval -d queries -m exact -m best.safetensors --both-ways --limit 500
  lacuna eval -d queries -m best.safetensors --json > result.json`,
		Args: command.Arguments(0, 0, "no argument (name the queries by -d, a model by -m)"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.Together(cmd.Context(), flags.ranks, &flags.device, func(team *ranks.Team) error {
				flags.opts.Team = team
				return a.eval(cmd, &flags)
			})
		},
	}
	flags.graph.Register(cmd)
	flags.device.Register(cmd)
	flags.ranks.Register(cmd)
	flags.device.RegisterCut(cmd)
	flags.links.Register(cmd, lacuna.Links, lacuna.Sets)
	f := cmd.Flags()
	f.Lookup("least").DefValue = fmt.Sprintf("%.5f; %.4f with --links", links.LeastRanked, links.DefaultLeast)
	f.StringVarP(&flags.dir, "data", "d", "", "`folder` of queries: BetaE, Query2Box or drawn by lacuna-lab sample")
	f.StringArrayVarP(&flags.models, "model", "m", nil, "`model`: foundation (the default), turing, exact, a checkpoint or a training folder; can be repeated")
	f.StringVar(&flags.relation, "relation", "", "hide some facts of this relation and see whether the model finds them")
	f.Float64Var(&flags.hide, "hide", 0.1, "with --relation: the share of its facts to hide")
	f.StringVar(&flags.split, "split", "test", "`split`: train, valid or test")
	f.StringArrayVar(&flags.opts.Shapes, "shapes", nil, "`shapes` to evaluate, such as 1p,2in (default: all)")
	f.IntVar(&flags.opts.Limit, "limit", 0, "queries per shape, drawn at random (default: all)")
	f.Uint64Var(&flags.opts.Seed, "seed", 0, "seed of that draw")
	f.IntVar(&flags.opts.Batch, "batch", 0, fmt.Sprintf("queries to answer together (default: %d)", eval.DefaultBatch))
	f.BoolVar(&flags.keepKnown, "keep-known", false, "known facts always count as true")
	f.BoolVar(&flags.bothWays, "both-ways", false, "evaluate with and without --keep-known, side by side")
	command.RegisterLogic(cmd, &flags.logic)
	f.StringVar(&flags.layout, "table", "text", "`layout` of the table: text, markdown or csv")
	command.Moved(cmd, "relaxed", "a flag of lacuna-lab tuples")
	command.CompleteFlag(cmd, "split", "train", "valid", "test")
	command.CompleteFlag(cmd, "table", command.Layouts...)
	command.First(cmd, "data", "graph", "model", "split", "relation", "hide", "shapes", "limit", "by", "keep-known", "table", "read", "device")
	return cmd
}

func (a *app) eval(cmd *cobra.Command, flags *evalFlags) error {
	if flags.dir == "" && flags.graph.Source == "" {
		return kg.Errorf(kg.Invalid, "", "eval: expected -d DIR, a folder of queries, or -g GRAPH, whose held-out facts are ranked (see lacuna eval --help)")
	}
	if err := flags.links.Check(); err != nil {
		return err
	}
	if err := flags.checkRelation(cmd); err != nil {
		return err
	}
	if err := flags.opts.Split.UnmarshalText([]byte(flags.split)); err != nil {
		return kg.Errorf(kg.Invalid, "--split", "%v", err)
	}
	if !slices.Contains(command.Layouts, flags.layout) {
		return kg.Errorf(kg.Invalid, "", "--table %s: expected text, markdown or csv", flags.layout)
	}
	return flags.opts.Team.TakeTime(cmd.Context(), func(context.Context) error {
		if flags.relation != "" {
			return a.evalRelation(cmd, flags)
		}
		if flags.dir == "" {
			return a.evalFacts(cmd, flags)
		}
		return a.evalSet(cmd, flags)
	})
}

// evalSet evaluates the models on a set of queries.
func (a *app) evalSet(cmd *cobra.Command, flags *evalFlags) error {
	set, err := a.OpenSet(cmd, &flags.graph, flags.dir)
	if err != nil {
		return err
	}
	defer set.Close()
	if set.HasTuples() && !slices.Contains(set.Splits(), flags.opts.Split) {
		return kg.Errorf(kg.Invalid, flags.dir, "its questions have tuples of answers, which lacuna-lab tuples measures; expected sets of entities")
	}
	flags.opts.Set = set
	if flags.links.File == "" && !cmd.Flags().Changed("least") {
		flags.links.Rows.Least = links.LeastRanked
	}
	candidates, err := flags.candidates(cmd.Context(), a, set)
	for _, c := range candidates {
		defer c.engine.Close()
	}
	if err != nil {
		return err
	}
	flags.opts.Shapes = query.SplitShapes(flags.opts.Shapes...)
	var reports []*eval.Report
	for _, c := range candidates {
		for _, way := range flags.ways(c) {
			report, err := a.evaluate(cmd.Context(), flags, c.engine, way)
			if err != nil {
				return err
			}
			reports = append(reports, report)
		}
	}
	if !flags.opts.Team.Leads() {
		return nil
	}
	return a.showReports(eval.Table(reports...), flags.layout)
}

// rowsOfFit is how many rows probabilities are fitted to. Of one relation the order of pairs is measured, which a quick fit hardly changes.
func (f *evalFlags) rowsOfFit() int {
	if f.relation != "" {
		return 0
	}
	return fit.DefaultRows
}

// candidate is a model that is evaluated, and the ways in which it answers.
type candidate struct {
	engine *lacuna.Engine
	by     command.Ways
}

// candidates are the models on the graph of the queries: those that are named, each in every way, or else the usual one of each way.
// Those before an error are given, too.
func (f *evalFlags) candidates(ctx context.Context, a *app, set *dataset.Set) (all []candidate, err error) {
	open := func(model string, by ...lacuna.Way) {
		if err != nil {
			return
		}
		var options []lacuna.Option
		if slices.Contains(by, lacuna.Links) {
			options = append(options, f.links.Options(), f.links.CalibratingAlike(a.App, f.graph.OfQueries(f.dir), set.Graph, f.rowsOfFit()))
		}
		var engine *lacuna.Engine
		if engine, err = a.NewEngine(ctx, set.Graph.Train, set.Dir, model, &f.device, options...); err == nil {
			all = append(all, candidate{engine, by})
			a.remarkSeen(engine.Model().Name, set.Graph.Train)
		}
	}
	for _, model := range f.models {
		open(model, f.links.By...)
	}
	if len(f.models) == 0 {
		for _, by := range []lacuna.Way{lacuna.Sets, lacuna.Links} {
			if slices.Contains(f.links.By, by) {
				open(lacuna.DefaultModel(cmp.Or(f.dir, f.graph.Source), by), by)
			}
		}
	}
	return all, err
}

// way is how an engine is evaluated.
type way struct {
	by        lacuna.Way
	keepKnown bool
}

// ways are a model by sets, once or, with --both-ways, twice, by links, or both.
func (f *evalFlags) ways(c candidate) (ways []way) {
	if c.engine.Model().Predictor == nil {
		return []way{{by: lacuna.Exact}}
	}
	if slices.Contains(c.by, lacuna.Sets) {
		ways = append(ways, way{lacuna.Sets, f.keepKnown && !f.bothWays})
		if f.bothWays {
			ways = append(ways, way{lacuna.Sets, true})
		}
	}
	if slices.Contains(c.by, lacuna.Links) {
		ways = append(ways, way{lacuna.Links, true})
	}
	return ways
}

func (a *app) evaluate(ctx context.Context, flags *evalFlags, engine *lacuna.Engine, way way) (*eval.Report, error) {
	bar := a.Progress("evaluating " + cmp.Or(engine.Model().Name, lacuna.Exact))
	defer bar.Done()
	opts := flags.opts
	opts.Progress = func(p eval.Progress) {
		bar.Update(int64(p.Done), int64(p.Total), fmt.Sprintf("%s, %s MRR %.3f", count.Of(p.Done, "query"), p.Shape, p.MRR))
	}
	return engine.Evaluate(ctx, opts, lacuna.Logic(flags.logic), lacuna.By(way.by), lacuna.KeepKnown(way.keepKnown))
}

// laidOut is what showReports shows.
type laidOut interface {
	JSON() ([]byte, error)
	Text() string
	Markdown() string
	CSV() (string, error)
}

func (a *app) showReports(table laidOut, layout string) error {
	if a.JSON {
		data, err := table.JSON()
		a.Screen.Printf("%s\n", data)
		return err
	}
	text, err := table.Text(), error(nil)
	switch layout {
	case "markdown":
		text = table.Markdown()
	case "csv":
		text, err = table.CSV()
	}
	a.Screen.Printf("%s", text)
	return err
}
