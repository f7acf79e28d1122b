package cut

import (
	"math"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
)

// restart is the probability by which a walk starts anew at each step: a walk takes six steps or so, as networks have layers.
const restart = 0.15

// The tolerance of a push: what is left at an entity, shared out to its edges. A push begins with the first and goes on with a
// quarter until there are entities enough; beyond the last what it would find is nowhere near.
const (
	firstTolerance = 1e-4
	lastTolerance  = 1e-9
)

// A push ends when it has come to choice times as many entities as wanted, of which the best are chosen, or to as many as
// wanted and has followed effort edges for each: of a graph with few more there is nothing to choose.
const (
	choice = 2
	effort = 64
)

// push is personalised PageRank on its way. Mass is what was found so far, rest what still has to be shared out: of a
// walk's visits at v, mass[v] ≤ visits[v], and the differences are the visits of walks that start with the rest. Where no
// entity has a rest above tolerance·degree, no difference is above tolerance·degree either.
type push struct {
	entities []kg.Entity // touched, in the order that they were come to
	mass     []float64   // of each of them
	rest     []float64
	degree   []int32 // of each in the graph, which lies far apart in memory
	waits    []bool  // it stands in the queue
	queue    []int32
	followed int // edges

	slots  []int32 // an open-addressed table of entities: place + 1, 0 where empty
	chosen []kg.Entity
	nodes  nodeTable // of those chosen
}

func newPush() *push { return &push{slots: make([]int32, 1<<12)} }

// reset forgets all but the memory.
func (p *push) reset() {
	clear(p.slots)
	p.entities, p.mass, p.rest, p.degree, p.waits = p.entities[:0], p.mass[:0], p.rest[:0], p.degree[:0], p.waits[:0]
	p.queue, p.chosen, p.followed = p.queue[:0], p.chosen[:0], 0
}

// at is the place of an entity, a new one if it has none.
func (p *push) at(g *kg.Graph, e kg.Entity) int32 {
	slot := p.slot(e)
	if found := p.slots[slot]; found > 0 {
		return found - 1
	}
	p.entities, p.mass, p.rest, p.waits = append(p.entities, e), append(p.mass, 0), append(p.rest, 0), append(p.waits, false)
	p.degree = append(p.degree, int32(g.Degree(e)))
	p.slots[slot] = int32(len(p.entities))
	if 2*len(p.entities) > len(p.slots) {
		p.grow()
	}
	return int32(len(p.entities) - 1)
}

// find is the place of an entity, or -1.
func (p *push) find(e kg.Entity) int32 { return p.slots[p.slot(e)] - 1 }

func (p *push) slot(e kg.Entity) int {
	mask := len(p.slots) - 1
	for i := int(uint64(e)*0x9e3779b97f4a7c15>>32) & mask; ; i = (i + 1) & mask {
		if at := p.slots[i]; at == 0 || p.entities[at-1] == e {
			return i
		}
	}
}

func (p *push) grow() {
	p.slots = make([]int32, 4*len(p.slots))
	for i, e := range p.entities {
		p.slots[p.slot(e)] = int32(i + 1)
	}
}

// around pushes from a head until enough entities are touched to choose from.
func (p *push) around(g *kg.Graph, head kg.Entity, size int) {
	p.rest[p.at(g, head)] = 1
	p.until(g, size)
}

// until pushes what is given until enough entities are touched to choose from.
func (p *push) until(g *kg.Graph, size int) {
	enough := func() bool {
		return len(p.entities) >= choice*size || len(p.entities) >= size && p.followed >= effort*size
	}
	for tolerance := firstTolerance; tolerance > lastTolerance && !enough(); tolerance /= 4 {
		p.within(g, tolerance)
	}
}

// within pushes until no rest is above the tolerance.
func (p *push) within(g *kg.Graph, tolerance float64) {
	for at := range p.entities {
		p.enqueue(int32(at), tolerance)
	}
	for i := 0; i < len(p.queue); i++ {
		p.share(g, p.queue[i], tolerance)
	}
	p.queue = p.queue[:0]
}

func (p *push) enqueue(at int32, tolerance float64) {
	if !p.waits[at] && p.rest[at] > tolerance*float64(p.degree[at]) {
		p.waits[at] = true
		p.queue = append(p.queue, at)
	}
}

// share keeps a part of an entity's rest and gives its neighbours the others.
func (p *push) share(g *kg.Graph, at int32, tolerance float64) {
	rest := p.rest[at]
	p.waits[at], p.rest[at] = false, 0
	_, tails := g.Edges(p.entities[at])
	if len(tails) == 0 { // a walk that cannot go on stays
		p.mass[at] += rest
		return
	}
	p.followed += len(tails)
	p.mass[at] += restart * rest
	each := (1 - restart) * rest / float64(len(tails))
	for _, t := range tails {
		next := p.at(g, t)
		p.rest[next] += each
		p.enqueue(next, tolerance)
	}
}

// score is what is known of the visits of an entity: its mass, and what sharing its rest out would add to it.
func (p *push) score(at int) float32 { return float32(p.mass[at] + restart*p.rest[at]) }

// choose lists the best of the touched entities, ascending; the first so many are in it in any case.
func (p *push) choose(size, fixed int) {
	keys := make([]uint64, 0, len(p.entities))
	for at, e := range p.entities {
		score := p.score(at)
		if at < fixed {
			score = math.MaxFloat32
		}
		keys = append(keys, uint64(^math.Float32bits(score))<<32|uint64(e)) // the lowest is the best, of equal ones by id
	}
	if size < len(keys) {
		selectLowest(keys, size)
		keys = keys[:size]
	}
	for _, key := range keys {
		p.chosen = append(p.chosen, kg.Entity(uint32(key)))
	}
	slices.Sort(p.chosen)
}

// all chooses every entity.
func (p *push) all(entities int) {
	for e := range kg.Entity(entities) {
		p.chosen = append(p.chosen, e)
	}
}

// selectLowest moves the n lowest of distinct keys to the front, in any order: quickselect with the median of three.
func selectLowest(keys []uint64, n int) {
	for from, to := 0, len(keys); to-from > 1; {
		middle := keys[from+(to-from)/2]
		pivot := max(min(keys[from], middle), min(max(keys[from], middle), keys[to-1]))
		i, j := from, to-1
		for i <= j {
			for keys[i] < pivot {
				i++
			}
			for keys[j] > pivot {
				j--
			}
			if i <= j {
				keys[i], keys[j] = keys[j], keys[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case n <= j:
			to = j + 1
		case n >= i:
			from = i
		default:
			return
		}
	}
}
