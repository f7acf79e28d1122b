package sample

import (
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
)

// links groups the edges of a graph by entity and relation. A link is such a
// pair, of an entity and one relation that it has; a step of grounding draws a
// link of an entity, whatever the number of edges in it. Each link also tells
// whether it has an edge that a smaller graph lacks.
type links struct {
	graph     *kg.Graph
	connected []kg.Entity // entities that have any edge
	first     []uint64    // links of entity e are first[e] … first[e+1]-1
	relations []kg.Relation
	starts    []uint32 // where in the row of its entity the edges of a link begin
	grown     []bool   // by link; nil without a smaller graph
	anyGrown  []bool   // by relation
}

// newLinks groups the edges of full. The facts of small must be among those of full; small may be nil.
func newLinks(full, small *kg.Graph) *links {
	count := countLinks(full)
	x := &links{
		graph: full, first: make([]uint64, full.NumEntities()+1),
		relations: make([]kg.Relation, 0, count), starts: make([]uint32, 0, count),
	}
	for e := range kg.Entity(full.NumEntities()) {
		relations, _ := full.Edges(e)
		for i, r := range relations {
			if i == 0 || relations[i-1] != r {
				x.relations = append(x.relations, r)
				x.starts = append(x.starts, uint32(i))
			}
		}
		if len(relations) > 0 {
			x.connected = append(x.connected, e)
		}
		x.first[e+1] = uint64(len(x.relations))
	}
	if small != nil {
		x.compare(small)
	}
	return x
}

// compare marks the links that have more edges than in the smaller graph.
func (x *links) compare(small *kg.Graph) {
	x.grown = make([]bool, len(x.relations))
	x.anyGrown = make([]bool, x.graph.NumRelations())
	for e := range kg.Entity(x.graph.NumEntities()) {
		for link := x.first[e]; link < x.first[e+1]; link++ {
			r := x.relations[link]
			if len(x.edges(e, link)) > len(small.Tails(e, r)) {
				x.grown[link], x.anyGrown[r] = true, true
			}
		}
	}
}

// of gives the relations that e has, in order; the first of them is link number first.
func (x *links) of(e kg.Entity) (relations []kg.Relation, first uint64) {
	return x.relations[x.first[e]:x.first[e+1]], x.first[e]
}

// entity is the one whose link it is.
func (x *links) entity(link uint64) kg.Entity {
	after, _ := slices.BinarySearch(x.first, link+1) // the first entity whose links begin beyond
	return kg.Entity(after - 1)
}

// edges gives the entities that e reaches by one of its links.
func (x *links) edges(e kg.Entity, link uint64) []kg.Entity {
	_, tails := x.graph.Edges(e)
	if link+1 < x.first[e+1] {
		tails = tails[:x.starts[link+1]]
	}
	return tails[x.starts[link]:]
}

// hasGrown tells whether e reaches more entities by r than in the smaller graph.
func (x *links) hasGrown(e kg.Entity, r kg.Relation) bool {
	relations, first := x.of(e)
	at, found := slices.BinarySearch(relations, r)
	return found && x.grown[first+uint64(at)]
}
