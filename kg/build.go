package kg

import (
	"context"
	"iter"
	"slices"

	"github.com/lacuna-kg/lacuna/internal/parallel"
)

// edge packs what a row is sorted by into one word: relation, then tail.
type edge uint64

func packEdge(r Relation, t Entity) edge { return edge(r)<<32 | edge(t) }

func (e edge) relation() Relation { return Relation(e >> 32) }
func (e edge) tail() Entity       { return Entity(e) }

// Build makes the graph of the triples over a vocabulary. Triples may be written
// in either direction; one that repeats another is counted and dropped. The graph
// depends neither on the order of the triples nor on the number of cores.
func Build(v *Vocabulary, triples []Triple) *Graph {
	g, _ := BuildContext(context.Background(), v, triples) // which fails only when its context ends
	return g
}

// BuildContext is Build for graphs of millions of triples: it gives up when its context ends.
func BuildContext(ctx context.Context, v *Vocabulary, triples []Triple) (*Graph, error) {
	first, edges := scatter(ctx, v.Entities.Names.Len(), triples)
	kept := sortRows(ctx, first, edges)
	g := &Graph{Vocabulary: v, first: runningSum(kept)}
	total := g.first[len(kept)]
	g.relations, g.tails = make([]Relation, total), make([]Entity, total)
	parallel.Shares(ctx, len(kept), func(from, to int) {
		for h := from; h < to; h++ {
			g.unpackRow(Entity(h), edges[first[h]:first[h]+kept[h]])
		}
	})
	g.duplicates = len(triples) - len(g.tails)/2
	if err := ctx.Err(); err != nil { // and what was made is unfinished
		return nil, Errorf(Cancelled, "", "the graph was not built: %v", err)
	}
	return g, nil
}

// runningSum gives where the parts of the given lengths begin, laid end to end, and where the last ends.
func runningSum(lengths []uint64) []uint64 {
	begins := make([]uint64, len(lengths)+1)
	for i, length := range lengths {
		begins[i+1] = begins[i] + length
	}
	return begins
}

func (g *Graph) unpackRow(h Entity, row []edge) {
	relations, tails := g.Edges(h)
	for i, e := range row {
		relations[i], tails[i] = e.relation(), e.tail()
	}
}

// scatter puts every triple, in both readings, into the row of its head, unsorted.
// One core does it: a core's writes at random keep the memory busy, and sharing
// the triples out to cores by their heads was found to be slower.
func scatter(ctx context.Context, entities int, triples []Triple) (first []uint64, edges []edge) {
	counts := make([]uint64, entities)
	for t := range whileAsked(ctx, triples) {
		counts[t.Head]++
		counts[t.Tail]++
	}
	first = runningSum(counts)
	next := slices.Clone(first)
	edges = make([]edge, 2*len(triples))
	for t := range whileAsked(ctx, triples) {
		edges[next[t.Head]] = packEdge(t.Relation, t.Tail)
		next[t.Head]++
		edges[next[t.Tail]] = packEdge(t.Relation.Inverse(), t.Head)
		next[t.Tail]++
	}
	return first, edges
}

// whileAsked gives the triples until the context ends, at which it looks now and then.
func whileAsked(ctx context.Context, triples []Triple) iter.Seq[Triple] {
	return func(yield func(Triple) bool) {
		for chunk := range slices.Chunk(triples, 1<<16) {
			if ctx.Err() != nil {
				return
			}
			for _, t := range chunk {
				if !yield(t) {
					return
				}
			}
		}
	}
}

// sortRows sorts each row, moves its distinct edges to its front and gives their number.
func sortRows(ctx context.Context, first []uint64, edges []edge) (kept []uint64) {
	kept = make([]uint64, len(first)-1)
	parallel.Shares(ctx, len(kept), func(from, to int) {
		for h := from; h < to; h++ {
			row := edges[first[h]:first[h+1]]
			slices.Sort(row)
			kept[h] = uint64(len(slices.Compact(row)))
		}
	})
	return kept
}
