package gnn

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"github.com/lacuna-kg/lacuna/internal/parallel"
	"github.com/lacuna-kg/lacuna/kernel"
)

// The types of edges between relations i and j.
const (
	headToHead        = iota // a head of i is a head of j
	tailToTail               // a tail of i is a tail of j
	headOfTail               // h2t: a head of i is a tail of j
	tailOfHead               // t2h: a tail of i is a head of j
	relationEdgeTypes        // how many there are
)

// relationGraph is the graph of a graph's relations: a node per relation, an edge
// (i, type, j) where two relations meet in an entity, each once, self loops kept.
//
// With H the relations by their heads (R,V) and T by their tails, the four types are the
// boolean products H·Hᵀ, T·Tᵀ, H·Tᵀ, T·Hᵀ. Each is collected entity by entity: those of
// k relations add k·min(k, R/64) words, read in order, to rows of bits that stay in a
// cache where relations are few, and come in blocks where they are very many.
func relationGraph(ctx context.Context, g *kernel.Graph) (*kernel.Graph, error) {
	return collectRelations(ctx, g, relationBlock(g.Relations))
}

// relationBlock is how many rows are collected at a time.
func relationBlock(relations int) int { return max(64, blockBytes/(8*((relations+63)/64)+1)) }

// blockBytes bounds them.
const blockBytes = 64 << 20

func collectRelations(ctx context.Context, g *kernel.Graph, block int) (*kernel.Graph, error) {
	heads, tails := newRelationSets(g.Out), newRelationSets(g.In)
	rows := make([]relationRow, g.Relations)
	kinds := [relationEdgeTypes]product{{heads, heads}, {tails, tails}, {heads, tails}, {tails, heads}}
	parallel.Each(ctx, len(kinds), func(kind int) { kinds[kind].rows(ctx, rows, kind, block) })
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	edges := 0
	for _, row := range rows {
		for _, ends := range row {
			edges += len(ends)
		}
	}
	if err := checkRelationEdges(edges, len(rows)); err != nil {
		return nil, err
	}
	return assemble(rows, edges), nil
}

func checkRelationEdges(edges, relations int) error {
	if edges > math.MaxInt32 {
		return fmt.Errorf("relation graph: %d edges between %d relations, at most %d", edges, relations, math.MaxInt32)
	}
	return nil
}

// relationRow is the ends of relation i's edges, ascending, by type.
type relationRow [relationEdgeTypes][]int32

// relationSets gives the relations that meet each entity, ascending.
type relationSets struct {
	at        []int32 // (V+1)
	relations []int32
}

func newRelationSets(a kernel.Adjacency) *relationSets {
	s := &relationSets{at: make([]int32, len(a.At)), relations: make([]int32, 0, len(a.Relation)/2)}
	for v := range len(a.At) - 1 {
		last := int32(-1)
		for _, r := range a.Relation[a.At[v]:a.At[v+1]] { // which are sorted
			if r != last {
				s.relations = append(s.relations, r)
				last = r
			}
		}
		s.at[v+1] = int32(len(s.relations))
	}
	return s
}

func (s *relationSets) of(v int) []int32 { return s.relations[s.at[v]:s.at[v+1]] }

// product is two sides of which an edge joins a relation of the left to one of the right.
type product struct{ left, right *relationSets }

// rows fills the ends of one type in all rows, so many at a time.
func (p product) rows(ctx context.Context, rows []relationRow, kind, step int) {
	words := (len(rows) + 63) / 64
	b := bitBlock{words: words, ends: make([]uint64, words)}
	b.bits = make([]uint64, min(step, len(rows))*words)
	for from := 0; from < len(rows); from += step {
		b.from, b.to = int32(from), int32(min(from+step, len(rows)))
		clear(b.bits)
		for v := range len(p.left.at) - 1 {
			if v%(1<<14) == 0 && ctx.Err() != nil {
				return
			}
			b.join(p.left.of(v), p.right.of(v))
		}
		for i := b.from; i < b.to; i++ {
			rows[i][kind] = listBits(b.row(i))
		}
	}
}

// bitBlock is a block of rows as bits.
type bitBlock struct {
	from, to int32
	words    int
	bits     []uint64 // (to−from, words)
	ends     []uint64 // (words) scratch, zero between calls
}

func (b *bitBlock) row(i int32) []uint64 {
	return b.bits[int(i-b.from)*b.words : int(i-b.from+1)*b.words]
}

// join adds all pairs of two sets.
func (b *bitBlock) join(left, right []int32) {
	isLong := len(right) > b.words && len(left) > 1 // then it is shorter as bits
	if isLong {
		addBits(b.ends, right)
	}
	for _, i := range left {
		switch {
		case i < b.from || i >= b.to:
		case isLong:
			row := b.row(i)
			for k, w := range b.ends {
				row[k] |= w
			}
		default:
			addBits(b.row(i), right)
		}
	}
	if isLong {
		clear(b.ends)
	}
}

func addBits(bits []uint64, set []int32) {
	for _, r := range set {
		bits[r/64] |= 1 << (r % 64)
	}
}

func listBits(words []uint64) []int32 {
	n := 0
	for _, w := range words {
		n += bits.OnesCount64(w)
	}
	list := make([]int32, 0, n)
	for k, w := range words {
		for ; w != 0; w &= w - 1 {
			list = append(list, int32(64*k+bits.TrailingZeros64(w)))
		}
	}
	return list
}

// assemble makes the graph without sorting. What reaches j by a type left from the nodes
// that j itself reaches by the transposed type, and rows ascend already.
func assemble(rows []relationRow, edges int) *kernel.Graph {
	g := &kernel.Graph{Nodes: len(rows), Relations: relationEdgeTypes}
	g.Out = adjacencyOf(rows, edges, [relationEdgeTypes]int{headToHead, tailToTail, headOfTail, tailOfHead})
	g.In = adjacencyOf(rows, edges, [relationEdgeTypes]int{headToHead, tailToTail, tailOfHead, headOfTail})
	g.OutID = make([]int32, len(g.In.Node))
	next := make([][relationEdgeTypes]int32, len(rows)) // place in Out of each node's next edge of each type
	for i, row := range rows {
		at := g.Out.At[i]
		for kind, ends := range row {
			next[i][kind] = at
			at += int32(len(ends))
		}
	}
	for id, from := range g.In.Node { // by ascending tails, as Out wants them within a type
		place := &next[from][g.In.Relation[id]]
		g.OutID[*place] = int32(id)
		*place++
	}
	return g
}

// adjacencyOf lays rows end to end; edges of a type are those of the row's list named by it.
func adjacencyOf(rows []relationRow, edges int, list [relationEdgeTypes]int) kernel.Adjacency {
	a := kernel.Adjacency{At: make([]int32, len(rows)+1), Relation: make([]int32, 0, edges), Node: make([]int32, 0, edges)}
	for i, row := range rows {
		for kind := range list {
			ends := row[list[kind]]
			a.Node = append(a.Node, ends...)
			for range ends {
				a.Relation = append(a.Relation, int32(kind))
			}
		}
		a.At[i+1] = int32(len(a.Node))
	}
	return a
}
