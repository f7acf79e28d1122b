package kg

import "testing"

// Edges are numbered by row, those of entities without any fact passed over.
func TestEdgeAtNumbersEdgesByRows(t *testing.T) {
	for seed := range uint64(20) {
		g, i := randomGraph(seed, 30, 3, 25).graph, 0
		for h := range Entity(g.NumEntities()) {
			relations, tails := g.Edges(h)
			for k := range tails {
				if got, want := g.EdgeAt(i), (Triple{h, relations[k], tails[k]}); got != want {
					t.Fatalf("seed %d: edge %d is %v, expected %v", seed, i, got, want)
				}
				i++
			}
		}
	}
}
