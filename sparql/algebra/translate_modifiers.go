package algebra

import (
	"fmt"

	"github.com/lacuna-kg/lacuna/sparql/syntax"
)

// modified adds what follows a pattern, by the sequence of sections 18.2.4 and 18.2.5:
// groups, HAVING, VALUES, the expressions of SELECT, order, projection, distinct, slice.
func (s *scope) modified(q *syntax.Query, pattern Op) Op {
	expression := s.expression
	if q.Grouped() {
		g := &grouping{scope: s, visible: q.Visible(), alike: map[string][]int{}}
		pattern, expression = g.group(q, pattern), g.expression
	}
	if q.Values != nil {
		pattern = newJoin([]Op{pattern, s.table(q.Values)})
	}
	var bindings []Binding
	for _, p := range q.Select {
		if p.Of != nil {
			of := expression(p.Of)
			bindings = append(bindings, Binding{s.variable(p.Var), of})
		}
	}
	if len(bindings) > 0 {
		pattern = newExtend(pattern, bindings)
	}
	if len(q.OrderBy) > 0 {
		pattern = newOrder(pattern, mapped(q.OrderBy, func(k syntax.OrderKey) Key { return Key{expression(k.Of), k.Descending} }))
	}
	if q.Form == syntax.SelectForm {
		pattern = newProject(pattern, mapped(q.Columns(), s.variable))
		if q.Distinct {
			pattern = newDistinct(pattern)
		}
	}
	if q.Offset > 0 || q.Limit >= 0 {
		pattern = newSlice(pattern, q.Offset, q.Limit)
	}
	return pattern
}

// grouping takes the aggregates out of expressions: each becomes a variable of the group.
type grouping struct {
	*scope
	visible    []string
	aggregates []Aggregate
	alike      map[string][]int // places of aggregates that may be the same
}

// group makes groups of the rows of a pattern, and keeps those that HAVING wants. The
// aggregates of SELECT and ORDER BY are looked for beforehand: expression finds them again.
func (g *grouping) group(q *syntax.Query, pattern Op) Op {
	var keys []int
	var bindings []Binding
	for _, k := range q.GroupBy {
		ref, isRef := k.Of.(syntax.Ref)
		switch {
		case isRef && ref.Var != "" && k.Var == "":
			keys = append(keys, g.variable(ref.Var))
			continue
		case k.Var != "":
			keys = append(keys, g.variable(k.Var))
		default:
			keys = append(keys, g.fresh("key"))
		}
		bindings = append(bindings, Binding{keys[len(keys)-1], g.scope.expression(k.Of)})
	}
	if len(bindings) > 0 {
		pattern = newExtend(pattern, bindings)
	}
	for _, p := range q.Select {
		if p.Of != nil {
			g.expression(p.Of)
		}
	}
	for _, k := range q.OrderBy {
		g.expression(k.Of)
	}
	having := mapped(q.Having, g.expression)
	var grouped Op = newGroup(pattern, keys, g.aggregates)
	if len(having) > 0 {
		grouped = newFilter(grouped, having)
	}
	return grouped
}

// expression translates an expression with a variable in the place of each aggregate.
func (g *grouping) expression(e syntax.Expr) Expr {
	t := translator{g.scope, g.aggregate}
	return t.expression(e)
}

func (g *grouping) aggregate(a syntax.Aggregate) Expr {
	out := Aggregate{Name: a.Name, Distinct: a.Distinct, Separator: a.Separator}
	if a.Of != nil {
		out.Of = g.scope.expression(a.Of)
	} else {
		out.All = mapped(g.visible, g.variable)
	}
	kind := out.kind()
	for _, i := range g.alike[kind] {
		before := g.aggregates[i]
		if out.Var = before.Var; sameAggregate(before, out) {
			return Slot{Var: before.Var}
		}
	}
	out.Var = g.fresh("aggregate")
	g.alike[kind] = append(g.alike[kind], len(g.aggregates))
	g.aggregates = append(g.aggregates, out)
	return Slot{Var: out.Var}
}

// kind tells most aggregates apart without looking at all of their expressions.
func (a Aggregate) kind() string {
	if s, isSlot := a.Of.(Slot); isSlot {
		return fmt.Sprint(a.Name, a.Distinct, s.Var)
	}
	return fmt.Sprint(a.Name, a.Distinct)
}
