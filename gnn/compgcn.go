package gnn

import (
	"github.com/lacuna-kg/lacuna/kernel"
)

// compgcn combines an entity's state with a relation's vector, aggregates apart by
// direction, and maps the relation vectors from layer to layer (METHOD "CompGCN and RGCN").
type compgcn struct{ ofRelations }

func (compgcn) layer(c Config) (layer kernel.Layer, err error) {
	layer = kernel.Layer{Width: c.Width, Bases: c.Bases, Aggregate: kernel.Directed}
	layer.Message, err = choose("message", c.Message, map[string]kernel.Message{
		"mult": kernel.DistMult, "sub": kernel.Sub, "corr": kernel.Corr})
	return layer, err
}

func (n compgcn) table(c Config, l kernel.Layer, relations int) *Table {
	d := c.Width
	t := n.newTable(c, relations, func(t *Table, layer string) {
		t.norm(layer+"layer_norm", d)
		t.add(layer+"loop_relation.weight", normal, 0, 1, d)
		t.linear(layer+"linear", d, l.Features())
		t.linear(layer+"relation_linear", d, d)
	})
	t.add("relation.weight", normal, 0, relations, d)
	t.head("", (c.states()+1)*d)
	return t
}

// tables: one for all samples, mapped from layer to layer.
func (compgcn) tables(m *Model, b batch, _ bool) *tables {
	t := &tables{of: make([]int32, len(b.relations))}
	t.addParameter(m, "relation.weight")
	for i := range m.Config.Layers - 1 {
		out := m.buffers.take(m.Relations * m.Config.Width)
		m.device.LinearForward(out.Buffer, t.vectors[i], m.relationWeight(i), m.relationBias(i), kernel.Identity)
		t.addLent(out)
	}
	return t
}

func (compgcn) tablesBackward(m *Model, grads Slab, s *state, d stateGradients, i int) {
	if dvectors, vectors := d.tables.vectors, s.tables.vectors; i > 0 {
		m.relationLinearBackward(grads, i-1, dvectors[i-1], dvectors[i], vectors[i], vectors[i-1])
	}
}
