package selftest

import (
	"context"
	"math"
	"slices"
	"sort"
	"sync/atomic"

	"github.com/lacuna-kg/lacuna/internal/parallel"
	"github.com/lacuna-kg/lacuna/kernel"
)

// drawGraph draws facts and their inverses straight into the rows of a graph, on all cores: edges as they are drawn would take
// tens of gigabytes more. Heads and tails follow power laws, relations Zipf's. Places of edges, which gradients need, are left out on
// demand.
func drawGraph(ctx context.Context, entities, relations, facts int, withPlaces bool) *kernel.Graph {
	g := &kernel.Graph{Nodes: entities, Relations: 2 * relations, Inverse: make([]bool, 2*relations)}
	for r := range g.Inverse {
		g.Inverse[r] = r%2 == 1
	}
	at := make([]int32, entities+1)
	parallel.Shares(ctx, facts, func(from, to int) {
		for i := from; i < to; i++ {
			e := drawFact(i, entities, relations)
			atomic.AddInt32(&at[e.Head+1], 1)
			atomic.AddInt32(&at[e.Tail+1], 1)
		}
	})
	for v := range entities {
		at[v+1] += at[v]
	}
	next, edges := slices.Clone(at[:entities]), make([]uint64, 2*facts) // relation and other end
	parallel.Shares(ctx, facts, func(from, to int) {
		for i := from; i < to; i++ {
			e := drawFact(i, entities, relations)
			edges[atomic.AddInt32(&next[e.Head], 1)-1] = uint64(e.Relation)<<32 | uint64(e.Tail)
			edges[atomic.AddInt32(&next[e.Tail], 1)-1] = uint64(e.Relation^1)<<32 | uint64(e.Head)
		}
	})
	g.Out = sortRows(ctx, at, edges)
	parallel.Shares(ctx, len(edges), func(from, to int) {
		for i := from; i < to; i++ {
			edges[i] ^= 1 << 32 // what v sends along r reaches it along the inverse
		}
	})
	g.In = sortRows(ctx, at, edges)
	if withPlaces {
		g.OutID = placesOf(ctx, g)
	}
	return g
}

// drawFact is the i-th fact, a function of i alone.
func drawFact(i, entities, relations int) kernel.Edge {
	state := uint64(i) * 4
	uniform := func() float64 {
		state++
		return float64(mixed(state)>>11) / (1 << 53)
	}
	node := func(skew float64) int32 { // ranks are spread over the numbers
		rank := uint64(float64(entities) * math.Pow(uniform(), skew))
		return int32((rank*0x9E3779B1 + 7) % uint64(entities))
	}
	r := int32(math.Exp(uniform()*math.Log(float64(relations)+1))) - 1
	return kernel.Edge{Head: node(1.5), Relation: 2 * min(r, int32(relations)-1), Tail: node(3)}
}

// mixed is SplitMix64's output function.
func mixed(x uint64) uint64 {
	x *= 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

// sortRows sorts the edges of every row, which come in the order in which cores wrote them.
func sortRows(ctx context.Context, at []int32, edges []uint64) kernel.Adjacency {
	a := kernel.Adjacency{At: at, Relation: make([]int32, len(edges)), Node: make([]int32, len(edges))}
	parallel.Shares(ctx, len(at)-1, func(from, to int) {
		for v := from; v < to; v++ {
			slices.Sort(edges[at[v]:at[v+1]])
			for k := at[v]; k < at[v+1]; k++ {
				a.Relation[k], a.Node[k] = int32(edges[k]>>32), int32(uint32(edges[k]))
			}
		}
	})
	return a
}

// placesOf finds for each edge of Out its place in In; of edges that repeat each other the k-th is the k-th.
func placesOf(ctx context.Context, g *kernel.Graph) []int32 {
	places := make([]int32, g.Edges())
	parallel.Shares(ctx, g.Nodes, func(from, to int) {
		for u := from; u < to; u++ {
			for k := g.Out.At[u]; k < g.Out.At[u+1]; k++ {
				r, v := g.Out.Relation[k], g.Out.Node[k]
				if k > g.Out.At[u] && g.Out.Relation[k-1] == r && g.Out.Node[k-1] == v {
					places[k] = places[k-1] + 1
					continue
				}
				first := g.In.At[v]
				places[k] = first + int32(sort.Search(int(g.In.At[v+1]-first), func(i int) bool {
					there := first + int32(i)
					return g.In.Relation[there] > r || g.In.Relation[there] == r && g.In.Node[there] >= int32(u)
				}))
			}
		}
	})
	return places
}
