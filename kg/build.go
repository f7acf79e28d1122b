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
	b := newBuilder(v, triples)
	for from := 0; from < len(b.degree); {
		to := b.endOfPart(from)
		b.scatter(ctx, from, to)
		b.sort(ctx, from, to)
		b.unpack(ctx, from, to)
		from = to
	}
	if err := ctx.Err(); err != nil { // and what was made is unfinished
		return nil, Errorf(Cancelled, "", "the graph was not built: %v", err)
	}
	return b.graph(), nil
}

// builder makes the rows of a graph, some entities at a time: what it needs beside triples and graph is the
// memory of one such part. Passing over all triples for each part costs less than it saves, as the places that
// are written to lie closer together.
type builder struct {
	triples   []Triple
	degree    []uint32 // of each entity; of a part that is sorted, without duplicates
	begins    []uint64 // where the rows of the part at hand begin in edges
	edges     []edge
	most      int // edges of a part, unless one row has more
	made      *Graph
	relations []Relation // of the graph, and room for duplicates
	tails     []Entity
}

// parts is into how many a large graph is divided; smallPart is how many edges are not worth dividing.
const (
	parts     = 8
	smallPart = 1 << 21
)

func newBuilder(v *Vocabulary, triples []Triple) *builder {
	n := v.Entities.Names.Len()
	b := &builder{
		triples: triples, degree: make([]uint32, n), most: max(smallPart, 2*len(triples)/parts),
		relations: make([]Relation, 2*len(triples)), tails: make([]Entity, 2*len(triples)),
		made: &Graph{Vocabulary: v, first: make([]uint64, n+1)},
	}
	for _, t := range triples {
		b.degree[t.Head]++
		b.degree[t.Tail]++
	}
	return b
}

// endOfPart is the entity behind those that make a part from one on.
func (b *builder) endOfPart(from int) (to int) {
	edges := 0
	for to = from; to < len(b.degree); to++ {
		if edges += int(b.degree[to]); edges > b.most && to > from {
			break
		}
	}
	return to
}

// scatter puts every triple of a part, in both readings, into the row of its head, unsorted.
// One core does it: a core's writes at random keep the memory busy, and sharing
// the triples out to cores by their heads was found to be slower.
func (b *builder) scatter(ctx context.Context, from, to int) {
	b.begins = append(b.begins[:0], 0)
	for _, degree := range b.degree[from:to] {
		b.begins = append(b.begins, b.begins[len(b.begins)-1]+uint64(degree))
	}
	if size := int(b.begins[to-from]); cap(b.edges) < size {
		b.edges = make([]edge, max(size, min(b.most, 2*len(b.triples))))
	}
	next := slices.Clone(b.begins)
	put := func(h Entity, e edge) {
		if row := int(h) - from; row >= 0 && row < to-from {
			b.edges[next[row]] = e
			next[row]++
		}
	}
	for t := range whileAsked(ctx, b.triples) {
		put(t.Head, packEdge(t.Relation, t.Tail))
		put(t.Tail, packEdge(t.Relation.Inverse(), t.Head))
	}
}

// row is that of an entity of the part at hand.
func (b *builder) row(from, h int) []edge { return b.edges[b.begins[h-from]:b.begins[h-from+1]] }

// sort sorts each row of a part, moves its distinct edges to its front and notes their number.
func (b *builder) sort(ctx context.Context, from, to int) {
	parallel.Shares(ctx, to-from, func(i, end int) {
		for h := from + i; h < from+end; h++ {
			row := b.row(from, h)
			slices.Sort(row)
			b.degree[h] = uint32(len(slices.Compact(row)))
		}
	})
}

// unpack puts the rows of a part into the graph, behind those before.
func (b *builder) unpack(ctx context.Context, from, to int) {
	first := b.made.first
	for h := from; h < to; h++ {
		first[h+1] = first[h] + uint64(b.degree[h])
	}
	parallel.Shares(ctx, to-from, func(i, end int) {
		for h := from + i; h < from+end; h++ {
			relations, tails := b.relations[first[h]:first[h+1]], b.tails[first[h]:first[h+1]]
			for i, e := range b.row(from, h)[:len(tails)] {
				relations[i], tails[i] = e.relation(), e.tail()
			}
		}
	})
}

// graph is what was made, without the room of many duplicates.
func (b *builder) graph() *Graph {
	g := b.made
	total := g.first[len(g.first)-1]
	g.relations, g.tails = b.relations[:total:total], b.tails[:total:total]
	if spare := len(b.tails) - int(total); spare > len(b.tails)/8 {
		g.relations, g.tails = slices.Clone(g.relations), slices.Clone(g.tails)
	}
	g.duplicates = len(b.triples) - len(g.tails)/2
	return g
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
