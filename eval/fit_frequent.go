package eval

import (
	"slices"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

// frequent is the simplest way to guess a link: whatever the head, the tails that the
// relation most often has. A model that does no better has learnt nothing of use here.
type frequent struct {
	graph  *kg.Graph
	counts map[kg.Relation][]int32 // how many facts of a relation end in each entity
}

func newFrequent(g *kg.Graph) *frequent { return &frequent{g, map[kg.Relation][]int32{}} }

func (f *frequent) countsOf(r kg.Relation) []int32 {
	counts, known := f.counts[r]
	if !known {
		// A few relations make up most of a sample; all of them could take the memory of a hundred graphs.
		if len(f.counts) == 16 {
			clear(f.counts)
		}
		counts = make([]int32, f.graph.NumEntities())
		for e := range counts {
			counts[e] = int32(len(f.graph.Tails(kg.Entity(e), r.Inverse())))
		}
		f.counts[r] = counts
	}
	return counts
}

// rank is the standing of a target among the entities that are no answers.
func (f *frequent) rank(r kg.Relation, target kg.Entity, answers []kg.Entity) kernel.Rank {
	counts := f.countsOf(r)
	var rank kernel.Rank
	for e, n := range counts {
		if n < counts[target] {
			continue
		}
		if _, isAnswer := slices.BinarySearch(answers, kg.Entity(e)); isAnswer {
			continue
		}
		if n > counts[target] {
			rank.Greater++
		} else {
			rank.Equal++
		}
	}
	return rank
}
