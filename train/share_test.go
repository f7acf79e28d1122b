package train

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Every query is one rank's, none is left without any, and no rank has more to do than another by more than the longest query.
func TestSharesAreOfEqualWork(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		size := 1 + random.IntN(6)
		work := make([]int, size+random.IntN(30))
		for i := range work {
			work[i] = random.IntN(4)
		}
		shares := sharesOf(work, size)
		var all, loads []int
		for _, share := range shares {
			load := 0
			for _, i := range share {
				load += max(1, work[i])
			}
			if all, loads = append(all, share...), append(loads, load); len(share) == 0 || !slices.IsSorted(share) {
				t.Fatalf("%v among %d: %v", work, size, shares)
			}
		}
		slices.Sort(all)
		if len(all) != len(work) || len(slices.Compact(all)) != len(work) || slices.Max(loads)-slices.Min(loads) > 3 {
			t.Fatalf("%v among %d: %v", work, size, shares)
		}
	}
}
