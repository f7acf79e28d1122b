package eval

import (
	"math/rand/v2"

	"github.com/lacuna-kg/lacuna/kg"
)

// Hide draws facts to hide from a model: at most so many, at most a share of all, and
// never all of an entity, of which nothing could be told then. Every fact is as likely
// as any other; the same seed gives the same ones, in random order.
func Hide(g *kg.Graph, most int, share float64, seed uint64) []kg.Triple {
	most = min(most, int(share*float64(g.NumTriples())))
	random := rand.New(rand.NewPCG(seed, 0x68696465))
	left := map[kg.Entity]int{} // edges of the entities met so far
	take := func(e kg.Entity) bool {
		if _, met := left[e]; !met {
			_, tails := g.Edges(e)
			left[e] = len(tails)
		}
		left[e]--
		return left[e] > 0
	}
	var hidden []kg.Triple
	// Many a fact is the last of an entity and cannot be taken, so more are drawn than are needed.
	for _, t := range drawFacts(g, 8*most, random) {
		if len(hidden) == most {
			break
		}
		if head, tail := take(t.Head), take(t.Tail); head && tail {
			hidden = append(hidden, t)
			continue
		}
		left[t.Head]++
		left[t.Tail]++
	}
	return hidden
}

// drawFacts draws n facts in random order in one pass (Vitter's reservoir).
func drawFacts(g *kg.Graph, n int, random *rand.Rand) []kg.Triple {
	drawn := make([]kg.Triple, 0, min(n, g.NumTriples()))
	seen := 0
	for t := range g.Triples() {
		seen++
		if len(drawn) < n {
			drawn = append(drawn, t)
		} else if at := random.IntN(seen); at < n {
			drawn[at] = t
		}
	}
	random.Shuffle(len(drawn), func(i, j int) { drawn[i], drawn[j] = drawn[j], drawn[i] })
	return drawn
}
