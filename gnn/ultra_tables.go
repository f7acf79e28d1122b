package gnn

import (
	"fmt"

	"github.com/lacuna-kg/lacuna/kernel"
)

// typeTables are the relation model's: a vector per type of edge, the same for all samples.
func (m *Model) typeTables(samples int) *tables { return m.parameterTables(relationModel, samples) }

// tables are the entity model's: rel_t = W₂·ReLU(W₀·rel + b₀) + b₂ of the
// relation vectors, for each different query relation of the chunk.
func (ultra) tables(m *Model, b batch, keep bool) *tables {
	t := &tables{}
	t.unique, t.of = distinct(b.relations)
	v := b.vectors
	t.base = m.buffers.take(len(t.unique) * v.width)
	slots := v.table.Slice(0, v.table.Len()/v.width*v.width)
	m.device.Gather(t.base.Buffer, slots, v.slots(t.unique), v.width)
	for i := range m.Config.Layers {
		if keep || i == 0 {
			t.middle = append(t.middle, m.buffers.take(t.base.Len()))
		}
		middle := t.middle[len(t.middle)-1].Buffer // one serves all layers where nothing is kept
		out := m.buffers.take(t.base.Len())
		w := m.Parameters.projection(i)
		m.device.LinearForward(middle, t.base.Buffer, w.weight0, w.bias0, kernel.ReLU)
		m.device.LinearForward(out.Buffer, middle, w.weight2, w.bias2, kernel.Identity)
		t.addLent(out)
	}
	return t
}

// queryRows gives, for every sample, the row of its query relation in tables (U·R,D).
func (t *tables) queryRows(b batch) []int32 {
	rows := make([]int32, len(b.relations))
	for i, r := range b.relations {
		rows[i] = t.of[i]*int32(b.graph.Relations()) + r
	}
	return rows
}

// tablesBackward takes the gradient of layer i's vectors through its relation_projection.
// The relation model's are parameters.
func (ultra) tablesBackward(m *Model, grads Slab, s *state, gradients stateGradients, i int) {
	t, d := s.tables, gradients.tables
	if t.base.whole == nil {
		return
	}
	w, dw := m.Parameters.projection(i), grads.projection(i)
	dmiddle := m.buffers.zeros(t.base.Len())
	m.device.LinearBackward(dmiddle.Buffer, dw.weight2, dw.bias2, d.vectors[i], t.vectors[i], t.middle[i].Buffer, w.weight2, kernel.Identity)
	m.device.LinearBackward(d.base.Buffer, dw.weight0, dw.bias0, dmiddle.Buffer, t.middle[i].Buffer, t.base.Buffer, w.weight0, kernel.ReLU)
	m.buffers.give(dmiddle)
}

// beforeLayer: all vectors are known from the start.
func (ultra) beforeLayer(*Model, *state, int) {}

// tableCount: beside the vectors the middle of each projection, and what both came from.
func (ultra) tableCount(c Config) int { return 2*c.Layers + 1 }

// queries takes the rows of the query relations.
func (ultra) queries(m *Model, out kernel.Buffer, b batch, t *tables) {
	m.device.Gather(out, t.base.Buffer, t.queryRows(b), m.Config.Width)
}

func (ultra) queriesBackward(m *Model, _ Slab, tr *Activations, c chunk, d stateGradients) {
	tables, b := c.state.tables, tr.of(c)
	m.device.ScatterAdd(d.tables.base.Buffer, d.query.Buffer, tables.queryRows(b), m.Config.Width)
	m.device.ScatterAdd(tr.conditioned.gradient.Buffer, d.tables.base.Buffer, b.vectors.slots(tables.unique), b.vectors.width)
}

type projectionWeights struct{ weight0, bias0, weight2, bias2 kernel.Buffer }

func (s Slab) projection(i int) projectionWeights {
	name := fmt.Sprintf("%slayers.%d.relation_projection.", entityModel, i)
	return projectionWeights{s.Of(name + "0.weight"), s.Of(name + "0.bias"), s.Of(name + "2.weight"), s.Of(name + "2.bias")}
}
