// Package eval runs the operators of package algebra on a graph, which answers queries exactly, by the
// semantics of the recommendation: bags of solutions, streamed, within limits of work and memory.
package eval

import (
	"cmp"
	"context"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/algebra"
	"github.com/lacuna-kg/lacuna/sparql/results"
)

// Limits of an evaluation. A zero means the default.
type Limits struct {
	Solutions int // the most solutions to give; beyond, the query is refused
	Work      int // triples looked at and solutions combined
	Memory    int // values of variables kept for sorting, distinct solutions and joins
}

func (l Limits) withDefaults() Limits {
	return Limits{
		Solutions: cmp.Or(l.Solutions, 1_000_000),
		Work:      cmp.Or(l.Work, 200_000_000),
		Memory:    cmp.Or(l.Memory, 16_000_000),
	}
}

// Run answers a query on a graph. Errors of a long evaluation come while the rows are read.
func Run(ctx context.Context, q *algebra.Query, g *kg.Graph, limits Limits) (*results.Results, error) {
	e := &evaluator{dictionary: newDictionary(g), ctx: ctx, limits: limits.withDefaults()}
	s := &solver{query: q, pattern: e.operator(q.Pattern)}
	if e.err != nil {
		return nil, e.err
	}
	if err := kg.Stopped(ctx); err != nil {
		return nil, err
	}
	if q.Ask {
		return s.ask(e)
	}
	vars := make([]string, len(q.Columns))
	for i, c := range q.Columns {
		vars[i] = c.Name
	}
	return &results.Results{Vars: vars, Rows: s.rows(e)}, nil
}
