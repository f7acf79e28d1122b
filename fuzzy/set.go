package fuzzy

import (
	"cmp"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
)

// Threshold is the degree above which an entity counts as a member (METHOD, "Evaluation").
const Threshold = 0.5

// Set is a fuzzy set over all entities of a graph: the degree of membership of each.
type Set []float32

// Cardinality is the predicted number of members: the sum of the degrees above Threshold.
func (s Set) Cardinality() float64 {
	sum := 0.0
	for _, x := range s {
		if x > Threshold {
			sum += float64(x)
		}
	}
	return sum
}

// Member is an entity with its degree in some set.
type Member struct {
	Entity kg.Entity
	Degree float32
}

// Top gives the k members of highest degree, at least floor, equal ones by id.
// It keeps k candidates while it scans, as sorting millions of entities would not do.
func (s Set) Top(k int, floor float32) []Member {
	var top []Member
	for e, x := range s {
		if x < floor || x == 0 {
			continue
		}
		if len(top) == k {
			if k == 0 || x <= top[k-1].Degree {
				continue
			}
			top = top[:k-1]
		}
		at, _ := slices.BinarySearchFunc(top, x, func(m Member, x float32) int {
			if m.Degree >= x {
				return -1
			}
			return cmp.Compare(x, m.Degree)
		})
		top = slices.Insert(top, at, Member{kg.Entity(e), x})
	}
	return top
}

// CountAtLeast is the number of entities whose degree is at least floor and not 0.
func (s Set) CountAtLeast(floor float32) int {
	n := 0
	for _, x := range s {
		if x >= floor && x > 0 {
			n++
		}
	}
	return n
}
