package sample

import (
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// template is a shape ready to be grounded: the tree of its operations, in which
// every entity and relation is a numbered slot. A grounding is then a plain list
// of numbers, and most of the attempts, which come to nothing, build no expression.
type template struct {
	root    *step
	slots   int
	negates bool // a complement occurs
}

// grounding holds the ids of a template's entities and relations, in prefix order.
type grounding []uint32

// step is one operation of a template. Its slots, and those of all steps below
// it, are from … to-1; its own, if it has one, is from.
type step struct {
	op       operation
	of       []*step
	from, to int
	twins    [][2]*step // operands of the same shape, which must not become the same
}

type operation uint8

const (
	anchor operation = iota
	universe
	projection
	intersection
	union
	complement
)

// newTemplate takes the shape of an expression; the ids in it do not matter.
func newTemplate(e query.Expr) *template {
	t := &template{}
	t.root = t.add(e)
	return t
}

func (t *template) add(e query.Expr) *step {
	s := &step{op: operationOf(e), from: t.slots}
	switch s.op {
	case anchor, projection:
		t.slots++
	case complement:
		t.negates = true
	}
	for _, operand := range query.Operands(e) {
		s.of = append(s.of, t.add(operand))
	}
	s.to = t.slots
	s.twins = twinsAmong(s.of)
	return s
}

func operationOf(e query.Expr) operation {
	switch e.(type) {
	case query.Anchor:
		return anchor
	case query.Projection:
		return projection
	case query.Intersection:
		return intersection
	case query.Union:
		return union
	case query.Complement:
		return complement
	}
	return universe
}

func twinsAmong(operands []*step) [][2]*step {
	var twins [][2]*step
	for i, a := range operands {
		for _, b := range operands[:i] {
			if a.sameShape(b) {
				twins = append(twins, [2]*step{b, a})
			}
		}
	}
	return twins
}

func (s *step) sameShape(other *step) bool {
	return s.op == other.op && slices.EqualFunc(s.of, other.of, (*step).sameShape)
}

// isLink tells whether the step is a single edge from an anchor, such as 1p and the operands of 2i.
func (s *step) isLink() bool { return s.op == projection && s.of[0].op == anchor }

// fill makes the expression of the step with the ids of a grounding.
func (s *step) fill(g grounding) query.Expr {
	switch s.op {
	case anchor:
		return query.Anchor{Entity: kg.Entity(g[s.from])}
	case projection:
		return query.Projection{Relation: kg.Relation(g[s.from]), Of: s.of[0].fill(g)}
	case complement:
		return query.Complement{Of: s.of[0].fill(g)}
	case intersection:
		return query.Intersection{Of: fillAll(s.of, g)}
	case union:
		return query.Union{Of: fillAll(s.of, g)}
	}
	return query.Universe{}
}

func fillAll(steps []*step, g grounding) []query.Expr {
	filled := make([]query.Expr, len(steps))
	for i, s := range steps {
		filled[i] = s.fill(g)
	}
	return filled
}
