package cuda

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/kernel"
)

// randomGraph has a hub of the given in-degree and nodes without edges.
func randomGraph(t *testing.T, nodes, relations, edges, hub int) *kernel.Graph {
	t.Helper()
	draw := rand.New(rand.NewPCG(1, 2))
	used := map[kernel.Edge]bool{}
	for len(used) < edges {
		e := kernel.Edge{Head: draw.Int32N(int32(nodes)), Relation: draw.Int32N(int32(relations)), Tail: 3 + draw.Int32N(int32(nodes-3))}
		if len(used) < hub {
			e.Tail = 0
		}
		used[e] = true
	}
	var list []kernel.Edge
	for e := range used {
		list = append(list, e)
	}
	g, err := kernel.NewGraph(nodes, relations, list, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Segments hold every edge once, none too many, and a node's are together.
func TestCut(t *testing.T) {
	g := randomGraph(t, 200, 7, 3000, 700)
	s := cut(g.In)
	seen := make([]int, g.Edges())
	for i, segment := range s.list {
		v, all := segment[0], int32(0)
		if int(s.of[v][0]) > i || int(s.of[v][1]) <= i {
			t.Fatalf("segment %d of node %d is not among its %v", i, v, s.of[v])
		}
		shortest, longest := int32(segmentEdges), int32(0)
		for _, strand := range s.strands[i*strands : (i+1)*strands] {
			shortest, longest, all = min(shortest, strand[1]), max(longest, strand[1]), all+strand[1]
			for place := strand[0]; place < strand[0]+strand[1]; place++ {
				seen[place]++
				if place < g.In.At[v] || place >= g.In.At[v+1] {
					t.Fatalf("place %d is not an edge of node %d", place, v)
				}
			}
		}
		if all > segmentEdges || segment[2] != shortest || segment[3] != longest || longest-shortest > 1 {
			t.Errorf("segment %v of %d edges, strands of %d to %d", segment, all, shortest, longest)
		}
		if alone := s.of[v][1]-s.of[v][0] == 1; alone != (segment[1] < 0) {
			t.Errorf("segment %v of a node with segments %v", segment, s.of[v])
		}
	}
	if i := slices.IndexFunc(seen, func(n int) bool { return n != 1 }); i >= 0 {
		t.Errorf("edge %d is in %d strands", i, seen[i])
	}
}

// A node's parts follow each other, every node of several segments is listed, and theirs come first.
func TestSplit(t *testing.T) {
	g := randomGraph(t, 200, 7, 3000, 700)
	s := cut(g.In)
	parts, edges := 0, 0
	for _, node := range s.split {
		of := s.of[node[0]]
		if of[0] != node[1] {
			t.Errorf("segments %v of node %d are not among the first, as its part %d is", of, node[0], node[1])
		}
		edges += g.In.Degree(int(node[0]))
		if node[1] != int32(parts) || node[2] != of[1]-of[0] || node[2] < 2 {
			t.Errorf("split node %v has segments %v", node, of)
		}
		for i := range node[2] {
			if part := s.list[of[0]+i][1]; part != node[1]+i {
				t.Errorf("segment %d of node %d leaves part %d", i, node[0], part)
			}
		}
		parts += int(node[2])
	}
	if parts != s.parts || edges != s.partEdges || parts == 0 {
		t.Errorf("%d parts of %d edges, expected %d of %d", s.parts, s.partEdges, parts, edges)
	}
}

// Runs are numbered by relation, and end where relation or strand does.
func TestNumberRuns(t *testing.T) {
	g := randomGraph(t, 200, 7, 3000, 700)
	for field := 2; field < 4; field++ {
		s := cut(g.In)
		checkRuns(t, g, s, s.numberRuns(g.Relations, field), field)
	}
}

func checkRuns(t *testing.T, g *kernel.Graph, s *segments, first []int32, field int) {
	t.Helper()
	strandOf := map[int32]int{}
	for i, strand := range s.strands {
		for place := strand[0]; place < strand[0]+strand[1]; place++ {
			run, r := s.edges[place][field], g.In.Relation[place]
			if run < first[r] || run >= first[r+1] {
				t.Fatalf("edge %d of relation %d is in run %d, expected %d to %d", place, r, run, first[r], first[r+1])
			}
			if other, there := strandOf[run]; there && other != i {
				t.Fatalf("run %d is in strands %d and %d", run, other, i)
			}
			strandOf[run] = i
		}
	}
	if len(strandOf) != int(first[g.Relations]) {
		t.Errorf("%d runs have edges, of %d", len(strandOf), first[g.Relations])
	}
}

func TestChunk(t *testing.T) {
	chunks, first := chunk([]int32{0, 5, 5, 12}, 4)
	if want := []quad{{0, 0, 4, 0}, {0, 4, 5, 0}, {2, 5, 9, 0}, {2, 9, 12, 0}}; !slices.Equal(chunks, want) {
		t.Errorf("chunks %v, expected %v", chunks, want)
	}
	if want := []int32{0, 2, 2, 4}; !slices.Equal(first, want) {
		t.Errorf("chunks begin at %v, expected %v", first, want)
	}
}

func TestByRelation(t *testing.T) {
	g := randomGraph(t, 50, 5, 400, 90)
	edges, first := byRelation(g)
	for r := range int32(5) {
		for _, e := range edges[first[r]:first[r+1]] {
			if id, there := g.Find(kernel.Edge{Head: e[0], Relation: r, Tail: e[1]}); !there || id != e[2] {
				t.Fatalf("edge %v of relation %d is edge %d", e, r, id)
			}
		}
	}
}

func TestSamplesOf(t *testing.T) {
	first, samples := samplesOf([]int32{2, 0, 2, 2}, 4)
	if !slices.Equal(first, []int32{0, 1, 1, 4, 4}) || !slices.Equal(samples, []int32{1, 0, 2, 3}) {
		t.Errorf("samples %v, tables begin at %v", samples, first)
	}
}
