package lacuna

import (
	"context"

	"github.com/lacuna-kg/lacuna/eval/tuples"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
)

// EvaluateTuples measures how well questions of any form are answered, those of a query set whose answers are tuples
// (lacuna sample --patterns, AnyCQ's files). The set must be of the engine's graph; the engine fills in Model, Rows, Follow and Logic. Where relaxed is
// given, "links" or "sets", questions with one answer variable are also answered in that way after links were dropped until their variables form a tree.
func (e *Engine) EvaluateTuples(ctx context.Context, what tuples.Options, relaxed string, options ...AskOption) (*tuples.Report, error) {
	chosen, err := e.choose(options)
	if err != nil {
		return nil, err
	}
	if g := what.Set.Graph.Train; g != e.Graph && g.Hash() != e.Graph.Hash() {
		return nil, kg.Errorf(kg.Invalid, what.Set.Dir, "the questions are of another graph than %s", e.graph)
	}
	how := chosen.asking(Links, false).Execution
	if err := how.check(); err != nil {
		return nil, err
	}
	what.Model, what.Logic, what.Rows = Exact, how.Logic, links.New(e.Graph, nil, links.Options{})
	if p := e.predictor(how); p != nil {
		executor, err := e.links.ready(ctx, true)
		if err != nil {
			return nil, err
		}
		what.Model, what.Rows, what.Follow = p.Model.Name, executor.Rows(), executor.Follow()
	}
	if relaxed != "" {
		how.By = relaxed
		if what.Relaxed, err = e.method(ctx, how); err != nil {
			return nil, err
		}
	}
	return tuples.Run(ctx, what)
}
