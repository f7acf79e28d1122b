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

// Op is an operator: Basic, Table, Join, LeftJoin, Union, Minus, GraphOf, Service, Filter or Extend, and those
// of a SELECT in modifiers.go. Each is made by the function that knows its traits, and not
// changed after.
type Op interface{ About() Traits }

// Traits are what the other operators must know of one.
type Traits struct {
	Certain, Possible VarSet // variables that every row binds, and that some may
	// Fragile are the variables that must not be given from outside: if none of them is,
	// running it under a row of another operator, with that row's variables given, yields
	// the same as joining that row with what it yields by itself.
	Fragile VarSet
	// Whole: it gathers rows before it yields the first, so that it should run once and not
	// under every row of another operator.
	Whole bool
}

// About makes an operator of what has traits.
func (t Traits) About() Traits { return t }

// Under tells whether an operator may run under rows that bind some of the given variables.
func (t Traits) Under(given VarSet) bool { return !t.Whole && !t.Fragile.Intersects(given) }

// Slot is a variable, by number, or a constant.
type Slot struct {
	Var  int // -1 for a constant
	Term term.Term
	Of   *[3]Slot // the parts of a triple term of a template that has variables; nil elsewhere
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
	Of   []Op
	Free bool // see freeJoins
}

// LeftJoin has the rows of Left with what agrees of Right and meets all conditions, or as
// they are where nothing does.
type LeftJoin struct {
	Traits
	Left, Right Op
	Conditions  []Expr
	Missing     []int // see findMissing
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

// GraphOf asks a named graph, or each of them in turn where its name is a variable.
type GraphOf struct {
	Traits
	Name Slot
	Of   Op
}

// Service asks another server, which its name says, the text of a group. Who runs it adds values of the variables to ask for.
type Service struct {
	Traits
	Name   Slot
	Silent bool // where it fails, it is the pattern without variables
	Base   string
	Group  string
	Vars   []int // that the group may bind, with their names
	Names  []string
	Pos    syntax.Pos
}

// Filter keeps the rows that meet all conditions.
type Filter struct {
	Traits
	Conditions []Expr
	Pins       []Slot // see pinFilters: variables with the constants that they must be
	Of         Op
}

// Extend gives variables the values of expressions, one after the other; one without a value stays unbound.
type Extend struct {
	Traits
	Of       Op
	Bindings []Binding
}

// Binding is an expression and the variable that gets its value.
type Binding struct {
	Var int
	Of  Expr
}

func newBasic(triples []Triple) Op {
	var s VarSet
	for _, t := range triples {
		s.add(t.Subject.Var)
		s.add(t.Object.Var)
		s.add(t.Predicate)
	}
	return Basic{Traits{Certain: s, Possible: s}, triples}
}

func newTable(vars []int, rows [][]term.Term) Op {
	t := Table{Vars: vars, Rows: rows}
	for i, v := range vars {
		t.Possible.add(v)
		if !slices.ContainsFunc(rows, func(row []term.Term) bool { return row[i].Kind == term.Unbound }) {
			t.Certain.add(v)
		}
	}
	return t
}

func newJoin(of []Op) Op {
	if len(of) == 1 {
		return of[0]
	}
	j := Join{Of: of}
	for _, o := range of {
		about := o.About()
		j.Whole = j.Whole || !about.Under(j.Possible)
		j.Certain.Include(about.Certain)
		j.Possible.Include(about.Possible)
		j.Fragile.Include(about.Fragile)
	}
	return j
}

// newLeftJoin must not be given what only its right side or its conditions have: with it
// a row would go without the right side that has to agree with it.
func newLeftJoin(left, right Op, conditions []Expr) LeftJoin {
	l, r := left.About(), right.About()
	j := LeftJoin{Left: left, Right: right, Conditions: conditions}
	j.Certain, j.Whole = l.Certain, l.Whole || !r.Under(l.Possible)
	j.Possible.Include(l.Possible)
	j.Possible.Include(r.Possible)
	j.Fragile.Include(r.Possible)
	j.Fragile.Include(VariablesOf(conditions))
	j.Fragile = j.Fragile.without(l.Certain)
	j.Fragile.Include(l.Fragile)
	j.Fragile.Include(r.Fragile)
	return j
}

func newUnion(of []Op) Op {
	u := Union{Of: of}
	u.Certain = of[0].About().Certain
	for _, o := range of {
		about := o.About()
		u.Certain = u.Certain.and(about.Certain)
		u.Possible.Include(about.Possible)
		u.Fragile.Include(about.Fragile)
		u.Whole = u.Whole || about.Whole
	}
	return u
}

// newMinus takes right away from left. It must not be given what its right side has: variables
// that are given would not count as shared any more.
func newMinus(left, right Op) Minus {
	l, r := left.About(), right.About()
	m := Minus{Left: left, Right: right, Shared: l.Certain.and(r.Certain).Members()}
	m.Certain, m.Possible, m.Whole = l.Certain, l.Possible, true
	m.Fragile.Include(l.Fragile)
	m.Fragile.Include(r.Fragile)
	m.Fragile.Include(r.Possible)
	return m
}

// newGraphOf gives the variable of the name a value with every row.
func newGraphOf(name Slot, of Op) Op {
	about := of.About()
	g := GraphOf{Traits: Traits{Whole: about.Whole}, Name: name, Of: of}
	g.Certain.Include(about.Certain)
	g.Possible.Include(about.Possible)
	g.Fragile.Include(about.Fragile)
	g.Certain.add(name.Var)
	g.Possible.add(name.Var)
	return g
}

// newService runs once, unless the server depends on the row that it runs under.
func newService(s Service) Op {
	s.Whole = s.Name.Var < 0
	for _, v := range s.Vars {
		s.Possible.add(v)
	}
	return s
}

// newFilter must see to it that no filter sees variables of others, which are out of its scope.
func newFilter(of Op, conditions []Expr) Filter {
	f := Filter{Traits: of.About(), Conditions: conditions, Of: of}
	f.Fragile.Include(VariablesOf(conditions).without(f.Certain))
	return f
}

// newExtend must not be given what its expressions may lack.
func newExtend(of Op, bindings []Binding) Extend {
	e := Extend{Traits: of.About(), Of: of, Bindings: bindings}
	for _, b := range bindings {
		e.Fragile.Include(b.Of.variables().without(e.Certain))
		e.Fragile.add(b.Var) // an error leaves it open, which then would agree with what is given
		e.Possible.Include(single(b.Var))
	}
	return e
}

func single(v int) (s VarSet) {
	s.add(v)
	return s
}
