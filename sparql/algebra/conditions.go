package algebra

import "github.com/lacuna-kg/lacuna/sparql/term"

// Condition is what a filter tests: Equal, Every, Some, Not or Exists.
type Condition interface {
	variables() VarSet // all that occur in it
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

func (c Equal) variables() (s VarSet) {
	s.add(c.Left.Var)
	s.add(c.Right.Var)
	return s
}

func (c Every) variables() VarSet { return variablesOf(c.Of) }

func (c Some) variables() VarSet { return variablesOf(c.Of) }

func (c Not) variables() VarSet { return c.Of.variables() }

func (c Exists) variables() VarSet { return c.Mentions }

func variablesOf(conditions []Condition) VarSet {
	var s VarSet
	for _, c := range conditions {
		s.include(c.variables())
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
