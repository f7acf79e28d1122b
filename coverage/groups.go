package coverage

import (
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
)

// Enough facts of a relation, read in one direction, make a group of their own. The others are grouped by how many values a head has: what is hard to find in one
// relation with many values is hard in others. The groups depend on the graph alone, so that the guarantee holds in each.
const ofItsOwn = 150

// kind tells relations with one value from those with some and with many.
func kind(g *kg.Graph, q kg.Relation) int {
	byRelation := g.ByRelation()
	values := float64(byRelation.Edges(q)) / float64(max(1, len(byRelation.Heads(q))))
	switch {
	case values < 1.2:
		return 0
	case values < 4:
		return 1
	}
	return 2
}

// groups are the scores of hidden facts that a fact of a relation is compared with, ascending.
type groups struct {
	of     map[kg.Relation][]float32
	kinds  [3][]float32
	all    []float32
	kindOf func(kg.Relation) int
}

func newGroups(g *kg.Graph, scores map[kg.Relation][]float32) *groups {
	s := &groups{of: map[kg.Relation][]float32{}, kindOf: func(q kg.Relation) int { return kind(g, q) }}
	for q, list := range scores {
		s.all = append(s.all, list...)
		if len(list) >= ofItsOwn {
			s.of[q] = slices.Sorted(slices.Values(list))
			continue
		}
		k := kind(g, q)
		s.kinds[k] = append(s.kinds[k], list...)
	}
	for k := range s.kinds {
		slices.Sort(s.kinds[k])
	}
	slices.Sort(s.all)
	return s
}

// group is what a fact of a relation is compared with.
func (s *groups) group(q kg.Relation) []float32 {
	if own, found := s.of[q]; found {
		return own
	}
	if k := s.kinds[s.kindOf(q)]; len(k) >= ofItsOwn {
		return k
	}
	return s.all
}
