package eval

import (
	"github.com/lacuna-kg/lacuna/sparql/algebra"
	"github.com/lacuna-kg/lacuna/sparql/function"
	"github.com/lacuna-kg/lacuna/sparql/limit"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// expression gives the value of an expression for a row; ok is false for an error, which
// the lack of a value is too.
type expression func(r row) (value term.Term, ok bool)

// expression makes an expression ready to compute.
func (e *evaluator) expression(of algebra.Expr) expression {
	switch x := of.(type) {
	case algebra.Slot:
		return e.value(x)
	case algebra.If:
		return e.choice(x)
	case algebra.Coalesce:
		return e.coalesce(x)
	case algebra.Apply:
		if x.Name != "=" {
			return e.apply(x)
		}
	}
	holds := e.test(of)
	return func(r row) (term.Term, bool) {
		truth := holds(r)
		return function.Boolean(truth == yes), truth != undecided
	}
}

func (e *evaluator) expressions(of []algebra.Expr) []expression {
	all := make([]expression, len(of))
	for i, x := range of {
		all[i] = e.expression(x)
	}
	return all
}

func (e *evaluator) value(s algebra.Slot) expression {
	if s.Var < 0 {
		return func(row) (term.Term, bool) { return s.Term, true }
	}
	return func(r row) (term.Term, bool) { return e.term(r[s.Var]), r[s.Var] != unbound }
}

func (e *evaluator) choice(c algebra.If) expression {
	condition, then, otherwise := e.test(c.Condition), e.expression(c.Then), e.expression(c.Else)
	return func(r row) (term.Term, bool) {
		switch condition(r) {
		case yes:
			return then(r)
		case no:
			return otherwise(r)
		}
		return term.Term{}, false
	}
}

func (e *evaluator) coalesce(c algebra.Coalesce) expression {
	of := e.expressions(c.Of)
	return func(r row) (term.Term, bool) {
		for _, x := range of {
			if value, ok := x(r); ok {
				return value, true
			}
		}
		return term.Term{}, false
	}
}

// apply calls a function with values; without one of them it has none.
func (e *evaluator) apply(a algebra.Apply) expression {
	f, known := function.Find(a.Name)
	of := e.expressions(a.Of)
	args := make([]term.Term, len(of)) // no function keeps them
	return func(r row) (value term.Term, ok bool) {
		passing := e.Passing()
		if known && e.arguments(of, r, args) {
			value, ok = f(&e.env, args)
		}
		clear(args) // or long ones would stay as long as the evaluation
		e.Settle(passing + bytesOfText(value))
		return value, ok && e.Err == nil
	}
}

// arguments computes those of a function. Long ones count, or a time limit would be looked at too late.
func (e *evaluator) arguments(of []expression, r row, args []term.Term) bool {
	work := 1
	for i, x := range of {
		var ok bool
		if args[i], ok = x(r); !ok {
			return false
		}
		work += bytesOfText(args[i]) / limit.BytesOfStep
	}
	return e.Spend(work)
}

// computed gives the value of an expression as a node, unbound for an error. What no graph
// has stays in memory as long as the evaluation: equal terms must have equal numbers.
func (e *evaluator) computed(of algebra.Expr) func(r row) node {
	if s, ok := of.(algebra.Slot); ok && s.Var >= 0 {
		return func(r row) node { return r[s.Var] }
	}
	x := e.expression(of)
	return func(r row) node {
		defer e.Settle(e.Passing())
		value, ok := x(r)
		if !ok {
			return unbound
		}
		return e.remembered(value)
	}
}

// remembered is the node of a computed term.
func (e *evaluator) remembered(t term.Term) node {
	before := len(e.numbers)
	n := e.number(t)
	if len(e.numbers) > before {
		e.Keep(bytesOfComputed + bytesOfText(t))
	}
	return n
}
