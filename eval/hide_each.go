package eval

import (
	"math/rand/v2"

	"github.com/lacuna-kg/lacuna/kg"
)

// HideEach hides about a share of the facts, each or not by a function of itself, in one pass and without a list of more than those: Hide, for
// graphs of which such lists take longer, and more memory, than the rest of the work. The first fact in an entity's row always stays, so that none
// loses all; the others are hidden a little more often for that.
func HideEach(g *kg.Graph, share float64, seed uint64) (hidden []kg.Triple) {
	bound := uint64(min(1, share/mayGo(g, seed)) * (1 << 63))
	for t := range g.Triples() {
		if scrambled(t, seed)>>1 < bound && !isFirst(g, t) && !isFirst(g, t.Inverse()) {
			hidden = append(hidden, t)
		}
	}
	return hidden
}

// mayGo estimates which share of the facts are the first of neither end.
func mayGo(g *kg.Graph, seed uint64) float64 {
	const tried = 10_000
	random, count := rand.New(rand.NewPCG(seed, 0x66697273)), 1
	for range tried {
		if t := g.EdgeAt(random.IntN(g.NumEdges())); !isFirst(g, t) && !isFirst(g, t.Inverse()) {
			count++
		}
	}
	return float64(count) / (tried + 1)
}

func isFirst(g *kg.Graph, t kg.Triple) bool {
	relations, tails := g.Edges(t.Head)
	return relations[0] == t.Relation && tails[0] == t.Tail
}

// scrambled is a number that tells nothing of the fact that it is made of (the finaliser of SplitMix64, three times).
func scrambled(t kg.Triple, seed uint64) uint64 {
	x := seed
	for _, part := range [...]uint64{uint64(t.Head), uint64(t.Relation), uint64(t.Tail)} {
		x += part + 0x9e3779b97f4a7c15
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		x ^= x >> 31
	}
	return x
}
