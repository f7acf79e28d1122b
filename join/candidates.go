package join

import (
	"math"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
)

// candidates are the entities to try for a variable, the likeliest first: those that are sure, of
// degree 1, and the others with their degrees, of a row in its order or ranked here. They may be parts of a row's memory.
type candidates struct {
	sure    []kg.Entity
	others  []kg.Entity
	degrees []float32
	ranked  *ranking // the others, where they are of no row
}

func (c candidates) len() int {
	if c.ranked != nil {
		return len(c.sure) + len(c.ranked.keys)
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
	var r ranking
	for _, m := range members {
		r.add(m.entity, m.degree)
	}
	return r.candidates()
}

// ranking puts entities in the order of their degrees, equal ones by id, as far as somebody asks: of the many that a search finds for a variable it tries
// few. An entity is a number, its degree turned round above its id, so that the lowest comes first; the numbers are
// a heap, and behind it, from the end, those that were taken from it.
type ranking struct {
	sure []kg.Entity
	keys []uint64
	heap int // so many are still in it
}

// add takes an entity in, unless it is impossible.
func (r *ranking) add(e kg.Entity, degree float64) {
	switch {
	case degree <= 0:
	case degree >= 1:
		r.sure = append(r.sure, e)
	default:
		r.keys = append(r.keys, uint64(^math.Float32bits(float32(degree)))<<32|uint64(e))
	}
}

// candidates are what was added.
func (r *ranking) candidates() candidates {
	slices.Sort(r.sure)
	r.heap = len(r.keys)
	for i := r.heap/2 - 1; i >= 0; i-- {
		r.sink(i)
	}
	return candidates{sure: r.sure, ranked: r}
}

// at is the entity of a rank among those that are not sure.
func (r *ranking) at(i int) (kg.Entity, float64) {
	for i >= len(r.keys)-r.heap {
		r.heap--
		r.keys[0], r.keys[r.heap] = r.keys[r.heap], r.keys[0]
		r.sink(0)
	}
	key := r.keys[len(r.keys)-1-i]
	return kg.Entity(uint32(key)), float64(math.Float32frombits(^uint32(key >> 32)))
}

// sink moves a number down to its place in the heap.
func (r *ranking) sink(i int) {
	heap := r.keys[:r.heap]
	for {
		low := 2*i + 1
		if low >= len(heap) {
			return
		}
		if low+1 < len(heap) && heap[low+1] < heap[low] {
			low++
		}
		if heap[i] <= heap[low] {
			return
		}
		heap[i], heap[low] = heap[low], heap[i]
		i = low
	}
}
