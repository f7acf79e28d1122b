package sparql

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/lacuna-kg/lacuna/sparql/syntax"
)

// Oxigraph takes an alternative path for a set, while the recommendation gives it
// the bag of the UNION (sections 9.3 and 18.4). So that bags can be compared, it
// gets queries with that UNION written out.

// expander writes alternatives out, with variables that queries do not use.
type expander struct{ fresh int }

// withoutAlternatives gives a query that the recommendation defines to be the same.
func withoutAlternatives(q *syntax.Query) *syntax.Query {
	expanded := *q
	if q.Star { // the new variables must not show
		expanded.Star = false
		for _, name := range q.Columns() {
			expanded.Select = append(expanded.Select, syntax.Projection{Var: name})
		}
	}
	e := &expander{}
	expanded.Where = e.group(q.Where)
	return &expanded
}

func hasAlternative(path syntax.Path) bool {
	switch path := path.(type) {
	case syntax.Alternative:
		return true
	case syntax.Inverse:
		return hasAlternative(path.Of)
	case syntax.Repeated:
		return false // a set in any case
	case syntax.Sequence:
		for _, part := range path.Of {
			if hasAlternative(part) {
				return true
			}
		}
	}
	return false
}

func (e *expander) group(g *syntax.Group) *syntax.Group {
	expanded := &syntax.Group{}
	for _, element := range g.Of {
		switch p := element.(type) {
		case syntax.Triple:
			expanded.Of = append(expanded.Of, e.path(p.Subject, p.Path, p.Object)...)
			continue
		case *syntax.Group:
			element = e.group(p)
		case syntax.Union:
			u := syntax.Union{}
			for _, g := range p.Of {
				u.Of = append(u.Of, e.group(g))
			}
			element = u
		case syntax.Minus:
			element = syntax.Minus{Of: e.group(p.Of)}
		case syntax.Optional:
			element = syntax.Optional{Of: e.group(p.Of)}
		case syntax.SubSelect:
			inner := *p.Query
			if inner.Star = false; p.Query.Star {
				for _, name := range p.Query.Columns() {
					inner.Select = append(inner.Select, syntax.Projection{Var: name})
				}
			}
			inner.Where = e.group(p.Query.Where)
			element = syntax.SubSelect{Query: e.renamed(&inner)}
		case syntax.Filter:
			element = syntax.Filter{Condition: e.condition(p.Condition)}
		}
		expanded.Of = append(expanded.Of, element)
	}
	return expanded
}

// renamed gives the variables that a SELECT keeps for itself names of their own. Oxigraph
// carries filters from around it to them.
func (e *expander) renamed(q *syntax.Query) *syntax.Query {
	text := q.String()
	e.fresh++
	for _, name := range []string{"x", "y", "z", "w", "p"} {
		if !slices.Contains(q.Columns(), name) {
			text = regexp.MustCompile(`\?`+name+`\b`).ReplaceAllString(text, fmt.Sprintf("?own%d%s", e.fresh, name))
		}
	}
	renamed, err := syntax.Parse(text)
	if err != nil {
		panic(err) // it was printed
	}
	return renamed
}

func (e *expander) path(from syntax.Ref, path syntax.Path, to syntax.Ref) []syntax.Pattern {
	if !hasAlternative(path) {
		return []syntax.Pattern{syntax.Triple{Subject: from, Path: path, Object: to}}
	}
	switch path := path.(type) {
	case syntax.Inverse:
		return e.path(to, path.Of, from)
	case syntax.Alternative:
		u := syntax.Union{}
		for _, part := range path.Of {
			u.Of = append(u.Of, &syntax.Group{Of: e.path(from, part, to)})
		}
		return []syntax.Pattern{u}
	}
	var all []syntax.Pattern
	parts := path.(syntax.Sequence).Of
	for i, part := range parts {
		next := to
		if i < len(parts)-1 {
			e.fresh++
			next = syntax.Ref{Var: fmt.Sprintf("fresh%d", e.fresh)}
		}
		all = append(all, e.path(from, part, next)...)
		from = next
	}
	return all
}

func (e *expander) condition(c syntax.Expr) syntax.Expr {
	switch c := c.(type) {
	case syntax.And:
		return syntax.And{Of: e.conditions(c.Of)}
	case syntax.Or:
		return syntax.Or{Of: e.conditions(c.Of)}
	case syntax.Not:
		return syntax.Not{Of: e.condition(c.Of)}
	case syntax.Exists:
		return syntax.Exists{Of: e.group(c.Of), Not: c.Not}
	}
	return c
}

func (e *expander) conditions(of []syntax.Expr) []syntax.Expr {
	all := make([]syntax.Expr, len(of))
	for i, c := range of {
		all[i] = e.condition(c)
	}
	return all
}
