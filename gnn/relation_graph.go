package gnn

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"

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

// RelationGraph is the graph of a graph's relations: a node per relation, an edge
// (i, type, j) where two relations meet in an entity, each once, self loops kept.
//
// With H the relations by their heads (R,V) and T by their tails, the four types are the
// boolean products H·Hᵀ, T·Tᵀ, H·Tᵀ, T·Hᵀ. They are computed row by row: row i is
// the union of the relation sets of the entities that i meets, so that the work is
// Σ_v k_v·min(k_v, R/64) for entities of k_v relations, and the memory that of the result.
func RelationGraph(ctx context.Context, g *kernel.Graph) (*kernel.Graph, error) {
	p := products{heads: newIncidence(g.Out, g.Relations), tails: newIncidence(g.In, g.Relations)}
	rows := make([]relationRow, g.Relations)
	var next atomic.Int64
	var done sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), max(1, g.Relations)) {
		done.Go(func() {
			union := newUnion(g.Relations)
			for i := int(next.Add(1)) - 1; i < len(rows) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				rows[i] = p.row(union, i)
			}
		})
	}
	done.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	edges := 0
	for _, row := range rows {
		for _, ends := range row {
			edges += len(ends)
		}
	}
	if edges > math.MaxInt32 {
		return nil, fmt.Errorf("relation graph: %d edges between %d relations, at most %d", edges, len(rows), math.MaxInt32)
	}
	return assemble(rows, edges), nil
}

// products is both sides of the products.
type products struct{ heads, tails incidence }

// relationRow is the ends of relation i's edges, ascending, by type.
type relationRow [relationEdgeTypes][]int32

func (p *products) row(u *union, i int) (row relationRow) {
	row[headToHead] = u.over(p.heads.of(i), &p.heads)
	row[tailToTail] = u.over(p.tails.of(i), &p.tails)
	row[headOfTail] = u.over(p.heads.of(i), &p.tails)
	row[tailOfHead] = u.over(p.tails.of(i), &p.heads)
	return row
}

// incidence is a boolean matrix of entities and relations, by either.
type incidence struct {
	at        []int32 // (V+1) entity v meets relations[at[v]:at[v+1]], ascending
	relations []int32
	entityAt  []int32 // (R+1) relation i meets entities[entityAt[i]:entityAt[i+1]]
	entities  []int32
	words     int
	denseAt   []int32  // (V) where the set of a hub stands again as bits, in units of words; −1 for others
	dense     []uint64 // (…, words)
}

func newIncidence(a kernel.Adjacency, relations int) incidence {
	m := incidence{at: make([]int32, len(a.At)), entityAt: make([]int32, relations+1), words: (relations + 63) / 64}
	m.denseAt = make([]int32, len(a.At)-1)
	m.relations = make([]int32, 0, len(a.Relation)/2)
	for v := range len(a.At) - 1 {
		last := int32(-1)
		for _, r := range a.Relation[a.At[v]:a.At[v+1]] { // which are sorted
			if r != last {
				m.relations = append(m.relations, r)
				m.entityAt[r+1]++
				last = r
			}
		}
		m.at[v+1] = int32(len(m.relations))
		m.addDense(int32(v))
	}
	m.transpose()
	return m
}

// addDense keeps the set of an entity as bits where these are shorter than the list.
func (m *incidence) addDense(v int32) {
	set := m.set(v)
	m.denseAt[v] = -1
	if len(set) <= m.words {
		return
	}
	from := len(m.dense)
	m.denseAt[v] = int32(from / m.words)
	m.dense = append(m.dense, make([]uint64, m.words)...)
	for _, r := range set {
		m.dense[from+int(r/64)] |= 1 << (r % 64)
	}
}

// bits is the set of a hub.
func (m *incidence) bits(at int32) []uint64 {
	return m.dense[int(at)*m.words : (int(at)+1)*m.words]
}

// transpose fills entities by counting; entityAt holds the counts, one place further on.
func (m *incidence) transpose() {
	for r := 1; r < len(m.entityAt); r++ {
		m.entityAt[r] += m.entityAt[r-1]
	}
	next := append([]int32(nil), m.entityAt...)
	m.entities = make([]int32, len(m.relations))
	for v := range int32(len(m.at) - 1) {
		for _, r := range m.set(v) {
			m.entities[next[r]] = v
			next[r]++
		}
	}
}

// set is the relations of an entity, of is the entities of a relation.
func (m *incidence) set(v int32) []int32 { return m.relations[m.at[v]:m.at[v+1]] }
func (m *incidence) of(r int) []int32    { return m.entities[m.entityAt[r]:m.entityAt[r+1]] }

// union collects sets of relations.
type union struct{ words []uint64 }

func newUnion(relations int) *union { return &union{make([]uint64, (relations+63)/64)} }

// over gives the union of the entities' sets in m, ascending.
func (u *union) over(entities []int32, m *incidence) []int32 {
	clear(u.words)
	for _, v := range entities {
		if at := m.denseAt[v]; at >= 0 {
			for k, w := range m.bits(at) {
				u.words[k] |= w
			}
			continue
		}
		for _, r := range m.set(v) {
			u.words[r/64] |= 1 << (r % 64)
		}
	}
	return u.list()
}

func (u *union) list() []int32 {
	n := 0
	for _, w := range u.words {
		n += bits.OnesCount64(w)
	}
	list := make([]int32, 0, n)
	for k, w := range u.words {
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
