package eval

import (
	"iter"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/algebra"
)

// operator runs an operator of the algebra on the graph: it gives the rows that agree
// with in, whose variables are given. For the pattern of EXISTS these are the values put
// in the place of variables. A row is valid until the next one is asked for.
type operator func(in row) iter.Seq[row]

// operator makes an operator ready to run: terms become nodes, paths routes.
func (e *evaluator) operator(o algebra.Op) operator {
	if e.Err == nil {
		e.Err = kg.Stopped(e.ctx)
	}
	if e.Err != nil {
		return func(row) iter.Seq[row] { return func(func(row) bool) {} }
	}
	if e.shown == nil {
		return e.compiled(o)
	}
	return e.shownOperator(o)
}

func (e *evaluator) compiled(o algebra.Op) operator {
	switch o := o.(type) {
	case algebra.Basic:
		return e.basic(o, nil, nil)
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
	case algebra.GraphOf:
		return e.graphOf(o)
	case algebra.Unpack:
		return e.unpack(o)
	case algebra.Service:
		return e.service(o).operator()
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
	parts    *[3]slot // see algebra.Slot
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
	if s.Of != nil {
		return slot{variable: -1, parts: &[3]slot{e.slot(s.Of[0]), e.slot(s.Of[1]), e.slot(s.Of[2])}}
	}
	return slot{variable: -1, value: e.number(s.Term)}
}
