package algebra

import (
	"github.com/lacuna-kg/lacuna/sparql/function"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
)

// refuse names what a query has and nobody here answers: functions that nobody here knows.
func refuse(q *syntax.Query) (asks []syntax.Pos, err error) {
	r := &refusal{}
	r.query(q)
	return r.asks, r.err
}

// refusal walks over a query and keeps the first error.
type refusal struct {
	err  error
	asks []syntax.Pos // see Query
}

func (r *refusal) fail(at syntax.Pos, format string, args ...any) {
	if r.err == nil {
		r.err = syntax.Errorf(at, format, args...)
	}
}

func (r *refusal) query(q *syntax.Query) {
	if q.Where != nil {
		r.group(q.Where)
	}
	for _, s := range q.Select {
		r.expression(s.Of)
	}
	for _, k := range q.GroupBy {
		r.expression(k.Of)
	}
	for _, e := range q.Having {
		r.expression(e)
	}
	for _, k := range q.OrderBy {
		r.expression(k.Of)
	}
}

func (r *refusal) group(g *syntax.Group) {
	for _, element := range g.Of {
		switch e := element.(type) {
		case *syntax.Group:
			r.group(e)
		case syntax.Union:
			for _, g := range e.Of {
				r.group(g)
			}
		case syntax.Optional:
			r.group(e.Of)
		case syntax.Minus:
			r.group(e.Of)
		case syntax.Filter:
			r.expression(e.Condition)
		case syntax.Bind:
			r.expression(e.Of)
		case syntax.SubSelect:
			r.query(e.Query)
		case syntax.Graph:
			r.group(e.Of)
		case syntax.Service:
			if !e.Silent { // its functions are those of the other server
				r.asks = append(r.asks, e.Pos)
			}
		}
	}
}

func (r *refusal) expression(e syntax.Expr) {
	syntax.Walk(e, func(e syntax.Expr) bool {
		switch e := e.(type) {
		case syntax.Exists:
			r.group(e.Of)
		case syntax.FunctionCall:
			if _, known := function.Find(e.IRI); !known {
				r.fail(e.Pos, "the function <%s> is not known here", e.IRI)
			}
			if len(e.Args) != 1 { // all that are known are casts
				r.fail(e.Pos, "<%s> with %d arguments, expected 1", e.IRI, len(e.Args))
			}
		}
		return true
	})
}
