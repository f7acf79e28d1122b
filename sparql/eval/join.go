package eval

import (
	"iter"
	"slices"

	"github.com/lacuna-kg/lacuna/sparql/algebra"
	"github.com/lacuna-kg/lacuna/sparql/limit"
)

// operand is an operator within a join.
type operand struct {
	run   operator
	under bool        // it may run under the rows of those before it
	keys  []int       // of another: variables that all of its rows bind
	ask   *serviceRun // of SERVICE
}

// join runs the first operand, and under each of its rows the others. An operand that
// must not see the variables of others is run once and hashed.
func (e *evaluator) join(j algebra.Join) operator {
	operands := j.Of
	if j.Free {
		operands = e.ordered(operands)
	}
	of := make([]operand, len(operands))
	var before algebra.VarSet
	for i, o := range operands {
		traits := o.About()
		of[i] = operand{run: e.operator(o), under: i == 0 || traits.Under(before), keys: traits.Certain.Members()}
		if s, ok := o.(algebra.Service); ok && i > 0 {
			of[i].ask = e.service(s)
		}
		before.Include(traits.Possible)
	}
	return func(in row) iter.Seq[row] {
		return func(yield func(row) bool) {
			made := make([]*hashed, len(of))
			defer releaseAll(made)
			for r := range e.allJoined(of, in, made) {
				if !yield(r) {
					return
				}
			}
		}
	}
}

// allJoined joins all operands. Other servers get the rows of those before them in blocks.
func (e *evaluator) allJoined(of []operand, in row, made []*hashed) iter.Seq[row] {
	isService := func(o operand) bool { return o.ask != nil }
	at := slices.IndexFunc(of, isService)
	if at < 0 {
		return e.joined(of, in, made, in)
	}
	rows := e.joined(of[:at], in, made, in)
	for at < len(of) {
		asked, rest, kept := of[at].ask.under(rows), of[at+1:], made[at+1:]
		next := slices.IndexFunc(rest, isService)
		if next < 0 {
			next = len(rest)
		}
		rest = rest[:next]
		rows = func(yield func(row) bool) {
			for r := range asked {
				for whole := range e.joined(rest, in, kept, r) {
					if !yield(whole) {
						return
					}
				}
			}
		}
		at += 1 + next
	}
	return rows
}

// ordered puts operands into the order of how few rows are expected of them, those first that share
// variables with what came before.
func (e *evaluator) ordered(of []algebra.Op) []algebra.Op {
	type candidate struct {
		op     algebra.Op
		rows   float64
		remote bool // other servers come last: the fewer values they are asked for, the better
	}
	left := make([]candidate, len(of))
	for i, o := range of {
		_, remote := o.(algebra.Service)
		left[i] = candidate{o, e.estimate(o), remote}
	}
	var all []algebra.Op
	var before algebra.VarSet
	for len(left) > 0 && e.Spend(len(left)) {
		best := slices.IndexFunc(left, func(c candidate) bool { return !c.remote })
		best = max(best, 0)
		for i, c := range left {
			if c.remote && !left[best].remote {
				continue
			}
			joined, bestJoined := before.Intersects(c.op.About().Possible), before.Intersects(left[best].op.About().Possible)
			if joined && !bestJoined || joined == bestJoined && c.rows < left[best].rows {
				best = i
			}
		}
		all = append(all, left[best].op)
		before.Include(left[best].op.About().Possible)
		left = slices.Delete(left, best, best+1)
	}
	return all
}

// joined extends r, a row of earlier operands, by those of the operands left. in are the
// given variables; made is what was hashed of the operands left.
func (e *evaluator) joined(of []operand, in row, made []*hashed, r row) iter.Seq[row] {
	if len(of) == 0 {
		return func(yield func(row) bool) { yield(r) }
	}
	return func(yield func(row) bool) {
		for next := range e.agreeing(of[0], in, made, r) {
			for whole := range e.joined(of[1:], in, made[1:], next) {
				if !yield(whole) {
					return
				}
			}
		}
	}
}

// agreeing gives the rows of one operand that agree with r.
func (e *evaluator) agreeing(o operand, in row, made []*hashed, r row) iter.Seq[row] {
	if o.under {
		return o.run(r)
	}
	if made[0] == nil {
		keys := slices.DeleteFunc(slices.Clone(o.keys), func(v int) bool { return r[v] == unbound })
		made[0] = e.hash(o.run, in, keys)
	}
	return made[0].matching(e, r)
}

// hashed are the rows of an operator, by the values of some of its variables.
type hashed struct {
	held *limit.Hold
	keys []int
	rows *nodeMap[[]row]
	all  []row
}

// hash runs an operator and keeps its rows by the variables in keys, which all of them bind.
func (e *evaluator) hash(run operator, in row, keys []int) *hashed {
	h := &hashed{held: e.Hold(), keys: keys, rows: newNodeMap[[]row](keys)}
	for r := range run(in) {
		if !h.held.Keep(bytesOfHashed + bytesOfRow(len(r)) + bytesOfNode*len(keys)) {
			break
		}
		kept := slices.Clone(r)
		h.all = append(h.all, kept)
		same, _ := h.rows.get(kept)
		h.rows.set(kept, append(same, kept))
	}
	return h
}

// release is the end of its use; nil for what was never made.
func (h *hashed) release() {
	if h != nil {
		h.held.Release()
	}
}

func releaseAll(made []*hashed) {
	for _, h := range made {
		h.release()
	}
}

// candidates are the rows that may agree with r.
func (h *hashed) candidates(r row) []row {
	for _, v := range h.keys {
		if r[v] == unbound {
			return h.all
		}
	}
	rows, _ := h.rows.get(r)
	return rows
}

// matching joins r with the rows that agree with it.
func (h *hashed) matching(e *evaluator, r row) iter.Seq[row] {
	return func(yield func(row) bool) {
		both := make(row, len(r))
		for _, other := range h.candidates(r) {
			if !e.Spend(1) {
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
