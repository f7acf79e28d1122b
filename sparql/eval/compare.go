package eval

import (
	"github.com/lacuna-kg/lacuna/sparql/algebra"
	"github.com/lacuna-kg/lacuna/sparql/limit"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// orders are the operators that compare, by what they ask of an order.
var orders = map[string]func(order int) bool{
	"<":  func(order int) bool { return order < 0 },
	">":  func(order int) bool { return order > 0 },
	"<=": func(order int) bool { return order <= 0 },
	">=": func(order int) bool { return order >= 0 },
}

// ordering is "<" and its like.
func (e *evaluator) ordering(c algebra.Apply, holds func(order int) bool) test {
	x, y := e.meaning(c.Of[0]), e.meaning(c.Of[1])
	return func(r row) truth {
		defer e.Settle(e.Passing())
		a, b := x(r), y(r)
		switch {
		case a == nil || b == nil || !e.Spend(1):
			return undecided
		case a.HasNaN(b):
			return no
		}
		order, decided := a.Order(b)
		return term.VerdictOf(holds(order), decided)
	}
}

// meaning gives the value of an expression, read, and nil for an error. It is valid until the next
// one. A constant is read once.
func (e *evaluator) meaning(of algebra.Expr) func(row) *term.SortKey {
	if s, ok := of.(algebra.Slot); ok && s.Var < 0 {
		key := term.SortKeyOf(s.Term)
		return func(row) *term.SortKey { return &key }
	}
	x, reader := e.expression(of), &term.Reader{}
	return func(r row) *term.SortKey {
		value, ok := x(r)
		if !ok || !e.SpendOn(bytesOfText(value)) {
			return nil
		}
		if bytesOfText(value) > limit.BytesOfStep { // which the reader would keep
			key := term.SortKeyOf(value)
			return &key
		}
		return reader.Read(value)
	}
}
