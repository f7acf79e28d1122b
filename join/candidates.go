package join

import (
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
)

// candidates are the entities to try for a variable, the likeliest first: those that are sure, of
// degree 1, and the others with their degrees, of a row in its order or ranked here. They may be parts of a row's memory: a row's
// probabilities are float32 and lose nothing as such, but what is calculated of them is float64 throughout.
type candidates struct {
	sure    []kg.Entity
	others  []kg.Entity
	degrees []float32
	ranked  *ranking // the others, where they are of no row
}

func (c candidates) len() int {
	if c.ranked != nil {
		return len(c.sure) + len(c.ranked.members)
	}
	return len(c.sure) + len(c.others)
}

func (c candidates) at(i int) (kg.Entity, float64) {
	if i < len(c.sure) {
		return c.sure[i], 1
	}
	if i -= len(c.sure); c.ranked != nil {
		return c.ranked.at(i)
	}
	return c.others[i], float64(c.degrees[i])
}

// first is the likeliest alone.
func (c candidates) first() candidates {
	if c.len() == 0 {
		return c
	}
	e, degree := c.at(0)
	return newCandidates([]member{{e, degree}})
}

// newCandidates ranks members.
func newCandidates(members []member) candidates {
	all := gathering{members: make([]member, 0, len(members))}
	for _, m := range members {
		all.add(m.entity, m.degree)
	}
	return all.candidates()
}

// gathering collects entities to try.
type gathering struct {
	sure    []kg.Entity
	members []member
}

// add takes an entity in, unless it is impossible.
func (g *gathering) add(e kg.Entity, degree float64) {
	switch {
	case degree <= 0:
	case degree >= 1:
		g.sure = append(g.sure, e)
	default:
		g.members = append(g.members, member{e, degree})
	}
}

// candidates ranks what was added, in memory of its own: that of the gathering serves for the next.
func (g *gathering) candidates() candidates {
	c := candidates{sure: slices.Clone(g.sure), ranked: &ranking{members: slices.Clone(g.members)}}
	slices.Sort(c.sure)
	c.ranked.left = len(c.ranked.members)
	g.sure, g.members = g.sure[:0], g.members[:0]
	return c
}

// ranking puts entities in the order of their degrees, equal ones by id, as far as somebody asks: of the many that a search finds for a variable it tries
// few, and mostly one, which a look at each finds. For a second the others become a heap, the likeliest on top. Those that were taken are behind what is left,
// from the end. Degrees are bounds of the search and degrees of answers, so that they stay as they were calculated.
type ranking struct {
	members []member
	left    int // so many were not taken yet
}

// at is the entity of a rank.
func (r *ranking) at(i int) (kg.Entity, float64) {
	for taken := len(r.members) - r.left; taken <= i; taken++ {
		switch taken {
		case 0:
			r.takeFirst()
		case 1:
			r.heapify()
			fallthrough
		default:
			r.takeTop()
		}
	}
	m := r.members[len(r.members)-1-i]
	return m.entity, m.degree
}

// takeFirst takes the likeliest of what is in no order.
func (r *ranking) takeFirst() {
	best := 0
	for i, m := range r.members {
		if m.isBefore(r.members[best]) {
			best = i
		}
	}
	r.left--
	r.members[best], r.members[r.left] = r.members[r.left], r.members[best]
}

// takeTop takes the likeliest of the heap.
func (r *ranking) takeTop() {
	r.left--
	top := r.members[0]
	r.sink(0, r.members[r.left])
	r.members[r.left] = top
}

// heapify makes what is left a heap.
func (r *ranking) heapify() {
	for i := r.left/2 - 1; i >= 0; i-- {
		r.sink(i, r.members[i])
	}
}

// sink puts a member into the heap, at a place or below it: what is likelier there moves up.
func (r *ranking) sink(i int, m member) {
	heap := r.members[:r.left]
	for next := 2*i + 1; next < len(heap); next = 2*i + 1 {
		if right := next + 1; right < len(heap) && heap[right].isBefore(heap[next]) {
			next = right
		}
		if !heap[next].isBefore(m) {
			break
		}
		heap[i] = heap[next]
		i = next
	}
	r.members[i] = m
}

// isBefore is the order of byDegree.
func (m member) isBefore(other member) bool {
	return m.degree > other.degree || m.degree == other.degree && m.entity < other.entity
}
