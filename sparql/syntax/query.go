// Package syntax reads queries of SPARQL 1.1 and prints them: text in, a Query out, and
// Parse(q.String()) gives q back.
package syntax

import (
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// Pos is a place in a text: line and column, counted from 1.
type Pos = query.Pos

// Form is what a query asks for.
type Form uint8

// The forms of queries.
const (
	SelectForm Form = iota
	AskForm
	ConstructForm
	DescribeForm
)

// Query is a parsed query, or a SELECT within a pattern. Prefixes and the base are
// resolved: every IRI is whole.
type Query struct {
	Form     Form
	Base     string // of IRIs that the query computes, "" where it has none or computes none
	From     []From
	Distinct bool
	Reduced  bool
	Star     bool // SELECT * or DESCRIBE *
	Select   []Projection
	Template []Triple // of CONSTRUCT
	Describe []Ref
	Where    *Group
	GroupBy  []GroupKey
	Having   []Expr
	OrderBy  []OrderKey
	Limit    int // -1 for none
	Offset   int
	Values   *Values // those after the pattern and its modifiers, nil without
}

// From is FROM or FROM NAMED.
type From struct {
	IRI   string
	Named bool
	Pos   Pos
}

// Projection is a variable of the result: one of the pattern, or the value of an expression.
type Projection struct {
	Var string
	Of  Expr // nil for a variable of the pattern
	Pos Pos
}

// GroupKey is an expression to group by; Var is what AS calls it, "" without.
type GroupKey struct {
	Of  Expr
	Var string
	Pos Pos
}

// OrderKey is an expression to sort by.
type OrderKey struct {
	Of         Expr
	Descending bool
}

// Ref is a variable or a term. A blank node of a pattern is a variable that
// nothing outside can name; its name begins with "_:".
type Ref struct {
	Var  string
	Term term.Term
	Of   *[3]Ref // of a triple term with variables: its parts
	Pos  Pos
}

// Pattern is an element of a group: Triple, *Group, Union, Optional, Minus, Filter, Bind,
// *Values, SubSelect, Graph or Service.
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
	Graph   Ref // in the templates of updates: the named graph that it is in; the zero Ref for the one without a name
}

// Union has the solutions of all of two or more groups.
type Union struct{ Of []*Group }

// Minus takes away what its group matches.
type Minus struct {
	Of  *Group
	Pos Pos
}

// Optional adds what its group matches, where it does.
type Optional struct {
	Of  *Group
	Pos Pos
}

// Filter keeps the solutions of the group around it that meet a condition.
type Filter struct {
	Condition Expr
	Pos       Pos
}

// Bind gives a variable the value of an expression.
type Bind struct {
	Of  Expr
	Var string
	Pos Pos
}

// SubSelect is a SELECT within a pattern.
type SubSelect struct {
	Query *Query
	Pos   Pos
}

// Graph asks a named graph, Service another server.
type (
	Graph struct {
		Name Ref
		Of   *Group
		Pos  Pos
	}
	Service struct {
		Silent bool
		Name   Ref
		Of     *Group
		Pos    Pos
	}
)

// Values is a table of solutions.
type Values struct {
	Vars []string
	Rows [][]term.Term // the zero Term is UNDEF
	Pos  Pos
}

func (Triple) isPattern()    {}
func (*Group) isPattern()    {}
func (Union) isPattern()     {}
func (Optional) isPattern()  {}
func (Minus) isPattern()     {}
func (Filter) isPattern()    {}
func (Bind) isPattern()      {}
func (*Values) isPattern()   {}
func (SubSelect) isPattern() {}
func (Graph) isPattern()     {}
func (Service) isPattern()   {}

// Path is a property path: Step, Sequence, Alternative, Inverse, Repeated or Negated.
type Path interface{ isPath() }

// Step is one predicate: an IRI or, where it is the whole path, a variable.
type Step struct{ Ref }

// Sequence is a/b.
type Sequence struct{ Of []Path }

// Alternative is a|b.
type Alternative struct{ Of []Path }

// Inverse is ^a.
type Inverse struct{ Of Path }

// Repeated is a*, a+ or a?.
type Repeated struct {
	Of   Path
	Mark string
}

// Negated is !(a|^b): a step by any predicate but these, forwards or, where some are
// inverted, backwards.
type Negated struct{ Of []NegatedStep }

// NegatedStep is a predicate that a negated set excludes.
type NegatedStep struct {
	Step    Step
	Inverse bool
}

func (Repeated) isPath()    {}
func (Negated) isPath()     {}
func (Step) isPath()        {}
func (Sequence) isPath()    {}
func (Alternative) isPath() {}
func (Inverse) isPath()     {}

// Predicate is the IRI that a path consists of; the zero Term for a longer path and for a variable.
func Predicate(path Path) term.Term {
	step, _ := path.(Step)
	return step.Term
}
