package sorted

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestListsAgreeWithMaps(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for range 2000 {
		a, b := randomList(random), randomList(random)
		inB := func(e uint32) bool { return slices.Contains(b, e) }
		check := func(name string, got []uint32, keep func(uint32) bool) {
			want := []uint32{}
			for e := range uint32(1000) {
				if keep(e) {
					want = append(want, e)
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%s of %v and %v is %v, want %v", name, a, b, got, want)
			}
		}
		inA := func(e uint32) bool { return slices.Contains(a, e) }
		check("intersection", Intersection(nil, a, b), func(e uint32) bool { return inA(e) && inB(e) })
		check("union", Union(nil, a, b), func(e uint32) bool { return inA(e) || inB(e) })
		check("union by comparison", UnionFunc(nil, a, b, cmp.Compare), func(e uint32) bool { return inA(e) || inB(e) })
		if got, want := CountCommon(a, b), len(Intersection(nil, a, b)); got != want {
			t.Fatalf("%v and %v have %d in common, want %d", a, b, got, want)
		}
		check("difference", Difference(nil, a, b), func(e uint32) bool { return inA(e) && !inB(e) })
	}
}

func randomList(random *rand.Rand) []uint32 {
	members := map[uint32]bool{}
	for range random.IntN(1 << random.IntN(8)) {
		members[uint32(random.IntN(1000))] = true
	}
	return slices.Sorted(maps.Keys(members))
}
