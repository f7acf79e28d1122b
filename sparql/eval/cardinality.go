package eval

import (
	"math"

	"github.com/lacuna-kg/lacuna/sparql/algebra"
)

// estimate is how many rows an operator is expected to give where nothing is given. Joins are
// ordered by it.
func (e *evaluator) estimate(o algebra.Op) float64 {
	switch o := o.(type) {
	case algebra.Basic:
		return e.estimateBasic(o, algebra.Filter{})
	case algebra.Table:
		return float64(len(o.Rows))
	case algebra.Join:
		return e.estimateJoin(o)
	case algebra.LeftJoin:
		return e.estimate(o.Left)
	case algebra.Union:
		sum := 0.0
		for _, part := range o.Of {
			sum += e.estimate(part)
		}
		return sum
	case algebra.Minus:
		return e.estimate(o.Left)
	case algebra.Filter:
		if b, ok := o.Of.(algebra.Basic); ok {
			return e.estimateBasic(b, o)
		}
		return e.estimate(o.Of) * math.Pow(passing, float64(len(o.Conditions)))
	case algebra.GraphOf:
		return e.estimate(o.Of)
	case algebra.Unpack:
		return e.estimate(o.Of)
	case algebra.Service:
		return unknownRows
	case algebra.Extend:
		return e.estimate(o.Of)
	}
	return e.estimateModifier(o)
}

func (e *evaluator) estimateModifier(o algebra.Op) float64 {
	switch o := o.(type) {
	case algebra.Group:
		if len(o.Keys) == 0 {
			return 1
		}
		return math.Ceil(math.Sqrt(e.estimate(o.Of)))
	case algebra.Order:
		return e.estimate(o.Of)
	case algebra.Project:
		return e.estimate(o.Of)
	case algebra.Distinct:
		return e.estimate(o.Of)
	}
	s := o.(algebra.Slice)
	rows := max(0, e.estimate(s.Of)-float64(s.Offset))
	if s.Limit >= 0 {
		rows = min(rows, float64(s.Limit))
	}
	return rows
}

// estimateJoin takes what shares a variable for no more than its smallest part, and the rest for a product.
func (e *evaluator) estimateJoin(j algebra.Join) float64 {
	rows := 1.0
	var before algebra.VarSet
	for _, part := range j.Of {
		r := e.estimate(part)
		if before.Intersects(part.About().Possible) {
			rows = min(rows, r)
		} else {
			rows *= r
		}
		before.Include(part.About().Possible)
	}
	return rows
}

func (e *evaluator) estimateBasic(b algebra.Basic, f algebra.Filter) float64 {
	return e.reckonBasic(b, f).rows
}

// reckoning is what is expected of a pattern: the work that it takes, and its rows.
type reckoning struct{ cost, rows float64 }

// reckon says it of a basic pattern, under conditions or not.
func (e *evaluator) reckon(o algebra.Op) reckoning {
	if f, ok := o.(algebra.Filter); ok {
		return e.reckonBasic(f.Of.(algebra.Basic), f)
	}
	return e.reckonBasic(o.(algebra.Basic), algebra.Filter{})
}

func (e *evaluator) reckonBasic(b algebra.Basic, f algebra.Filter) reckoning {
	shown := e.shown
	e.shown = nil
	defer func() { e.shown = shown }()
	p := e.pattern(b, f.Conditions, e.pins(f))
	if p.impossible() {
		return reckoning{}
	}
	in := make(row, len(e.query.Names))
	for v, value := range p.known {
		in[v] = value
	}
	_, expected := p.planner(in).cheapest()
	return expected
}
