package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/eval"
	"github.com/lacuna-kg/lacuna/gaps"
	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/query"
)

// checkRelation looks at --relation and --hide.
func (f *evalFlags) checkRelation(cmd *cobra.Command) error {
	switch {
	case f.relation == "" && cmd.Flags().Changed("hide"):
		return kg.Errorf(kg.Invalid, "", "--hide: expected --relation R, whose facts are hidden")
	case f.relation == "":
		return nil
	case f.dir != "" || len(f.models) > 1:
		return kg.Errorf(kg.Invalid, "", "--relation: expected -g GRAPH and one model at most")
	case !(f.hide > 0 && f.hide <= 1):
		return kg.Errorf(kg.Invalid, "", "--hide %v: expected a share above 0, at most 1", f.hide)
	}
	return nil
}

// evalRelation hides some facts of one relation and looks whether the model finds them again.
func (a *app) evalRelation(cmd *cobra.Command, flags *evalFlags) error {
	ctx := cmd.Context()
	splits, err := flags.graph.Open(ctx, a.App)
	if err != nil {
		return err
	}
	defer splits.Close()
	whole, err := splits.UpToTest(ctx) // facts that a benchmark holds out are as true as the others
	if err != nil {
		return err
	}
	r, err := query.FindRelation(flags.relation, whole.Vocabulary)
	if err != nil {
		return err
	}
	o := eval.RelationOptions{Graph: flags.graph.Name(), Relation: r, Hidden: eval.HideOf(whole, r, flags.hide, flags.opts.Seed)}
	if len(o.Hidden) == 0 {
		return kg.Errorf(kg.Invalid, flags.relation, "expected a relation that has facts, not its inverse")
	}
	if o.Seen, err = whole.Without(ctx, o.Hidden); err != nil {
		return err
	}
	o.Heads, o.Tails = gaps.Domain(whole, r), gaps.Domain(whole, r.Inverse())
	flags.links.By, flags.links.Rows.Least = command.Ways{lacuna.Links}, links.LeastRanked
	candidates, err := flags.candidates(ctx, a, &dataset.Set{Dir: flags.graph.Source, Graph: &kg.Splits{Train: o.Seen}})
	if err != nil {
		return err
	}
	engine := candidates[0].engine
	defer engine.Close()
	o.Model = engine.Model().Name
	o.Score = func(ctx context.Context, pairs []kg.Triple) ([]float32, error) { return a.scored(ctx, engine, pairs) }
	report, err := eval.OneRelation(ctx, o)
	if err != nil {
		return err
	}
	return a.showReports(report, flags.layout)
}

// scored are the probabilities of facts, each read from both ends.
func (a *app) scored(ctx context.Context, engine *lacuna.Engine, pairs []kg.Triple) ([]float32, error) {
	finder, err := engine.Gaps(ctx)
	if err != nil {
		return nil, err
	}
	bar := a.Progress("scoring pairs")
	defer bar.Done()
	scores := make([]float32, 0, len(pairs))
	o := gaps.Options{Progress: func(done, total int) { bar.Update(int64(done), int64(total), count.Of(done, "pair")) }}
	err = finder.Score(ctx, pairs, o, func(facts []gaps.Fact) error {
		for _, f := range facts {
			scores = append(scores, f.Probability)
		}
		return nil
	})
	return scores, err
}
