package links

import (
	"slices"

	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

// set is a fuzzy set written down where it is sparse: the degrees of some entities, and one
// degree of all the rest. The rest of what a question reaches has 0, of a complement 1. Logic
// works entity by entity, so that it works on the rest as on one of them. Sets are not changed once made.
type set struct {
	members []kg.Entity // ascending
	degrees fuzzy.Set   // of each member
	rest    float32
}

// dense writes the set out over all entities.
func (s set) dense(entities int) fuzzy.Set {
	all := make(fuzzy.Set, entities)
	if s.rest != 0 {
		for i := range all {
			all[i] = s.rest
		}
	}
	for i, e := range s.members {
		all[e] = s.degrees[i]
	}
	return all
}

// sparse is the way back: whoever has a degree is a member.
func sparse(all fuzzy.Set) set {
	var s set
	for e, x := range all {
		if x != 0 {
			s.members, s.degrees = append(s.members, kg.Entity(e)), append(s.degrees, x)
		}
	}
	return s
}

// combine is op of x and y; Not reads x alone.
func combine(l fuzzy.Logic, op kernel.LogicOp, x, y set) set {
	if op == kernel.Not {
		y = x
	}
	members, ofX, ofY := align(x, y)
	l.Combine(op, ofX, ofX, ofY)
	rest := fuzzy.Set{x.rest}
	l.Combine(op, rest, rest, fuzzy.Set{y.rest})
	return set{members, ofX, rest[0]}.compact()
}

// align gives the members of either set, and their degrees in the one and in the other.
func align(x, y set) (members []kg.Entity, ofX, ofY fuzzy.Set) {
	most := len(x.members) + len(y.members)
	members, ofX, ofY = make([]kg.Entity, 0, most), make(fuzzy.Set, 0, most), make(fuzzy.Set, 0, most)
	i, j := 0, 0
	for i < len(x.members) || j < len(y.members) {
		inX := j == len(y.members) || i < len(x.members) && x.members[i] <= y.members[j]
		inY := i == len(x.members) || j < len(y.members) && y.members[j] <= x.members[i]
		a, b := x.rest, y.rest
		if inY {
			members, b = append(members, y.members[j]), y.degrees[j]
			j++
		}
		if inX {
			a = x.degrees[i]
			if !inY {
				members = append(members, x.members[i])
			}
			i++
		}
		ofX, ofY = append(ofX, a), append(ofY, b)
	}
	return members, ofX, ofY
}

// compact drops members that are as all the rest, in place.
func (s set) compact() set {
	kept := 0
	for i, x := range s.degrees {
		if x != s.rest {
			s.members[kept], s.degrees[kept] = s.members[i], x
			kept++
		}
	}
	return set{s.members[:kept], s.degrees[:kept], s.rest}
}

// above gives the rest a degree, and whoever has less. It is in place.
func (s set) above(rest float32) set {
	if rest <= s.rest {
		return s
	}
	for i, x := range s.degrees {
		s.degrees[i] = max(x, rest)
	}
	return set{s.members, s.degrees, rest}.compact()
}

// reached collects the set that a projection reaches: of each entity the best derivation, and all of them together.
// It holds both for every entity, and is made to be used again.
type reached struct {
	ways    []ways // 0 but of the touched
	touched []kg.Entity
}

func (r *reached) at(e kg.Entity, degree float32) {
	w := &r.ways[e]
	if w.best == 0 && degree > 0 {
		r.touched = append(r.touched, e)
	}
	w.best, w.sum = max(w.best, degree), w.sum+degree
}

// take gives the set, its degrees with a hair or without, and empties the collection. Where much of the graph was reached, reading
// all of it is quicker than sorting.
func (r *reached) take(withHair bool) set {
	n := len(r.touched)
	s := set{members: make([]kg.Entity, 0, n), degrees: make(fuzzy.Set, 0, n)}
	if 16*n > len(r.ways) {
		r.touched = r.touched[:0]
		for e, w := range r.ways {
			if w.best != 0 {
				r.touched = append(r.touched, kg.Entity(e))
			}
		}
	} else {
		slices.Sort(r.touched)
	}
	for _, e := range r.touched {
		degree := r.ways[e].best
		if withHair {
			degree = r.ways[e].withHair()
		}
		s.members, s.degrees = append(s.members, e), append(s.degrees, degree)
		r.ways[e] = ways{}
	}
	r.touched = r.touched[:0]
	return s
}
