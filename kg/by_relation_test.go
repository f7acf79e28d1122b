package kg_test

import (
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/internal/synth"
	"github.com/lacuna-kg/lacuna/kg"
)

// The index by relation has what a walk over all facts finds.
func TestByRelation(t *testing.T) {
	g, err := synth.Generate(synth.Config{Seed: 3, Entities: 300, Relations: 7, Triples: 2000})
	if err != nil {
		t.Fatal(err)
	}
	edges, heads := map[kg.Relation]int{}, map[kg.Relation][]kg.Entity{}
	for f := range g.Triples() {
		for _, way := range []kg.Triple{f, f.Inverse()} {
			edges[way.Relation]++
			heads[way.Relation] = append(heads[way.Relation], way.Head)
		}
	}
	x := g.ByRelation()
	for r := range kg.Relation(2 * g.Relations.Names.Len()) {
		slices.Sort(heads[r])
		if want := slices.Compact(heads[r]); x.Edges(r) != edges[r] || !slices.Equal(x.Heads(r), want) {
			t.Errorf("relation %d: %d edges from %v, want %d from %v", r, x.Edges(r), x.Heads(r), edges[r], want)
		}
	}
	if beyond := kg.Relation(2 * g.Relations.Names.Len()); x.Edges(beyond) != 0 || x.Heads(beyond) != nil {
		t.Error("a relation that the graph lacks has edges")
	}
}
