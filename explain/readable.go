package explain

import (
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// readable is a resolved query with the names of a graph where it has numbers. It is for
// reading: names that several entities share do not lead back to the query.
func readable(q *query.Query, v *kg.Vocabulary) string {
	return (&query.Query{Answers: q.Answers, Body: query.Map(q.Body, reader{v}.leaf)}).String()
}

type reader struct{ *kg.Vocabulary }

func (r reader) leaf(f query.Formula) query.Formula {
	switch f := f.(type) {
	case query.Atom:
		return r.atom(f)
	case query.Equals:
		return query.Equals{Left: r.term(f.Left), Right: r.term(f.Right)}
	}
	return f
}

// atom reads an inverse relation from its tail.
func (r reader) atom(f query.Atom) query.Atom {
	name, inverse := strings.CutSuffix(r.Relation(kg.Relation(f.Relation.ID)), kg.InverseMark)
	atom := query.Atom{Relation: query.RelationName{Name: query.Name{Text: name}}, From: r.term(f.From), To: r.term(f.To)}
	if inverse {
		atom.From, atom.To = atom.To, atom.From
	}
	return atom
}

func (r reader) term(t query.Term) query.Term {
	if c, ok := t.(query.Constant); ok {
		return r.constant(c)
	}
	return t
}

func (r reader) constant(c query.Constant) query.Constant {
	return query.Constant{Name: query.Name{Text: r.Entity(kg.Entity(c.ID))}}
}
