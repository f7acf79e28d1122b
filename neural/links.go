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
	on, err := p.all(ctx)
	if err != nil {
		return nil, err
	}
	var all []float32
	for some := range slices.Chunk(heads, max(1, atOnce/on.Nodes())) {
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

// Attribution says which edges a prediction rests on.
type Attribution struct {
	*gnn.Attribution
	entities []kg.Entity // of the nodes; nil where they are the graph's
}

// Paths gives the k best paths, between entities of the graph.
func (a *Attribution) Paths(k int) []gnn.Path {
	paths := a.Attribution.Paths(k)
	if a.entities == nil {
		return paths
	}
	for i := range paths {
		for j := range paths[i].Steps {
			s := &paths[i].Steps[j]
			for _, node := range []*int32{&s.From, &s.To, &s.Edge.Head, &s.Edge.Tail} {
				*node = int32(a.entities[*node])
			}
		}
	}
	return paths
}

// Attribution says which edges the prediction of tail rests on, from a set of heads, on all of the graph.
func (p *Predictor) Attribution(ctx context.Context, set []float32, r kg.Relation, tail kg.Entity) (*Attribution, error) {
	on, err := p.all(ctx)
	if err != nil {
		return nil, err
	}
	a, err := on.Attribution(ctx, set, int32(r), int32(tail))
	return &Attribution{a, nil}, stopped(ctx, err)
}

// AttributionOf is Attribution of a link, from its head alone: on the cut around it where links are predicted on cuts.
func (p *Predictor) AttributionOf(ctx context.Context, link kg.Triple) (*Attribution, error) {
	if p.cuts != nil {
		return p.attributionOnCut(ctx, link)
	}
	set := make([]float32, p.Graph.NumEntities())
	set[link.Head] = 1
	return p.Attribution(ctx, set, link.Relation, link.Tail)
}
