// Package syntax reads queries of SPARQL and prints them: text in, a Query out, and
// Parse(q.String()) gives q back. What is valid SPARQL 1.1 and outside the subset is
// refused with its place and name.
package syntax

import (
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// Pos is a place in a text: line and column, counted from 1.
type Pos = query.Pos

// Query is a parsed query. Prefixes and the base are resolved: every IRI is whole.
type Query struct {
	Ask      bool
	Distinct bool
	Star     bool // SELECT *
	Select   []Projection
	Where    *Group
	OrderBy  []OrderKey
	Limit    int // -1 for none
	Offset   int
	Values   *Values // those after the pattern and its modifiers, nil without
}

// Projection is a variable of the result: one of the pattern, or a count.
type Projection struct {
	Var   string
	Count *Count
	Pos   Pos
}

// Count is COUNT(Of), of all solutions where Of is empty.
type Count struct {
	Distinct bool
	Of       string
}

// OrderKey is a variable to sort by.
type OrderKey struct {
	Var        string
	Descending bool
}

// Ref is a variable or a term. A blank node of a pattern is a variable that
// nothing outside can name; its name begins with "_:".
type Ref struct {
	Var  string
	Term term.Term
	Pos  Pos
}

// Pattern is an element of a group: Triple, *Group, Union, Minus, Filter or *Values.
type Pattern interface{ isPattern() }

// Group is what stands between braces.
type Group struct {
	Of  []Pattern
	Pos Pos
}

// Triple says that Path leads from Subject to Object.
type Triple struct {
	Subject Ref
	Path    Path
	Object  Ref
	Pos     Pos
}

// Union has the solutions of all of two or more groups.
type Union struct{ Of []*Group }

// Minus takes away what its group matches.
type Minus struct {
	Of  *Group
	Pos Pos
}

// Filter keeps the solutions of the group around it that meet a condition.
type Filter struct {
	Condition Condition
	Pos       Pos
}

// Values is a table of solutions.
type Values struct {
	Vars []string
	Rows [][]term.Term // the zero Term is UNDEF
	Pos  Pos
}

func (Triple) isPattern()  {}
func (*Group) isPattern()  {}
func (Union) isPattern()   {}
func (Minus) isPattern()   {}
func (Filter) isPattern()  {}
func (*Values) isPattern() {}

// Path is a property path: Step, Sequence, Alternative or Inverse.
type Path interface{ isPath() }

// Step is one predicate: an IRI or, where it is the whole path, a variable.
type Step struct{ Ref }

// Sequence is a/b.
type Sequence struct{ Of []Path }

// Alternative is a|b.
type Alternative struct{ Of []Path }

// Inverse is ^a.
type Inverse struct{ Of Path }

func (Step) isPath()        {}
func (Sequence) isPath()    {}
func (Alternative) isPath() {}
func (Inverse) isPath()     {}

// Predicate is the IRI that a path consists of; the zero Term for a longer path and for a variable.
func Predicate(path Path) term.Term {
	step, _ := path.(Step)
	return step.Term
}

// Condition is what a filter tests: Compare, In, And, Or, Not or Exists.
type Condition interface{ isCondition() }

// Compare is Left = Right or, if Differ, Left != Right.
type Compare struct {
	Left, Right Ref
	Differ      bool
	Pos         Pos
}

// In is Left IN (List) or, if Not, Left NOT IN (List).
type In struct {
	Left Ref
	List []Ref
	Not  bool
	Pos  Pos
}

// And is true if all of its parts are.
type And struct{ Of []Condition }

// Or is true if any of its parts is.
type Or struct{ Of []Condition }

// Not is true if its part is false.
type Not struct{ Of Condition }

// Exists tells whether a group matches under the solution at hand or, if Not, does not.
type Exists struct {
	Of  *Group
	Not bool
	Pos Pos
}

func (Compare) isCondition() {}
func (In) isCondition()      {}
func (And) isCondition()     {}
func (Or) isCondition()      {}
func (Not) isCondition()     {}
func (Exists) isCondition()  {}
