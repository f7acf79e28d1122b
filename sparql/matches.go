package sparql

import (
	"context"
	"strings"

	"github.com/lacuna-kg/lacuna/complete"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

const (
	// Matches is the property function of full-text search: ?x <urn:lacuna:fn/matches> "hinton" has entities whose name or label has words that
	// begin so, or nearly so.
	Matches = "urn:lacuna:fn/matches"
	// MostMatches are the most entities of one search, the likeliest to be meant.
	MostMatches = 1000
)

// searched is a query with what its searches found in their place, as VALUES.
func (d Dataset) searched(ctx context.Context, q *syntax.Query) (*syntax.Query, error) {
	s := &searching{ctx: ctx, data: d}
	q.EachName(func(r syntax.Ref, role syntax.Role) {
		s.some = s.some || role == syntax.PredicateRole && r.Term.Value == Matches
	})
	if !s.some {
		return q, nil
	}
	return s.query(q), s.err
}

type searching struct {
	ctx  context.Context
	data Dataset
	some bool
	err  error
}

func (s *searching) query(q *syntax.Query) *syntax.Query {
	next := *q
	if q.Where != nil {
		next.Where = s.group(q.Where)
	}
	return &next
}

func (s *searching) group(g *syntax.Group) *syntax.Group {
	next := &syntax.Group{Pos: g.Pos, Of: make([]syntax.Pattern, len(g.Of))}
	for i, element := range g.Of {
		next.Of[i] = s.element(element)
	}
	return next
}

func (s *searching) element(element syntax.Pattern) syntax.Pattern {
	switch e := element.(type) {
	case syntax.Triple:
		return s.triple(e)
	case *syntax.Group:
		return s.group(e)
	case syntax.Union:
		next := syntax.Union{Of: make([]*syntax.Group, len(e.Of))}
		for i, g := range e.Of {
			next.Of[i] = s.group(g)
		}
		return next
	case syntax.Optional:
		e.Of = s.group(e.Of)
		return e
	case syntax.Minus:
		e.Of = s.group(e.Of)
		return e
	case syntax.Graph:
		e.Of = s.group(e.Of)
		return e
	case syntax.SubSelect:
		e.Query = s.query(e.Query)
		return e
	case syntax.Bind:
		e.Of = syntax.Replace(e.Of, s.exists)
		return e
	case syntax.Filter:
		e.Condition = syntax.Replace(e.Condition, s.exists)
		return e
	}
	return element
}

func (s *searching) exists(e syntax.Expr) syntax.Expr {
	if exists, is := e.(syntax.Exists); is {
		exists.Of = s.group(exists.Of)
		return exists
	}
	return e
}

// triple is a table in the place of a search, and any other triple as it is.
func (s *searching) triple(t syntax.Triple) syntax.Pattern {
	if syntax.Predicate(t.Path).Value != Matches {
		return t
	}
	if t.Subject.Var == "" || t.Object.Var != "" || t.Object.Term.Kind != term.Literal {
		s.fail(syntax.Errorf(t.Pos, "<%s>: expected a variable before it and a text behind it", Matches))
		return t
	}
	found, err := s.data.search(s.ctx, t.Object.Term.Value)
	if err != nil {
		s.fail(err)
	}
	values := &syntax.Values{Vars: []string{t.Subject.Var}, Pos: t.Pos}
	for _, e := range found {
		values.Rows = append(values.Rows, []term.Term{term.OfEntity(s.data.Graph.Entities.Names.At(uint32(e)))})
	}
	return values
}

func (s *searching) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// search finds entities by their names: by an index where there is one, else by a look at each.
func (d Dataset) search(ctx context.Context, text string) ([]kg.Entity, error) {
	if strings.TrimSpace(text) == "" { // which all names begin with
		return nil, nil
	}
	if names, ok := d.indexed(text); ok {
		return names, nil
	}
	degree := func(id uint32) int { return d.Graph.Degree(kg.Entity(id)) }
	matches, err := complete.Once(ctx, d.Graph.Entities, degree, text, MostMatches)
	found := make([]kg.Entity, len(matches))
	for i, m := range matches {
		found[i] = kg.Entity(m.ID)
	}
	return found, err
}

// indexed finds them by the index. It may be of the graph before or after a change: what this one lacks is left out.
func (d Dataset) indexed(text string) (found []kg.Entity, ok bool) {
	if d.Search == nil {
		return nil, false
	}
	names, ok := d.Search(text, MostMatches)
	for _, name := range names {
		if id, known := d.Graph.Entities.Names.Find(name); known {
			found = append(found, kg.Entity(id))
		}
	}
	return found, ok
}
