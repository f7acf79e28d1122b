package cut

import (
	"math/bits"
	"slices"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

// longRow is from how many edges on the row of an entity is not read: of its edges those to others are found in their
// rows, and only those among entities with rows as long are looked for in it. Hubs are in every cut, and their rows
// may be longer than all others of it together.
const longRow = 1 << 12

// part makes the cut of the entities that were chosen.
func (c *Cutter) part(p *push) (*Cut, error) {
	defer p.reset()
	cut := &Cut{Entities: slices.Clone(p.chosen)}
	p.nodes.fill(cut.Entities)
	degrees := &kernel.Degrees{Of: make([]int32, len(cut.Entities)), MeanLog: c.meanLog()}
	for node, e := range cut.Entities {
		degrees.Of[node] = int32(c.graph.Degree(e))
	}
	var err error
	cut.Topology, err = kernel.NewGraph(len(cut.Entities), c.graph.NumRelations(), c.edges(&p.nodes, cut.Entities, degrees.Of), c.inverse)
	if err == nil {
		cut.Topology.Whole = degrees
	}
	return cut, err
}

// nodeTable tells the node of an entity in a cut, or that it is not in it, which is what it is asked nearly always: that is seen by a
// mark, of which there are so few that they stay in the nearest cache.
type nodeTable struct {
	marks []uint64 // a bit for every slot
	slots []uint64 // open-addressed, entity and node + 1 in one word
}

// fill lists entities, whose nodes are their places.
func (t *nodeTable) fill(entities []kg.Entity) {
	size := 1 << bits.Len(uint(8*len(entities)|63))
	t.marks, t.slots = cleared(t.marks, size/64), cleared(t.slots, size)
	for node, e := range entities {
		at := t.hash(e)
		t.marks[at/64] |= 1 << (at % 64)
		for t.slots[at] != 0 {
			at = (at + 1) & (size - 1)
		}
		t.slots[at] = uint64(e)<<32 | uint64(node+1)
	}
}

// cleared is a list of so many zeros, in the memory of another where that is enough.
func cleared(list []uint64, n int) []uint64 {
	if cap(list) < n {
		return make([]uint64, n)
	}
	clear(list[:n])
	return list[:n]
}

func (t *nodeTable) hash(e kg.Entity) int {
	return int(uint64(e)*0x9e3779b97f4a7c15>>32) & (len(t.slots) - 1)
}

// of is the node of an entity, -1 for none.
func (t *nodeTable) of(e kg.Entity) int32 {
	at := t.hash(e)
	if t.marks[at/64]>>(at%64)&1 == 0 {
		return -1
	}
	for ; t.slots[at] != 0; at = (at + 1) & (len(t.slots) - 1) {
		if found := t.slots[at]; kg.Entity(found>>32) == e {
			return int32(uint32(found)) - 1
		}
	}
	return -1
}

// edges are those among the entities, in any order.
func (c *Cutter) edges(nodes *nodeTable, entities []kg.Entity, degrees []int32) (edges []kernel.Edge) {
	var hubs []kg.Entity
	for node, e := range entities {
		relations, tails := c.graph.Edges(e)
		if len(tails) > longRow {
			hubs = append(hubs, e)
			continue
		}
		for i, t := range tails {
			at := nodes.of(t)
			if at < 0 {
				continue
			}
			edge := kernel.Edge{Head: int32(node), Relation: int32(relations[i]), Tail: at}
			edges = append(edges, edge)
			if degrees[at] > longRow {
				edges = append(edges, kernel.Edge{Head: edge.Tail, Relation: int32(relations[i].Inverse()), Tail: edge.Head})
			}
		}
	}
	for _, e := range hubs {
		edges = c.edgesOfHub(nodes, edges, e, hubs)
	}
	return edges
}

// edgesOfHub adds the edges from a hub to others, looked for relation by relation.
func (c *Cutter) edgesOfHub(nodes *nodeTable, edges []kernel.Edge, hub kg.Entity, others []kg.Entity) []kernel.Edge {
	relations, tails := c.graph.Edges(hub)
	for len(relations) > 0 {
		r := relations[0]
		n, _ := slices.BinarySearch(relations, r+1)
		for _, t := range others {
			if _, found := slices.BinarySearch(tails[:n], t); found {
				edges = append(edges, kernel.Edge{Head: nodes.of(hub), Relation: int32(r), Tail: nodes.of(t)})
			}
		}
		relations, tails = relations[n:], tails[n:]
	}
	return edges
}
