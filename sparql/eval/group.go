package eval

import (
	"iter"
	"slices"

	"github.com/lacuna-kg/lacuna/sparql/algebra"
	"github.com/lacuna-kg/lacuna/sparql/limit"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// group gathers rows by their keys and yields one for each group, in the order in which they appeared.
func (e *evaluator) group(g algebra.Group) operator {
	run := e.operator(g.Of)
	makers := make([]maker, len(g.Aggregates))
	for i, a := range g.Aggregates {
		makers[i] = e.accumulator(a)
	}
	return func(in row) iter.Seq[row] {
		return func(yield func(row) bool) {
			held := e.Hold()
			defer held.Release()
			groups := e.gather(run(in), g.Keys, makers, held)
			if len(groups) == 0 && len(g.Keys) == 0 {
				groups = append(groups, newGroup(make(row, len(in)), makers, held))
			}
			for _, each := range groups {
				r := slices.Clone(in)
				if e.Err != nil || each.fill(e, r, g) && !yield(r) {
					return
				}
			}
		}
	}
}

// gathered is a group: the values of its keys, in a row, and what its rows add up to.
type gathered struct {
	keys row
	of   []accumulator
}

// maker makes an accumulator, which counts what it keeps.
type maker func(held *limit.Hold) accumulator

func newGroup(keys row, makers []maker, held *limit.Hold) *gathered {
	g := &gathered{keys, make([]accumulator, len(makers))}
	for i, make := range makers {
		g.of[i] = make(held)
	}
	return g
}

func (e *evaluator) gather(rows iter.Seq[row], keys []int, makers []maker, held *limit.Hold) (all []*gathered) {
	byKey := newNodeMap[*gathered](keys)
	for r := range rows {
		g, known := byKey.get(r)
		if !known {
			if !held.Keep(bytesOfGroup + bytesOfFold*len(makers) + bytesOfRow(len(r)) + bytesOfNode*len(keys)) {
				return nil
			}
			g = newGroup(slices.Clone(r), makers, held)
			byKey.set(g.keys, g)
			all = append(all, g)
		}
		for _, a := range g.of {
			a.add(r)
		}
		if e.Err != nil {
			return nil
		}
	}
	return all
}

// fill puts the keys and values of a group into a row; false if they contradict what is given.
func (g *gathered) fill(e *evaluator, r row, op algebra.Group) bool {
	agrees := true
	set := func(v int, value node) {
		agrees = agrees && (r[v] == unbound || r[v] == value)
		r[v] = value
	}
	for _, v := range op.Keys {
		set(v, g.keys[v])
	}
	for i, a := range op.Aggregates {
		value, passing := unbound, e.Passing()
		if t, ok := g.of[i].value(); ok {
			value = e.remembered(t)
		}
		e.Settle(passing)
		set(a.Var, value)
	}
	return agrees
}

// accumulator is an aggregate on its way (section 18.5.1).
type accumulator interface {
	add(r row)
	value() (term.Term, bool)
}

// accumulator makes what makes the accumulators of an aggregate, one for each group.
func (e *evaluator) accumulator(a algebra.Aggregate) maker {
	if a.Of == nil {
		return func(held *limit.Hold) accumulator {
			return &rowCount{distinct: perhapsDistinct(a.Distinct, held, a.All)}
		}
	}
	if s, isSlot := a.Of.(algebra.Slot); isSlot && s.Var >= 0 && a.Name == "COUNT" {
		return func(held *limit.Hold) accumulator {
			return &rowCount{needs: []int{s.Var}, distinct: perhapsDistinct(a.Distinct, held, []int{s.Var})}
		}
	}
	of := e.expression(a.Of)
	return func(held *limit.Hold) accumulator {
		return &listed{e: e, of: of, into: newFold(held, e, a), seen: perhapsDistinct(a.Distinct, held, []int{0})}
	}
}

func perhapsDistinct(distinct bool, held *limit.Hold, vars []int) *distinctRows {
	if !distinct {
		return nil
	}
	return newDistinct(held, vars)
}

// rowCount is COUNT(*), or of a variable that a row needs to count.
type rowCount struct {
	needs    []int
	distinct *distinctRows
	count    int
}

func (c *rowCount) add(r row) {
	for _, v := range c.needs {
		if r[v] == unbound {
			return
		}
	}
	if c.distinct == nil || c.distinct.add(r) {
		c.count++
	}
}

func (c *rowCount) value() (term.Term, bool) { return term.Integer(c.count), true }

// listed evaluates the expression of an aggregate for every row, and folds the values.
type listed struct {
	e    *evaluator
	of   expression
	seen *distinctRows
	into fold
}

func (l *listed) add(r row) {
	defer l.e.Settle(l.e.Passing())
	value, ok := l.of(r)
	if ok && l.seen != nil && !l.seen.add(row{l.e.remembered(value)}) {
		return
	}
	l.into.add(value, ok)
}

func (l *listed) value() (term.Term, bool) { return l.into.value() }

// fold takes values one by one; ok is false for an error.
type fold interface {
	add(t term.Term, ok bool)
	value() (term.Term, bool)
}

func newFold(held *limit.Hold, e *evaluator, a algebra.Aggregate) fold {
	switch a.Name {
	case "COUNT":
		return &countFold{}
	case "SUM":
		return &sumFold{sum: term.Whole(0)}
	case "AVG":
		return &sumFold{sum: term.Whole(0), average: true}
	case "MIN":
		return &extremeFold{held: held, e: e, sign: -1}
	case "MAX":
		return &extremeFold{held: held, e: e, sign: 1}
	case "SAMPLE":
		return &sampleFold{held: held}
	}
	return &concatFold{held: held, e: e, separator: a.Separator}
}

// countFold counts what has a value.
type countFold struct{ count int }

func (f *countFold) add(_ term.Term, ok bool) {
	if ok {
		f.count++
	}
}

func (f *countFold) value() (term.Term, bool) { return term.Integer(f.count), true }

// sumFold is SUM or AVG, an error if any value is none or no number.
type sumFold struct {
	sum     term.Number
	count   int
	average bool
	failed  bool
}

func (f *sumFold) add(t term.Term, ok bool) {
	if f.failed {
		return
	}
	f.count++
	n, isNumber := term.NumberOf(t)
	if ok = ok && isNumber; ok {
		f.sum, ok = term.Arithmetic("+", f.sum, n)
	}
	f.failed = !ok
}

func (f *sumFold) value() (term.Term, bool) {
	if f.failed {
		return term.Term{}, false
	}
	if !f.average || f.count == 0 {
		return f.sum.Term(), true
	}
	mean, ok := term.Arithmetic("/", f.sum, term.Whole(f.count))
	if !ok {
		return term.Term{}, false
	}
	return mean.Term(), true
}

// extremeFold is MIN or MAX by the order of ORDER BY, an error if any value is one.
type extremeFold struct {
	held   *limit.Hold
	e      *evaluator
	sign   int
	best   term.Term
	failed bool
}

func (f *extremeFold) add(t term.Term, ok bool) {
	f.failed = f.failed || !ok || !f.e.SpendOn(bytesOfText(t))
	if f.best.Kind == term.Unbound || term.Compare(t, f.best)*f.sign > 0 {
		f.held.Keep(bytesOfText(t) - bytesOfText(f.best))
		f.best = t
	}
}

func (f *extremeFold) value() (term.Term, bool) {
	return f.best, !f.failed && f.best.Kind != term.Unbound
}

// sampleFold is the first value.
type sampleFold struct {
	held  *limit.Hold
	first term.Term
}

func (f *sampleFold) add(t term.Term, ok bool) {
	if ok && f.first.Kind == term.Unbound {
		f.held.Keep(bytesOfText(t))
		f.first = t
	}
}

func (f *sampleFold) value() (term.Term, bool) { return f.first, f.first.Kind != term.Unbound }

// concatFold is GROUP_CONCAT.
type concatFold struct {
	held      *limit.Hold
	e         *evaluator
	separator string
	text      []byte
	count     int
	failed    bool
}

func (f *concatFold) add(t term.Term, ok bool) {
	f.failed = f.failed || !ok || t.Kind == term.Blank
	if f.count++; f.count > 1 {
		f.write(f.separator)
	}
	f.write(t.Value)
}

// write adds to the text, once there is room for it.
func (f *concatFold) write(part string) {
	need := len(f.text) + len(part)
	switch {
	case f.failed || f.e.Err != nil || !f.e.SpendOn(len(part)):
		return
	case need > limit.Text:
		f.e.Text(need) // refuses it
		return
	case need > cap(f.text):
		room := max(need, min(2*cap(f.text), limit.Text))
		if !f.held.Keep(room - cap(f.text)) {
			return
		}
		f.text = append(make([]byte, 0, room), f.text...)
	}
	f.text = append(f.text, part...)
}

func (f *concatFold) value() (term.Term, bool) {
	if f.failed || !f.e.Text(len(f.text)) {
		return term.Term{}, false
	}
	return term.Typed(string(f.text), ""), true
}
