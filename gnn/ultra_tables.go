package gnn

import (
	"fmt"

	"github.com/lacuna-kg/lacuna/kernel"
)

// typeTables are the relation model's: a vector per type of edge, the same for all samples.
func (m *Model) typeTables(samples int) *tables {
	t := &tables{of: make([]int32, samples)}
	for i := range m.Config.Layers {
		t.vectors = append(t.vectors, m.Parameters.Of(fmt.Sprintf("%slayers.%d.relation.weight", relationModel, i)))
	}
	return t
}

// projectedTables are the entity model's: rel_t = W₂·ReLU(W₀·rel + b₀) + b₂ of the
// relation vectors, for each different query relation of the chunk.
func (m *Model) projectedTables(b batch, keep bool) *tables {
	t := &tables{}
	t.unique, t.of = distinct(b.relations)
	v := b.vectors
	t.base = m.memory.take(len(t.unique) * v.width)
	slots := v.table.Slice(0, v.table.Len()/v.width*v.width)
	m.device.Gather(t.base.Buffer, slots, v.slots(t.unique), v.width)
	for i := range m.Config.Layers {
		if keep || i == 0 {
			t.middle = append(t.middle, m.memory.take(t.base.Len()))
		}
		middle := t.middle[len(t.middle)-1].Buffer // one serves all layers where nothing is kept
		out := m.memory.take(t.base.Len())
		w := m.Parameters.projection(i)
		m.device.LinearForward(middle, t.base.Buffer, w.weight0, w.bias0, kernel.ReLU)
		m.device.LinearForward(out.Buffer, middle, w.weight2, w.bias2, kernel.Identity)
		t.lent = append(t.lent, out)
		t.vectors = append(t.vectors, out.Buffer)
	}
	return t
}

// queryRows gives, for every sample, the row of its query relation in base (U·R,D).
func (t *tables) queryRows(b batch) []int32 {
	rows := make([]int32, len(b.relations))
	for i, r := range b.relations {
		rows[i] = t.of[i]*int32(b.graph.Relations()) + r
	}
	return rows
}

// projectionBackward takes the gradient of layer i's vectors through its relation_projection.
func (m *Model) projectionBackward(d *tableGradients, grads Slab, t *tables, i int) {
	w, dw := m.Parameters.projection(i), grads.projection(i)
	dmiddle := m.memory.zeros(t.base.Len())
	m.device.LinearBackward(dmiddle.Buffer, dw.weight2, dw.bias2, d.vectors[i], t.vectors[i], t.middle[i].Buffer, w.weight2, kernel.Identity)
	m.device.LinearBackward(d.base.Buffer, dw.weight0, dw.bias0, dmiddle.Buffer, t.middle[i].Buffer, t.base.Buffer, w.weight0, kernel.ReLU)
	m.memory.give(dmiddle)
}

type projectionWeights struct{ weight0, bias0, weight2, bias2 kernel.Buffer }

func (s Slab) projection(i int) projectionWeights {
	name := fmt.Sprintf("%slayers.%d.relation_projection.", entityModel, i)
	return projectionWeights{s.Of(name + "0.weight"), s.Of(name + "0.bias"), s.Of(name + "2.weight"), s.Of(name + "2.bias")}
}
