package query

import (
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
)

// Expr is a question in operator form: an expression over sets of entities made
// of the four operations of the paper (section 4.1). It is what a Query is
// decomposed into and what programs are compiled from. Expressions are values:
// nothing changes one after it was made, and they may share parts. The names of
// variables that they carry are for people: equality and keys leave them aside.
//
// The kinds are Anchor, Universe, Projection, Intersection, Union and Complement.
type Expr interface{ isExpr() }

// Anchor is the set of one given entity.
type Anchor struct{ Entity kg.Entity }

// Universe is the set of all entities: the value of a variable that nothing constrains.
type Universe struct{}

// Projection is the set of entities that some member of Of reaches by Relation.
type Projection struct {
	Relation kg.Relation
	Of       Expr
	Variable string // of the formula, whose values Of holds; "" where it is none's
}

// Intersection is the set of entities that are in all of two or more sets.
type Intersection struct{ Of []Expr }

// Union is the set of entities that are in any of two or more sets.
type Union struct{ Of []Expr }

// Complement is the set of entities that are not in a set.
type Complement struct{ Of Expr }

func (Anchor) isExpr()       {}
func (Universe) isExpr()     {}
func (Projection) isExpr()   {}
func (Intersection) isExpr() {}
func (Union) isExpr()        {}
func (Complement) isExpr()   {}

// Operands are the expressions directly under e, in order.
func Operands(e Expr) []Expr {
	switch e := e.(type) {
	case Projection:
		return []Expr{e.Of}
	case Complement:
		return []Expr{e.Of}
	case Intersection:
		return e.Of
	case Union:
		return e.Of
	}
	return nil
}

// Equal tells whether two expressions are the same tree, operands in the same order, whatever its variables are called.
func Equal(a, b Expr) bool {
	switch a := a.(type) {
	case Projection:
		b, same := b.(Projection)
		return same && a.Relation == b.Relation && Equal(a.Of, b.Of)
	case Complement:
		b, same := b.(Complement)
		return same && Equal(a.Of, b.Of)
	case Intersection:
		b, same := b.(Intersection)
		return same && slices.EqualFunc(a.Of, b.Of, Equal)
	case Union:
		b, same := b.(Union)
		return same && slices.EqualFunc(a.Of, b.Of, Equal)
	}
	return a == b // Anchor and Universe are comparable
}
