package neural

import (
	"context"
	"slices"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kg"
)

// Programs take whole sets at once; what follows is about single links, each head by itself.

// atOnce bounds the values of the sets that are projected together.
const atOnce = 1 << 24

// Links gives the probability of the link to a tail from each of the heads by itself.
func (p *Predictor) Links(ctx context.Context, heads []kg.Entity, r kg.Relation, tail kg.Entity) ([]float32, error) {
	var all []float32
	for some := range slices.Chunk(heads, max(1, atOnce/p.on.Nodes())) {
		probabilities, err := p.links(ctx, some, r, tail)
		if err != nil {
			return nil, err
		}
		all = append(all, probabilities...)
	}
	return all, nil
}

func (p *Predictor) links(ctx context.Context, heads []kg.Entity, r kg.Relation, tail kg.Entity) ([]float32, error) {
	device, nodes, n := p.on.Device(), p.on.Nodes(), len(heads)
	work := device.NewBuffer(2 * n * nodes)
	defer device.Free(work)
	in, out := work.Slice(0, n*nodes), work.Slice(n*nodes, 2*n*nodes)
	slots, entities, relations := make([]int32, n), make([]int32, n), make([]int32, n)
	for i, h := range heads {
		slots[i], entities[i], relations[i] = int32(i), int32(h), int32(r)
	}
	device.Singletons(in, nodes, slots, entities)
	if err := p.on.Project(ctx, out, in, relations); err != nil {
		return nil, stopped(ctx, err)
	}
	probabilities := make([]float32, n)
	for i := range heads {
		at := i*nodes + int(tail)
		device.Download(probabilities[i:i+1], out.Slice(at, at+1))
	}
	return probabilities, device.Sync()
}

// Attribution says which edges the prediction of tail rests on, from a set of heads.
func (p *Predictor) Attribution(ctx context.Context, set []float32, r kg.Relation, tail kg.Entity) (*gnn.Attribution, error) {
	a, err := p.on.Attribution(ctx, set, int32(r), int32(tail))
	return a, stopped(ctx, err)
}
