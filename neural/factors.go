package neural

import (
	"github.com/lacuna-kg/lacuna/factor"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

// factors are the vectors of a model on the device, for the entities of one graph.
type factors struct {
	vectors     *factor.Model
	blend       factor.Blend
	table, bias kernel.Buffer // (V, 2·Rank); (V), 0: the seam's Linear has one
}

// factorsOn puts the model's vectors on its device; nil where it has none of this graph's entities.
func (m *Model) factorsOn(g *kg.Graph) *factors {
	have := m.Card.Factors
	if have == nil || !have.Fit(g.Vocabulary) {
		return nil
	}
	device := m.Network.Device()
	values := have.Vectors.EntitiesUpTo(g.NumEntities())
	f := &factors{have.Vectors, have.Blend, device.NewBuffer(len(values)), device.NewBuffer(g.NumEntities())}
	device.Upload(f.table, values)
	return f
}

func (f *factors) free(device kernel.Device) {
	if f != nil {
		device.Free(f.table)
		device.Free(f.bias)
	}
}

// blendInto puts what the vectors say into the network's probabilities (n, C) of tails: of some entities, or of all where
// they are nil.
func (f *factors) blendInto(device kernel.Device, probabilities kernel.Buffer, g *kg.Graph, heads []kg.Entity, relations []kg.Relation, of []kg.Entity) {
	if f == nil {
		return
	}
	n, width := len(heads), f.vectors.Width()
	questions, own, other := make([]float32, n*width), make([]float32, n), make([]float32, n)
	for i, h := range heads {
		own[i] = 1
		if f.vectors.Has(h, relations[i]) {
			other[i] = f.blend.Of(len(g.Tails(h, relations[i])))
			f.vectors.Question(questions[i*width:(i+1)*width], h, relations[i])
		}
	}
	asked, logits := device.NewBuffer(len(questions)), device.NewBuffer(probabilities.Len())
	defer device.Free(asked)
	defer device.Free(logits)
	device.Upload(asked, questions)
	table, bias := f.table, f.bias
	if of != nil {
		rows := make([]int32, len(of))
		for i, e := range of {
			rows[i] = int32(e)
		}
		table, bias = device.NewBuffer(len(of)*width), f.bias.Slice(0, len(of))
		defer device.Free(table)
		device.Gather(table, f.table, rows, width)
	}
	device.LinearForward(logits, asked, table, bias, kernel.Identity)
	device.Blend(probabilities, logits, own, other)
}
