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
	touched  []touched // in the order that they were come to
	queue    []int32   // places of those whose rest is to be shared out
	followed int       // edges
	degrees  []int32   // of the neighbours of those next in the queue
	ahead    ahead

	slots  []int32  // an open-addressed table of entities: place + 1, 0 where empty
	keys   []uint64 // of those to choose from
	chosen []kg.Entity
	spare  []kg.Entity
	nodes  nodeTable // of those chosen
	edges  edgeLists // among them
}

// touched is an entity that a push came to: all that is asked of it lies side by side.
type touched struct {
	mass, rest float64
	entity     kg.Entity
	degree     int32 // in the graph, which lies far apart in memory
	waits      bool  // it stands in the queue
}

func newPush() *push { return &push{slots: make([]int32, 1<<12)} }

// reset forgets all but the memory.
func (p *push) reset() {
	clear(p.slots)
	p.touched, p.queue, p.chosen, p.followed = p.touched[:0], p.queue[:0], p.chosen[:0], 0
}

// start is the entity e, where it is not touched yet with no rest.
func (p *push) start(g *kg.Graph, e kg.Entity) *touched {
	return &p.touched[p.at(e, int32(g.Degree(e)))]
}

// at is the place of an entity of that degree, a new one if it has none.
func (p *push) at(e kg.Entity, degree int32) int32 {
	slot := p.slot(e)
	if found := p.slots[slot]; found > 0 {
		return found - 1
	}
	p.touched = append(p.touched, touched{entity: e, degree: degree})
	p.slots[slot] = int32(len(p.touched))
	if 2*len(p.touched) > len(p.slots) {
		p.grow()
	}
	return int32(len(p.touched) - 1)
}

// find is the place of an entity, or -1.
func (p *push) find(e kg.Entity) int32 { return p.slots[p.slot(e)] - 1 }

func (p *push) slot(e kg.Entity) int {
	mask := len(p.slots) - 1
	for i := int(uint64(e)*0x9e3779b97f4a7c15>>32) & mask; ; i = (i + 1) & mask {
		if at := p.slots[i]; at == 0 || p.touched[at-1].entity == e {
			return i
		}
	}
}

func (p *push) grow() {
	p.slots = make([]int32, 4*len(p.slots))
	for i, t := range p.touched {
		p.slots[p.slot(t.entity)] = int32(i + 1)
	}
}

// around pushes from a head until enough entities are touched to choose from.
func (p *push) around(g *kg.Graph, head kg.Entity, size int) {
	p.start(g, head).rest = 1
	p.until(g, size)
}

// until pushes what is given until enough entities are touched to choose from.
func (p *push) until(g *kg.Graph, size int) {
	enough := func() bool {
		return len(p.touched) >= choice*size || len(p.touched) >= size && p.followed >= effort*size
	}
	for tolerance := firstTolerance; tolerance > lastTolerance && !enough(); tolerance /= 4 {
		p.within(g, tolerance)
	}
}

// within pushes until no rest is above the tolerance.
func (p *push) within(g *kg.Graph, tolerance float64) {
	for at := range p.touched {
		p.enqueue(int32(at), tolerance)
	}
	for done := 0; done < len(p.queue); {
		next := p.queue[done:min(done+together, len(p.queue))]
		p.readDegrees(g, next)
		degrees := p.degrees
		for _, at := range next {
			n := p.share(g, at, degrees, tolerance)
			degrees = degrees[n:]
		}
		done += len(next) // the queue may have grown meanwhile
	}
	p.queue = p.queue[:0]
}

// readDegrees lists the degrees of the neighbours of some entities.
func (p *push) readDegrees(g *kg.Graph, of []int32) {
	p.degrees = p.degrees[:0]
	for _, at := range of {
		_, tails := g.Edges(p.touched[at].entity)
		read(&p.ahead, tails)
	}
	for _, at := range of {
		_, tails := g.Edges(p.touched[at].entity)
		for _, t := range tails {
			p.degrees = append(p.degrees, int32(g.Degree(t)))
		}
	}
}

func (p *push) enqueue(at int32, tolerance float64) {
	if t := &p.touched[at]; !t.waits && t.rest > tolerance*float64(t.degree) {
		t.waits = true
		p.queue = append(p.queue, at)
	}
}

// share keeps a part of an entity's rest and gives its neighbours the others. It tells how many they are; degrees begins with theirs.
func (p *push) share(g *kg.Graph, at int32, degrees []int32, tolerance float64) (neighbours int) {
	from := &p.touched[at]
	rest := from.rest
	from.waits, from.rest = false, 0
	_, tails := g.Edges(from.entity)
	if len(tails) == 0 { // a walk that cannot go on stays
		from.mass += rest
		return 0
	}
	p.followed += len(tails)
	from.mass += restart * rest
	each := (1 - restart) * rest / float64(len(tails))
	for i, t := range tails {
		next := p.at(t, degrees[i])
		p.touched[next].rest += each
		p.enqueue(next, tolerance)
	}
	return len(tails)
}

// score is what is known of the visits of an entity: its mass, and what sharing its rest out would add to it.
func (t *touched) score() float32 { return float32(t.mass + restart*t.rest) }

// choose lists the best of the touched entities, ascending; the first so many are in it in any case.
func (p *push) choose(size, fixed int) {
	keys := p.keys[:0]
	for at := range p.touched {
		t := &p.touched[at]
		score := t.score()
		if at < fixed {
			score = math.MaxFloat32
		}
		keys = append(keys, uint64(^math.Float32bits(score))<<32|uint64(t.entity)) // the lowest is the best, of equal ones by id
	}
	p.keys = keys
	if size < len(keys) {
		selectLowest(keys, size)
		keys = keys[:size]
	}
	for _, key := range keys {
		p.chosen = append(p.chosen, kg.Entity(uint32(key)))
	}
	p.spare = slices.Grow(p.spare[:0], len(p.chosen))[:len(p.chosen)]
	sortEntities(p.chosen, p.spare)
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

// sortEntities sorts by digits, the lowest first, with as much memory beside it: ten thousand take a fifth of the time that comparisons do.
func sortEntities(list, spare []kg.Entity) {
	const digit = 12
	var all kg.Entity
	for _, e := range list {
		all |= e
	}
	from, to := list, spare
	for shift := 0; all>>shift != 0; shift += digit {
		var next [1 << digit]int32
		for _, e := range from {
			next[e>>shift%(1<<digit)]++
		}
		sum := int32(0)
		for d, count := range next {
			next[d], sum = sum, sum+count
		}
		for _, e := range from {
			d := e >> shift % (1 << digit)
			to[next[d]] = e
			next[d]++
		}
		from, to = to, from
	}
	if len(list) > 0 && &from[0] != &list[0] {
		copy(list, from)
	}
}
