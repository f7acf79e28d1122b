package cuda

import "testing"

// Every node is in the class of its degree, once.
func TestByDegree(t *testing.T) {
	g := randomGraph(t, 200, 7, 3000, 700)
	order, classes := byDegree(g)
	seen, next := map[int32]bool{}, int32(0)
	for _, c := range classes {
		if c[0] != next || c[1] < 1 {
			t.Fatalf("class %v follows %d nodes", c, next)
		}
		next += c[1]
		degree := g.In.Degree(int(order[c[0]]))
		for _, v := range order[c[0]:next] {
			if g.In.Degree(int(v)) != degree || seen[v] {
				t.Errorf("node %d of degree %d is among those of %d", v, g.In.Degree(int(v)), degree)
			}
			seen[v] = true
		}
	}
	if len(seen) != g.Nodes {
		t.Errorf("%d nodes in classes, of %d", len(seen), g.Nodes)
	}
}

// Tiles are filled where there are many samples, or many nodes of a degree.
func TestDegreesFill(t *testing.T) {
	for _, c := range []struct {
		counts  [][2]int32
		samples int
		fills   bool
	}{
		{[][2]int32{{0, 1}, {1, 1}}, 1, false},
		{[][2]int32{{0, 1}, {1, 1}}, 64, true},
		{[][2]int32{{0, 160}, {160, 33}}, 1, true},
		{[][2]int32{{0, 40}, {40, 33}}, 1, false},
	} {
		if got := (&degrees{counts: c.counts}).fill(c.samples); got != c.fills {
			t.Errorf("%v by %d samples: fills %v, expected %v", c.counts, c.samples, got, c.fills)
		}
	}
}
