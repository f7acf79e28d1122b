package predict

import (
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// Filters on values in the predict mode: FILTER(?y > 1970). Numbers, dates and texts are not predicted where nobody asks, so that what a
// variable can be is what the graph states it to be. A condition on one variable is tried on each of these, and the variable is said to be among
// those for which it is true.

// mostValues bounds the values that a filter may leave: each is an entity of the question.
const mostValues = 20_000

// comparesValues tells whether a condition is one of the values of a variable, which no equality of entities expresses.
func comparesValues(c syntax.Expr) bool {
	switch c := c.(type) {
	case syntax.Compare:
		if c.Sign != "=" && c.Sign != "!=" {
			return true
		}
		return !isEquality(c.Left, c.Right, c.Sign == "!=")
	case syntax.In:
		return slices.ContainsFunc(c.List, func(r syntax.Expr) bool { return !isEquality(c.Left, r, c.Not) })
	case syntax.Call:
		return c.Name != "SAMETERM"
	case syntax.Not:
		return comparesValues(c.Of)
	case syntax.And, syntax.Or, syntax.Exists:
		return false
	}
	return true
}

// isEquality tells whether two expressions are equal as entities where they are as values: of a string, that holds as long as it is not negated.
func isEquality(one, other syntax.Expr, differ bool) bool {
	left, isRef := one.(syntax.Ref)
	right, areRefs := other.(syntax.Ref)
	if !isRef || !areRefs {
		return false
	}
	byValue := func(r syntax.Ref) bool {
		return r.Var == "" && r.Term.Kind == term.Literal && (differ || r.Term.Datatype != "")
	}
	return !byValue(left) && !byValue(right)
}

// valuesThat maps a condition on the values of one variable.
func (m *mapper) valuesThat(c syntax.Expr, of pattern, given names) (query.Formula, error) {
	at := placeOf(c)
	name, err := m.variableOf(c, at)
	if err != nil {
		return nil, err
	}
	if !of.certain[name] && !given[name] {
		return nil, syntax.Errorf(at, "?%s is not bound by every solution of the group around the filter, which mode=predict needs; mode=exact answers it", name)
	}
	test := newValuation(name, m.meter)
	among := query.Among{Variable: query.Variable{Name: name, Pos: query.Pos(at)}}
	literals := 0
	for _, e := range m.statedValues(name) {
		test.value = term.OfEntity(m.vocabulary.Entities.Names.At(uint32(e)))
		isLiteral := test.value.Kind == term.Literal
		if isLiteral {
			literals++
		}
		holds := test.truth(c)
		if m.meter.Err != nil {
			return nil, m.meter.Err
		}
		if holds != yes {
			continue
		}
		if !isLiteral {
			return nil, syntax.Errorf(at, "the filter is true of %v, which is no literal: mode=predict looks at the values of literals; mode=exact answers it", test.value)
		}
		among.Entities = append(among.Entities, e)
	}
	switch {
	case literals == 0:
		return nil, syntax.Errorf(at, "nothing that ?%s is stated to be is a literal, and mode=predict compares the values of literals: mode=exact answers it", name)
	case len(among.Entities) > mostValues:
		return nil, kg.ErrorAt(kg.TooLarge, syntax.Place(at), "the filter is true of %d values of ?%s, the limit of mode=predict is %d: mode=exact answers it", len(among.Entities), name, mostValues)
	}
	return among, nil
}

// variableOf is the one variable of a condition, all parts of which can be computed.
func (m *mapper) variableOf(c syntax.Expr, at syntax.Pos) (string, error) {
	var all []string
	if what := uncomputed(c, func(name string) { all = appendNew(all, name) }); what != "" {
		return "", unmapped(at, what)
	}
	if len(all) != 1 {
		return "", syntax.Errorf(at, "mode=predict compares the values of one variable with terms, and asks whether two are the same: mode=exact answers others")
	}
	return all[0], nil
}

// statedValues are the entities that the graph states a variable to be, ascending: the ends of the relations at which it stands anywhere in
// the query, and what it is given.
func (m *mapper) statedValues(name string) []kg.Entity {
	var all []kg.Entity
	collect := func(element syntax.Pattern) {
		switch e := element.(type) {
		case syntax.Triple:
			if e.Subject.Var == name {
				all = m.appendEnds(all, e.Path, false)
			}
			if e.Object.Var == name {
				all = m.appendEnds(all, e.Path, true)
			}
			if e.Subject.Var == name && term.IsLabel(m.vocabulary, syntax.Predicate(e.Path)) {
				all = append(all, m.bearers(e.Object.Term)...)
			}
		case *syntax.Values:
			if i := slices.Index(e.Vars, name); i >= 0 {
				for _, row := range e.Rows {
					if id, known := term.FindEntity(m.vocabulary, row[i]); known {
						all = append(all, id)
					}
				}
			}
		}
	}
	eachPattern(m.asked.Where, collect)
	if m.asked.Values != nil {
		collect(m.asked.Values)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// appendEnds adds the entities at the last end of a path, or at its first.
func (m *mapper) appendEnds(to []kg.Entity, path syntax.Path, last bool) []kg.Entity {
	switch path := path.(type) {
	case syntax.Inverse:
		return m.appendEnds(to, path.Of, !last)
	case syntax.Alternative:
		for _, part := range path.Of {
			to = m.appendEnds(to, part, last)
		}
	case syntax.Sequence:
		if last {
			return m.appendEnds(to, path.Of[len(path.Of)-1], last)
		}
		return m.appendEnds(to, path.Of[0], last)
	case syntax.Step:
		if base, known := term.FindRelation(m.vocabulary, path.Term); known && path.Var == "" {
			relation := kg.Forward(base)
			if last {
				relation = relation.Inverse()
			}
			to = append(to, m.graph.ByRelation().Heads(relation)...)
		}
	}
	return to
}

// eachPattern visits the triples, VALUES and other simple parts of a group, wherever they stand in it.
func eachPattern(g *syntax.Group, visit func(syntax.Pattern)) {
	for _, element := range g.Of {
		switch e := element.(type) {
		case *syntax.Group:
			eachPattern(e, visit)
		case syntax.Union:
			for _, side := range e.Of {
				eachPattern(side, visit)
			}
		case syntax.Optional:
			eachPattern(e.Of, visit)
		case syntax.Minus:
			eachPattern(e.Of, visit)
		case syntax.Filter:
			eachExists(e.Condition, visit)
		default:
			visit(e)
		}
	}
}

// eachExists visits the patterns of the EXISTS of a condition.
func eachExists(c syntax.Expr, visit func(syntax.Pattern)) {
	switch c := c.(type) {
	case syntax.Exists:
		eachPattern(c.Of, visit)
	case syntax.Not:
		eachExists(c.Of, visit)
	case syntax.And:
		for _, part := range c.Of {
			eachExists(part, visit)
		}
	case syntax.Or:
		for _, part := range c.Of {
			eachExists(part, visit)
		}
	}
}
