package train

import (
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
)

// average is a moving average of a model's parameters. It wanders less than they do, and
// mostly does better; so it is what is validated and saved, while training goes on with
// the parameters themselves. The zero average is none.
type average struct {
	gnn.Slab
	idle [2]gnn.Slab // outputs of Adam that nobody reads
}

func newAverage(m *gnn.Model, of gnn.Slab) average {
	if of.Values == nil {
		return average{}
	}
	return average{of, [2]gnn.Slab{m.NewSlab(), m.NewSlab()}}
}

// follow moves the average towards the parameters. The first moment of Adam is just such
// an average, of what it takes for gradients: at a rate of 0 nothing else comes of the step.
func (a average) follow(m *gnn.Model, decay float64) {
	if a.Values == nil {
		return
	}
	m.Device().Adam(a.idle[0].Values, m.Parameters.Values, a.Values, a.idle[1].Values, kernel.AdamStep{Beta1: decay, Epsilon: 1, Step: 1})
}

// swap makes the average the parameters of the model, until restore is called.
func (a average) swap(m *gnn.Model) (restore func()) {
	if a.Values == nil {
		return func() {}
	}
	own := m.Parameters.Values
	m.Parameters.Values = a.Values
	m.Changed()
	return func() {
		m.Parameters.Values = own
		m.Changed()
	}
}

func (a average) close(d kernel.Device) {
	for _, slab := range []gnn.Slab{a.Slab, a.idle[0], a.idle[1]} {
		if slab.Values != nil {
			d.Free(slab.Values)
		}
	}
}
