package eval

import (
	"iter"
	"slices"

	"github.com/lacuna-kg/lacuna/sparql/algebra"
)

// minus keeps the rows of the left side that no row of the right side both agrees
// with and shares a variable with (section 18.5). Given variables are no longer
// variables, so that they do not count as shared.
func (e *evaluator) minus(m algebra.Minus) operator {
	left, right := e.operator(m.Left), e.operator(m.Right)
	return func(in row) iter.Seq[row] {
		free := slices.DeleteFunc(slices.Clone(m.Shared), func(v int) bool { return in[v] != unbound })
		return func(yield func(row) bool) {
			excluded, done := e.excludedByRows(right, in, free)
			if m.ByLookup {
				excluded = e.excludedByLookup(right, in, free)
			}
			defer done()
			for r := range left(in) {
				if !excluded(r) && !yield(r) {
					return
				}
			}
		}
	}
}

// excludedByLookup asks the right side with the shared variables given.
func (e *evaluator) excludedByLookup(right operator, in row, free []int) func(row) bool {
	given := make(row, len(in))
	return func(r row) bool {
		if len(free) == 0 {
			return false
		}
		copy(given, in)
		for _, v := range free {
			given[v] = r[v]
		}
		for range right(given) {
			return true
		}
		return false
	}
}

// excludedByRows runs the right side once, when the first row asks for it.
func (e *evaluator) excludedByRows(right operator, in row, free []int) (excluded func(row) bool, done func()) {
	var rows *hashed
	excluded = func(r row) bool {
		if rows == nil {
			rows = e.hash(right, in, free)
		}
		return slices.ContainsFunc(rows.candidates(r), func(other row) bool {
			return e.Spend(1) && compatible(r, other) && sharesVariable(r, other, in)
		})
	}
	return excluded, func() { rows.release() }
}

func sharesVariable(a, b, given row) bool {
	for v := range a {
		if a[v] != unbound && b[v] != unbound && given[v] == unbound {
			return true
		}
	}
	return false
}
