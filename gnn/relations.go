package gnn

import (
	"fmt"

	"github.com/lacuna-kg/lacuna/kernel"
)

// tables are the relation vectors of every layer for one chunk. Which of them a
// sample uses depends on its query's relation alone.
type tables struct {
	of      []int32         // (B) table of each sample
	vectors []kernel.Buffer // per layer (U,R,W)
	lent    []block

	unique []int32 // dependent, ultra: the U relations
	query  block   // dependent: (U,D) their query vectors
	base   block   // ultra: (U,R,D) their relation vectors
	middle []block // ultra: (U,R,D) in the midst of each layer's projection; one that all used when not kept
}

func (m *Model) newTables(b batch, keep bool) *tables {
	relations := b.relations
	switch {
	case m.Config.Kind == Ultra:
		return m.projectedTables(b, keep)
	case m.Config.Kind == CompGCN:
		return m.mappedTables(relations)
	case m.Config.Kind == NBFNet && m.Config.Dependent:
		return m.dependentTables(relations)
	}
	t := &tables{of: make([]int32, len(relations))}
	for i := range m.Config.Layers {
		t.vectors = append(t.vectors, m.Parameters.Of(fmt.Sprintf("layers.%d.relation.weight", i)))
	}
	return t
}

// dependentTables: rel = W_t · query[q] + c_t.
func (m *Model) dependentTables(relations []int32) *tables {
	t := &tables{}
	t.unique, t.of = distinct(relations)
	t.query = m.memory.take(len(t.unique) * m.Config.Width)
	m.device.Gather(t.query.Buffer, m.Parameters.Of("query.weight"), t.unique, m.Config.Width)
	for i := range m.Config.Layers {
		out := m.memory.take(len(t.unique) * m.Relations * m.Config.Width)
		m.device.LinearForward(out.Buffer, t.query.Buffer, m.relationWeight(i), m.relationBias(i), kernel.Identity)
		t.lent = append(t.lent, out)
		t.vectors = append(t.vectors, out.Buffer)
	}
	return t
}

// mappedTables: one table for all samples, mapped from layer to layer.
func (m *Model) mappedTables(relations []int32) *tables {
	t := &tables{of: make([]int32, len(relations))}
	t.vectors = []kernel.Buffer{m.Parameters.Of("relation.weight")}
	for i := range m.Config.Layers - 1 {
		out := m.memory.take(m.Relations * m.Config.Width)
		m.device.LinearForward(out.Buffer, t.vectors[i], m.relationWeight(i), m.relationBias(i), kernel.Identity)
		t.lent = append(t.lent, out)
		t.vectors = append(t.vectors, out.Buffer)
	}
	return t
}

func (m *Model) relationWeight(i int) kernel.Buffer {
	return m.Parameters.Of(fmt.Sprintf("layers.%d.relation_linear.weight", i))
}

func (m *Model) relationBias(i int) kernel.Buffer {
	return m.Parameters.Of(fmt.Sprintf("layers.%d.relation_linear.bias", i))
}

// tableGradients are the gradients of tables; they are complete for layer i once the
// layers i, i+1, … have run backward.
type tableGradients struct {
	vectors []kernel.Buffer
	lent    []block
	query   block // dependent: (U,D)
	base    block // ultra: (U,R,D)
}

func (m *Model) newTableGradients(s *state, grads Slab) *tableGradients {
	d, t := &tableGradients{}, s.tables
	if t.query.whole != nil {
		d.query = m.memory.zeros(t.query.Len())
	}
	if t.base.whole != nil {
		d.base = m.memory.zeros(t.base.Len())
	}
	for i := range t.vectors {
		switch {
		case m.Config.Kind == CompGCN && i == 0:
			d.vectors = append(d.vectors, grads.Of("relation.weight"))
		case t.lent == nil:
			d.vectors = append(d.vectors, grads.Of(fmt.Sprintf("%slayers.%d.relation.weight", s.prefix, i)))
		default:
			zeros := m.memory.zeros(t.vectors[i].Len())
			d.lent = append(d.lent, zeros)
			d.vectors = append(d.vectors, zeros.Buffer)
		}
	}
	return d
}

// tablesBackward takes the gradient of layer i's vectors to what they were computed from.
func (m *Model) tablesBackward(d *tableGradients, grads Slab, s *state, i int) {
	t := s.tables
	switch {
	case t.base.whole != nil:
		m.projectionBackward(d, grads, t, i)
	case t.unique != nil:
		m.relationLinearBackward(grads, i, d.query.Buffer, d.vectors[i], t.vectors[i], t.query.Buffer)
	case m.Config.Kind == CompGCN && i > 0:
		m.relationLinearBackward(grads, i-1, d.vectors[i-1], d.vectors[i], t.vectors[i], t.vectors[i-1])
	}
}

func (m *Model) relationLinearBackward(grads Slab, i int, dx, dout, out, x kernel.Buffer) {
	dweight := grads.Of(fmt.Sprintf("layers.%d.relation_linear.weight", i))
	dbias := grads.Of(fmt.Sprintf("layers.%d.relation_linear.bias", i))
	m.device.LinearBackward(dx, dweight, dbias, dout, out, x, m.relationWeight(i), kernel.Identity)
}

func (m *Model) releaseTables(t *tables) {
	m.memory.give(t.lent...)
	m.memory.give(t.middle...)
	m.memory.give(t.query, t.base)
}
