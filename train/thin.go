package train

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"github.com/lacuna-kg/lacuna/internal/parallel"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// In a part nearly everything is stated but what is asked for. Graphs of people who have only begun lack most, and each relation has
// few facts: of the benchmarks InGram's are such, where five of six entities have one fact. A thin part states what holds its entities
// together and a few facts more; it is asked for the rest.

// Thin is a part that states some of its facts.
type Thin struct {
	Stated  *kg.Graph
	Queries *Stored // single links, from both ends, that it does not state
}

// thinStream keeps thin parts apart from the others.
const thinStream = 0x7468696e21

// ThinParts cuts a configuration's thin parts out of a graph, fewer where it does not yield so many.
func ThinParts(ctx context.Context, g *kg.Graph, c Config) ([]Thin, error) {
	whole, err := c.cutOut(ctx, g, c.ThinParts, sizeOf(c.ThinEntities), thinStream)
	parts := make([]Thin, len(whole))
	parallel.Each(ctx, len(whole), func(i int) {
		random := rand.New(rand.NewPCG(^c.Seed^thinStream, uint64(i)))
		parts[i].Stated = thinOut(whole[i], cmp.Or(c.ThinBeside, usualBeside), random)
		parts[i].Queries = unstated(whole[i], parts[i].Stated, c)
	})
	parts = slices.DeleteFunc(parts, func(p Thin) bool { return p.Queries == nil || p.Queries.Len() == 0 })
	if err == nil {
		err = kg.Stopped(ctx)
	}
	return parts, err
}

// usualBeside is Config.ThinBeside where there is none.
const usualBeside = 0.8

// thinOut keeps a forest that joins all that the graph joins, drawn at random, a fact of every relation and some of the others.
func thinOut(g *kg.Graph, most float64, random *rand.Rand) *kg.Graph {
	beside := most * random.Float64()
	if random.IntN(2) == 0 {
		beside /= 10
	}
	facts := slices.Collect(g.Triples())
	random.Shuffle(len(facts), func(i, j int) { facts[i], facts[j] = facts[j], facts[i] })
	joined, met := newForest(g.NumEntities()), make([]bool, g.NumRelations()/2)
	facts = slices.DeleteFunc(facts, func(t kg.Triple) bool {
		hangs := joined.join(t.Head, t.Tail) || !met[t.Relation.Base()]
		met[t.Relation.Base()] = true
		return !hangs && random.Float64() >= beside
	})
	return kg.Build(g.Vocabulary, facts)
}

// unstated are the single links of a graph, from both ends, that have tails which the graph as stated lacks.
func unstated(whole, stated *kg.Graph, c Config) *Stored {
	s := &Stored{idsAt: []int{0}, answersAt: []int{0}, seed: c.Seed, byAnswers: c.ByAnswers, orders: map[uint64][]int32{}}
	var templates query.Templates
	for h := range kg.Entity(whole.NumEntities()) {
		relations, _ := whole.Edges(h)
		for _, q := range slices.Compact(slices.Sorted(slices.Values(relations))) {
			tails := whole.Tails(h, q)
			if len(stated.Tails(h, q)) == len(tails) {
				continue
			}
			template, ids := templates.Split(query.Projection{Relation: q, Of: query.Anchor{Entity: h}})
			s.add(template, ids, tails)
		}
	}
	return s
}

// forest tells which entities are joined: each points towards the root of its tree.
type forest []kg.Entity

func newForest(n int) forest {
	f := make(forest, n)
	for i := range f {
		f[i] = kg.Entity(i)
	}
	return f
}

func (f forest) root(e kg.Entity) kg.Entity {
	for f[e] != e {
		f[e] = f[f[e]]
		e = f[e]
	}
	return e
}

// join tells whether it joined two trees.
func (f forest) join(a, b kg.Entity) bool {
	a, b = f.root(a), f.root(b)
	f[a] = b
	return a != b
}
