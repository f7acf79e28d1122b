package sorted

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Leaping finds what counting finds, on lists of very different lengths.
func TestMeet(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		lists := make([][]uint32, 1+draw.IntN(6))
		seen := map[uint32]int{}
		for i := range lists {
			for range draw.IntN(1 << draw.IntN(9)) {
				lists[i] = append(lists[i], uint32(draw.IntN(200)))
			}
			slices.Sort(lists[i])
			lists[i] = slices.Compact(lists[i])
			for _, at := range lists[i] {
				seen[at]++
			}
		}
		var want, got []uint32
		for at := range uint32(200) {
			if seen[at] == len(lists) {
				want = append(want, at)
			}
		}
		Meet(lists, func(at uint32) bool { got = append(got, at); return true })
		if !slices.Equal(got, want) {
			t.Fatalf("%v: %v, want %v", lists, got, want)
		}
	}
}
