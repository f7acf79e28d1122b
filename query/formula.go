package query

import "github.com/lacuna-kg/lacuna/kg"

// Query is a question in first-order logic, as it was asked: the entities that
// make Body true when they are put for Answers, one for each. Without any the question is whether
// Body is true. Names are not yet looked up; Bind does that. Terms are the same wherever they stand.
type Query struct {
	Answers []Variable
	Body    Formula
}

// Formula is a first-order formula with one sort (entities) and binary relations.
//
// The kinds are Atom, Equals, Among, And, Or, Not and Exists. ∀ and → are read as
// ¬∃¬ and ¬∨; And{} is true and Or{} is false.
type Formula interface{ isFormula() }

// Atom says that Relation holds from From to To.
type Atom struct {
	Relation RelationName
	From, To Term
	Pos      Pos
}

// Equals says that two terms are the same entity.
type Equals struct{ Left, Right Term }

// Among says that a variable is one of some entities, given by their ids: x = #1 ∨ x = #2 ∨ …, for
// lists that are too long to be written out, such as the numbers above another.
type Among struct {
	Variable Variable
	Entities []kg.Entity // ascending, each once; none is false
}

// And is true if all of its parts are.
type And struct{ Of []Formula }

// Or is true if any of its parts is.
type Or struct{ Of []Formula }

// Not is true if its part is not.
type Not struct{ Of Formula }

// Exists is true if there are entities for Vars that make Body true.
type Exists struct {
	Vars []Variable
	Body Formula
}

func (Atom) isFormula()   {}
func (Equals) isFormula() {}
func (Among) isFormula()  {}
func (And) isFormula()    {}
func (Or) isFormula()     {}
func (Not) isFormula()    {}
func (Exists) isFormula() {}

// Term is an argument of an atom: a Variable or a Constant.
type Term interface{ isTerm() }

// Variable stands for an entity that is asked for or said to exist.
type Variable struct {
	Name string
	Pos  Pos
}

// Constant is a given entity.
type Constant struct{ Name }

func (Variable) isTerm() {}
func (Constant) isTerm() {}

// Name refers to an entity or relation: by what it is called, or by its dense id, written #12.
type Name struct {
	Text string // what it is called; if ByID, only for display
	ID   uint32
	ByID bool
	Pos  Pos
}

// RelationName refers to a relation in one direction. By id it is a kg.Relation,
// which has a direction of its own; Inverse then turns it round.
type RelationName struct {
	Name
	Inverse bool
}

func (n Name) equal(m Name) bool {
	if n.ByID || m.ByID {
		return n.ByID == m.ByID && n.ID == m.ID
	}
	return n.Text == m.Text
}

// Map gives the formula with its leaves, atoms, equalities and lists of entities, replaced by what leaf makes
// of them, from left to right.
func Map(f Formula, leaf func(Formula) Formula) Formula {
	all := func(of []Formula) []Formula {
		parts := make([]Formula, len(of))
		for i, part := range of {
			parts[i] = Map(part, leaf)
		}
		return parts
	}
	switch f := f.(type) {
	case And:
		return And{all(f.Of)}
	case Or:
		return Or{all(f.Of)}
	case Not:
		return Not{Map(f.Of, leaf)}
	case Exists:
		return Exists{f.Vars, Map(f.Body, leaf)}
	}
	return leaf(f)
}

func equalTerms(a, b Term) bool {
	switch a := a.(type) {
	case Variable:
		b, same := b.(Variable)
		return same && sameVariable(a, b)
	case Constant:
		b, same := b.(Constant)
		return same && a.equal(b.Name)
	}
	return false
}

func sameVariable(a, b Variable) bool { return a.Name == b.Name }

func sameRelation(a, b RelationName) bool { return a.Inverse == b.Inverse && a.equal(b.Name) }
