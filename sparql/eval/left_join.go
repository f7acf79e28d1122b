package eval

import (
	"iter"
	"slices"

	"github.com/lacuna-kg/lacuna/sparql/algebra"
)

// leftJoin adds rows of the right side to those of the left, where some agree and meet the
// conditions. One that must not see the variables of the left side is run once and hashed.
func (e *evaluator) leftJoin(j algebra.LeftJoin) operator {
	left := e.operator(j.Left)
	matches := e.matches(j)
	return func(in row) iter.Seq[row] {
		return func(yield func(row) bool) {
			given := slices.ContainsFunc(j.Missing, func(v int) bool { return in[v] != unbound })
			if given {
				return // what must not be bound is
			}
			right, done := matches(in)
			defer done()
			kept := make(row, len(in))
			for base := range left(in) {
				copy(kept, base)
				if !e.addRight(right(kept), kept, len(j.Missing) > 0, yield) {
					return
				}
			}
		}
	}
}

// addRight gives a row with what agrees with it, or as it is where nothing does; where only rows
// without a match are wanted, those. It returns false to stop.
func (e *evaluator) addRight(matches iter.Seq[row], kept row, missing bool, yield func(row) bool) bool {
	found := false
	for both := range matches {
		found = true
		if missing {
			break
		}
		if !yield(both) {
			return false
		}
	}
	return e.Err == nil && (found || yield(kept))
}

// matches gives, for what is given to a left join, what makes the rows of the right side that agree
// with one of the left. Under that row the conditions are a filter of the right side, which tests
// them early.
func (e *evaluator) matches(j algebra.LeftJoin) func(in row) (of func(row) iter.Seq[row], done func()) {
	right := j.Right.About()
	if right.Under(j.Left.About().Possible) {
		side := j.Right
		if len(j.Conditions) > 0 {
			side = algebra.Filter{Traits: right, Conditions: j.Conditions, Of: j.Right}
		}
		run := e.operator(side)
		return func(row) (func(row) iter.Seq[row], func()) { return run, func() {} }
	}
	run, holds, keys := e.operator(j.Right), e.every(j.Conditions), right.Certain.Members()
	return func(in row) (func(row) iter.Seq[row], func()) {
		var rows *hashed
		of := func(kept row) iter.Seq[row] {
			if rows == nil {
				rows = e.hash(run, in, slices.DeleteFunc(slices.Clone(keys), func(v int) bool { return kept[v] == unbound }))
			}
			return meeting(rows.matching(e, kept), holds)
		}
		return of, func() { rows.release() }
	}
}

// meeting keeps the rows that meet a condition.
func meeting(rows iter.Seq[row], holds test) iter.Seq[row] {
	return func(yield func(row) bool) {
		for r := range rows {
			if holds(r) == yes && !yield(r) {
				return
			}
		}
	}
}
