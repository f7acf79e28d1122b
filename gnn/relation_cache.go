package gnn

import (
	"context"
	"slices"

	"github.com/lacuna-kg/lacuna/kernel"
)

// cache remembers the relation vectors of a graph from one projection to the next: they
// depend on graph, parameters and query relation alone, and a graph has few relations. Those of
// alternating are the states before its first layer.
type cache struct {
	vectors
	age      int64   // of the parameters they were computed from
	relation []int32 // of each slot in use
	used     []int64 // when each slot was last asked for
	clock    int64
}

// Changed says that the parameters are no longer what they were: what was computed from
// them is forgotten. Backward says so itself; whoever sets parameters otherwise after a projection must.
func (m *Model) Changed() { m.age++ }

// remembered is the batch of a chunk, where the graph has a cache with the relation vectors of all its
// query relations in that.
func (m *Model) remembered(ctx context.Context, g *Graph, relations []int32) (batch, error) {
	b, c := batch{graph: g.messages, incidence: g.incidence, relations: relations}, g.cache
	if c == nil {
		return b, nil
	}
	if c.slot == nil || c.age != m.age {
		*c = cache{vectors: vectors{c.table, g.Relations() * m.Config.Width, map[int32]int32{}}, age: m.age}
	}
	c.clock++
	unique, _ := distinct(relations)
	missing := c.touch(unique)
	for group := range slices.Chunk(missing, m.inferenceChunk(g.derivedFrom())) {
		if err := m.remember(ctx, g, group); err != nil {
			return b, err
		}
	}
	b.vectors = &c.vectors
	return b, nil
}

// derivedFrom is the graph that relation vectors are computed on.
func (g *Graph) derivedFrom() kernel.DeviceGraph {
	if g.relations != nil {
		return g.relations
	}
	return g.messages
}

// touch notes the use of relations and gives those that are not there.
func (c *cache) touch(relations []int32) (missing []int32) {
	for _, r := range relations {
		if slot, ok := c.slot[r]; ok {
			c.used[slot] = c.clock
		} else {
			missing = append(missing, r)
		}
	}
	return missing
}

// remember computes the vectors of relations that are not there.
func (m *Model) remember(ctx context.Context, g *Graph, relations []int32) error {
	found, release, err := m.relationVectors(ctx, g, relations)
	defer release()
	if err != nil {
		return err
	}
	slots := make([]int32, len(relations))
	for i, r := range relations {
		slots[i] = m.newSlot(g.cache, g.Relations())
		g.cache.assign(slots[i], r)
	}
	whole := g.cache.table.Slice(0, g.cache.table.Len()/g.cache.width*g.cache.width)
	m.device.Scatter(whole, found, slots, g.cache.width)
	return nil
}

// relationVectors computes those of query relations, (U,R,D); release gives their memory back, also after an error.
func (m *Model) relationVectors(ctx context.Context, g *Graph, relations []int32) (found kernel.Buffer, release func(), err error) {
	if g.relations == nil {
		u := m.firstRelations(batch{graph: g.messages, incidence: g.incidence, relations: relations}, false)
		return u.last().Buffer, func() { m.releaseUpdates(u) }, ctx.Err()
	}
	s, err := m.runRelations(ctx, g, relations, false)
	if err != nil {
		return nil, func() { m.release(s) }, err
	}
	return s.last(), func() { m.release(s) }, nil
}

func (c *cache) assign(slot, relation int32) {
	c.relation[slot], c.used[slot] = relation, c.clock
	c.slot[relation] = slot
}

// newSlot is a slot to write to: a new one while the limit allows, else the one not
// asked for longest. Those of the present call stay, whatever the limit.
func (m *Model) newSlot(c *cache, relations int) int32 {
	limit := min(int64(relations), max(1, m.Limits.Vectors/(4*int64(c.width))))
	if int64(len(c.relation)) >= limit {
		oldest := 0
		for slot, used := range c.used {
			if used < c.used[oldest] {
				oldest = slot
			}
		}
		if c.used[oldest] < c.clock {
			delete(c.slot, c.relation[oldest])
			return int32(oldest)
		}
	}
	c.relation, c.used = append(c.relation, 0), append(c.used, 0)
	m.growTable(c)
	return int32(len(c.relation) - 1)
}

// growTable makes room for the last slot, doubling.
func (m *Model) growTable(c *cache) {
	old := c.table
	if old.whole != nil && old.Len() >= len(c.relation)*c.width {
		return
	}
	c.table = m.buffers.take(max(4, 2*(len(c.relation)-1)) * c.width)
	if old.whole != nil {
		m.device.Copy(c.table.Slice(0, old.Len()), old.Buffer)
		m.buffers.give(old)
	}
}
