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
	return BuildIn(ctx, v, sliceOf(triples), new(memoryRoom))
}

// TripleList are the triples that a graph is made of, wherever they lie.
type TripleList interface {
	Len() int
	// Pieces gives all of them, each time it is asked. A piece lasts until the next.
	Pieces() iter.Seq2[[]Triple, error]
}

// EdgeRoom is where the edges of a graph are put, one row behind the other.
type EdgeRoom interface {
	// Begin tells how many there are at most.
	Begin(most int) error
	// Next gives room for the next edges; those before are final.
	Next(edges int) ([]Relation, []Entity, error)
	// End gives all edges. Forget, where given, lets go of the memory that looking at them took; release ends their use.
	End() (relations []Relation, tails []Entity, forget func(), release func() error, err error)
}

// BuildIn is BuildContext for triples and edges that may lie outside of memory. The room is spent afterwards.
func BuildIn(ctx context.Context, v *Vocabulary, triples TripleList, room EdgeRoom) (*Graph, error) {
	b, err := newBuilder(v, triples, room)
	for from := 0; from < len(b.degree) && err == nil && ctx.Err() == nil; {
		to := b.endOfPart(from)
		if err = b.scatter(ctx, from, to); err == nil {
			b.sort(ctx, from, to)
			err = b.unpack(ctx, from, to)
		}
		from = to
	}
	if ctx.Err() != nil { // and what was made is unfinished
		return nil, Errorf(Cancelled, "", "the graph was not built: %v", ctx.Err())
	}
	if err != nil {
		return nil, err
	}
	return b.graph()
}

// builder makes the rows of a graph, some entities at a time: what it needs beside triples and graph is the
// memory of one such part. Passing over all triples for each part costs less than it saves, as the places that
// are written to lie closer together.
type builder struct {
	triples TripleList
	room    EdgeRoom
	degree  []uint32 // of each entity; of a part that is sorted, without duplicates
	begins  []uint64 // where the rows of the part at hand begin in edges
	edges   []edge
	most    int // edges of a part, unless one row has more
	made    *Graph
}

// parts is into how many a large graph is divided; smallPart is how many edges are not worth dividing.
const (
	parts     = 8
	smallPart = 1 << 21
)

func newBuilder(v *Vocabulary, triples TripleList, room EdgeRoom) (*builder, error) {
	n := v.Entities.Names.Len()
	b := &builder{
		triples: triples, room: room, degree: make([]uint32, n), most: max(smallPart, 2*triples.Len()/parts),
		made: &Graph{Vocabulary: v, first: make([]uint64, n+1)},
	}
	if err := room.Begin(2 * triples.Len()); err != nil {
		return b, err
	}
	for piece, err := range triples.Pieces() {
		if err != nil {
			return b, err
		}
		for _, t := range piece {
			b.degree[t.Head]++
			b.degree[t.Tail]++
		}
	}
	return b, nil
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
func (b *builder) scatter(ctx context.Context, from, to int) error {
	b.begins = append(b.begins[:0], 0)
	for _, degree := range b.degree[from:to] {
		b.begins = append(b.begins, b.begins[len(b.begins)-1]+uint64(degree))
	}
	if size := int(b.begins[to-from]); cap(b.edges) < size {
		b.edges = make([]edge, max(size, min(b.most, 2*b.triples.Len())))
	}
	next := slices.Clone(b.begins)
	put := func(h Entity, e edge) {
		if row := int(h) - from; row >= 0 && row < to-from {
			b.edges[next[row]] = e
			next[row]++
		}
	}
	for piece, err := range b.triples.Pieces() {
		if err != nil || ctx.Err() != nil {
			return err
		}
		for _, t := range piece {
			put(t.Head, packEdge(t.Relation, t.Tail))
			put(t.Tail, packEdge(t.Relation.Inverse(), t.Head))
		}
	}
	return nil
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

// unpack puts the rows of a part into the graph, behind those before, some at a time.
func (b *builder) unpack(ctx context.Context, from, to int) error {
	first := b.made.first
	for h := from; h < to; h++ {
		first[h+1] = first[h] + uint64(b.degree[h])
	}
	for some := from; some < to; {
		end := some + 1
		for end < to && first[end+1]-first[some] <= smallPart {
			end++
		}
		relations, tails, err := b.room.Next(int(first[end] - first[some]))
		if err != nil {
			return err
		}
		parallel.Shares(ctx, end-some, func(i, last int) {
			for h := some + i; h < some+last; h++ {
				at := first[h] - first[some]
				for _, e := range b.row(from, h)[:b.degree[h]] {
					relations[at], tails[at] = e.relation(), e.tail()
					at++
				}
			}
		})
		some = end
	}
	return nil
}

// graph is what was made.
func (b *builder) graph() (*Graph, error) {
	g := b.made
	relations, tails, forget, release, err := b.room.End()
	if err != nil {
		return nil, err
	}
	g.relations, g.tails = relations, tails
	g.duplicates = b.triples.Len() - len(g.tails)/2
	if release != nil {
		g.use(&sharedMemory{release: release, forget: forget})
	}
	return g, nil
}

// memoryRoom has the edges in memory.
type memoryRoom struct {
	relations []Relation
	tails     []Entity
	taken     int
}

func (m *memoryRoom) Begin(most int) error {
	m.relations, m.tails = make([]Relation, most), make([]Entity, most)
	return nil
}

func (m *memoryRoom) Next(edges int) ([]Relation, []Entity, error) {
	from := m.taken
	m.taken += edges
	return m.relations[from:m.taken], m.tails[from:m.taken], nil
}

// End leaves out the room of duplicates, where there are many.
func (m *memoryRoom) End() (relations []Relation, tails []Entity, forget func(), release func() error, err error) {
	relations, tails = m.relations[:m.taken:m.taken], m.tails[:m.taken:m.taken]
	if spare := len(m.tails) - m.taken; spare > len(m.tails)/8 {
		relations, tails = slices.Clone(relations), slices.Clone(tails)
	}
	return relations, tails, nil, nil, nil
}

// sliceOf is a list in memory, in pieces, so that who goes over many may stop between them.
type sliceOf []Triple

func (s sliceOf) Len() int { return len(s) }

func (s sliceOf) Pieces() iter.Seq2[[]Triple, error] {
	return func(yield func([]Triple, error) bool) {
		for piece := range slices.Chunk(s, 1<<16) {
			if !yield(piece, nil) {
				return
			}
		}
	}
}
