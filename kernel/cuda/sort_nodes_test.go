package cuda

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// Nodes come in order of their keys and keep theirs where keys are equal, few and many of them.
func TestSortNodes(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 1000, 1 << 14, 1<<14 + 1, 200_001} {
		for _, keys := range []uint64{1, 7, 1 << 20, 1 << 63} {
			nodes := make([]keyedNode, n)
			for i := range nodes {
				nodes[i] = keyedNode{draw.Uint64N(keys) * 0x9e3779b97f4a7c15, int32(i)}
			}
			want := slices.Clone(nodes)
			slices.SortStableFunc(want, func(a, b keyedNode) int { return cmp.Compare(a.key, b.key) })
			for i, v := range sortNodes(nodes) {
				if v != want[i].node {
					t.Fatalf("%d nodes of %d keys: %d stands at %d, expected %d", n, keys, v, i, want[i].node)
				}
			}
		}
	}
}
