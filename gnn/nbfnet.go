package gnn

import (
	"github.com/lacuna-kg/lacuna/kernel"
)

// nbfnet is the network of the paper: messages DistMult, TransE or RotatE, aggregated by
// sum, mean, max or PNA. Its relation vectors are computed from the query's relation, rel = W_t · query[q] + c_t, or
// are parameters where they do not depend on it.
type nbfnet struct{ ofRelations }

func (nbfnet) layer(c Config) (kernel.Layer, error) { return chooseBellmanFord(c) }

func (n nbfnet) table(c Config, l kernel.Layer, relations int) *Table {
	d := c.Width
	t := n.newTable(c, relations, func(t *Table, layer string) {
		t.norm(layer+"layer_norm", d)
		t.linear(layer+"linear", d, l.Features())
		if c.Dependent {
			t.linear(layer+"relation_linear", relations*d, d)
		} else {
			t.add(layer+"relation.weight", normal, 0, relations, d)
		}
	})
	t.head("", (c.states()+1)*d)
	return t
}

func (n nbfnet) tables(m *Model, b batch, keep bool) *tables {
	if !m.Config.Dependent {
		return n.ofRelations.tables(m, b, keep)
	}
	t := &tables{}
	t.unique, t.of = distinct(b.relations)
	t.query = m.buffers.take(len(t.unique) * m.Config.Width)
	m.device.Gather(t.query.Buffer, m.Parameters.Of("query.weight"), t.unique, m.Config.Width)
	for i := range m.Config.Layers {
		out := m.buffers.take(len(t.unique) * m.Relations * m.Config.Width)
		m.device.LinearForward(out.Buffer, t.query.Buffer, m.relationWeight(i), m.relationBias(i), kernel.Identity)
		t.addLent(out)
	}
	return t
}

func (nbfnet) tablesBackward(m *Model, grads Slab, s *state, d stateGradients, i int) {
	if t := s.tables; t.unique != nil {
		m.relationLinearBackward(grads, i, d.tables.query.Buffer, d.tables.vectors[i], t.vectors[i], t.query.Buffer)
	}
}
