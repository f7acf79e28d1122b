package sample

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
)

// HoldOut hides facts of a graph at random, its validation facts from then on, none that is the last one of an entity
// or of a relation: of what nothing is known nothing can be found. So there may be fewer than wanted.
func HoldOut(ctx context.Context, g *kg.Graph, wanted int, seed uint64) (*kg.Splits, error) {
	facts := slices.Collect(g.Triples())
	random := rand.New(rand.NewPCG(seed, heldOutStream))
	random.Shuffle(len(facts), func(i, j int) { facts[i], facts[j] = facts[j], facts[i] })
	entities, relations := make([]int, g.NumEntities()), make([]int, g.NumRelations())
	for _, t := range facts {
		entities[t.Head]++
		entities[t.Tail]++
		relations[t.Relation]++
	}
	var hidden []kg.Triple
	for _, t := range facts {
		if len(hidden) == wanted {
			break
		}
		if t.Head != t.Tail && entities[t.Head] > 1 && entities[t.Tail] > 1 && relations[t.Relation] > 1 {
			entities[t.Head]--
			entities[t.Tail]--
			relations[t.Relation]--
			hidden = append(hidden, t)
		}
	}
	left, err := g.Without(ctx, hidden)
	return &kg.Splits{Train: left, Valid: hidden}, err
}

// heldOutStream keeps the choice apart from what else is drawn from the same seed.
const heldOutStream = 0x68656c646f757421
