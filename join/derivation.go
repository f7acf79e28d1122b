package join

import (
	"context"

	"github.com/lacuna-kg/lacuna/kg"
)

// Step is a link that a derivation rests on, or must do without.
type Step struct {
	Link    kg.Triple // as a relation is stated, forwards
	Read    kg.Triple // the same from the end that its row is of
	Degree  float64
	Stated  bool
	Negated bool // the question wants it not to be
}

// Derivation is the links of the best derivation of an answer that the search gave, in the order of the question, with
// what is stated of them. Links of variables that an ∃ under a negation or an alternative binds are not among them.
func (s *Search) Derivation(ctx context.Context, a Answer) ([]Step, error) {
	s.table.ctx = ctx
	var steps []Step
	var visit func(n *node, negated bool) error
	visit = func(n *node, negated bool) error {
		switch n.kind {
		case linkNode:
			step, ok, err := s.derived(n, a)
			if step.Negated = negated; ok {
				steps = append(steps, step)
			}
			return err
		case someNode:
			if n != s.form.root {
				return nil
			}
		}
		for _, part := range n.of {
			if err := visit(part, negated != (n.kind == noNode)); err != nil {
				return err
			}
		}
		return nil
	}
	err := visit(s.form.root, false)
	return steps, err
}

// derived is a link with the values of a derivation; not ok where one of its ends has none.
// Rows are those that the answer had: what it was too unlikely for stays left out.
func (s *Search) derived(n *node, a Answer) (step Step, ok bool, err error) {
	if !a.values.complete(n.free) {
		return Step{}, false, nil
	}
	fact := kg.Triple{Head: a.values.of(n.head), Relation: n.relation, Tail: a.values.of(n.tail)}
	degree, err := s.truth(n, a.values, a.Degree)
	return Step{Link: fact.Stated(), Read: fact, Degree: degree, Stated: s.graph.Has(fact)}, err == nil, err
}
