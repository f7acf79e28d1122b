package eval

import (
	"iter"
	"slices"

	"github.com/lacuna-kg/lacuna/sparql/algebra"
)

// extend computes expressions. A variable that is given already must have the same value.
func (e *evaluator) extendBy(x algebra.Extend) operator {
	run := e.operator(x.Of)
	values := make([]func(row) node, len(x.Bindings))
	for i, b := range x.Bindings {
		values[i] = e.computed(b.Of)
	}
	return func(in row) iter.Seq[row] {
		return func(yield func(row) bool) {
			extended := make(row, len(in))
			for r := range run(in) {
				copy(extended, r)
				clear(e.blanks) // the labels of BNODE are local to a solution
				agrees := true
				for i, b := range x.Bindings {
					value := values[i](extended)
					agrees = agrees && (in[b.Var] == unbound || value == in[b.Var])
					if value != unbound {
						extended[b.Var] = value
					}
				}
				if e.err != nil || agrees && !yield(extended) {
					return
				}
			}
		}
	}
}

// leftJoin adds rows of the right side to those of the left, where some agree and meet the conditions.
func (e *evaluator) leftJoin(j algebra.LeftJoin) operator {
	left, right, holds := e.operator(j.Left), e.operator(j.Right), e.every(j.Conditions)
	l, r := j.Left.About(), j.Right.About()
	keys := r.Certain.Members()
	under := r.Under(l.Possible)
	return func(in row) iter.Seq[row] {
		return func(yield func(row) bool) {
			var rows *hashed
			kept := make(row, len(in))
			for base := range left(in) {
				copy(kept, base)
				var matches iter.Seq[row]
				if under {
					matches = right(kept)
				} else {
					if rows == nil {
						rows = e.hash(right, in, slices.DeleteFunc(slices.Clone(keys), func(v int) bool { return kept[v] == unbound }))
					}
					matches = rows.matching(e, kept)
				}
				found := false
				for both := range matches {
					if holds(both) != yes {
						continue
					}
					if found = true; !yield(both) {
						return
					}
				}
				if e.err != nil || !found && !yield(kept) {
					return
				}
			}
		}
	}
}
