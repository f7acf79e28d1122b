package neural

import (
	"context"

	"github.com/lacuna-kg/lacuna/cut"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

// Core is a model on some entities of a graph and the facts among them: a cut that is the same for every head. Who looks at many rows looks at
// those entities only that connect others, which a table has few of, and then at the few links that matter on all of the graph.
type Core struct {
	of    *Predictor
	cut   *cut.Cut
	whole *gnn.Whole
}

// NewCore puts the model on entities, which ascend. Close ends it.
func (p *Predictor) NewCore(ctx context.Context, entities []kg.Entity) (c *Core, err error) {
	c = &Core{of: p, cut: cut.New(p.Graph, len(entities)).Of(entities)}
	p.Locked(func() { c.whole, err = p.Model.Network.NewWhole(ctx, meetings{p.Graph}) })
	return c, stopped(ctx, err)
}

// Close gives the memory on the device back.
func (c *Core) Close() { c.of.Locked(c.whole.Free) }

// Has tells whether an entity is in the core.
func (c *Core) Has(e kg.Entity) bool { _, found := c.cut.Place(e); return found }

// Thinned is a core without some facts.
type Thinned struct {
	core *Core
	on   *gnn.Graph
}

// Without is the core without some facts, none for all of it. Close ends it.
func (c *Core) Without(ctx context.Context, facts []kg.Triple) (t *Thinned, err error) {
	topology := c.cut.Topology
	if len(facts) > 0 {
		topology = topology.Thin(edgesOf(topology, facts, c.cut.Place))
	}
	t = &Thinned{core: c}
	c.of.Locked(func() { t.on, err = c.whole.Part(ctx, topology) })
	return t, stopped(ctx, err)
}

// Close gives the memory on the device back.
func (t *Thinned) Close() { t.core.of.Locked(t.on.Free) }

// Tails is that of Predictor; the columns are the core, and heads have to be in it.
func (t *Thinned) Tails(ctx context.Context, heads []kg.Entity, relations []kg.Relation, part partFunc) error {
	entities := t.core.cut.Entities
	step := max(1, t.core.of.tailsAtOnce()/max(1, len(entities)))
	for from := 0; from < len(heads); from += step {
		to := min(from+step, len(heads))
		if err := t.tails(ctx, heads[from:to], relations[from:to], func(device kernel.Device, out kernel.Buffer) error {
			return part(from, device, out, entities)
		}); err != nil {
			return err
		}
	}
	return kg.Stopped(ctx)
}

func (t *Thinned) tails(ctx context.Context, heads []kg.Entity, relations []kg.Relation, use func(kernel.Device, kernel.Buffer) error) error {
	nodes := make([]int32, len(heads))
	for i, h := range heads {
		node, found := t.core.cut.Place(h)
		if !found {
			return kg.Errorf(kg.Invalid, "", "entity %d is not among those that are looked at", h)
		}
		nodes[i] = node
	}
	t.core.of.Lock()
	defer t.core.of.Unlock()
	return t.core.of.project(ctx, t.on, nodes, relations, use)
}
