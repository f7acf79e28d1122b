package sparql

import "fmt"

// Oxigraph takes an alternative path for a set, while the recommendation gives it
// the bag of the UNION (sections 9.3 and 18.4). So that bags can be compared, it
// gets queries with that UNION written out.

// expander writes alternatives out, with variables that queries do not use.
type expander struct{ fresh int }

// withoutAlternatives gives a query that the recommendation defines to be the same.
func withoutAlternatives(q *Query) *Query {
	expanded := *q
	if q.Star { // the new variables must not show
		expanded.Star = false
		for _, name := range q.Columns() {
			expanded.Select = append(expanded.Select, Projection{Var: name})
		}
	}
	e := &expander{}
	expanded.Where = e.group(q.Where)
	return &expanded
}

func hasAlternative(path Path) bool {
	switch path := path.(type) {
	case Alternative:
		return true
	case Inverse:
		return hasAlternative(path.Of)
	case Sequence:
		for _, part := range path.Of {
			if hasAlternative(part) {
				return true
			}
		}
	}
	return false
}

func (e *expander) group(g *Group) *Group {
	expanded := &Group{}
	for _, element := range g.Of {
		switch p := element.(type) {
		case Triple:
			expanded.Of = append(expanded.Of, e.path(p.Subject, p.Path, p.Object)...)
			continue
		case *Group:
			element = e.group(p)
		case Union:
			u := Union{}
			for _, g := range p.Of {
				u.Of = append(u.Of, e.group(g))
			}
			element = u
		case Minus:
			element = Minus{Of: e.group(p.Of)}
		case Filter:
			element = Filter{Condition: e.condition(p.Condition)}
		}
		expanded.Of = append(expanded.Of, element)
	}
	return expanded
}

func (e *expander) path(from Ref, path Path, to Ref) []Pattern {
	if !hasAlternative(path) {
		return []Pattern{Triple{Subject: from, Path: path, Object: to}}
	}
	switch path := path.(type) {
	case Inverse:
		return e.path(to, path.Of, from)
	case Alternative:
		u := Union{}
		for _, part := range path.Of {
			u.Of = append(u.Of, &Group{Of: e.path(from, part, to)})
		}
		return []Pattern{u}
	}
	var all []Pattern
	parts := path.(Sequence).Of
	for i, part := range parts {
		next := to
		if i < len(parts)-1 {
			e.fresh++
			next = Ref{Var: fmt.Sprintf("fresh%d", e.fresh)}
		}
		all = append(all, e.path(from, part, next)...)
		from = next
	}
	return all
}

func (e *expander) condition(c Condition) Condition {
	switch c := c.(type) {
	case And:
		return And{e.conditions(c.Of)}
	case Or:
		return Or{e.conditions(c.Of)}
	case Not:
		return Not{e.condition(c.Of)}
	case Exists:
		return Exists{Of: e.group(c.Of), Not: c.Not}
	}
	return c
}

func (e *expander) conditions(of []Condition) []Condition {
	all := make([]Condition, len(of))
	for i, c := range of {
		all[i] = e.condition(c)
	}
	return all
}
