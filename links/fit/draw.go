package fit

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/lacuna-kg/lacuna/eval"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/neural"
)

// world is a model on a graph that lacks facts, and the facts.
type world struct {
	options   Options
	predictor *neural.Predictor
	held      []kg.Triple
	full      *kg.Graph // with those that are held out
	random    *rand.Rand
}

func (o Options) newWorld(ctx context.Context) (*world, error) {
	w := &world{options: o, held: o.Held, random: rand.New(rand.NewPCG(o.Seed, 0x11bf))}
	var err error
	if len(w.held) > 0 {
		if w.full, err = (&kg.Splits{Train: o.Graph, Valid: w.held}).UpToValid(ctx); err != nil {
			return nil, err
		}
		w.predictor, err = o.Model.On(ctx, o.Graph, "the graph")
		return w, err
	}
	w.full = o.Graph
	w.held = eval.Hide(o.Graph, o.Graph.NumTriples(), o.Share, o.Seed)
	w.predictor, err = o.Model.OnRest(ctx, o.Graph, w.held)
	return w, err
}

func (w *world) close() {
	w.predictor.Close()
	if w.full != w.options.Graph {
		w.full.Close()
	}
}

// pairs draws the rows that questions ask for, as many as there is room for. Half are pairs that have a tail, all
// alike: the first step of a question. Of each a tail and a relation of some tail are the other
// half: a second step also comes to entities that have nothing of the kind.
func (w *world) pairs() []links.Pair {
	var all []links.Pair
	for h := range kg.Entity(w.full.NumEntities()) {
		for _, q := range w.relations(h) {
			all = append(all, links.Pair{Head: h, Relation: q})
		}
	}
	var drawn []links.Pair
	for range w.options.Rows / 2 {
		first := one(w.random, all)
		tails := w.full.Tails(first.Head, first.Relation)
		drawn = append(drawn, first, links.Pair{Head: one(w.random, tails), Relation: one(w.random, w.relations(one(w.random, tails)))})
	}
	return drawn
}

// relations are those of an entity, each once.
func (w *world) relations(e kg.Entity) []kg.Relation {
	relations, _ := w.full.Edges(e)
	return slices.Compact(slices.Clone(relations))
}

func one[T any](random *rand.Rand, list []T) T { return list[random.IntN(len(list))] }
