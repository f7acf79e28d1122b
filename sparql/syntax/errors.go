package syntax

import "github.com/lacuna-kg/lacuna/kg"

// Limits of the text. They are beyond any query a person writes, and keep a
// hostile one from exhausting memory or the stack.
const (
	MaxText   = 1 << 20 // bytes
	maxTokens = 20000
	maxNames  = 5000 // variables: a row has room for all
	maxDepth  = 200  // nested groups, parentheses and paths

	maxUpdateTokens = 400_000 // as updates carry data
)

// Source names the text of a query in the places of errors.
const Source = "sparql"

// Place is a place in the text of a query, for errors.
func Place(at Pos) kg.Place { return kg.Place{Name: Source, Line: at.Line, Column: at.Column} }

// Errorf is a fault of the query at a place of its text.
func Errorf(at Pos, format string, args ...any) error {
	return kg.ErrorAt(kg.Invalid, Place(at), format, args...)
}

// outside refuses what SPARQL has and the subset lacks.
func outside(at Pos, what string) error {
	return Errorf(at, "%s is outside the subset that Lacuna answers", what)
}

// ErrLabelInPath refuses rdfs:label within a longer path, where labels are no facts: the
// answer would be wrong, as a label is no node that a path could pass.
func ErrLabelInPath(step Step) error { return outside(step.Pos, "rdfs:label within a longer path") }
