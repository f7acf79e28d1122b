package tuples

import (
	"github.com/lacuna-kg/lacuna/query"
)

// relax drops as few links as it takes for the variables to form a tree, of equally few the last ones.
func relax(q *query.Query) (query.Expr, bool) {
	const most = 3
	atoms := 0
	query.Map(q.Body, func(f query.Formula) query.Formula {
		atoms++
		return f
	})
	for drops := range most + 1 {
		if e, ok := dropping(q, drops, atoms); ok {
			return e, true
		}
	}
	return nil, false
}

// dropping tries all choices of so many leaves before a given one.
func dropping(q *query.Query, drops, before int) (query.Expr, bool) {
	if drops == 0 {
		e, err := query.Decompose(q)
		return e, err == nil
	}
	for i := before - 1; i >= 0; i-- {
		if e, ok := dropping(without(q, i), drops-1, i); ok {
			return e, true
		}
	}
	return nil, false
}

// without leaves out one of the leaves of a question, so that it asks for less.
func without(q *query.Query, leaf int) *query.Query {
	d := dropper{leaf}
	return &query.Query{Answers: q.Answers, Body: d.formula(q.Body, false)}
}

// dropper counts leaves down to the one that is dropped.
type dropper struct{ left int }

// formula is f with ⊤ for the dropped leaf, or ⊥ where it is negated.
func (d *dropper) formula(f query.Formula, negated bool) query.Formula {
	switch f := f.(type) {
	case query.And:
		return query.And{Of: d.parts(f.Of, negated, func(part query.Formula) bool { and, is := part.(query.And); return is && len(and.Of) == 0 })}
	case query.Or:
		return query.Or{Of: d.parts(f.Of, negated, func(part query.Formula) bool { or, is := part.(query.Or); return is && len(or.Of) == 0 })}
	case query.Not:
		of := d.formula(f.Of, !negated)
		if or, is := of.(query.Or); is && len(or.Of) == 0 {
			return query.And{}
		}
		return query.Not{Of: of}
	case query.Exists:
		return query.Exists{Vars: f.Vars, Body: d.formula(f.Body, negated)}
	}
	d.left--
	switch {
	case d.left != -1:
		return f
	case negated:
		return query.Or{}
	}
	return query.And{}
}

// parts leaves out what says nothing.
func (d *dropper) parts(of []query.Formula, negated bool, saysNothing func(query.Formula) bool) []query.Formula {
	var parts []query.Formula
	for _, part := range of {
		if part = d.formula(part, negated); !saysNothing(part) {
			parts = append(parts, part)
		}
	}
	return parts
}
