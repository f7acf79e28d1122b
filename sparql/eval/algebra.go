package eval

import (
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
)

// op is an operator of the algebra (section 18.2 of the recommendation) over rows
// of variables. The kinds are basic, table, join, union, minus and filter; each is
// made by the function of its file that knows its traits.
type op interface{ about() traits }

// traits are what the other operators must know of one.
type traits struct {
	certain, possible varSet // variables that every row binds, and that some may
	// safe: running it under a row of another operator, with that row's variables
	// given, yields the same as joining that row with what it yields by itself.
	safe bool
}

func (t traits) about() traits { return t }

// slot is a variable, by number, or a constant.
type slot struct {
	variable int // -1 for a constant
	value    node
}

// basic is a basic graph pattern: all of its steps.
type basic struct {
	traits
	steps []step
}

// step is a triple pattern whose predicate is a route, rdfs:label or a variable.
type step struct {
	subject, object slot
	forth, back     *route // nil if it is not that
	label           bool   // see eval_labels.go
	predicate       int    // the variable, -1 otherwise
}

// route is a property path with its inverses carried to the single steps.
type route struct {
	kind     routeKind
	relation kg.Relation // of a leaf, if known
	known    bool
	of       []*route
}

type routeKind uint8

const (
	leaf routeKind = iota
	sequence
	alternative
)

// table is VALUES.
type table struct {
	traits
	vars []int
	rows [][]node
}

// join runs its operands in order; none of them is the pattern without variables.
type join struct {
	traits
	of []op
}

type union struct {
	traits
	of []op
}

type minus struct {
	traits
	left, right op
	shared      []int // variables that both bind for certain
	byLookup    bool  // these are all that both have, and right may be asked with them given
}

// filter keeps the rows that meet all conditions. Where one of them demands that
// a variable is some IRI, that is given beforehand: a pin.
type filter struct {
	traits
	conditions []test
	pins       []slot
	of         op
}

func newBasic(steps []step) op {
	var s varSet
	for _, step := range steps {
		s.add(step.subject.variable)
		s.add(step.object.variable)
		s.add(step.predicate)
	}
	return basic{traits{s, s, true}, steps}
}

func newTable(vars []int, rows [][]node) op {
	t := table{vars: vars, rows: rows}
	for i, v := range vars {
		t.possible.add(v)
		if !slices.ContainsFunc(rows, func(row []node) bool { return row[i] == unbound }) {
			t.certain.add(v)
		}
	}
	t.safe = true
	return t
}

// newJoin puts operators together. Basic graph patterns become one, so that the
// order of their steps is free, and what is cheap to list goes first.
func newJoin(operands []op) op {
	var tables, rest []op
	var steps []step
	for _, o := range flattenJoins(operands) {
		switch o := o.(type) {
		case table:
			tables = append(tables, o)
		case basic:
			steps = append(steps, o.steps...)
		default:
			rest = append(rest, o)
		}
	}
	j := join{of: tables}
	if len(steps) > 0 {
		j.of = append(j.of, newBasic(steps))
	}
	if j.of = append(j.of, rest...); len(j.of) == 1 {
		return j.of[0]
	}
	j.safe = true
	for _, o := range j.of {
		j.certain.include(o.about().certain)
		j.possible.include(o.about().possible)
		j.safe = j.safe && o.about().safe
	}
	return j
}

func flattenJoins(operands []op) []op {
	var all []op
	for _, o := range operands {
		if inner, ok := o.(join); ok {
			all = append(all, inner.of...) // joins have no joins among their operands
			continue
		}
		all = append(all, o)
	}
	return all
}

func newUnion(of []op) op {
	u := union{of: of}
	u.certain, u.safe = of[0].about().certain, true
	for _, o := range of {
		u.certain = u.certain.and(o.about().certain)
		u.possible.include(o.about().possible)
		u.safe = u.safe && o.about().safe
	}
	return u
}

// newMinus takes right away from left. Where all that both sides share is bound for
// certain on both, a row goes exactly if the right side matches under it.
func newMinus(left, right op) op {
	l, r := left.about(), right.about()
	m := minus{left: left, right: right, shared: l.certain.and(r.certain).members()}
	m.byLookup = r.safe && len(l.possible.and(r.possible).members()) == len(m.shared)
	m.traits = traits{l.certain, l.possible, false} // given variables would not count as shared any more
	return m
}

// newFilter must see to it that no filter sees variables of others, which are out of its scope.
func newFilter(of op, conditions []test) op {
	f := filter{traits: of.about(), conditions: conditions, of: of}
	for _, c := range conditions {
		for _, v := range c.variables().members() {
			f.safe = f.safe && f.certain.has(v)
		}
		if s, ok := c.pin(); ok && of.about().safe && f.certain.has(s.variable) {
			f.pins = append(f.pins, s)
		}
	}
	return f
}

// varSet is a set of variables by number.
type varSet []uint64

func (s varSet) has(v int) bool { return v >= 0 && v/64 < len(s) && s[v/64]>>(v%64)&1 != 0 }

// add adds a variable; the number of a constant, -1, adds nothing.
func (s *varSet) add(v int) {
	if v < 0 {
		return
	}
	for len(*s) <= v/64 {
		*s = append(*s, 0)
	}
	(*s)[v/64] |= 1 << (v % 64)
}

// include adds the members of another set. The sets of operators are shared, so that it works on a copy.
func (s *varSet) include(t varSet) {
	both := make(varSet, max(len(*s), len(t)))
	copy(both, *s)
	for i, word := range t {
		both[i] |= word
	}
	*s = both
}

func (s varSet) and(t varSet) varSet {
	both := make(varSet, min(len(s), len(t)))
	for i := range both {
		both[i] = s[i] & t[i]
	}
	return both
}

func (s varSet) members() []int {
	var all []int
	for v := range 64 * len(s) {
		if s.has(v) {
			all = append(all, v)
		}
	}
	return all
}
