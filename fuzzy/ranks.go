package fuzzy

import (
	"slices"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

// Ranks gives the standing of each target among the entities that are no answers, as kernel.Device.Ranks does.
func (v View) Ranks(targets, answers []kg.Entity) []kernel.Rank {
	others, rest := v.others(slices.Compact(slices.Sorted(slices.Values(answers))))
	ranks := make([]kernel.Rank, len(targets))
	for i, t := range targets {
		degree, rank := v.At(t), &ranks[i]
		for _, x := range others {
			count(rank, degree, x, 1)
		}
		count(rank, degree, v.rest, rest)
	}
	return ranks
}

// count counts n entities of degree x in. What is "not at most" is greater, so that a NaN makes a rank worse, never better.
func count(rank *kernel.Rank, degree, x float32, n int32) {
	switch {
	case x == degree:
		rank.Equal += n
	case !(x <= degree):
		rank.Greater += n
	}
}

// others are the degrees of those written down who are not listed, by a list that ascends, and the number of all the rest who are not.
func (v View) others(listed []kg.Entity) (degrees Set, rest int32) {
	isListed := func(e kg.Entity) bool {
		_, found := slices.BinarySearch(listed, e)
		return found
	}
	if v.all != nil {
		for e, x := range v.all {
			if !isListed(kg.Entity(e)) {
				degrees = append(degrees, x)
			}
		}
		return degrees, 0
	}
	for i, e := range v.members {
		if !isListed(e) {
			degrees = append(degrees, v.degrees[i])
		}
	}
	listedMembers := len(v.members) - len(degrees)
	return degrees, int32(v.entities - len(v.members) - (len(listed) - listedMembers))
}
