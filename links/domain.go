package links

import (
	"math"
	"slices"
	"sync"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

// Domains say how usual it is for an entity to have a relation. A network is asked for the tails of a head
// and says which are likelier than others, not whether there is any: a person is nobody's workplace, whoever
// would be the likeliest to work there. Read from the other end such a link is unlikely, as its tail competes with
// workplaces there; a map that reads domains makes it so from this end.
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
	e := Evidence{Total: math.Log(odds.Sum), Top: math.Log(float64(odds.Top)), Stated: stated}
	if stated == 0 && d != nil {
		e.Domain = d.domain(p.Relation).log(p.Head)
	}
	return e
}

// domain is that of one relation.
type domain struct {
	graph    *kg.Graph
	relation kg.Relation
	both     []int32 // of each relation, the entities that have it and this one
	usual    float64 // the share of all entities that have it
}

// keptDomains bounds the bytes of what is counted: beyond, all is counted anew.
const keptDomains = 64 << 20

func (d *Domains) domain(q kg.Relation) *domain {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if known := d.of[q]; known != nil {
		return known
	}
	if 4*d.graph.NumRelations()*len(d.of) > keptDomains {
		clear(d.of)
	}
	d.of[q] = d.count(q)
	return d.of[q]
}

func (d *Domains) count(q kg.Relation) *domain {
	heads := d.graph.ByRelation().Heads(q)
	c := &domain{graph: d.graph, relation: q, both: make([]int32, d.graph.NumRelations())}
	for _, e := range heads {
		eachRelation(d.graph, e, func(r kg.Relation) { c.both[r]++ })
	}
	c.usual = float64(len(heads)+1) / float64(d.graph.NumEntities()+2)
	return c
}

// log is the logarithm of the share of entities like e that have the relation: of those that have another relation
// of e's too, whichever says most for it. What is stated of e itself does not count.
func (d *domain) log(e kg.Entity) float64 {
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
	return math.Log(share)
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
