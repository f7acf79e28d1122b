package join

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
)

// A ranking gives what sorting gives, from whichever place somebody begins to ask.
func TestRankingSorts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		members := make([]member, rng.IntN(60))
		for i := range members {
			members[i] = member{kg.Entity(i), float64(rng.IntN(8)) / 7} // many are equal, some sure or impossible
			if rng.IntN(2) == 0 {
				members[i].degree *= 1 - float64(rng.IntN(8))*0x1p-40 // and some no float32 tells apart
			}
		}
		rng.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		c := newCandidates(members)
		want := slices.DeleteFunc(slices.Clone(members), func(m member) bool { return m.degree == 0 })
		slices.SortFunc(want, byDegree)
		if c.len() != len(want) {
			t.Fatalf("%d candidates, want %d", c.len(), len(want))
		}
		for k := range want {
			i := k
			if k == 0 && len(want) > 3 {
				i = 3
			}
			if e, degree := c.at(i); (member{e, degree}) != want[i] {
				t.Fatalf("at %d: %d with %v, want %v", i, e, degree, want[i])
			}
		}
	}
}
