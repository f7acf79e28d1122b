package gnn

import (
	"fmt"

	"github.com/lacuna-kg/lacuna/kernel"
)

// tables are the relation vectors of every layer for one chunk. Which of them a
// sample uses depends on its query's relation alone, but in alternating, where each has its own.
type tables struct {
	of      []int32         // (B) table of each sample
	vectors []kernel.Buffer // per layer (U,R,W)
	names   []string        // per layer: the parameter that the vectors are, "" where they were computed
	lent    []block

	unique  []int32  // dependent, ultra: the U relations
	query   block    // dependent: (U,D) their query vectors
	base    block    // ultra: (U,R,D) their relation vectors
	updates *updates // alternating

	middle []block // ultra: (U,R,D) in the midst of each layer's projection; one that all used when not kept
}

// parameterTables are those of a network whose vectors are parameters, the same for all samples.
func (m *Model) parameterTables(prefix string, samples int) *tables {
	t := &tables{of: make([]int32, samples)}
	for i := range m.Config.Layers {
		t.addParameter(m, fmt.Sprintf("%slayers.%d.relation.weight", prefix, i))
	}
	return t
}

// addParameter adds the vectors of the next layer, which are a parameter.
func (t *tables) addParameter(m *Model, name string) {
	t.vectors, t.names = append(t.vectors, m.Parameters.Of(name)), append(t.names, name)
}

// addLent adds the vectors of the next layer, which were computed.
func (t *tables) addLent(out block) {
	t.lent = append(t.lent, out)
	t.vectors, t.names = append(t.vectors, out.Buffer), append(t.names, "")
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

	relations []block // alternating: (B,R,D) of the states of relations
}

func (m *Model) newTableGradients(s *state, grads Slab) *tableGradients {
	d, t := &tableGradients{}, s.tables
	if t.query.whole != nil {
		d.query = m.buffers.zeros(t.query.Len())
	}
	if t.base.whole != nil {
		d.base = m.buffers.zeros(t.base.Len())
	}
	if t.updates != nil {
		for _, z := range t.updates.states {
			d.relations = append(d.relations, m.buffers.zeros(z.Len()))
		}
	}
	for i, name := range t.names {
		if name != "" {
			d.vectors = append(d.vectors, grads.Of(name))
			continue
		}
		zeros := m.buffers.zeros(t.vectors[i].Len())
		d.lent = append(d.lent, zeros)
		d.vectors = append(d.vectors, zeros.Buffer)
	}
	return d
}

func (m *Model) relationLinearBackward(grads Slab, i int, dx, dout, out, x kernel.Buffer) {
	dweight := grads.Of(fmt.Sprintf("layers.%d.relation_linear.weight", i))
	dbias := grads.Of(fmt.Sprintf("layers.%d.relation_linear.bias", i))
	m.device.LinearBackward(dx, dweight, dbias, dout, out, x, m.relationWeight(i), kernel.Identity)
}

func (m *Model) releaseTables(t *tables) {
	m.buffers.give(t.lent...)
	m.buffers.give(t.middle...)
	m.buffers.give(t.query, t.base)
	m.releaseUpdates(t.updates)
}
