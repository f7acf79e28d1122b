package gnn

import (
	"context"

	"github.com/lacuna-kg/lacuna/kernel"
)

// Backward adds to grads the gradient that dout (B,V) gives to the parameters, and
// releases the activations. Parameters must be those that Forward saw.
func (m *Model) Backward(ctx context.Context, grads Slab, t *Activations, dout kernel.Buffer) error {
	defer m.Release(t)
	m.Changed() // gradients are for changing the parameters
	if t.conditioned != nil {
		t.conditioned.gradient = m.buffers.zeros(len(t.conditioned.unique) * t.vectors.width)
	}
	for i := range t.chunks {
		c := &t.chunks[i]
		if c.state == nil {
			s, err := m.runChunk(ctx, t, *c, true)
			c.state = s
			if err != nil {
				return err
			}
		}
		err := m.chunkBackward(ctx, grads, t, *c, dout)
		m.release(c.state)
		c.state = nil
		if err != nil {
			return err
		}
	}
	return m.conditionBackward(ctx, grads, t)
}

func (m *Model) chunkBackward(ctx context.Context, grads Slab, t *Activations, c chunk, dout kernel.Buffer) error {
	s := c.state
	d := m.newStateGradients(s, grads)
	defer m.releaseGradients(d)
	m.headBackward(grads, s, d, t.rows(c, dout), t.rows(c, t.prob.Buffer))
	if err := m.propagateBackward(ctx, grads, s, d); err != nil {
		return err
	}
	m.network.queriesBackward(m, grads, t, c, d)
	return nil
}

// stateGradients are the gradients of a state.
type stateGradients struct {
	states []block // (B,V,D) of hidden, as many as live at once
	query  block   // (B,D)
	tables *tableGradients
}

func (m *Model) newStateGradients(s *state, grads Slab) stateGradients {
	d := stateGradients{query: m.buffers.zeros(s.query.Len()), tables: m.newTableGradients(s, grads)}
	for range m.stateGradients() {
		d.states = append(d.states, m.buffers.take(s.hidden[0].Len()))
	}
	for i := range m.Config.Layers + 1 {
		if i == m.Config.Layers || m.Config.ConcatHidden { // what the head adds to; all else is written by a layer first
			m.device.Fill(d.of(i), 0)
		}
	}
	return d
}

// of is the gradient of hidden[i].
func (d stateGradients) of(i int) kernel.Buffer { return d.states[i%len(d.states)].Buffer }

func (m *Model) releaseGradients(d stateGradients) {
	m.buffers.give(d.states...)
	m.buffers.give(d.tables.lent...)
	m.buffers.give(d.tables.relations...)
	m.buffers.give(d.query, d.tables.query, d.tables.base)
}

func (m *Model) headBackward(grads Slab, s *state, d stateGradients, dprob, prob kernel.Buffer) {
	din := kernel.HeadInput{Query: d.query.Buffer}
	for i := m.Config.Layers - m.Config.states() + 1; i <= m.Config.Layers; i++ {
		din.Hidden = append(din.Hidden, d.of(i))
	}
	m.device.HeadBackward(din, grads.head(s.prefix), dprob, prob, m.headInput(s), m.Parameters.head(s.prefix))
}

// propagateBackward takes the gradient of the last state back to the boundary.
func (m *Model) propagateBackward(ctx context.Context, grads Slab, s *state, d stateGradients) error {
	for i := m.Config.Layers - 1; i >= 0; i-- {
		if err := ctx.Err(); err != nil {
			return err
		}
		m.layerBackward(grads, s, i, d)
		m.network.tablesBackward(m, grads, s, d, i)
	}
	m.device.BoundaryBackward(d.query.Buffer, d.of(0), s.set)
	return nil
}

func (m *Model) layerBackward(grads Slab, s *state, i int, d stateGradients) {
	var kept kernel.Kept
	kept.Linear = s.linear[i].Buffer
	if s.stats != nil {
		kept.Stats = s.stats[i].Buffer
	}
	dout := d.of(i + 1)
	din := kernel.LayerGradient{Hidden: d.of(i), Query: d.query.Buffer, Relations: d.tables.vectors[i], Fresh: !m.Config.ConcatHidden}
	m.device.LayerBackward(m.layer, s.graph, din, grads.layer(s.prefix, i), dout, kept, m.layerInput(s, i), m.Parameters.layer(s.prefix, i))
}
