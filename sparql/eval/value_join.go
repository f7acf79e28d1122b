package eval

import (
	"fmt"
	"iter"
	"slices"

	"github.com/lacuna-kg/lacuna/sparql/algebra"
	"github.com/lacuna-kg/lacuna/sparql/limit"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// Two parts of a pattern that nothing joins but a filter ?x = ?y can be matched one within the other, by looking the values
// up (see twins), or each by itself: then the rows of one are kept by the value of its variable, and every row of the other
// finds those that it meets. The second takes the sum of the times of both, however many rows there are.

// valueJoin is the second way, with the first for where it does not serve.
type valueJoin struct {
	*evaluator
	within   operator  // the first way
	vars     []int     // of both sides
	held     valueSide // whose rows are kept
	streamed valueSide
	holds    test
	shown    *Plan // nil unless somebody wants to see the plan
}

// valueSide is one of the two parts.
type valueSide struct {
	run      operator
	variable int // the one whose value must meet the other's
	vars     []int
}

// byValue runs a filter as a join by value if that is expected to take no longer than to match its pattern as one.
func (e *evaluator) byValue(f algebra.Filter, within operator) operator {
	j, ok := f.ByValue()
	if !ok {
		return within
	}
	left, right := e.reckon(j.Left), e.reckon(j.Right)
	whole := e.reckon(f)
	const doubt = 4 // estimates of rows within rows err most
	if fewest := min(left.rows, right.rows); left.cost+right.cost+left.rows+right.rows > doubt*whole.cost || !e.Spare(int(min(2*bytesOfValue*fewest, 1<<60))) {
		return within
	}
	v := &valueJoin{evaluator: e, within: within, vars: f.Possible.Members(), holds: e.every(j.Between)}
	above := e.shown
	if above != nil {
		v.shown = above.level(fmt.Sprintf("join by value: ?%s = ?%s", e.query.Names[j.LeftVar], e.query.Names[j.RightVar]), whole.rows)
		e.shown = v.shown
	}
	v.held = valueSide{e.operator(j.Left), j.LeftVar, j.Left.About().Possible.Members()}
	v.streamed = valueSide{e.operator(j.Right), j.RightVar, j.Right.About().Possible.Members()}
	e.shown = above
	if right.rows < left.rows {
		v.held, v.streamed = v.streamed, v.held
	}
	return v.run
}

// run joins where nothing of the pattern is given: what is given makes it small to match as one.
func (v *valueJoin) run(in row) iter.Seq[row] {
	if slices.ContainsFunc(v.vars, func(w int) bool { return in[w] != unbound }) {
		return v.within(in)
	}
	return func(yield func(row) bool) {
		held := v.Hold()
		defer held.Release()
		rows, fits := v.hold(in, held)
		if !fits {
			for r := range v.within(in) {
				if !yield(r) {
					return
				}
			}
			return
		}
		v.meet(in, rows, yield)
	}
}

// hold runs one side and has its rows by value. Those that are too many do not fit.
func (v *valueJoin) hold(in row, held *limit.Hold) (rows map[term.ValueKey][][]node, fits bool) {
	rows = map[term.ValueKey][][]node{}
	for r := range v.held.run(in) {
		of := v.term(r[v.held.variable])
		key, ok := term.ValueKeyOf(of)
		if !ok {
			continue
		}
		bytes := bytesOfValue + bytesOfRow(len(v.held.vars)) + len(of.Value)
		if !v.Spare(bytes) || !held.Keep(bytes) {
			held.Release()
			return nil, false
		}
		values := make([]node, len(v.held.vars))
		for i, w := range v.held.vars {
			values[i] = r[w]
		}
		rows[key] = append(rows[key], values)
	}
	return rows, true
}

// meet gives the rows of the other side with those kept that they meet.
func (v *valueJoin) meet(in row, rows map[term.ValueKey][][]node, yield func(row) bool) {
	both := make(row, len(in))
	for r := range v.streamed.run(in) {
		key, ok := term.ValueKeyOf(v.term(r[v.streamed.variable]))
		if !ok {
			continue
		}
		for _, values := range rows[key] {
			if !v.Spend(1) {
				return
			}
			copy(both, r)
			for i, w := range v.held.vars {
				both[w] = values[i]
			}
			if v.holds(both) != yes {
				continue
			}
			if v.shown != nil {
				v.shown.Rows++
			}
			if !yield(both) {
				return
			}
		}
	}
}
