package join

import (
	"math/rand/v2"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// drawer draws questions of the whole language.
type drawer struct{ *rand.Rand }

func (d drawer) query() *query.Query {
	names := []string{"x", "y", "z"}[:d.IntN(4)]
	return &query.Query{Answers: variables(names), Body: d.formula(1+d.IntN(4), names)}
}

func variables(names []string) []query.Variable {
	var all []query.Variable
	for _, name := range names {
		all = append(all, query.Variable{Name: name})
	}
	return all
}

func (d drawer) formula(depth int, scope []string) query.Formula {
	if depth <= 1 {
		return d.leaf(scope)
	}
	inner := func() query.Formula { return d.formula(depth-1-d.IntN(2), scope) }
	switch d.IntN(17) {
	case 0:
		return query.Not{Of: inner()}
	case 16:
		return query.And{Of: []query.Formula{inner(), query.Not{Of: d.some(depth, scope, 1)}}}
	case 1, 2:
		return query.Or{Of: []query.Formula{inner(), inner()}}
	case 3, 4, 5:
		return d.some(depth, scope, 1+d.IntN(2))
	case 6:
		return d.every(depth, scope)
	case 7:
		return d.among(scope)
	}
	return query.And{Of: []query.Formula{inner(), inner(), inner()}[:2+d.IntN(2)]}
}

// mostVariables bounds what brute force has to assign.
const mostVariables = 5

// some draws ∃. Its names may hide those around it.
func (d drawer) some(depth int, scope []string, vars int) query.Formula {
	if len(scope)+vars > mostVariables {
		return d.leaf(scope)
	}
	first := d.IntN(3)
	names := []string{"a", "b", "c", "a"}[first : first+vars]
	body := d.formula(depth-1, append(scope[:len(scope):len(scope)], names...))
	return query.Exists{Vars: variables(names), Body: body}
}

// every draws ∀a (… → …), as the parser reads it.
func (d drawer) every(depth int, scope []string) query.Formula {
	if len(scope) >= mostVariables {
		return d.leaf(scope)
	}
	inside := append(scope[:len(scope):len(scope)], "a")
	then := query.Or{Of: []query.Formula{query.Not{Of: d.atom("a", d.term(scope))}, d.formula(depth-1, inside)}}
	return query.Not{Of: query.Exists{Vars: variables([]string{"a"}), Body: query.Not{Of: then}}}
}

// among draws links that form a cycle, run beside each other or lead back to where they are from.
func (d drawer) among(scope []string) query.Formula {
	if len(scope) == 0 {
		return d.leaf(scope)
	}
	name := func() string { return scope[d.IntN(len(scope))] }
	x, y, z := name(), name(), name()
	to := func(name string) query.Term { return query.Variable{Name: name} }
	return query.And{Of: [][]query.Formula{
		{d.atom(x, to(x)), d.atom(x, d.term(scope))},
		{d.atom(x, to(y)), d.atom(x, to(y))},
		{d.atom(x, to(y)), d.atom(y, to(x))},
		{d.atom(x, to(y)), d.atom(y, to(z)), d.atom(z, to(x))},
	}[d.IntN(4)]}
}

func (d drawer) leaf(scope []string) query.Formula {
	equation := query.Equals{Left: d.term(scope), Right: d.term(scope)}
	if _, isGiven := equation.Left.(query.Constant); isGiven {
		equation.Left, equation.Right = equation.Right, equation.Left
	}
	switch d.IntN(26) {
	case 0:
		return equation
	case 1:
		return query.Not{Of: equation}
	case 2:
		return query.Not{Of: query.Atom{Relation: d.relation(), From: d.term(scope), To: d.term(scope)}}
	case 3:
		return []query.Formula{query.And{}, query.Or{}}[d.IntN(2)]
	case 4:
		return d.list(scope)
	case 5:
		return query.Not{Of: d.list(scope)}
	}
	return query.Atom{Relation: d.relation(), From: d.term(scope), To: d.term(scope)}
}

// list draws entities that a variable is among.
func (d drawer) list(scope []string) query.Formula {
	if len(scope) == 0 {
		return query.And{}
	}
	among := query.Among{Variable: query.Variable{Name: scope[d.IntN(len(scope))]}}
	for e := range kg.Entity(entities) {
		if d.IntN(2) == 0 {
			among.Entities = append(among.Entities, e)
		}
	}
	return among
}

func (d drawer) atom(from string, to query.Term) query.Formula {
	return query.Atom{Relation: d.relation(), From: query.Variable{Name: from}, To: to}
}

func (d drawer) relation() query.RelationName {
	return query.RelationName{Name: query.Name{ID: uint32(d.IntN(2 * relations)), ByID: true}, Inverse: d.IntN(4) == 0}
}

func (d drawer) term(scope []string) query.Term {
	if len(scope) > 0 && d.IntN(3) > 0 {
		return query.Variable{Name: scope[d.IntN(len(scope))]}
	}
	return query.Constant{Name: query.Name{ID: uint32(d.IntN(entities)), ByID: true}}
}
