package cuda

import (
	"context"
	"math/bits"
	"slices"

	"github.com/lacuna-kg/lacuna/internal/parallel"
	"github.com/lacuna-kg/lacuna/kernel"
)

// segmentEdges is the most edges of a segment: the hub of FB15k-237 has 7,614, and alone would
// take longer than all other nodes together.
const segmentEdges = 128

// edgesBeyond is how many records follow the last: kernels read ahead.
const edgesBeyond = 16

// strands is how many parts of a segment a warp takes at a time, an edge of each.
const strands = 4

// segments is a side on the host.
type segments struct {
	list, edges, split []quad
	strands            [][2]int32
	of                 [][2]int32 // (V) the segments of each node: first, and behind the last
	parts, long        int
	partEdges          int // of the nodes of several segments, which come first
}

// cut makes segments of one node each; a node without edges has one too, since its boundary is a message. Nodes
// that are alike stand together: the warps of a block then end at the same time, and share rows in the L1.
func cut(a kernel.Adjacency) *segments {
	order := alike(a)
	firsts := make([]segmentPlace, len(order)+1) // where the segments and parts of each begin
	s := &segments{edges: make([]quad, len(a.Node)+edgesBeyond), of: make([][2]int32, len(order))}
	for k, v := range order {
		pieces := max(1, blocks(a.Degree(int(v)), segmentEdges))
		next := segmentPlace{firsts[k].segment + int32(pieces), firsts[k].part}
		if pieces > 1 {
			s.split = append(s.split, quad{v, next.part, int32(pieces), 0})
			next.part += int32(pieces)
			s.partEdges += a.Degree(int(v))
		}
		if a.Degree(int(v)) > shortEdges {
			s.long = int(next.segment)
		}
		firsts[k+1] = next
	}
	last := firsts[len(order)]
	s.parts, s.list, s.strands = int(last.part), make([]quad, last.segment), make([][2]int32, int(last.segment)*strands)
	inShares(len(a.Node), func(from, to int) {
		for i := from; i < to; i++ {
			s.edges[i] = quad{a.Node[i], a.Relation[i], 0, 0}
		}
	})
	inShares(len(order), func(from, to int) {
		for k := from; k < to; k++ {
			v := order[k]
			s.of[v] = [2]int32{firsts[k].segment, firsts[k+1].segment}
			s.cutNode(v, a.At[v], a.At[v+1], firsts[k])
		}
	})
	return s
}

// inShares splits 0 … n-1 over the cores; few are one share, as other cores are at other cuts then.
func inShares(n int, work func(from, to int)) {
	if n <= 1<<16 {
		work(0, n)
		return
	}
	parallel.Shares(context.Background(), n, work)
}

// segmentPlace is the first segment of a node, and its first part.
type segmentPlace struct{ segment, part int32 }

// alike orders the nodes by the length of their work, the longest first, then by the relations of their first and last
// edges, then by whom the first edge leads to.
func alike(a kernel.Adjacency) []int32 {
	nodes := make([]keyedNode, len(a.At)-1)
	nodeBits, relationBits := bits.Len(uint(len(nodes))), 0 // few, as keys are sorted by their digits
	if len(a.Relation) > 0 {
		relationBits = min(13, bits.Len(uint(slices.Max(a.Relation))))
	}
	lowest := int32(1)<<relationBits - 1
	inShares(len(nodes), func(first, end int) {
		for v := first; v < end; v++ {
			from, to := a.At[v], a.At[v+1]
			steps := uint64(min((int64(to)-int64(from)+strands-1)/strands, segmentEdges/strands+1))
			key := 63 - steps
			key <<= 2*relationBits + nodeBits
			if to > from {
				key |= (uint64(a.Relation[from]&lowest)<<relationBits|uint64(a.Relation[to-1]&lowest))<<nodeBits | uint64(a.Node[from])
			}
			nodes[v] = keyedNode{key, int32(v)}
		}
	})
	return sortNodes(nodes)
}

// cutNode writes the segments of a node.
func (s *segments) cutNode(v, from, to int32, at segmentPlace) {
	if int64(to)-int64(from) <= segmentEdges {
		s.put(int(at.segment), v, from, to-from, -1)
		return
	}
	for first := int64(from); first < int64(to); first += segmentEdges {
		s.put(int(at.segment), v, int32(first), int32(min(segmentEdges, int64(to)-first)), at.part)
		at.segment++
		at.part++
	}
}

// put writes a segment of n edges of v, from place first on: all strands have a quarter of them, the first may have one more.
func (s *segments) put(i int, v, first, n, part int32) {
	s.list[i] = quad{v, part, n / strands, (n + strands - 1) / strands}
	for k := range int32(strands) {
		edges := n / strands
		if k < n%strands {
			edges++
		}
		s.strands[i*strands+int(k)] = [2]int32{first, edges}
		first += edges
	}
}

// numberRuns gives every run of equal relations within a strand a number, in order of relation, so that the
// runs of one relation are neighbours. It writes them to a field of the edges, and returns where each relation's begin (R+1).
func (s *segments) numberRuns(relations, field int) []int32 {
	first := make([]int32, relations+1)
	s.eachRun(func(relation int32, _ []quad) { first[relation+1]++ })
	for r := range relations {
		first[r+1] += first[r]
	}
	next := append([]int32(nil), first...)
	s.eachRun(func(relation int32, run []quad) {
		for i := range run {
			run[i][field] = next[relation]
		}
		next[relation]++
	})
	return first
}

func (s *segments) eachRun(visit func(relation int32, run []quad)) {
	for _, strand := range s.strands {
		edges := s.edges[strand[0] : strand[0]+strand[1]]
		for len(edges) > 0 {
			n := 1
			for n < len(edges) && edges[n][1] == edges[0][1] {
				n++
			}
			visit(edges[0][1], edges[:n])
			edges = edges[n:]
		}
	}
}
