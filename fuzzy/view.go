package fuzzy

import (
	"iter"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
)

// View is a fuzzy set to read, however it is written down: over all entities, or by its members alone, of which a question on
// twenty million entities has a few thousand. Nobody changes it.
type View struct {
	all Set // of every entity; nil where the members are listed

	members  []kg.Entity // ascending
	degrees  Set         // of each member
	rest     float32     // of every other entity
	entities int
}

// ViewOf is a set over all entities.
func ViewOf(all Set) View { return View{all: all, entities: len(all)} }

// ViewOfMembers is a set that is written down by its members, ascending, and one degree of all the rest.
func ViewOfMembers(members []kg.Entity, degrees Set, rest float32, entities int) View {
	return View{members: members, degrees: degrees, rest: rest, entities: entities}
}

// Entities is the number of entities that the set is over.
func (v View) Entities() int { return v.entities }

// At is the degree of an entity.
func (v View) At(e kg.Entity) float32 {
	if v.all != nil {
		return v.all[e]
	}
	if at, found := slices.BinarySearch(v.members, e); found {
		return v.degrees[at]
	}
	return v.rest
}

// All gives the entities that have a degree, ascending.
func (v View) All() iter.Seq2[kg.Entity, float32] {
	return func(yield func(kg.Entity, float32) bool) {
		if v.all == nil && v.rest == 0 {
			for i, e := range v.members {
				if x := v.degrees[i]; x != 0 && !yield(e, x) {
					return
				}
			}
			return
		}
		for e, x := range v.Dense() {
			if x != 0 && !yield(kg.Entity(e), x) {
				return
			}
		}
	}
}

// Dense is the set over all entities; nobody changes it.
func (v View) Dense() Set {
	if v.all != nil || v.entities == 0 {
		return v.all
	}
	all := make(Set, v.entities)
	if v.rest != 0 {
		for e := range all {
			all[e] = v.rest
		}
	}
	for i, e := range v.members {
		all[e] = v.degrees[i]
	}
	return all
}

// Map is the set with other degrees; of entities that have none it is not asked.
func (v View) Map(degree func(e kg.Entity, x float32) float32) View {
	out := View{entities: v.entities}
	if v.all != nil || v.rest != 0 {
		out.all = make(Set, v.entities)
		for e, x := range v.All() {
			out.all[e] = degree(e, x)
		}
		return out
	}
	out.members, out.degrees = v.members, make(Set, len(v.degrees))
	for i, e := range v.members {
		if x := v.degrees[i]; x != 0 {
			out.degrees[i] = degree(e, x)
		}
	}
	return out
}

// Cardinality is Set.Cardinality.
func (v View) Cardinality() float64 {
	if v.all != nil {
		return v.all.Cardinality()
	}
	sum := v.degrees.Cardinality()
	if v.rest > Threshold {
		sum += float64(v.rest) * float64(v.entities-len(v.members))
	}
	return sum
}

// CountAtLeast is Set.CountAtLeast.
func (v View) CountAtLeast(floor float32) int {
	if v.all != nil {
		return v.all.CountAtLeast(floor)
	}
	n := v.degrees.CountAtLeast(floor)
	if v.rest >= floor && v.rest > 0 {
		n += v.entities - len(v.members)
	}
	return n
}

// Top is Set.Top.
func (v View) Top(k int, floor float32) []Member {
	if v.all != nil || v.rest != 0 {
		return v.Dense().Top(k, floor)
	}
	top := v.degrees.Top(k, floor) // by their places, which ascend as the members do
	for i := range top {
		top[i].Entity = v.members[top[i].Entity]
	}
	return top
}
