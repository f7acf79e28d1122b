package fuzzy_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
)

// Ranks of views are those of the plain kernel over all entities.
func TestRanksAgree(t *testing.T) {
	draw := rand.New(rand.NewPCG(2, 5))
	device := plain.New()
	for range 300 {
		n, rest := 1+draw.IntN(40), []float32{0, 0, 0.25, 1}[draw.IntN(4)]
		all := make(fuzzy.Set, n)
		var members, targets, answers []kg.Entity
		var degrees fuzzy.Set
		for e := range kg.Entity(n) {
			if all[e] = rest; draw.IntN(3) == 0 {
				all[e] = float32(draw.IntN(5)) / 4
				members, degrees = append(members, e), append(degrees, all[e])
			}
			if draw.IntN(3) == 0 {
				answers = append(answers, e)
				if draw.IntN(2) == 0 {
					targets = append(targets, e)
				}
			}
		}
		set := device.NewBuffer(n)
		device.Upload(set, all)
		want := device.Ranks(set, kernel.NewLists([][]int32{numbers(targets)}), kernel.NewLists([][]int32{numbers(answers)}))
		for _, v := range []fuzzy.View{fuzzy.ViewOf(all), fuzzy.ViewOfMembers(members, degrees, rest, n)} {
			if got := v.Ranks(targets, answers); !slices.Equal(got, want) {
				t.Fatalf("%v: targets %v of answers %v: %v, expected %v", all, targets, answers, got, want)
			}
		}
	}
}

func numbers(entities []kg.Entity) (list []int32) {
	for _, e := range entities {
		list = append(list, int32(e))
	}
	return list
}
