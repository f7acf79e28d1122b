package links

import (
	"math"
	"slices"
	"sync"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

// Domains say what room an entity has for one more link of a relation: how usual that is on this graph, by counting, without a schema. A network is asked for the
// tails of a head and says which are likelier than others, not whether there is any: a person is nobody's workplace, whoever would be the likeliest to work
// there, and an airport that has its country has no second one. A map reads the room at the head of a link and, backwards, at its tail.
//
// Any number of goroutines may ask. Counting begins with the first question.
type Domains struct {
	graph *kg.Graph
	mutex sync.Mutex
	of    map[kg.Relation]*domain
}

// NewDomains are those of the relations of a graph.
func NewDomains(g *kg.Graph) *Domains {
	return &Domains{graph: g, of: map[kg.Relation]*domain{}}
}

// Evidence is that of a pair, with so many stated tails, by the odds of its row without these. Nil is for a map that does not read
// domains.
func (d *Domains) Evidence(odds kernel.Evidence, p Pair, stated int) Evidence {
	e := Evidence{Total: math.Log(odds.Sum), Top: math.Log(float64(odds.Top)), Stated: stated, Relation: p.Relation}
	if d != nil {
		e.Room, e.tails = d.domain(p.Relation).room(p.Head, stated), d.domain(p.Relation.Inverse())
	}
	return e
}

// Room is the logarithm of how usual one tail more is for the head of a pair that has so many.
func (d *Domains) Room(p Pair, stated int) float64 { return d.domain(p.Relation).room(p.Head, stated) }

// domain is that of one relation.
type domain struct {
	graph    *kg.Graph
	relation kg.Relation
	both     []int32   // of each relation, the entities that have it and this one
	atLeast  []int32   // the entities that have so many tails or more, up to mostCounted
	usual    float64   // the share of all entities that have it
	rooms    []float32 // of all entities, where they are few
}

const (
	keptDomains  = 64 << 20 // bytes of what is counted: beyond, all is counted anew
	headsForAll  = 1 << 16  // of a relation with more heads, every so many stand for all
	mostCounted  = 64       // tails
	leastCounted = 10       // heads that tell how usual one tail more is
	fewEntities  = 1 << 17  // whose rooms are kept
)

func (d *Domains) domain(q kg.Relation) *domain {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if known := d.of[q]; known != nil {
		return known
	}
	c := d.count(q)
	if size := 4 * (len(c.both) + len(c.rooms)); size*len(d.of) > keptDomains {
		clear(d.of)
	}
	d.of[q] = c
	return c
}

func (d *Domains) count(q kg.Relation) *domain {
	heads := d.graph.ByRelation().Heads(q)
	c := &domain{graph: d.graph, relation: q, both: make([]int32, d.graph.NumRelations()), atLeast: make([]int32, mostCounted+1)}
	stride := 1 + len(heads)/headsForAll
	for i := 0; i < len(heads); i += stride {
		eachRelation(d.graph, heads[i], func(r kg.Relation) { c.both[r] += int32(stride) })
		for k := range min(mostCounted, len(d.graph.Tails(heads[i], q))) {
			c.atLeast[k+1] += int32(stride)
		}
	}
	c.usual = float64(len(heads)+1) / float64(d.graph.NumEntities()+2)
	if n := d.graph.NumEntities(); n <= fewEntities {
		c.rooms = make([]float32, n)
		for e := range c.rooms {
			c.rooms[e] = float32(c.ofTail(kg.Entity(e)))
		}
	}
	return c
}

// room is the logarithm of how usual one tail more is for an entity with so many: of those that have them, how many have more; of those like it
// that have none, the odds of having one.
func (d *domain) room(e kg.Entity, stated int) float64 {
	if stated == 0 {
		return d.first(e)
	}
	n := min(stated, mostCounted-1)
	for n > 1 && d.atLeast[n] < leastCounted {
		n--
	}
	return math.Log((float64(d.atLeast[n+1]) + 0.5) / (float64(d.atLeast[n]) + 1))
}

// tail is the room of an entity for one more link that leads to it, of the relation read backwards.
func (d *domain) tail(e kg.Entity) float64 {
	switch {
	case d == nil:
		return 0
	case d.rooms != nil:
		return float64(d.rooms[e])
	}
	return d.ofTail(e)
}

// enoughRoom is the room, in a logarithm, from which on it does not matter how much: the network knows better which tails are likely. What is below is next to impossible: a
// tail that is single-valued backwards and has its head, or one that is of another kind.
const enoughRoom = -4

// ofTail is by how much an entity lacks that room.
func (d *domain) ofTail(e kg.Entity) float64 {
	return min(0, d.room(e, len(d.graph.Tails(e, d.relation)))-enoughRoom)
}

// mostRoom is the most that counts of an entity without a tail: nearly all like it have one.
const mostRoom = 2

// first is the logarithm of the odds that an entity like e has the relation: among those that have another relation
// of e's too, whichever says most for it. What is stated of e itself does not count.
func (d *domain) first(e kg.Entity) float64 {
	self, share, byRelation := 0.0, 0.0, d.graph.ByRelation()
	if len(d.graph.Tails(e, d.relation)) > 0 {
		self = 1
	}
	eachRelation(d.graph, e, func(r kg.Relation) {
		if r != d.relation {
			share = max(share, (float64(d.both[r])-self+d.usual)/float64(len(byRelation.Heads(r))+1))
		}
	})
	if share == 0 { // nothing else is stated of e
		share = d.usual
	}
	return min(mostRoom, logit(min(share, belowOne)))
}

// eachRelation visits the relations that are stated of an entity, each once. Hubs have many facts of one.
func eachRelation(g *kg.Graph, e kg.Entity, visit func(kg.Relation)) {
	for relations, _ := g.Edges(e); len(relations) > 0; {
		visit(relations[0])
		next := 1
		if len(relations) > 1 && relations[1] == relations[0] {
			next, _ = slices.BinarySearch(relations, relations[0]+1)
		}
		relations = relations[next:]
	}
}
