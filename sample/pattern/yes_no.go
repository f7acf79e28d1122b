package pattern

import (
	"context"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/join"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// yesAndNo examines a question of yes or no: it must be true by the held-out facts and not without them. With it comes
// one that is false even so, which has another entity in the place of one that is given, or, where none is, another relation.
func (w *world) yesAndNo(ctx context.Context, g *grounder, q *query.Query) ([]dataset.TupleQuery, verdict, error) {
	isTrue, err := holds(ctx, w.full, q)
	if err != nil || !isTrue {
		return nil, unanswered, err
	}
	if w.small != nil {
		if known, err := holds(ctx, w.small, q); err != nil || known {
			return nil, nothingHard, err
		}
	}
	const tries = 50
	for range tries {
		other, ok := g.opposite()
		if !ok {
			continue
		}
		no := g.fill(other)
		isTrue, err := holds(ctx, w.full, no)
		if err != nil {
			return nil, broken, err
		}
		if !isTrue {
			yes := dataset.TupleQuery{Type: g.Name, Query: q, Right: [][]kg.Entity{{}}}
			return []dataset.TupleQuery{yes, {Type: g.Name, Query: no, Wrong: [][]kg.Entity{{}}}}, accepted, nil
		}
	}
	return nil, noOpposite, nil
}

// opposite changes one thing of a draw. A given entity becomes another that the same relation is stated of, so
// that the question stays one that could be true.
func (g *grounder) opposite() (draw, bool) {
	d := draw{append([]kg.Relation(nil), g.drawn.relations...), append([]kg.Entity(nil), g.drawn.entities...)}
	if g.entities == 0 {
		d.relations[g.random.IntN(g.relations)] = kg.Relation(g.random.IntN(g.graph.NumRelations()))
		return d, true
	}
	slot := g.random.IntN(g.entities)
	for _, a := range g.atoms {
		r, _ := g.known(a)
		if n := g.nodes[a.from]; n.kind == openEntity && n.slot == slot {
			r = r.Inverse()
		} else if n := g.nodes[a.to]; n.kind != openEntity || n.slot != slot {
			continue
		}
		e, found := g.tailOf(r)
		d.entities[slot] = e
		return d, found
	}
	return d, false
}

// tailOf draws an entity that a relation leads to.
func (g *grounder) tailOf(r kg.Relation) (kg.Entity, bool) {
	const tries = 2000
	for range tries {
		if e := g.connected[g.random.IntN(len(g.connected))]; len(g.graph.Tails(e, r.Inverse())) > 0 {
			return e, true
		}
	}
	return 0, false
}

// holds tells whether a question of yes or no is true by what a graph states.
func holds(ctx context.Context, g *kg.Graph, q *query.Query) (bool, error) {
	normal, err := query.Normalise(q)
	if err != nil {
		return false, err
	}
	return join.NewChecker(g, normal).Holds(ctx, nil, nil)
}
