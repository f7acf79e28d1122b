package lacuna

import (
	"context"
	"fmt"

	"github.com/lacuna-kg/lacuna/explain"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/plan"
	"github.com/lacuna-kg/lacuna/query"
)

// Visualise shows the variables of a benchmark query as the paper does: the top easy and
// hard entities of each, judged by the engine's truth, and a random true grounding, drawn
// by the seed, that ends in one of the hard answers. The query runs as it stands.
func (e *Engine) Visualise(ctx context.Context, expr query.Expr, hard []kg.Entity, seed uint64, opts AskOptions) (*explain.Visualisation, error) {
	if e.truth == nil {
		return nil, fmt.Errorf("the engine has no truth to judge by")
	}
	program := plan.Compile(expr, plan.Options{NoSharing: true})
	opts.Plain = true
	parsed, err := query.Parse(query.FormatOperators(expr, nil)) // gives it variables
	if err != nil {
		return nil, err
	}
	if parsed, err = query.Resolve(parsed, e.Graph.Vocabulary); err != nil {
		return nil, err
	}
	variables, err := explain.Variables(parsed, nil, program)
	if err != nil {
		return nil, err
	}
	runs, err := e.run(ctx, []*plan.Program{program}, opts.Execution())
	if err != nil {
		return nil, err
	}
	defer runs.release()
	t := trace{runs, 0}
	b := explain.Benchmark{
		Run: explain.Run{
			Graph: e.Graph, Program: program, Variables: variables,
			Sets: func(i int) (set, known fuzzy.Set) { s := t.sets(i); return s.set, s.known },
		},
		Full: e.truth, Truth: func(i int) fuzzy.Set { return t.sets(i).truth }, Hard: hard, Seed: seed,
	}
	v, err := b.Visualise(ctx)
	if err != nil {
		return nil, err
	}
	v.Query, v.Operators, v.Shape = explain.Readable(parsed, e.Graph.Vocabulary), query.FormatOperators(expr, e.Graph.Vocabulary), query.ShapeOf(expr)
	return v, nil
}
