// Package eval runs the operators of package algebra on a graph, which answers queries exactly, by the
// semantics of the recommendation: bags of solutions, streamed, within limits of work and memory.
package eval

import (
	"cmp"
	"context"
	"iter"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/algebra"
	"github.com/lacuna-kg/lacuna/sparql/function"
	"github.com/lacuna-kg/lacuna/sparql/limit"
	"github.com/lacuna-kg/lacuna/sparql/results"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// DefaultWork are the most steps of an evaluation where nobody says otherwise.
const DefaultWork = 200_000_000

// Limits of an evaluation. A zero means the default.
type Limits struct {
	Solutions int         // the most solutions to give; beyond, the query is refused
	Work      int         // triples looked at and solutions combined
	Memory    int         // bytes of what is kept for sorting, distinct solutions, joins and computed terms; less than 0 for no limit
	Pool      *limit.Pool // that they are drawn from, which other queries share; nil for that of the context, if any
	// Meter counts work and memory where the caller takes some, too; nil for one by the limits above.
	Meter *limit.Meter
}

func (l Limits) withDefaults() Limits {
	return Limits{
		Solutions: cmp.Or(l.Solutions, 1_000_000),
		Work:      cmp.Or(l.Work, DefaultWork),
		Memory:    l.Memory,
		Pool:      l.Pool,
		Meter:     l.Meter,
	}
}

// Run answers a query on a graph. Errors of a long evaluation come while the rows are read.
func Run(ctx context.Context, q *algebra.Query, data Dataset, limits Limits) (*results.Results, error) {
	return newEvaluator(ctx, q, data, limits).run()
}

func newEvaluator(ctx context.Context, q *algebra.Query, data Dataset, limits Limits) *evaluator {
	limits = limits.withDefaults()
	all := newStore(data.Graph, labelsFor(q, data.Graph))
	e := &evaluator{dictionary: newDictionary(all), graph: all, data: data, ctx: ctx, limits: limits, query: q, blanks: map[string]term.Term{}, requests: new(int)}
	if data.Default != nil {
		if view := data.Graph.View(data.Default...); view != nil {
			e.graph = all.of(view)
		}
	}
	if e.Meter = limits.Meter; e.Meter == nil {
		e.Meter = limit.New(ctx, limits.Work, limits.Memory, limits.Pool)
	}
	e.env = function.Env{Base: q.Base, Now: time.Now(), Random: rand.Float64, Blank: e.blank, Meter: e.Meter}
	return e
}

func (e *evaluator) run() (*results.Results, error) {
	q, ctx := e.query, e.ctx
	if len(q.Asks) > 0 && e.data.Remote == nil {
		e.Refuse(syntax.Errorf(q.Asks[0], "SERVICE: other servers are not asked (--service URL allows one)"))
	}
	run := e.operator(q.Pattern)
	if e.Err != nil {
		e.Close()
		return nil, e.Err
	}
	if err := kg.Stopped(ctx); err != nil {
		return nil, err
	}
	rows := e.rows(run, len(q.Names))
	switch q.Form {
	case syntax.AskForm:
		return e.ask(rows)
	case syntax.ConstructForm:
		return e.construct(q.Template, q.Names, rows), nil
	case syntax.DescribeForm:
		return e.describe(q.Describe, rows), nil
	}
	return e.selected(q.Columns, rows), nil
}

// labelsFor are the labels that a query can meet. Those that came beside the data are made
// into triples for who names rdfs:label only: that takes time on a graph of millions.
func labelsFor(q *algebra.Query, g *kg.Graph) *kg.LabelTriples {
	if g.Stated != nil || g.Entities.Labels == nil {
		return g.Stated
	}
	if q.Form == syntax.DescribeForm || strings.Contains(q.String(), kg.RDFSLabel) {
		return g.LabelTriples()
	}
	return nil
}

// rows are those of the whole pattern.
func (e *evaluator) rows(run operator, width int) iter.Seq[row] {
	return func(yield func(row) bool) {
		for r := range run(make(row, width)) {
			if e.Err != nil || !yield(r) { // after an error NOT EXISTS would hold for the wrong reason
				return
			}
		}
	}
}

func (e *evaluator) ask(rows iter.Seq[row]) (*results.Results, error) {
	defer e.Close()
	r := &results.Results{Ask: true}
	for range rows {
		r.Truth = true
		break
	}
	return r, e.Err
}

// selected are the solutions as terms, with the error that ended them if there was one.
func (e *evaluator) selected(columns []algebra.Column, rows iter.Seq[row]) *results.Results {
	vars := make([]string, len(columns))
	for i, c := range columns {
		vars[i] = c.Name
	}
	return &results.Results{Vars: vars, Rows: func(yield func([]term.Term, error) bool) {
		defer e.Close()
		terms := make([]term.Term, len(columns))
		given := 0
		for r := range rows {
			if given++; !e.within(given) {
				break
			}
			for i, c := range columns {
				terms[i] = e.term(r[c.Var])
			}
			if !yield(terms, nil) {
				return
			}
		}
		if e.Err != nil {
			yield(nil, e.Err)
		}
	}}
}
