package factor

import (
	"math/rand/v2"

	"github.com/lacuna-kg/lacuna/kg"
)

// examples are the facts of a graph, both readings of each, by their pairs of head and relation: tails of one pair share
// one row of logits. That is a quarter of the work of a row a fact on FB15k-237.
type examples struct {
	heads, relations []int32 // of each pair
	start            []int   // of each pair's tails, and the end of the last
	tails            []int32
}

func newExamples(g *kg.Graph) *examples {
	x := &examples{}
	for h := range kg.Entity(g.NumEntities()) {
		relations, tails := g.Edges(h)
		for i, r := range relations {
			if i == 0 || relations[i-1] != r {
				x.heads, x.relations, x.start = append(x.heads, int32(h)), append(x.relations, int32(r)), append(x.start, len(x.tails))
			}
			x.tails = append(x.tails, int32(tails[i]))
		}
	}
	x.start = append(x.start, len(x.tails))
	return x
}

func (x *examples) pairs() int { return len(x.heads) }

func (x *examples) of(pair int) (h, q int, tails []int32) {
	return int(x.heads[pair]), int(x.relations[pair]), x.tails[x.start[pair]:x.start[pair+1]]
}

// order is all pairs at random.
func (x *examples) order(random *rand.Rand) []int { return random.Perm(x.pairs()) }
