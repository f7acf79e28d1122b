package eval

import (
	"iter"

	"github.com/lacuna-kg/lacuna/sparql/algebra"
)

// operator runs an operator of the algebra on the graph: it gives the rows that agree
// with in, whose variables are given. For the pattern of EXISTS these are the values put
// in the place of variables. A row is valid until the next one is asked for.
type operator func(in row) iter.Seq[row]

// operator makes an operator ready to run: terms become nodes, paths routes.
func (e *evaluator) operator(o algebra.Op) operator {
	switch o := o.(type) {
	case algebra.Basic:
		return e.basic(o)
	case algebra.Table:
		return e.table(o)
	case algebra.Join:
		return e.join(o)
	case algebra.Union:
		return e.union(o)
	case algebra.LeftJoin:
		return e.leftJoin(o)
	case algebra.Minus:
		return e.minus(o)
	case algebra.Filter:
		return e.filter(o)
	case algebra.Extend:
		return e.extendBy(o)
	case algebra.Group:
		return e.group(o)
	case algebra.Order:
		return e.order(o)
	case algebra.Project:
		return e.project(o)
	case algebra.Distinct:
		return e.distinct(o)
	}
	return e.slice(o.(algebra.Slice))
}

// slot is a variable, by number, or a constant.
type slot struct {
	variable int // -1 for a constant
	value    node
}

// of is the value of a slot under a row.
func (s slot) of(r row) node {
	if s.variable < 0 {
		return s.value
	}
	return r[s.variable]
}

func (e *evaluator) slot(s algebra.Slot) slot {
	if s.Var >= 0 {
		return slot{variable: s.Var}
	}
	return slot{variable: -1, value: e.number(s.Term)}
}

// step is a triple pattern whose predicate is a route or a variable.
type step struct {
	subject, object slot
	forth, back     *route // nil if it is not that
	stayWays        int    // see route.stays
	predicate       int    // the variable, -1 otherwise
}

func (e *evaluator) step(t algebra.Triple) step {
	s := step{subject: e.slot(t.Subject), object: e.slot(t.Object), predicate: t.Predicate}
	if t.Predicate < 0 {
		s.forth, s.back = e.route(t.Path, false), e.route(t.Path, true)
		s.stayWays = s.forth.stays()
	}
	return s
}
