package eval

import (
	"context"
	"iter"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
)

// row is a solution on its way: the value of every variable, unbound (0) where it has none.
type row []node

// evaluator runs operators on a graph. It streams: a row is valid until the next one is asked for.
type evaluator struct {
	*dictionary
	ctx    context.Context
	limits Limits
	work   int
	kept   int   // values held in memory
	err    error // what stopped the evaluation
}

// run gives the rows of an operator that agree with in, whose variables are given:
// for the pattern of EXISTS these are the values put in the place of variables.
func (e *evaluator) run(o op, in row) iter.Seq[row] {
	switch o := o.(type) {
	case basic:
		return e.basic(o, in)
	case table:
		return e.table(o, in)
	case join:
		return e.join(o.of, in, make([]*hashed, len(o.of)), in)
	case union:
		return e.union(o, in)
	case minus:
		return e.minus(o, in)
	}
	return e.filter(o.(filter), in)
}

// spend counts work; false means that the evaluation must stop.
func (e *evaluator) spend(work int) bool {
	const period = 1 << 12 // how often the context is looked at
	before := e.work / period
	e.work += work
	switch {
	case e.err != nil:
	case e.work > e.limits.Work:
		e.err = kg.Errorf(kg.TooLarge, "sparql", "the query takes more than the limit of %d steps: make it more selective", e.limits.Work)
	case e.work/period != before && e.ctx.Err() != nil:
		e.err = kg.Stopped(e.ctx)
	}
	return e.err == nil
}

// keep counts values that stay in memory; false means that there are too many.
func (e *evaluator) keep(values int) bool {
	if e.kept += values; e.kept > e.limits.Memory && e.err == nil {
		e.err = kg.Errorf(kg.TooLarge, "sparql", "the query needs more than the limit of %d values in memory: make it more selective", e.limits.Memory)
	}
	return e.err == nil
}

func (e *evaluator) table(t table, in row) iter.Seq[row] {
	return func(yield func(row) bool) {
		r := make(row, len(in))
		for _, values := range t.rows {
			copy(r, in)
			if !e.spend(1) {
				return
			}
			if extend(r, t.vars, values) && !yield(r) {
				return
			}
		}
	}
}

// extend puts values into a row; false means that they contradict it.
func extend(r row, vars []int, values []node) bool {
	for i, v := range vars {
		if values[i] == unbound {
			continue
		}
		if r[v] != unbound && r[v] != values[i] {
			return false
		}
		r[v] = values[i]
	}
	return true
}

func (e *evaluator) union(u union, in row) iter.Seq[row] {
	return func(yield func(row) bool) {
		for _, o := range u.of {
			for r := range e.run(o, in) {
				if !yield(r) {
					return
				}
			}
		}
	}
}

func (e *evaluator) filter(f filter, in row) iter.Seq[row] {
	return func(yield func(row) bool) {
		pinned := slices.Clone(in)
		for _, p := range f.pins {
			if !extend(pinned, []int{p.variable}, []node{p.value}) {
				return
			}
		}
		conditions := every{f.conditions}
		for r := range e.run(f.of, pinned) {
			if conditions.holds(e, r) == yes && !yield(r) {
				return
			}
		}
	}
}

// join runs the first operand, and under each of its rows the others. An operand
// that must not see the variables of others is run once and hashed. in are the
// given variables, r those of the rows of earlier operands.
func (e *evaluator) join(of []op, in row, made []*hashed, r row) iter.Seq[row] {
	if len(of) == 0 {
		return func(yield func(row) bool) { yield(r) }
	}
	return func(yield func(row) bool) {
		for next := range e.operand(of[0], in, made, r) {
			for whole := range e.join(of[1:], in, made[1:], next) {
				if !yield(whole) {
					return
				}
			}
		}
	}
}

// operand gives the rows of one operand of a join that agree with r.
func (e *evaluator) operand(o op, in row, made []*hashed, r row) iter.Seq[row] {
	if o.about().safe {
		return e.run(o, r)
	}
	if made[0] == nil {
		keys := slices.DeleteFunc(o.about().certain.members(), func(v int) bool { return r[v] == unbound })
		made[0] = e.hash(o, in, keys)
	}
	return made[0].matching(e, r)
}

// hashed are the rows of an operator, by the values of some of its variables.
type hashed struct {
	keys []int
	rows map[string][]row
	all  []row
}

// hash runs an operator and keeps its rows by the variables in keys, which all of them bind.
func (e *evaluator) hash(o op, in row, keys []int) *hashed {
	h := &hashed{keys: keys, rows: map[string][]row{}}
	for r := range e.run(o, in) {
		kept := slices.Clone(r)
		if !e.keep(len(kept)) {
			break
		}
		h.all = append(h.all, kept)
		k := keyOf(kept, keys)
		h.rows[k] = append(h.rows[k], kept)
	}
	return h
}

// candidates are the rows that may agree with r.
func (h *hashed) candidates(r row) []row {
	for _, v := range h.keys {
		if r[v] == unbound {
			return h.all
		}
	}
	return h.rows[keyOf(r, h.keys)]
}

// matching joins r with the rows that agree with it.
func (h *hashed) matching(e *evaluator, r row) iter.Seq[row] {
	return func(yield func(row) bool) {
		both := make(row, len(r))
		for _, other := range h.candidates(r) {
			if !e.spend(1) {
				return
			}
			if compatible(r, other) {
				for v := range both {
					both[v] = max(r[v], other[v]) // one of them where the other is unbound
				}
				if !yield(both) {
					return
				}
			}
		}
	}
}

// compatible tells whether two rows agree wherever both have a value.
func compatible(a, b row) bool {
	for v := range a {
		if a[v] != b[v] && a[v] != unbound && b[v] != unbound {
			return false
		}
	}
	return true
}

// keyOf is a string for the values of some variables, different for different values.
func keyOf(r row, vars []int) string {
	key := make([]byte, 0, 8*len(vars))
	for _, v := range vars {
		for shift := 0; shift < 64; shift += 8 {
			key = append(key, byte(r[v]>>shift))
		}
	}
	return string(key)
}

// minus keeps the rows of the left side that no row of the right side both agrees
// with and shares a variable with (section 18.5). Given variables are no longer
// variables, so that they do not count as shared.
func (e *evaluator) minus(m minus, in row) iter.Seq[row] {
	free := slices.DeleteFunc(slices.Clone(m.shared), func(v int) bool { return in[v] != unbound })
	excluded := e.excludedByRows(m, in, free)
	if m.byLookup {
		excluded = e.excludedByLookup(m, in, free)
	}
	return func(yield func(row) bool) {
		for r := range e.run(m.left, in) {
			if !excluded(r) && !yield(r) {
				return
			}
		}
	}
}

// excludedByLookup asks the right side with the shared variables given.
func (e *evaluator) excludedByLookup(m minus, in row, free []int) func(row) bool {
	given := make(row, len(in))
	return func(r row) bool {
		if len(free) == 0 {
			return false
		}
		copy(given, in)
		for _, v := range free {
			given[v] = r[v]
		}
		for range e.run(m.right, given) {
			return true
		}
		return false
	}
}

// excludedByRows runs the right side once, when the first row asks for it.
func (e *evaluator) excludedByRows(m minus, in row, free []int) func(row) bool {
	var right *hashed
	return func(r row) bool {
		if right == nil {
			right = e.hash(m.right, in, free)
		}
		return slices.ContainsFunc(right.candidates(r), func(other row) bool {
			return e.spend(1) && compatible(r, other) && sharesVariable(r, other, in)
		})
	}
}

func sharesVariable(a, b, given row) bool {
	for v := range a {
		if a[v] != unbound && b[v] != unbound && given[v] == unbound {
			return true
		}
	}
	return false
}
