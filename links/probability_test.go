package links

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
)

// A link has one probability: the same from both ends, alone and among others, kept or computed, between its two readings or at most Doubt above
// the lower, and never above what either of them allows for.
func TestOneProbability(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 52))
	for range 30 {
		g, model := randomGraph(rng), untied(rng)
		for _, m := range []Map{nil, {{Logit: 0.8, Total: -0.7, Stated: 1, Bias: 0.2, Ceiling: 0.4, Lacks: 0.2}}} {
			rows := New(g, model, Options{Map: m})
			var facts []kg.Triple
			for range 40 {
				facts = append(facts, kg.Triple{Head: kg.Entity(rng.IntN(entities)), Relation: kg.Relation(rng.IntN(2 * relations)), Tail: kg.Entity(rng.IntN(entities))})
			}
			together, err := rows.Probabilities(t.Context(), facts)
			if err != nil {
				t.Fatal(err)
			}
			for i, f := range facts {
				fresh := New(g, model, Options{Map: m})
				alone, err := fresh.Probabilities(t.Context(), []kg.Triple{f})
				if err != nil {
					t.Fatal(err)
				}
				turned, err := rows.Probabilities(t.Context(), []kg.Triple{f.Inverse()})
				if err != nil {
					t.Fatal(err)
				}
				if alone[0] != together[i] || turned[0] != together[i] {
					t.Fatalf("%v: %v among others, %v alone, %v from its tail", f, together[i], alone[0], turned[0])
				}
				if g.Has(f.Stated()) {
					if together[i] != 1 {
						t.Fatalf("%v is stated and has %v", f, together[i])
					}
					continue
				}
				read, err := rows.Readings(t.Context(), []Reading{ReadingOf(f), ReadingOf(f.Inverse())})
				if err != nil {
					t.Fatal(err)
				}
				low, high := min(read[0], read[1]), max(read[0], read[1])
				if p := together[i]; p > high+1e-6 || p < low-1e-6 || p > Highest(low)+1e-6 {
					t.Fatalf("%v: %v by the readings %v and %v", f, p, low, high)
				}
			}
		}
	}
}

func TestHighestAndLowest(t *testing.T) {
	for _, p := range []float64{0, 1e-4, 0.05, 0.3, 0.9, 0.999, 1} {
		if back := Highest(float32(Lowest(p))); math.Abs(float64(back)-p) > 1e-5 {
			t.Errorf("%v came back as %v", p, back)
		}
		if Highest(float32(p)) < float32(p) || Lowest(p) > p {
			t.Errorf("%v is outside of %v and %v", p, Lowest(p), Highest(float32(p)))
		}
	}
}
