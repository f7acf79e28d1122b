package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// edgesOf lists a graph's edges in order of id, read from In.
func edgesOf(g *Graph) (edges []Edge) {
	for v := range g.Nodes {
		for k := g.In.At[v]; k < g.In.At[v+1]; k++ {
			edges = append(edges, Edge{g.In.Node[k], g.In.Relation[k], int32(v)})
		}
	}
	return edges
}

func randomEdges(draw *rand.Rand, nodes, relations int32, n int) []Edge {
	seen := map[Edge]bool{}
	for range n {
		seen[Edge{draw.Int32N(nodes), draw.Int32N(relations), draw.Int32N(nodes)}] = true
	}
	var edges []Edge
	for e := range seen {
		edges = append(edges, e)
	}
	return edges
}

func before(a, b Edge) int {
	return slices.Compare([]int32{a.Tail, a.Relation, a.Head}, []int32{b.Tail, b.Relation, b.Head})
}

// Both sides list the same edges, sorted, and OutID joins them; so it stays under Thin and Reverse.
func TestGraphSidesAgree(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		nodes, relations := 1+draw.Int32N(20), 1+draw.Int32N(5)
		edges := randomEdges(draw, nodes, relations, draw.IntN(80))
		g, err := NewGraph(int(nodes), int(relations), edges, nil)
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(edges, before)
		checkSides(t, g, edges)

		var dropped []int32
		var left []Edge
		for id, e := range edges {
			if draw.IntN(3) == 0 {
				dropped = append(dropped, int32(id))
			} else {
				left = append(left, e)
			}
		}
		checkSides(t, g.Thin(dropped), left)

		for i, e := range edges {
			edges[i] = Edge{e.Tail, e.Relation, e.Head}
		}
		slices.SortFunc(edges, before)
		checkSides(t, g.Reverse(), edges)
	}
}

func checkSides(t *testing.T, g *Graph, edges []Edge) {
	t.Helper()
	if got := edgesOf(g); !slices.Equal(got, edges) {
		t.Fatalf("edges %v, expected %v", got, edges)
	}
	for u := range g.Nodes {
		for k := g.Out.At[u]; k < g.Out.At[u+1]; k++ {
			want := Edge{int32(u), g.Out.Relation[k], g.Out.Node[k]}
			if got := edges[g.OutID[k]]; got != want {
				t.Fatalf("edge %d of Out has id %d: %v, expected %v", k, g.OutID[k], got, want)
			}
			if k > g.Out.At[u] && g.Out.Relation[k] < g.Out.Relation[k-1] {
				t.Fatalf("edges of %d are not sorted by relation", u)
			}
		}
	}
}

func TestGraphFind(t *testing.T) {
	g, err := NewGraph(6, 3, []Edge{{3, 0, 0}, {4, 2, 0}, {5, 2, 0}, {3, 2, 0}, {1, 0, 3}, {3, 1, 4}, {4, 1, 4}, {5, 0, 3}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for id, e := range edgesOf(g) {
		if got, ok := g.Find(e); !ok || got != int32(id) {
			t.Errorf("Find(%v) = %d, %v, expected %d", e, got, ok, id)
		}
	}
	for _, e := range []Edge{{0, 0, 2}, {2, 0, 0}, {0, 0, 99}, {0, 0, -1}} {
		if id, ok := g.Find(e); ok {
			t.Errorf("Find(%v) = %d, but there is none", e, id)
		}
	}
}

func TestNewGraphRefuses(t *testing.T) {
	for name, e := range map[string]Edge{"head": {9, 0, 0}, "tail": {0, 0, -1}, "relation": {0, 2, 0}} {
		if _, err := NewGraph(3, 2, []Edge{e}, nil); err == nil {
			t.Errorf("%s out of range was accepted", name)
		}
	}
	if _, err := NewGraph(3, 2, nil, []bool{true}); err == nil {
		t.Error("too few inverse marks were accepted")
	}
}
