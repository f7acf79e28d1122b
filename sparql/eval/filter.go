package eval

import (
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/algebra"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

type truth = term.Verdict

const no, undecided, yes = term.No, term.Undecided, term.Yes

// test tells whether a condition holds for a row.
type test func(r row) truth

// test makes a condition ready to test.
func (e *evaluator) test(condition algebra.Expr) test {
	switch c := condition.(type) {
	case algebra.Every:
		return e.every(c.Of)
	case algebra.Some:
		return e.some(c.Of)
	case algebra.Not:
		of := e.test(c.Of)
		return func(r row) truth { return -of(r) }
	case algebra.In:
		return e.in(c)
	case algebra.Exists:
		return e.exists(c)
	case algebra.Bound:
		return func(r row) truth { return term.VerdictOf(r[c.Var] != unbound, true) }
	case algebra.Apply:
		if c.Name == "=" {
			return e.equality(c)
		}
		if holds, isOrder := orders[c.Name]; isOrder {
			return e.ordering(c, holds)
		}
	}
	value := e.expression(condition)
	return func(r row) truth {
		defer e.Settle(e.Passing())
		t, ok := value(r)
		holds, decided := term.Truth(t)
		return term.VerdictOf(holds, ok && decided)
	}
}

func (e *evaluator) tests(conditions []algebra.Expr) []test {
	of := make([]test, len(conditions))
	for i, c := range conditions {
		of[i] = e.test(c)
	}
	return of
}

func (e *evaluator) every(conditions []algebra.Expr) test {
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

func (e *evaluator) some(conditions []algebra.Expr) test {
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

// equality is "=": of variables and constants by their numbers where that suffices.
func (e *evaluator) equality(c algebra.Apply) test {
	left, isSlot := c.Of[0].(algebra.Slot)
	right, areSlots := c.Of[1].(algebra.Slot)
	if isSlot && areSlots {
		return e.equalSlots(e.slot(left), e.slot(right), c)
	}
	return e.equalMeanings(c)
}

// equalMeanings compares what two expressions mean.
func (e *evaluator) equalMeanings(c algebra.Apply) test {
	x, y := e.meaning(c.Of[0]), e.meaning(c.Of[1])
	return func(r row) truth {
		defer e.Settle(e.Passing())
		a, b := x(r), y(r)
		if a == nil || b == nil {
			return undecided
		}
		return term.VerdictOf(a.Equal(b))
	}
}

// equalSlots is "=" on nodes: the same entity that is no literal, the usual case, is seen without
// making terms.
func (e *evaluator) equalSlots(a, b slot, c algebra.Apply) test {
	byMeaning := e.equalMeanings(c)
	for _, side := range c.Of {
		if s := side.(algebra.Slot); s.Var < 0 && s.Term.Kind != term.Literal { // an IRI equals itself only
			return func(r row) truth {
				x, y := a.of(r), b.of(r)
				return term.VerdictOf(x == y, x != unbound && y != unbound)
			}
		}
	}
	return func(r row) truth {
		x, y := a.of(r), b.of(r)
		if x == unbound || y == unbound {
			return undecided
		}
		if _, entity := x.entity(); x == y && entity && !strings.HasPrefix(e.graph.name(kg.Entity(x-1)), `"`) {
			return yes
		}
		return byMeaning(r)
	}
}
