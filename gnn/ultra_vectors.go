package gnn

import (
	"context"

	"github.com/lacuna-kg/lacuna/kernel"
)

// vectors holds relation vectors by query relation: each slot is what the relation model
// gives for one of them, (R,D).
type vectors struct {
	table block // (S,R,D)
	width int   // R·D
	slot  map[int32]int32
}

// slots gives where the vectors of query relations stand, all of which must be there.
func (v *vectors) slots(relations []int32) []int32 {
	slots := make([]int32, len(relations))
	for i, r := range relations {
		slots[i] = v.slot[r]
	}
	return slots
}

// runRelations runs the relation model for distinct query relations: its last state is
// their vectors, (U,R,D). The state must be released, also after an error.
func (m *Model) runRelations(ctx context.Context, g *Graph, relations []int32, keep bool) (*state, error) {
	s := &state{graph: g.relations, prefix: relationModel, isKept: keep, tables: m.typeTables(len(relations))}
	s.ownSet = m.buffers.take(len(relations) * g.Relations())
	s.set = s.ownSet.Buffer
	rows := make([]int32, len(relations))
	for i := range rows {
		rows[i] = int32(i)
	}
	m.device.Singletons(s.set, g.Relations(), rows, relations)
	s.query = m.buffers.take(len(relations) * m.Config.Width)
	m.device.Fill(s.query.Buffer, 1)
	return s, m.propagate(ctx, s)
}

// last is the state after all layers.
func (s *state) last() kernel.Buffer { return s.hidden[len(s.hidden)-1].Buffer }

// conditioned is the relation model's part of the activations.
type conditioned struct {
	graph    *Graph
	unique   []int32 // (U) the query relations of the batch
	gradient block   // (U,R,D) of the vectors, in Backward
	groups   []chunk // of unique
}

// condition computes the relation vectors of a batch that goes backward, each once.
func (m *Model) condition(ctx context.Context, t *Activations, g *Graph) error {
	if g.relations == nil {
		return nil
	}
	c := &conditioned{graph: g}
	c.unique, _ = distinct(t.relations)
	t.conditioned = c
	t.vectors = &vectors{width: g.Relations() * m.Config.Width, slot: map[int32]int32{}}
	t.vectors.table = m.buffers.take(len(c.unique) * t.vectors.width)
	for i, r := range c.unique {
		t.vectors.slot[r] = int32(i)
	}
	step := even(len(c.unique), m.trainingChunk(g.relations))
	for from := 0; from < len(c.unique); from += step {
		if err := m.conditionGroup(ctx, t, from, min(from+step, len(c.unique))); err != nil {
			return err
		}
	}
	return nil
}

// conditionGroup runs the relation model for some query relations and keeps its state while there is room.
func (m *Model) conditionGroup(ctx context.Context, t *Activations, from, to int) error {
	c, group := t.conditioned, chunk{from: from, to: to}
	bytes := int64(to-from) * m.keptBytes(c.graph.relations)
	keep := m.kept+bytes <= m.Limits.Kept
	s, err := m.runRelations(ctx, c.graph, c.unique[from:to], keep)
	if err == nil {
		m.device.Copy(t.vectors.table.Slice(from*t.vectors.width, to*t.vectors.width), s.last())
	}
	if keep && err == nil {
		group.state, s.bytes = s, bytes
		m.kept += bytes
	} else {
		m.release(s)
	}
	c.groups = append(c.groups, group)
	return err
}

// conditionBackward takes the gradient of the relation vectors through the relation model.
func (m *Model) conditionBackward(ctx context.Context, grads Slab, t *Activations) error {
	if t.conditioned == nil {
		return nil
	}
	c := t.conditioned
	for i := range c.groups {
		group := &c.groups[i]
		if group.state == nil {
			s, err := m.runRelations(ctx, c.graph, c.unique[group.from:group.to], true)
			group.state = s
			if err != nil {
				return err
			}
		}
		d := m.newStateGradients(group.state, grads)
		m.device.Copy(d.of(m.Config.Layers), c.gradient.Slice(group.from*t.vectors.width, group.to*t.vectors.width))
		err := m.propagateBackward(ctx, grads, group.state, d)
		m.releaseGradients(d)
		m.release(group.state)
		group.state = nil
		if err != nil {
			return err
		}
	}
	return nil
}

func (m *Model) releaseConditioned(t *Activations) {
	if t.conditioned == nil {
		return
	}
	for _, group := range t.conditioned.groups {
		m.release(group.state)
	}
	m.buffers.give(t.vectors.table, t.conditioned.gradient)
	t.conditioned, t.vectors = nil, nil
}
