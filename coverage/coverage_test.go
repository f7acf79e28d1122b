package coverage

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
)

// The guarantee: a fact that is exchangeable with the hidden ones is in the set with the chosen frequency, neither less nor more often, however many
// were hidden and however many of their scores are equal.
func TestExchangeableFactsAreCovered(t *testing.T) {
	const trials = 40_000
	random := rand.New(rand.NewPCG(1, 2))
	for _, hidden := range []int{19, 30, 137} {
		for _, values := range []int{3, 1 << 30} { // different scores
			for _, coverage := range []float64{0.8, 0.9, 0.95} {
				covered := 0
				for range trials {
					scores := make([]float32, hidden)
					for i := range scores {
						scores[i] = float32(random.IntN(values))
					}
					slices.Sort(scores)
					if P(scores, float32(random.IntN(values)), random.Float64()) > 1-coverage {
						covered++
					}
				}
				got := float64(covered) / trials
				if tolerance := 5 * math.Sqrt(coverage*(1-coverage)/trials); math.Abs(got-coverage) > tolerance {
					t.Errorf("%d hidden facts of %d scores: covered in %.4f of cases, expected %v", hidden, values, got, coverage)
				}
			}
		}
	}
}

// A better score never has a lower p-value, with the same draw.
func TestPRises(t *testing.T) {
	hidden := []float32{-9, -5, -5, -1}
	last := 0.0
	for _, score := range []float32{never, -9, -6, -5, -2, -1, 0} {
		p := P(hidden, score, 0.5)
		if p < last || p <= 0 || p > 1 {
			t.Errorf("%v has %v after %v", score, p, last)
		}
		last = p
	}
}

func TestTooFewFactsAreRefused(t *testing.T) {
	for coverage, needed := range map[float64]int{0.5: 1, 0.8: 4, 0.9: 9, 0.95: 19} {
		if Needed(coverage) != needed {
			t.Errorf("coverage %v needs %d facts, expected %d", coverage, Needed(coverage), needed)
		}
		if Enough(needed-1, coverage) == nil {
			t.Errorf("coverage %v is promised after %d facts", coverage, needed-1)
		}
		if err := Enough(needed, coverage); err != nil {
			t.Error(err)
		}
	}
	for _, wrong := range []float64{0, 1, -1, math.NaN()} {
		if kg.KindOf(Check(wrong)) != kg.Invalid {
			t.Errorf("coverage %v is taken", wrong)
		}
	}
}

// Draws of facts are even, and the same each time.
func TestEvenly(t *testing.T) {
	var tenths [10]int
	for i := range 10_000 {
		u := evenly(kg.Triple{Head: kg.Entity(i % 100), Relation: kg.Relation(i % 3), Tail: kg.Entity(i / 100)}, 0)
		if u != evenly(kg.Triple{Head: kg.Entity(i % 100), Relation: kg.Relation(i % 3), Tail: kg.Entity(i / 100)}, 0) {
			t.Fatal("another number for the same fact")
		}
		tenths[int(10*u)]++
	}
	for _, n := range tenths {
		if n < 850 || n > 1150 {
			t.Errorf("%v", tenths)
			break
		}
	}
}

func TestScoresAreKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.coverage")
	s := &Scores{Of: map[kg.Relation][]float32{3: {-1.5, never}, 8: {-2}}, Seed: 4}
	if err := s.Write(path); err != nil {
		t.Fatal(err)
	}
	if got, err := Read(path); err != nil || !reflect.DeepEqual(got, s) || got.Hidden() != 3 {
		t.Errorf("%+v, %v", got, err)
	}
}
