package eval

import (
	"strings"

	"github.com/lacuna-kg/lacuna/sparql/algebra"
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

// test tells whether a condition holds for a row.
type test func(r row) truth

// test makes a condition ready to test.
func (e *evaluator) test(condition algebra.Condition) test {
	switch c := condition.(type) {
	case algebra.Equal:
		return e.equality(c)
	case algebra.Every:
		return e.every(c.Of)
	case algebra.Some:
		return e.some(c.Of)
	case algebra.Not:
		of := e.test(c.Of)
		return func(r row) truth { return -of(r) }
	}
	return e.exists(condition.(algebra.Exists))
}

func (e *evaluator) tests(conditions []algebra.Condition) []test {
	of := make([]test, len(conditions))
	for i, c := range conditions {
		of[i] = e.test(c)
	}
	return of
}

func (e *evaluator) every(conditions []algebra.Condition) test {
	of := e.tests(conditions)
	return func(r row) truth {
		least := yes
		for _, holds := range of {
			if least = min(least, holds(r)); least == no {
				return no
			}
		}
		return least
	}
}

func (e *evaluator) some(conditions []algebra.Condition) test {
	of := e.tests(conditions)
	return func(r row) truth {
		most := no
		for _, holds := range of {
			if most = max(most, holds(r)); most == yes {
				return yes
			}
		}
		return most
	}
}

// The pattern of EXISTS has the values of the row in place of its variables (section 18.6).
func (e *evaluator) exists(c algebra.Exists) test {
	run := e.operator(c.Of)
	return func(r row) truth {
		for range run(r) {
			return yes
		}
		return no
	}
}

func (e *evaluator) equality(c algebra.Equal) test {
	a, b := e.slot(c.Left), e.slot(c.Right)
	return func(r row) truth {
		left, right := a.of(r), b.of(r)
		if left == unbound || right == unbound {
			return undecided
		}
		return e.equal(left, right)
	}
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
