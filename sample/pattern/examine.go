package pattern

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/join"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/query"
)

// world is the graphs that the questions of a split are answered on.
type world struct {
	full, small *kg.Graph // small is nil for training questions: nothing is held out from them
	connected   []kg.Entity
	limits      Limits
}

func newWorld(full, small *kg.Graph, limits Limits) *world {
	w := &world{full: full, small: small, limits: limits}
	for e := range kg.Entity(full.NumEntities()) {
		if _, tails := full.Edges(e); len(tails) > 0 {
			w.connected = append(w.connected, e)
		}
	}
	return w
}

// searchSteps bounds the search for the answers of one question: one that takes more is refused.
const searchSteps = 300_000

// verdict is what became of an attempt.
type verdict string

const (
	accepted    verdict = "accepted"
	broken      verdict = "broken off"
	dull        verdict = "with a link that others imply"
	unanswered  verdict = "without answers"
	nothingHard verdict = "without hard answers"
	notNegating verdict = "with a negation that takes nothing away"
	tooMany     verdict = "over a limit of answers"
	repeated    verdict = "repeated"
	noOpposite  verdict = "without one of the opposite answer"
)

// try makes one attempt at a pattern. All that is random about it follows from the two numbers.
func (w *world) try(ctx context.Context, p *Pattern, stream, number uint64) ([]dataset.TupleQuery, verdict, error) {
	g := p.grounder(w.full, w.connected, rand.New(rand.NewPCG(stream, number)))
	if !g.ground() {
		return nil, broken, nil
	}
	if p.isImplied(g.drawn) {
		return nil, dull, nil
	}
	q := p.fill(g.drawn)
	if len(q.Answers) == 0 {
		return w.yesAndNo(ctx, g, q)
	}
	return w.ranked(ctx, p, q)
}

// isImplied tells whether a link to a variable that nothing else speaks of says no more than another of the
// same relation at the same place.
func (p *Pattern) isImplied(d draw) bool {
	answers := len(p.Query.Answers)
	relation := func(a atom) kg.Relation {
		if a.slot < 0 {
			return a.relation
		}
		return d.relations[a.slot]
	}
	for i, a := range p.atoms {
		for j, b := range p.atoms {
			if i == j {
				continue
			}
			at, end := a.from, a.to // a link from at to a leaf
			r, other := relation(a), relation(b)
			if p.isLeaf(a.from, answers) {
				at, end, r = a.to, a.from, r.Inverse()
			}
			if !p.isLeaf(end, answers) || a.negated || b.negated {
				continue
			}
			if b.from == at && other == r || b.to == at && other.Inverse() == r {
				return true
			}
		}
	}
	return false
}

// isLeaf tells a bound variable that one link speaks of.
func (p *Pattern) isLeaf(n, answers int) bool {
	speaking := 0
	for _, a := range p.atoms {
		if a.from == n || a.to == n {
			speaking++
		}
	}
	return p.nodes[n].kind == variable && n >= answers && speaking == 1
}

// ranked examines a question by its answers with and without the held-out facts. Easy are all answers on the known facts,
// also those that held-out ones take away from a question with a negation, as in BetaE.
func (w *world) ranked(ctx context.Context, p *Pattern, q *query.Query) ([]dataset.TupleQuery, verdict, error) {
	all, v, err := w.answers(ctx, w.full, q)
	if v != accepted || err != nil {
		return nil, v, err
	}
	found := dataset.TupleQuery{Type: p.Name, Query: q, Easy: all}
	if w.small != nil {
		if found.Easy, v, err = w.answers(ctx, w.small, q); err != nil || v == tooMany {
			return nil, v, err
		}
		found.Hard = difference(all, found.Easy)
		lost := len(found.Easy) + len(found.Hard) - len(all)
		switch {
		case len(found.Hard) == 0:
			return nil, nothingHard, nil
		case max(len(found.Hard), lost) > w.limits.Hard:
			return nil, tooMany, nil
		}
	}
	if v, err := w.negates(ctx, p, q, len(all)); v != accepted || err != nil {
		return nil, v, err
	}
	return []dataset.TupleQuery{found}, accepted, nil
}

// negates refuses a question whose negated links take no answer away.
func (w *world) negates(ctx context.Context, p *Pattern, q *query.Query, answers int) (verdict, error) {
	if !slices.ContainsFunc(p.atoms, func(a atom) bool { return a.negated }) {
		return accepted, nil
	}
	without, v, err := w.answers(ctx, w.full, withoutNegations(q))
	if v == tooMany {
		return accepted, err
	}
	if err == nil && len(without) == answers {
		return notNegating, nil
	}
	return accepted, err
}

// withoutNegations has ⊤ for all that is negated.
func withoutNegations(q *query.Query) *query.Query {
	var strip func(f query.Formula) query.Formula
	strip = func(f query.Formula) query.Formula {
		switch f := f.(type) {
		case query.Not:
			return query.And{}
		case query.And:
			var of []query.Formula
			for _, part := range f.Of {
				of = append(of, strip(part))
			}
			return query.And{Of: of}
		case query.Exists:
			return query.Exists{Vars: f.Vars, Body: strip(f.Body)}
		}
		return f
	}
	return &query.Query{Answers: q.Answers, Body: strip(q.Body)}
}

// answers are all of a question on a graph, ascending. A question that has no normal form, as one
// without its negations may, has too many.
func (w *world) answers(ctx context.Context, g *kg.Graph, q *query.Query) ([][]kg.Entity, verdict, error) {
	normal, err := query.Normalise(q)
	if err != nil {
		return nil, tooMany, nil
	}
	search := join.New(links.New(g, nil, links.Options{}), normal, join.Options{Steps: searchSteps})
	found, err := search.All(ctx, w.limits.All+1)
	switch {
	case err != nil:
		return nil, broken, err
	case len(found) > w.limits.All || search.Cut().Stopped != "":
		return nil, tooMany, nil
	case len(found) == 0:
		return nil, unanswered, nil
	}
	all := make([][]kg.Entity, len(found))
	for i, a := range found {
		all[i] = a.Entities
	}
	slices.SortFunc(all, slices.Compare[[]kg.Entity])
	return all, accepted, nil
}

// difference is the tuples of a that are not in b, both ascending.
func difference(a, b [][]kg.Entity) [][]kg.Entity {
	var rest [][]kg.Entity
	for _, tuple := range a {
		if _, found := slices.BinarySearchFunc(b, tuple, slices.Compare[[]kg.Entity]); !found {
			rest = append(rest, tuple)
		}
	}
	return rest
}
