package cut

import (
	"math/bits"
	"slices"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

// part makes the cut of the entities that were chosen.
func (c *Cutter) part(p *push) *Cut {
	defer p.reset()
	cut := &Cut{Entities: slices.Clone(p.chosen)}
	p.nodes.fill(cut.Entities)
	degrees := &kernel.Degrees{Of: make([]int32, len(cut.Entities)), MeanLog: c.meanLog()}
	for node, e := range cut.Entities {
		degrees.Of[node] = int32(c.graph.Degree(e))
	}
	cut.Topology = kernel.NewSortedGraph(len(cut.Entities), c.graph.NumRelations(), p.edges.among(c.graph, &p.nodes, cut.Entities, degrees.Of), c.inverse)
	cut.Topology.Whole = degrees
	return cut
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

// marked appends those of a row's tails that have a mark: place in the row and entity in one word. It decides nothing, so that a core
// goes on to the next rows while it waits for memory.
func (t *nodeTable) marked(to []uint64, tails []kg.Entity) []uint64 {
	n := len(to)
	to = slices.Grow(to, len(tails))[:n+len(tails)]
	for i, e := range tails {
		at := t.hash(e)
		to[n] = uint64(i)<<32 | uint64(e)
		n += int(t.marks[at/64] >> (at % 64) & 1)
	}
	return to[:n]
}

// of is the node of an entity, -1 for none.
func (t *nodeTable) of(e kg.Entity) int32 {
	for at := t.hash(e); t.slots[at] != 0; at = (at + 1) & (len(t.slots) - 1) {
		if found := t.slots[at]; kg.Entity(found>>32) == e {
			return int32(uint32(found)) - 1
		}
	}
	return -1
}
