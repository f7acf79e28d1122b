package algebra

import "slices"

// ValueJoin is a filter over a basic pattern taken apart into two that nothing joins but a condition ?x = ?y.
type ValueJoin struct {
	Left, Right       Op // each with the conditions that speak of it alone
	LeftVar, RightVar int
	Between           []Expr // the other conditions, ?x = ?y among them
}

// ByValue takes a filter apart: the triples that ?x hangs together with, and all others. Not every filter can be.
func (f Filter) ByValue() (j ValueJoin, ok bool) {
	b, ok := f.Of.(Basic)
	if !ok || len(f.Conditions) == 0 {
		return j, false
	}
	parts := b.Parts()
	if len(parts) < 2 {
		return j, false
	}
	for _, c := range f.Conditions {
		x, y, isEquation := Equation(c)
		if !isEquation || !b.Possible.Has(x) || !b.Possible.Has(y) {
			continue
		}
		if at := slices.IndexFunc(parts, func(p Basic) bool { return p.Possible.Has(x) }); !parts[at].Possible.Has(y) {
			return f.apart(parts, at, x, y), true
		}
	}
	return j, false
}

// apart makes the join of one part with the others.
func (f Filter) apart(parts []Basic, at, x, y int) ValueJoin {
	var rest []Triple
	for i, p := range parts {
		if i != at {
			rest = append(rest, p.Triples...)
		}
	}
	j := ValueJoin{LeftVar: x, RightVar: y}
	j.Left, j.Between = f.side(parts[at], f.Conditions)
	j.Right, j.Between = f.side(newBasic(rest), j.Between)
	return j
}

// side is a part under the conditions that speak of it alone; the others are left.
func (f Filter) side(o Op, conditions []Expr) (_ Op, left []Expr) {
	own, left := split(conditions, o.About().Certain)
	if len(own) == 0 {
		return o, left
	}
	side := newFilter(o, own)
	for _, p := range f.Pins {
		if side.Certain.Has(p.Var) {
			side.Pins = append(side.Pins, p)
		}
	}
	return side, left
}

// Equation takes ?x = ?y apart.
func Equation(c Expr) (x, y int, ok bool) {
	apply, ok := c.(Apply)
	if !ok || apply.Name != "=" {
		return 0, 0, false
	}
	left, first := apply.Of[0].(Slot)
	right, second := apply.Of[1].(Slot)
	return left.Var, right.Var, first && second && left.Var >= 0 && right.Var >= 0 && left.Var != right.Var
}

// Parts are the patterns of triples that hang together by variables. Triples without one are a part of their own.
func (b Basic) Parts() []Basic {
	var parts [][]Triple
	var vars []VarSet
	for _, t := range b.Triples {
		own := newBasic([]Triple{t}).About().Possible
		triples := []Triple{t}
		for i := len(parts) - 1; i >= 0; i-- {
			if vars[i].Intersects(own) {
				own.Include(vars[i])
				triples = append(slices.Clone(parts[i]), triples...)
				parts, vars = slices.Delete(parts, i, i+1), slices.Delete(vars, i, i+1)
			}
		}
		parts, vars = append(parts, triples), append(vars, own)
	}
	return mapped(parts, func(triples []Triple) Basic { return newBasic(triples).(Basic) })
}
