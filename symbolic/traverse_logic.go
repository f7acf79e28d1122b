package symbolic

import (
	"github.com/lacuna-kg/lacuna/internal/sorted"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// The costs of an operand as far as the order of an intersection needs them:
// looking up one list, a walk, and a complement, which only removes from what
// the others left.
const (
	costLookup = iota
	costWalk
	costRemoval
	numCosts
)

func cost(e query.Expr) int {
	switch e := e.(type) {
	case query.Anchor, query.Universe:
		return costLookup
	case query.Projection:
		if _, ok := e.Of.(query.Anchor); ok {
			return costLookup
		}
	case query.Complement:
		return costRemoval
	}
	return costWalk
}

// intersect takes the cheap operands first and stops where nothing is left, so
// that a dear operand is not walked in vain.
func (t *Traverser) intersect(operands []query.Expr) value {
	met := value{negated: true} // the universe
	for pass := range numCosts {
		for _, e := range operands {
			if cost(e) != pass {
				continue
			}
			met = t.and(met, t.eval(e))
			if !met.negated && len(met.list) == 0 {
				return met
			}
		}
	}
	return met
}

func (t *Traverser) unite(operands []query.Expr) value {
	joined := value{}
	for _, e := range operands {
		joined = t.or(joined, t.eval(e))
	}
	return joined
}

// and gives the intersection of two values and takes over their memory.
func (t *Traverser) and(a, b value) value {
	switch {
	case a.negated && len(a.list) == 0: // universe ∧ b => b
		t.release(a)
		return b
	case a.negated && b.negated: // ¬a ∧ ¬b => ¬(a ∨ b)
		return t.combine(a, b, sorted.Union, true)
	case a.negated: // ¬a ∧ b => b \ a
		return t.combine(b, a, sorted.Difference, false)
	case b.negated: // a ∧ ¬b => a \ b
		return t.combine(a, b, sorted.Difference, false)
	}
	return t.combine(a, b, sorted.Intersection, false)
}

// or gives the union of two values and takes over their memory.
func (t *Traverser) or(a, b value) value {
	switch {
	case !a.negated && len(a.list) == 0: // ∅ ∨ b => b
		t.release(a)
		return b
	case a.negated && b.negated: // ¬a ∨ ¬b => ¬(a ∧ b)
		return t.combine(a, b, sorted.Intersection, true)
	case a.negated: // ¬a ∨ b => ¬(a \ b)
		return t.combine(a, b, sorted.Difference, true)
	case b.negated: // a ∨ ¬b => ¬(b \ a)
		return t.combine(b, a, sorted.Difference, true)
	}
	return t.combine(a, b, sorted.Union, false)
}

func (t *Traverser) combine(a, b value, op func(dst, a, b []kg.Entity) []kg.Entity, negated bool) value {
	list := op(t.buffer(), a.list, b.list)
	t.release(a)
	t.release(b)
	return value{list: list, negated: negated, owned: true}
}
