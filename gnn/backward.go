package gnn

import (
	"context"

	"github.com/lacuna-kg/lacuna/kernel"
)

// Backward adds to grads the gradient that dout (B,V) gives to the parameters, and
// releases the trace. Parameters must be those that Forward saw.
func (m *Model) Backward(ctx context.Context, grads Slab, t *Trace, dout kernel.Buffer) error {
	defer m.Release(t)
	nodes := t.graph.Nodes()
	for i := range t.chunks {
		c := &t.chunks[i]
		rows := func(b kernel.Buffer) kernel.Buffer { return b.Slice(c.from*nodes, c.to*nodes) }
		relations := t.relations[c.from:c.to]
		if c.state == nil {
			s, err := m.run(ctx, t.graph, rows(t.prob.Buffer), rows(t.set.Buffer), relations, true)
			c.state = s
			if err != nil {
				return err
			}
		}
		err := m.chunkBackward(ctx, grads, c.state, rows(dout), rows(t.prob.Buffer), relations)
		m.release(c.state)
		c.state = nil
		if err != nil {
			return err
		}
	}
	return nil
}

func (m *Model) chunkBackward(ctx context.Context, grads Slab, s *state, dprob, prob kernel.Buffer, relations []int32) error {
	dtables := m.newTableGradients(s.tables, grads)
	dquery := m.memory.zeros(s.query.Len())
	dstates := m.newStateGradients(s)
	defer func() {
		m.memory.give(dtables.lent...)
		m.memory.give(dtables.query, dquery)
		m.memory.give(dstates...)
	}()
	m.headBackward(grads, s, dstates, dquery.Buffer, dprob, prob)
	for i := m.Config.Layers - 1; i >= 0; i-- {
		if err := ctx.Err(); err != nil {
			return err
		}
		m.layerBackward(grads, s, i, dstates, dquery.Buffer, dtables)
		m.tablesBackward(dtables, grads, s.tables, i)
	}
	m.device.BoundaryBackward(dquery.Buffer, m.stateGradient(dstates, 0), s.set)
	m.scatterQueries(grads, s, dquery.Buffer, dtables, relations)
	return nil
}

func (m *Model) newStateGradients(s *state) []block {
	var d []block
	for range m.stateGradients() {
		d = append(d, m.memory.zeros(s.hidden[0].Len()))
	}
	return d
}

// stateGradient is the gradient of hidden[i].
func (m *Model) stateGradient(dstates []block, i int) kernel.Buffer {
	return dstates[i%len(dstates)].Buffer
}

func (m *Model) headBackward(grads Slab, s *state, dstates []block, dquery, dprob, prob kernel.Buffer) {
	din := kernel.HeadInput{Query: dquery}
	for i := m.Config.Layers - m.Config.states() + 1; i <= m.Config.Layers; i++ {
		din.Hidden = append(din.Hidden, m.stateGradient(dstates, i))
	}
	m.device.HeadBackward(din, grads.head(), dprob, prob, m.headInput(s), m.Parameters.head())
}

func (m *Model) layerBackward(grads Slab, s *state, i int, dstates []block, dquery kernel.Buffer, dtables *tableGradients) {
	var kept kernel.Kept
	kept.Linear = s.linear[i].Buffer
	if s.stats != nil {
		kept.Stats = s.stats[i].Buffer
	}
	dout := m.stateGradient(dstates, i+1)
	din := kernel.LayerGradient{Hidden: m.stateGradient(dstates, i), Query: dquery, Relations: dtables.vectors[i]}
	m.device.LayerBackward(m.layer, s.graph, din, grads.layer(i), dout, kept, m.layerInput(s, i), m.Parameters.layer(i))
	if len(dstates) == 2 && i > 0 {
		m.device.Fill(dout, 0) // becomes the gradient of hidden[i-1]
	}
}

// scatterQueries adds the gradients of the query vectors to their rows of the table.
func (m *Model) scatterQueries(grads Slab, s *state, dquery kernel.Buffer, d *tableGradients, relations []int32) {
	table := grads.Of("query.weight")
	m.device.ScatterAdd(table, dquery, relations, m.Config.Width)
	if s.tables.unique != nil {
		m.device.ScatterAdd(table, d.query.Buffer, s.tables.unique, m.Config.Width)
	}
}
