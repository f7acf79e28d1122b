// Package algebra has queries of SPARQL as operators over numbered variables, as
// section 18 of the recommendation defines them: plain data without a graph.
// Translate makes them of a parsed query by the letter, and Optimise rewrites them by a
// list of passes, none of which changes the bag of solutions. Package eval runs either.
package algebra

import (
	"slices"

	"github.com/lacuna-kg/lacuna/sparql/syntax"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// Op is an operator: Basic, Table, Join, Union, Minus or Filter. Each is made by the
// function that knows its traits, and not changed after.
type Op interface{ About() Traits }

// Traits are what the other operators must know of one.
type Traits struct {
	Certain, Possible VarSet // variables that every row binds, and that some may
	// Safe: running it under a row of another operator, with that row's variables
	// given, yields the same as joining that row with what it yields by itself.
	Safe bool
}

// About makes an operator of what has traits.
func (t Traits) About() Traits { return t }

// Slot is a variable, by number, or a constant.
type Slot struct {
	Var  int // -1 for a constant
	Term term.Term
}

// Basic is a basic graph pattern: all of its triples.
type Basic struct {
	Traits
	Triples []Triple
}

// Triple is a triple pattern. Its predicate is a variable or, if that is -1, a path.
type Triple struct {
	Subject, Object Slot
	Predicate       int
	Path            syntax.Path
}

// Table is VALUES; the zero Term is UNDEF.
type Table struct {
	Traits
	Vars []int
	Rows [][]term.Term
}

// Join has what agrees of all of its operands, in their order; of none it is the
// pattern without variables, which has one solution.
type Join struct {
	Traits
	Of []Op
}

// Union has the rows of all.
type Union struct {
	Traits
	Of []Op
}

// Minus has the rows of Left that no row of Right both agrees with and shares a variable with.
type Minus struct {
	Traits
	Left, Right Op
	Shared      []int // variables that both bind for certain
	ByLookup    bool  // see lookUpMinus
}

// Filter keeps the rows that meet all conditions.
type Filter struct {
	Traits
	Conditions []Condition
	Pins       []Slot // see pinFilters: variables with the constants that they must be
	Of         Op
}

func newBasic(triples []Triple) Op {
	var s VarSet
	for _, t := range triples {
		s.add(t.Subject.Var)
		s.add(t.Object.Var)
		s.add(t.Predicate)
	}
	return Basic{Traits{s, s, true}, triples}
}

func newTable(vars []int, rows [][]term.Term) Op {
	t := Table{Vars: vars, Rows: rows}
	for i, v := range vars {
		t.Possible.add(v)
		if !slices.ContainsFunc(rows, func(row []term.Term) bool { return row[i].Kind == term.Unbound }) {
			t.Certain.add(v)
		}
	}
	t.Safe = true
	return t
}

func newJoin(of []Op) Op {
	if len(of) == 1 {
		return of[0]
	}
	j := Join{Of: of}
	j.Safe = true
	for _, o := range of {
		j.Certain.include(o.About().Certain)
		j.Possible.include(o.About().Possible)
		j.Safe = j.Safe && o.About().Safe
	}
	return j
}

func newUnion(of []Op) Op {
	u := Union{Of: of}
	u.Certain, u.Safe = of[0].About().Certain, true
	for _, o := range of {
		u.Certain = u.Certain.and(o.About().Certain)
		u.Possible.include(o.About().Possible)
		u.Safe = u.Safe && o.About().Safe
	}
	return u
}

// newMinus takes right away from left. It is never safe: variables that are given would not count as shared any more.
func newMinus(left, right Op) Minus {
	l := left.About()
	return Minus{Traits: Traits{l.Certain, l.Possible, false}, Left: left, Right: right, Shared: l.Certain.and(right.About().Certain).Members()}
}

// newFilter must see to it that no filter sees variables of others, which are out of its scope.
func newFilter(of Op, conditions []Condition) Filter {
	f := Filter{Traits: of.About(), Conditions: conditions, Of: of}
	for _, c := range conditions {
		for _, v := range c.variables().Members() {
			f.Safe = f.Safe && f.Certain.has(v)
		}
	}
	return f
}
