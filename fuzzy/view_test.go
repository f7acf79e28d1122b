package fuzzy_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kg"
)

// A set reads the same however it is written down.
func TestViewsAgree(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 7))
	for range 300 {
		n, rest := 1+draw.IntN(40), []float32{0, 0, 0.25, 1}[draw.IntN(4)]
		all := make(fuzzy.Set, n)
		var members []kg.Entity
		var degrees fuzzy.Set
		for e := range all {
			if all[e] = rest; draw.IntN(3) == 0 {
				all[e] = float32(draw.IntN(5)) / 4
				members, degrees = append(members, kg.Entity(e)), append(degrees, all[e])
			}
		}
		dense, sparse := fuzzy.ViewOf(all), fuzzy.ViewOfMembers(members, degrees, rest, n)
		floor, k := float32(draw.IntN(5))/4, draw.IntN(6)
		half := func(e kg.Entity, x float32) float32 { return x / 2 * float32(e%2) }
		for _, v := range [][2]fuzzy.View{{dense, sparse}, {dense.Map(half), sparse.Map(half)}} {
			a, b := v[0], v[1]
			if !slices.Equal(a.Dense(), b.Dense()) || a.Entities() != b.Entities() {
				t.Fatalf("%v and %v", a.Dense(), b.Dense())
			}
			if math.Abs(a.Cardinality()-b.Cardinality()) > 1e-9 || a.CountAtLeast(floor) != b.CountAtLeast(floor) || !slices.Equal(a.Top(k, floor), b.Top(k, floor)) {
				t.Fatalf("%v: %v, %v, %v and %v, %v, %v", a.Dense(), a.Cardinality(), a.CountAtLeast(floor), a.Top(k, floor), b.Cardinality(), b.CountAtLeast(floor), b.Top(k, floor))
			}
			for e := range kg.Entity(n) {
				if a.At(e) != b.At(e) {
					t.Fatalf("entity %d: %v and %v", e, a.At(e), b.At(e))
				}
			}
			if x, y := list(a), list(b); !slices.Equal(x, y) {
				t.Fatalf("%v and %v", x, y)
			}
		}
	}
}

func list(v fuzzy.View) (members []fuzzy.Member) {
	for e, x := range v.All() {
		members = append(members, fuzzy.Member{Entity: e, Degree: x})
	}
	return members
}
