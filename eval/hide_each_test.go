package eval

import (
	"math"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/internal/synth"
	"github.com/lacuna-kg/lacuna/kg"
)

// A share of the facts is hidden, another by another seed, and every entity keeps one.
func TestHideEachHidesAShareAndLeavesEveryEntityAFact(t *testing.T) {
	g, err := synth.Generate(synth.Config{Seed: 4, Entities: 3000, Relations: 40, Triples: 12_000})
	if err != nil {
		t.Fatal(err)
	}
	for _, share := range []float64{0.05, 0.1, 0.3} {
		hidden := HideEach(g, share, 7)
		if got := float64(len(hidden)) / float64(g.NumTriples()); math.Abs(got-share) > 0.15*share {
			t.Errorf("a share of %v: %.3f of the facts are hidden", share, got)
		}
		left := map[kg.Entity]int{}
		for _, f := range hidden {
			left[f.Head]++
			left[f.Tail]++
		}
		for e, gone := range left {
			if gone >= g.Degree(e) {
				t.Fatalf("all %d edges of entity %d are hidden", gone, e)
			}
		}
		if !slices.Equal(hidden, HideEach(g, share, 7)) || slices.Equal(hidden, HideEach(g, share, 8)) {
			t.Error("what is hidden is not a function of the seed")
		}
	}
}
