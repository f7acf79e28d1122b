package eval

import (
	"iter"
	"slices"

	"github.com/lacuna-kg/lacuna/sparql/algebra"
	"github.com/lacuna-kg/lacuna/sparql/limit"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// project keeps the values of some variables, and what is given.
func (e *evaluator) project(p algebra.Project) operator {
	run := e.operator(p.Of)
	return func(in row) iter.Seq[row] {
		return func(yield func(row) bool) {
			projected := slices.Clone(in)
			for r := range run(in) {
				for _, v := range p.Vars {
					projected[v] = r[v]
				}
				if !yield(projected) {
					return
				}
			}
		}
	}
}

// distinct drops what came before.
func (e *evaluator) distinct(d algebra.Distinct) operator {
	run, vars := e.operator(d.Of), d.Possible.Members()
	return func(in row) iter.Seq[row] {
		return func(yield func(row) bool) {
			held := e.Hold()
			defer held.Release()
			seen := newDistinct(held, vars)
			for r := range run(in) {
				if seen.add(r) && (e.Err != nil || !yield(r)) {
					return
				}
			}
		}
	}
}

// distinctRows remembers the values of some variables that it has seen.
type distinctRows struct {
	held *limit.Hold
	vars []int
	few  []node             // of one variable, as long as they are few: most groups are small
	seen *nodeMap[struct{}] // of more
}

func newDistinct(held *limit.Hold, vars []int) *distinctRows {
	return &distinctRows{held: held, vars: vars}
}

// add tells whether the values are new.
func (d *distinctRows) add(r row) bool {
	if d.seen == nil && len(d.vars) == 1 {
		return d.addFew(r)
	}
	if d.seen == nil {
		d.seen = newNodeMap[struct{}](d.vars)
	}
	if _, known := d.seen.get(r); known {
		return false
	}
	if d.held.Keep(bytesOfEntry + bytesOfNode*len(d.vars)) {
		d.seen.set(r, struct{}{})
	}
	return true
}

// addFew looks through a list, and makes it a map when it gets long.
func (d *distinctRows) addFew(r row) bool {
	const most = 16
	value := r[d.vars[0]]
	if slices.Contains(d.few, value) {
		return false
	}
	if !d.held.Keep(2 * bytesOfNode) {
		return true
	}
	d.few = append(d.few, value)
	if len(d.few) > most {
		d.seen = newNodeMap[struct{}](d.vars)
		for _, n := range d.few {
			d.seen.one[n] = struct{}{}
		}
		d.few = nil
	}
	return true
}

// slice applies OFFSET and LIMIT.
func (e *evaluator) slice(s algebra.Slice) operator {
	run := e.operator(s.Of)
	return func(in row) iter.Seq[row] {
		return func(yield func(row) bool) {
			if s.Limit == 0 {
				return
			}
			skip, left := s.Offset, s.Limit
			for r := range run(in) {
				if skip > 0 {
					skip--
					continue
				}
				left--
				if !yield(r) || left == 0 {
					return
				}
			}
		}
	}
}

// order sorts rows; equal ones keep their order.
func (e *evaluator) order(o algebra.Order) operator {
	run, kept := e.operator(o.Of), o.Possible.Members()
	keys := make([]expression, len(o.Keys))
	for i, k := range o.Keys {
		keys[i] = e.expression(k.Of)
	}
	return func(in row) iter.Seq[row] {
		return func(yield func(row) bool) {
			held := e.Hold()
			defer held.Release()
			r := slices.Clone(in)
			for _, n := range e.sorted(run(in), kept, keys, o, held) {
				for i, v := range kept {
					r[v] = n.values[i]
				}
				if e.Err != nil || !yield(r) {
					return
				}
			}
		}
	}
}

// entry is a row to sort, by the variables that it may bind.
type entry struct {
	keys   []term.SortKey
	values []node
}

// bytes is what an entry takes.
func (n entry) bytes() int {
	bytes := bytesOfSorted + bytesOfRow(len(n.values)) + bytesOfKey*len(n.keys)
	for i := range n.keys {
		bytes += n.keys[i].Bytes()
	}
	return bytes
}

// sorted gives rows in order, where some first ones suffice only those: the rest is dropped on the way.
func (e *evaluator) sorted(rows iter.Seq[row], vars []int, keys []expression, o algebra.Order, held *limit.Hold) []entry {
	var entries []entry
	compare := e.comparing(o.Keys)
	scratch := make([]term.SortKey, len(keys))
	full := false // the first ones are there, sorted, perhaps with others behind them
	cut := func() {
		slices.SortStableFunc(entries, compare)
		if o.First > 0 && len(entries) > o.First {
			for _, n := range entries[o.First:] {
				held.Keep(-n.bytes())
			}
			clear(entries[o.First:])
			entries, full = entries[:o.First], true
		}
	}
	for r := range rows {
		passing := e.Passing()
		for i, key := range keys {
			scratch[i] = term.SortKey{}
			if t, ok := key(r); ok {
				scratch[i] = term.SortKeyOf(t)
			}
		}
		e.Settle(passing)
		if full && compare(entry{keys: scratch}, entries[o.First-1]) >= 0 {
			continue
		}
		if !held.Keep(entry{keys: scratch, values: r[:len(vars)]}.bytes()) {
			return nil
		}
		n := entry{slices.Clone(scratch), make([]node, len(vars))}
		for i, v := range vars {
			n.values[i] = r[v]
		}
		const slack = 1000
		if entries = append(entries, n); o.First > 0 && len(entries) >= 2*o.First+slack {
			cut()
		}
	}
	cut()
	return entries
}

// comparing is the order of ORDER BY.
func (e *evaluator) comparing(order []algebra.Key) func(a, b entry) int {
	return func(a, b entry) int {
		if !e.Spend(1) {
			return 0 // sorted for nobody
		}
		for i := range order {
			if !e.SpendOn(min(a.keys[i].Bytes(), b.keys[i].Bytes())) {
				return 0
			}
			if c := a.keys[i].Compare(&b.keys[i]); c != 0 {
				return turned(c, order[i].Descending)
			}
		}
		return 0
	}
}

// turned is an order, the other way round if descending.
func turned(order int, descending bool) int {
	if descending {
		return -order
	}
	return order
}
