package algebra

import "github.com/lacuna-kg/lacuna/sparql/syntax"

// Query is a query: operators for its pattern with all that its modifiers make of it, and
// what is given of their rows.
type Query struct {
	Names    []string // of the variables, by their numbers
	Form     syntax.Form
	Base     string // see syntax.Query
	Pattern  Op
	Columns  []Column // of SELECT
	Template []Triple // of CONSTRUCT; blank nodes are variables that the pattern lacks
	Describe []Slot
	Asks     []syntax.Pos // where it asks other servers, and must not fail to
}

// Column is a column of the result.
type Column struct {
	Name string
	Var  int
}
