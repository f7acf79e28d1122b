package kernel

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
)

// Edge carries a message from Head to Tail.
type Edge struct{ Head, Relation, Tail int32 }

// Adjacency is one side of a graph in compressed rows: the edges of node v are
// those from At[v] to At[v+1], sorted by relation, then by the other node, so that
// consecutive edges share the relation vector.
type Adjacency struct {
	At       []int32 // (V+1)
	Relation []int32 // (E)
	Node     []int32 // (E) the node at the other end
}

// Degree is the number of edges of v on this side.
func (a Adjacency) Degree(v int) int { return int(a.At[v+1] - a.At[v]) }

// Graph is the immutable topology that messages run over. An edge's id is its
// position in In. Forward reads In, the messages that reach a node; a backward pass
// without atomics reads Out, the messages a node has sent.
type Graph struct {
	Nodes, Relations int
	In, Out          Adjacency
	OutID            []int32 // (E) id of each edge of Out
	Inverse          []bool  // (R) relations that read a stated triple from its tail (CompGCN)
	Whole            *Degrees
	// Ahead is what Device.Prepare made of it, the device's own affair.
	Ahead any
}

// Degrees are those of the nodes of a graph that was cut out of a larger one, as they are there: PNA's scalers go
// by them. Nil stands for the graph's own.
type Degrees struct {
	Of      []int32 // (V) incoming edges
	MeanLog float64 // of log(deg_v) over the nodes of the larger graph, the boundary counted
}

// ScaleDegree is the in-degree of v that PNA's scalers go by.
func (g *Graph) ScaleDegree(v int) int {
	if g.Whole != nil {
		return int(g.Whole.Of[v])
	}
	return g.In.Degree(v)
}

// MeanLog is the mean of log(deg_v), what PNA's scalers divide by; the boundary counts as one more message.
func (g *Graph) MeanLog() float64 {
	if g.Whole != nil {
		return g.Whole.MeanLog
	}
	sum := 0.0
	for v := range g.Nodes {
		sum += math.Log(float64(g.In.Degree(v) + 1))
	}
	return sum / float64(g.Nodes)
}

// NewGraph sorts the edges into a graph. Each edge is expected once; edges may be in any
// order. inverse may be nil where no model asks for it.
func NewGraph(nodes, relations int, edges []Edge, inverse []bool) (*Graph, error) {
	for i, e := range edges {
		if uint(e.Head) >= uint(nodes) || uint(e.Tail) >= uint(nodes) || uint(e.Relation) >= uint(relations) {
			return nil, fmt.Errorf("edge %d: (%d, %d, %d) is outside %d nodes and %d relations", i, e.Head, e.Relation, e.Tail, nodes, relations)
		}
	}
	if inverse != nil && len(inverse) != relations {
		return nil, fmt.Errorf("graph: %d inverse marks for %d relations", len(inverse), relations)
	}
	if len(edges) > math.MaxInt32 {
		return nil, fmt.Errorf("graph: %d edges, at most %d", len(edges), math.MaxInt32)
	}
	return NewSortedGraph(nodes, relations, sortEdges(nodes, relations, slices.Clone(edges)), inverse), nil
}

// sortEdges sorts by head, relation and tail, by counting, least significant key first: linear in the edges.
func sortEdges(nodes, relations int, edges []Edge) []Edge {
	other := make([]Edge, len(edges))
	sortByKey(other, edges, nodes, func(e Edge) int32 { return e.Tail })
	sortByKey(edges, other, relations, func(e Edge) int32 { return e.Relation })
	sortByKey(other, edges, nodes, func(e Edge) int32 { return e.Head })
	return other
}

// NewSortedGraph is NewGraph of edges that are sorted by head, relation and tail, and right.
func NewSortedGraph(nodes, relations int, edges []Edge, inverse []bool) *Graph {
	g := &Graph{Nodes: nodes, Relations: relations, Inverse: inverse, In: newAdjacency(nodes, len(edges)), Out: newAdjacency(nodes, len(edges))}
	ofRelation := make([]int32, relations+1)
	for k, e := range edges {
		g.In.At[e.Tail+1]++
		g.Out.At[e.Head+1]++
		ofRelation[e.Relation+1]++
		g.Out.Relation[k], g.Out.Node[k] = e.Relation, e.Tail
	}
	prefixSum(g.In.At)
	prefixSum(g.Out.At)
	prefixSum(ofRelation)
	byRelation := make([]int32, len(edges))
	for k, e := range edges {
		byRelation[ofRelation[e.Relation]] = int32(k)
		ofRelation[e.Relation]++
	}
	g.OutID = make([]int32, len(edges))
	next := slices.Clone(g.In.At[:nodes])
	for _, k := range byRelation { // so a tail is come to by relation, and along one by head
		e := edges[k]
		id := next[e.Tail]
		next[e.Tail]++
		g.In.Relation[id], g.In.Node[id], g.OutID[k] = e.Relation, e.Head, id
	}
	return g
}

func newAdjacency(nodes, edges int) Adjacency {
	return Adjacency{At: make([]int32, nodes+1), Relation: make([]int32, edges), Node: make([]int32, edges)}
}

// sortByKey copies in to out in order of key, which is below n; equal keys keep their order.
func sortByKey[T any](out, in []T, n int, key func(T) int32) {
	at := make([]int32, n+1)
	for _, x := range in {
		at[key(x)+1]++
	}
	prefixSum(at)
	for _, x := range in {
		out[at[key(x)]] = x
		at[key(x)]++
	}
}

func prefixSum(at []int32) {
	for v := 1; v < len(at); v++ {
		at[v] += at[v-1]
	}
}

// Edges is the number of edges.
func (g *Graph) Edges() int { return len(g.In.Node) }

// Find gives the id of an edge.
func (g *Graph) Find(e Edge) (id int32, found bool) {
	if uint(e.Tail) >= uint(g.Nodes) {
		return 0, false
	}
	from, to := g.In.At[e.Tail], g.In.At[e.Tail+1]
	i := sort.Search(int(to-from), func(i int) bool {
		k := from + int32(i)
		return cmp.Or(cmp.Compare(g.In.Relation[k], e.Relation), cmp.Compare(g.In.Node[k], e.Head)) >= 0
	})
	id = from + int32(i)
	return id, id < to && g.In.Relation[id] == e.Relation && g.In.Node[id] == e.Head
}

// Thin is the graph without the edges of the given ids, which ascend.
func (g *Graph) Thin(dropped []int32) *Graph {
	shift := make([]int32, g.Edges()) // how many edges go before this one; −1 for a dropped edge
	next := 0
	for id := range shift {
		if next < len(dropped) && dropped[next] == int32(id) {
			shift[id] = -1
			next++
			continue
		}
		shift[id] = int32(next)
	}
	if next != len(dropped) {
		panic("kernel: dropped edge ids must ascend and exist")
	}
	t := &Graph{Nodes: g.Nodes, Relations: g.Relations, Inverse: g.Inverse}
	left := g.Edges() - len(dropped)
	t.In = g.In.without(left, func(k int) bool { return shift[k] < 0 })
	t.Out = g.Out.without(left, func(k int) bool { return shift[g.OutID[k]] < 0 })
	t.OutID = make([]int32, 0, left)
	for _, id := range g.OutID {
		if shift[id] >= 0 {
			t.OutID = append(t.OutID, id-shift[id])
		}
	}
	t.Whole = g.Whole.without(g, t)
	return t
}

// without are the degrees of what is left of a graph; the mean over the larger one stays, which hardly notices.
func (d *Degrees) without(whole, thin *Graph) *Degrees {
	if d == nil {
		return nil
	}
	left := &Degrees{Of: make([]int32, len(d.Of)), MeanLog: d.MeanLog}
	for v := range left.Of {
		left.Of[v] = d.Of[v] - int32(whole.In.Degree(v)-thin.In.Degree(v))
	}
	return left
}

func (a Adjacency) without(left int, gone func(k int) bool) Adjacency {
	b := Adjacency{At: make([]int32, 1, len(a.At)), Relation: make([]int32, 0, left), Node: make([]int32, 0, left)}
	for v := 0; v+1 < len(a.At); v++ {
		for k := a.At[v]; k < a.At[v+1]; k++ {
			if !gone(int(k)) {
				b.Relation = append(b.Relation, a.Relation[k])
				b.Node = append(b.Node, a.Node[k])
			}
		}
		b.At = append(b.At, int32(len(b.Node)))
	}
	return b
}

// Reverse turns every edge round: messages then run from tail to head, as the
// public ULTRA checkpoints were trained (METHOD "Direction"). Degrees of a larger graph stay: there an edge and its
// inverse twin make both sides alike.
func (g *Graph) Reverse() *Graph {
	r := &Graph{Nodes: g.Nodes, Relations: g.Relations, In: g.Out, Out: g.In, Inverse: g.Inverse, Whole: g.Whole}
	r.OutID = make([]int32, len(g.OutID))
	for k, id := range g.OutID {
		r.OutID[id] = int32(k)
	}
	return r
}
