package algebra

import "github.com/lacuna-kg/lacuna/sparql/term"

// Condition is what a filter tests: Equal, Every, Some, Not or Exists.
type Condition interface {
	Variables() VarSet // all that occur in it
}

// Equal is "=" of two values.
type Equal struct{ Left, Right Slot }

// Every and Some are && and ||; Every of nothing holds, Some of nothing does not.
type (
	Every struct{ Of []Condition }
	Some  struct{ Of []Condition }
)

// Not is "!".
type Not struct{ Of Condition }

// Exists tells whether a pattern matches with the values of the row in place of its
// variables. Mentions are all of them, those of its filters and MINUS included.
type Exists struct {
	Of       Op
	Mentions VarSet
}

// Variables are those of the two slots.
func (c Equal) Variables() (s VarSet) {
	s.Add(c.Left.Var)
	s.Add(c.Right.Var)
	return s
}

// Variables are those of all parts.
func (c Every) Variables() VarSet { return variablesOf(c.Of) }

// Variables are those of all parts.
func (c Some) Variables() VarSet { return variablesOf(c.Of) }

// Variables are those of what is negated.
func (c Not) Variables() VarSet { return c.Of.Variables() }

// Variables are those that the pattern mentions.
func (c Exists) Variables() VarSet { return c.Mentions }

func variablesOf(conditions []Condition) VarSet {
	var s VarSet
	for _, c := range conditions {
		s.include(c.Variables())
	}
	return s
}

// pin is the variable that must be a given IRI for a condition to hold, with that IRI.
// A literal pins nothing, as others may have the same value.
func pin(c Condition) (Slot, bool) {
	equal, ok := c.(Equal)
	if !ok {
		return Slot{}, false
	}
	variable, constant := equal.Left, equal.Right
	if variable.Var < 0 {
		variable, constant = constant, variable
	}
	if variable.Var < 0 || constant.Var >= 0 || constant.Term.Kind != term.IRI {
		return Slot{}, false
	}
	return Slot{variable.Var, constant.Term}, true
}
