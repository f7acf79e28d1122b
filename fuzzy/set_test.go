package fuzzy

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
)

func randomSet(rng *rand.Rand, n int) Set {
	s := make(Set, n)
	for i := range s {
		s[i] = float32(rng.IntN(11)) / 10 // few values, so that ties occur
	}
	return s
}

func TestCombineFollowsTheLogic(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	x, y := randomSet(rng, 33), randomSet(rng, 33)
	for _, l := range Logics {
		for _, op := range []kernel.LogicOp{kernel.Not, kernel.And, kernel.Or} {
			out := make(Set, 33)
			l.Combine(op, out, x, y)
			for i := range x {
				if want := plain.Apply(l.Norm, op, x[i], y[i]); out[i] != want {
					t.Fatalf("%v: entity %d is %v, want %v", l, i, out[i], want)
				}
			}
		}
	}
}

// What is certain stays so, whatever else may be the case.
func TestUnionWithTheCertain(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 100_000 {
		p := rng.Float32()
		out := make(Set, 3)
		Product.Combine(kernel.Or, out, Set{p, 1, p}, Set{1, p, 0})
		if out[0] != 1 || out[1] != 1 || out[2] != p {
			t.Fatalf("%v or 1, 1 or it, it or 0: %v", p, out)
		}
	}
}

func TestTop(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		s := randomSet(rng, rng.IntN(40))
		k, floor := rng.IntN(12), float32(rng.IntN(11))/10
		if got, want := s.Top(k, floor), topBySorting(s, k, floor); !slices.Equal(got, want) {
			t.Fatalf("%v.Top(%d, %v) = %v, want %v", s, k, floor, got, want)
		}
	}
}

// topBySorting is the plain twin of Top.
func topBySorting(s Set, k int, floor float32) []Member {
	var all []Member
	for e, x := range s {
		if x > 0 && x >= floor {
			all = append(all, Member{kg.Entity(e), x})
		}
	}
	slices.SortStableFunc(all, func(a, b Member) int { return cmp.Compare(b.Degree, a.Degree) })
	return all[:min(k, len(all))]
}

func TestCounts(t *testing.T) {
	s := Set{0, 0.5, 0.6, 1, 0.2}
	if got := s.Cardinality(); got < 1.5999 || got > 1.6001 {
		t.Errorf("Cardinality = %v, want 1.6: only degrees above one half count", got)
	}
	if got := s.CountAtLeast(0.5); got != 3 {
		t.Errorf("CountAtLeast(0.5) = %d, want 3", got)
	}
	if got := s.CountAtLeast(0); got != 4 {
		t.Errorf("CountAtLeast(0) = %d, want 4: degree 0 is no membership", got)
	}
}
