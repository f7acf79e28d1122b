package eval

import (
	"slices"

	"github.com/lacuna-kg/lacuna/sparql/algebra"
	"github.com/lacuna-kg/lacuna/sparql/limit"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// in is x = a || x = b || …, where constants are looked up, whatever their number.
func (e *evaluator) in(c algebra.In) test {
	constants := newConstants()
	var others []algebra.Expr
	for _, member := range c.List {
		if s, ok := member.(algebra.Slot); !ok || s.Var >= 0 || !constants.add(s.Term) {
			others = append(others, member)
		}
	}
	byMeaning := e.inMeanings(c.Of, constants, others)
	if s, ok := c.Of.(algebra.Slot); ok && s.Var >= 0 {
		return e.inNodes(s.Var, c.List, byMeaning)
	}
	return byMeaning
}

// inNodes looks a variable up by its number, which is enough for what is no literal.
func (e *evaluator) inNodes(variable int, list []algebra.Expr, byMeaning test) test {
	nodes := map[node]bool{}
	for _, member := range list {
		if s, ok := member.(algebra.Slot); ok && s.Var < 0 && s.Term.Kind != term.Literal {
			nodes[e.number(s.Term)] = true
		}
	}
	enough := len(list) > 0 && !slices.ContainsFunc(list, func(member algebra.Expr) bool {
		s, ok := member.(algebra.Slot)
		return !ok || s.Var >= 0 || s.Term.Kind == term.Literal
	})
	return func(r row) truth {
		switch at := r[variable]; {
		case at == unbound:
			return undecided
		case nodes[at]:
			return yes
		case enough:
			return no
		}
		return byMeaning(r)
	}
}

// inMeanings looks a value up, and compares it with what is no constant.
func (e *evaluator) inMeanings(x algebra.Expr, constants *constants, others []algebra.Expr) test {
	of, rest := e.expression(x), e.expressions(others)
	return func(r row) truth {
		defer e.Settle(e.Passing())
		value, ok := of(r)
		if !ok || !e.SpendOn(bytesOfText(value)) {
			return undecided
		}
		most := constants.equal(e, value)
		if most == yes {
			return yes
		}
		return max(most, e.equalsSome(value, r, rest))
	}
}

func (e *evaluator) equalsSome(value term.Term, r row, rest []expression) truth {
	most := no
	for _, x := range rest {
		member, ok := x(r)
		if !e.Spend(1 + bytesOfText(value)/limit.BytesOfStep) {
			return undecided
		}
		equal, decided := term.Equal(value, member)
		if most = max(most, term.VerdictOf(equal, ok && decided)); most == yes {
			return yes
		}
	}
	return most
}

// constants is a set that "=" is asked of: IRIs, strings and texts in a language, which equal
// themselves only, and exact numbers, which equal those of the same value.
type constants struct {
	terms   map[term.Term]bool
	example term.Term // a string of them: others of no known type can not be told from it
	numbers map[string]bool
	all     []term.Term // the numbers, for those that are not exact
}

func newConstants() *constants {
	return &constants{terms: map[term.Term]bool{}, numbers: map[string]bool{}}
}

// add takes a constant into the set, if it is of a kind that can be looked up.
func (c *constants) add(t term.Term) bool {
	switch {
	case t.Kind != term.Literal, t.Language != "":
		c.terms[t.Folded()] = true
		return true
	case t.Datatype == "":
		c.terms[t] = true
		c.example = t
		return true
	}
	n, isNumber := term.NumberOf(t)
	value, exact := n.Exact()
	if !isNumber || !exact {
		return false
	}
	c.numbers[value] = true
	c.all = append(c.all, t)
	return true
}

// equal tells whether a value equals some of the constants.
func (c *constants) equal(e *evaluator, value term.Term) truth {
	if c.terms[value.Folded()] {
		return yes
	}
	most := no
	if c.example.Kind != term.Unbound {
		most = max(most, term.VerdictOf(term.Equal(value, c.example)))
	}
	return max(most, c.equalNumber(e, value))
}

func (c *constants) equalNumber(e *evaluator, value term.Term) truth {
	if len(c.all) == 0 {
		return no
	}
	n, isNumber := term.NumberOf(value)
	if !isNumber {
		return term.VerdictOf(term.Equal(value, c.all[0])) // to none of them, and to all alike
	}
	if text, exact := n.Exact(); exact {
		return term.VerdictOf(c.numbers[text], true)
	}
	for _, t := range c.all {
		equal, decided := term.Equal(value, t)
		if !e.Spend(1) || equal && decided {
			return term.VerdictOf(equal, decided)
		}
	}
	return no
}
