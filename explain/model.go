package explain

import (
	"context"
	"slices"
	"sync"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

// Model is a learned projection on a graph, as explanations question it: always about a
// single link, where a projection takes a whole set at once. One goroutine uses it at a time.
type Model struct {
	Graph *gnn.Graph
	// Turns, where others use the device too, is locked by Reasons for each of its parts,
	// so that they wait for one and not for all. Whoever calls Ground holds it already.
	Turns sync.Locker
}

// turn waits for the device; the result ends it.
func (m *Model) turn() (end func()) {
	if m.Turns == nil {
		return func() {}
	}
	m.Turns.Lock()
	return m.Turns.Unlock
}

// atOnce bounds the values of the sets that are projected together.
const atOnce = 1 << 24

// fromEach gives the probability of the link to a tail from each of the heads by itself.
func (m *Model) fromEach(ctx context.Context, heads []kg.Entity, r kg.Relation, tail kg.Entity) ([]float32, error) {
	var all []float32
	for some := range slices.Chunk(heads, max(1, atOnce/m.Graph.Nodes())) {
		probabilities, err := m.on(ctx, m.Graph, some, r, tail)
		if err != nil {
			return nil, err
		}
		all = append(all, probabilities...)
	}
	return all, nil
}

func (m *Model) on(ctx context.Context, g *gnn.Graph, heads []kg.Entity, r kg.Relation, tail kg.Entity) ([]float32, error) {
	device, nodes, n := g.Device(), g.Nodes(), len(heads)
	work := device.NewBuffer(2 * n * nodes)
	defer device.Free(work)
	in, out := work.Slice(0, n*nodes), work.Slice(n*nodes, 2*n*nodes)
	slots, entities, relations := make([]int32, n), make([]int32, n), make([]int32, n)
	for i, h := range heads {
		slots[i], entities[i], relations[i] = int32(i), int32(h), int32(r)
	}
	device.Singletons(in, nodes, slots, entities)
	if err := g.Project(ctx, out, in, relations); err != nil {
		return nil, stopped(ctx, err)
	}
	probabilities := make([]float32, n)
	for i := range heads {
		at := i*nodes + int(tail)
		device.Download(probabilities[i:i+1], out.Slice(at, at+1))
	}
	return probabilities, device.Sync()
}

// attribution says which edges the prediction of tail rests on, from a set of heads.
func (m *Model) attribution(ctx context.Context, set []float32, r kg.Relation, tail kg.Entity) (*gnn.Attribution, error) {
	a, err := m.Graph.Attribution(ctx, set, int32(r), int32(tail))
	return a, stopped(ctx, err)
}

// without gives the probability of a link on the graph that lacks some facts.
func (m *Model) without(ctx context.Context, removed []kg.Triple, link kg.Triple) (float32, error) {
	defer m.turn()()
	thin, err := m.Graph.Thin(ctx, m.edges(removed))
	if err != nil {
		return 0, stopped(ctx, err)
	}
	defer thin.Free()
	p, err := m.on(ctx, thin, []kg.Entity{link.Head}, link.Relation, link.Tail)
	if err != nil {
		return 0, err
	}
	return p[0], nil
}

// edges are the ids of facts in the topology, both readings of each, ascending.
func (m *Model) edges(facts []kg.Triple) []int32 {
	var ids []int32
	topology := m.Graph.Topology()
	for _, f := range facts {
		for _, t := range []kg.Triple{f, f.Inverse()} {
			if id, found := topology.Find(kernel.Edge{Head: int32(t.Head), Relation: int32(t.Relation), Tail: int32(t.Tail)}); found {
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// stopped is the user's error where an operation failed because the context ended.
func stopped(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return kg.Stopped(ctx)
	}
	return err
}
