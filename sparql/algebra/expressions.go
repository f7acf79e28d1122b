package algebra

import "github.com/lacuna-kg/lacuna/sparql/term"

// Expr is an expression: Slot, Every, Some, Not, In, Exists, Bound, If, Coalesce or Apply.
type Expr interface {
	variables() VarSet // all that occur in it
}

// Every and Some are && and ||; Every of nothing holds, Some of nothing does not.
type (
	Every struct{ Of []Expr }
	Some  struct{ Of []Expr }
)

// Not is "!".
type Not struct{ Of Expr }

// In tells whether a value equals one of a list.
type In struct {
	Of   Expr
	List []Expr
}

// Exists tells whether a pattern matches with the values of the row in place of its
// variables. Mentions are all of them, those of its filters and MINUS included.
type Exists struct {
	Of       Op
	Mentions VarSet
}

// Bound tells whether a variable has a value.
type Bound struct{ Var int }

// If is Then or Else.
type If struct{ Condition, Then, Else Expr }

// Coalesce is the first of its parts that has a value.
type Coalesce struct{ Of []Expr }

// Apply is a function of package function, by its name there, of values.
type Apply struct {
	Name string
	Of   []Expr
}

// equal is "=" of two values.
func equal(left, right Expr) Expr { return Apply{"=", []Expr{left, right}} }

func (s Slot) variables() VarSet     { return single(s.Var) }
func (c Every) variables() VarSet    { return VariablesOf(c.Of) }
func (c Some) variables() VarSet     { return VariablesOf(c.Of) }
func (c Not) variables() VarSet      { return c.Of.variables() }
func (c Exists) variables() VarSet   { return c.Mentions }
func (c Bound) variables() VarSet    { return single(c.Var) }
func (c Coalesce) variables() VarSet { return VariablesOf(c.Of) }
func (c Apply) variables() VarSet    { return VariablesOf(c.Of) }

func (c In) variables() VarSet { return VariablesOf(append([]Expr{c.Of}, c.List...)) }

func (c If) variables() VarSet { return VariablesOf([]Expr{c.Condition, c.Then, c.Else}) }

// VariablesOf are all that occur in expressions.
func VariablesOf(of []Expr) VarSet {
	var s VarSet
	for _, e := range of {
		s.Include(e.variables())
	}
	return s
}

// pin is the variable that must be a given IRI for a condition to hold, with that IRI.
// A literal pins nothing, as others may have the same value.
func pin(c Expr) (Slot, bool) {
	variable, constant, ok := equalsConstant(c)
	if !ok || constant.Term.Kind != term.IRI {
		return Slot{}, false
	}
	return Slot{Var: variable.Var, Term: constant.Term}, true
}
