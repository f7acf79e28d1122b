package eval

import (
	"strings"

	"github.com/lacuna-kg/lacuna/sparql/syntax"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// truth is a value of SPARQL's logic of three (section 17.2): an error is neither
// true nor false, and a filter drops it.
type truth int8

const (
	no truth = iota - 1
	undecided
	yes
)

// test is a compiled condition. The kinds are equality, every, some, opposite and match.
type test interface {
	holds(e *evaluator, r row) truth
	variables() varSet // all that occur in it
	// pin is the variable that must be a given IRI for the test to hold, and which.
	pin() (slot, bool)
}

type equality struct {
	left, right slot
	byName      bool // one of them is an IRI, which equals nothing but itself
}

// every and some are And and Or; every of nothing holds, some of nothing does not.
type every struct{ of []test }
type some struct{ of []test }

type opposite struct{ of test }

// match is EXISTS.
type match struct {
	of  op
	all varSet
}

// tests compiles a condition; && at its top is taken apart.
func (c *compiler) tests(condition syntax.Condition) []test {
	if and, ok := condition.(syntax.And); ok {
		var all []test
		for _, part := range and.Of {
			all = append(all, c.tests(part)...)
		}
		return all
	}
	return []test{c.test(condition)}
}

func (c *compiler) test(condition syntax.Condition) test {
	switch k := condition.(type) {
	case syntax.Compare:
		return negatedIf(k.Differ, c.equality(k.Left, k.Right))
	case syntax.In: // x IN (a, b) is x = a || x = b
		list := some{}
		for _, ref := range k.List {
			list.of = append(list.of, c.equality(k.Left, ref))
		}
		return negatedIf(k.Not, list)
	case syntax.And:
		return every{c.tests(k)}
	case syntax.Or:
		either := some{}
		for _, part := range k.Of {
			either.of = append(either.of, c.test(part))
		}
		return either
	case syntax.Not:
		return opposite{c.test(k.Of)}
	}
	exists := condition.(syntax.Exists)
	return negatedIf(exists.Not, match{c.group(exists.Of), c.mentioned(exists.Of)})
}

func (c *compiler) equality(a, b syntax.Ref) test {
	return equality{c.slot(a), c.slot(b), a.Term.Kind == term.IRI || b.Term.Kind == term.IRI}
}

func negatedIf(negated bool, t test) test {
	if negated {
		return opposite{t}
	}
	return t
}

// mentioned are all variables of a group, those of its filters and MINUS included.
func (c *compiler) mentioned(g *syntax.Group) varSet {
	var s varSet
	syntax.EachVar(g, func(name string) { s.add(c.variable(name)) })
	return s
}

func (t equality) holds(e *evaluator, r row) truth {
	left, right := t.left.of(r), t.right.of(r)
	if left == unbound || right == unbound {
		return undecided
	}
	return e.equal(left, right)
}

// equal is the operator "=".
func (e *evaluator) equal(a, b node) truth {
	if _, entity := a.entity(); a == b && entity && !strings.HasPrefix(e.graph.Entities.Names.At(uint32(a-1)), `"`) {
		return yes // the usual case, without making terms
	}
	equal, decided := term.Equal(e.term(a), e.term(b))
	switch {
	case !decided:
		return undecided
	case equal:
		return yes
	}
	return no
}

func (t every) holds(e *evaluator, r row) truth {
	least := yes
	for _, part := range t.of {
		if least = min(least, part.holds(e, r)); least == no {
			return no
		}
	}
	return least
}

func (t some) holds(e *evaluator, r row) truth {
	most := no
	for _, part := range t.of {
		if most = max(most, part.holds(e, r)); most == yes {
			return yes
		}
	}
	return most
}

func (t opposite) holds(e *evaluator, r row) truth { return -t.of.holds(e, r) }

// The pattern of EXISTS has the values of the row in place of its variables (section 18.6).
func (t match) holds(e *evaluator, r row) truth {
	for range e.run(t.of, r) {
		return yes
	}
	return no
}

func (t equality) variables() (s varSet) {
	s.add(t.left.variable)
	s.add(t.right.variable)
	return s
}
func (t every) variables() varSet    { return variablesOf(t.of) }
func (t some) variables() varSet     { return variablesOf(t.of) }
func (t opposite) variables() varSet { return t.of.variables() }
func (t match) variables() varSet    { return t.all }

func variablesOf(tests []test) varSet {
	var s varSet
	for _, t := range tests {
		s.include(t.variables())
	}
	return s
}

// A literal pins nothing, as others may have the same value.
func (t equality) pin() (slot, bool) {
	variable, constant := t.left, t.right
	if variable.variable < 0 {
		variable, constant = constant, variable
	}
	if !t.byName || variable.variable < 0 || constant.variable >= 0 {
		return slot{}, false
	}
	return slot{variable.variable, constant.value}, true
}
func (t every) pin() (slot, bool)    { return slot{}, false }
func (t some) pin() (slot, bool)     { return slot{}, false }
func (t opposite) pin() (slot, bool) { return slot{}, false }
func (t match) pin() (slot, bool)    { return slot{}, false }

// of is the value of a slot under a row.
func (s slot) of(r row) node {
	if s.variable < 0 {
		return s.value
	}
	return r[s.variable]
}
