package gnn

import (
	"context"
	"fmt"

	"github.com/lacuna-kg/lacuna/kernel"
)

// network is what one kind of projection does otherwise than another: which layers it is
// made of, and where the vectors of queries and relations come from. All else, the flow
// through the layers forward and back, is the same for all (forward.go, backward.go).
type network interface {
	// anyGraph tells whether no parameter belongs to a relation, so that one model fits every graph.
	anyGraph() bool
	// prefix is what the names of the parameters of layers and head begin with.
	prefix() string
	// layer is the kernel's view of every layer.
	layer(Config) (kernel.Layer, error)
	// table lists the parameters.
	table(c Config, l kernel.Layer, relations int) *Table

	// derive adds to a graph what the network needs besides the facts.
	derive(ctx context.Context, g *Graph) error
	// deriveWhole adds to a whole what its parts share; what it leaves out derive adds to each part.
	deriveWhole(ctx context.Context, w *Whole, of Meetings) error

	// tables gives the relation vectors of every layer for a chunk, or of those that do not depend on the states of entities.
	tables(m *Model, b batch, keep bool) *tables
	// beforeLayer adds the vectors of layer i where they do.
	beforeLayer(m *Model, s *state, i int)
	// tablesBackward takes the gradient of layer i's vectors to what they were computed from; that of the states
	// which the layer started with is d.of(i).
	tablesBackward(m *Model, grads Slab, s *state, d stateGradients, i int)
	// tableCount is how many tables (R,W) a chunk holds, at worst.
	tableCount(c Config) int

	// queries sets out (B,D) to the query vectors of a chunk.
	queries(m *Model, out kernel.Buffer, b batch, t *tables)
	// queriesBackward adds the gradients of the query vectors to where these were taken from.
	queriesBackward(m *Model, grads Slab, tr *Activations, c chunk, d stateGradients)
}

// network is the kind that the configuration names.
func (c Config) network() (network, error) {
	switch c.Kind {
	case NBFNet:
		return nbfnet{}, nil
	case CompGCN:
		return compgcn{}, nil
	case RGCN:
		return rgcn{}, nil
	case Ultra:
		return ultra{}, nil
	case Alternating:
		return alternating{}, nil
	}
	return nil, fmt.Errorf("config: unknown gnn %q, expected nbfnet, compgcn, rgcn, ultra or alternating", c.Kind)
}

// AnyGraph tells whether a model of this network answers on every graph, as a foundation
// model does. Those of all others have parameters that belong to the relations of one.
func (c Config) AnyGraph() bool {
	n, err := c.network()
	return err == nil && n.anyGraph()
}

// FallsBack tells whether a device has no kernels made for the network's layers and runs
// them, right but several times slower, on those that serve every kind.
func (c Config) FallsBack(device kernel.Hardware) bool {
	n, err := c.network()
	if err != nil {
		return false
	}
	layer, err := n.layer(c)
	return err == nil && device.FallsBack(layer)
}

// ofRelations is what the networks share that have parameters for every relation of a graph.
type ofRelations struct{}

func (ofRelations) anyGraph() bool          { return false }
func (ofRelations) prefix() string          { return "" }
func (ofRelations) tableCount(c Config) int { return c.Layers }

// newTable begins a table: query vectors, then every layer by add.
func (ofRelations) newTable(c Config, relations int, add func(t *Table, layer string)) *Table {
	t := &Table{}
	t.add("query.weight", normal, 0, relations, c.Width)
	for i := range c.Layers {
		add(t, fmt.Sprintf("layers.%d.", i))
	}
	return t
}

// tables of vectors that are parameters serve all samples alike.
func (ofRelations) tables(m *Model, b batch, _ bool) *tables {
	return m.parameterTables("", len(b.relations))
}

func (ofRelations) derive(context.Context, *Graph) error { return nil }

func (ofRelations) deriveWhole(context.Context, *Whole, Meetings) error { return nil }

func (ofRelations) beforeLayer(*Model, *state, int) {}

func (ofRelations) tablesBackward(*Model, Slab, *state, stateGradients, int) {}

func (ofRelations) queries(m *Model, out kernel.Buffer, b batch, _ *tables) {
	m.device.Gather(out, m.Parameters.Of("query.weight"), b.relations, m.Config.Width)
}

func (ofRelations) queriesBackward(m *Model, grads Slab, tr *Activations, c chunk, d stateGradients) {
	tables, relations := c.state.tables, tr.relations[c.from:c.to]
	table := grads.Of("query.weight")
	m.device.ScatterAdd(table, d.query.Buffer, relations, m.Config.Width)
	if tables.unique != nil { // the relation vectors were computed from the query's, too
		m.device.ScatterAdd(table, d.tables.query.Buffer, tables.unique, m.Config.Width)
	}
}

// chooseBellmanFord finds the message and the aggregation that NBFNet, Ultra and Alternating choose from.
func chooseBellmanFord(c Config) (layer kernel.Layer, err error) {
	layer = kernel.Layer{Width: c.Width, Bases: c.Bases}
	layer.Message, err = choose("message", c.Message, map[string]kernel.Message{
		"distmult": kernel.DistMult, "transe": kernel.TransE, "rotate": kernel.RotatE})
	if err == nil {
		layer.Aggregate, err = choose("aggregate", c.Aggregate, map[string]kernel.Aggregate{
			"sum": kernel.Sum, "mean": kernel.Mean, "max": kernel.Max, "pna": kernel.PNA})
	}
	return layer, err
}

func choose[T any](field, name string, known map[string]T) (T, error) {
	value, ok := known[name]
	if !ok {
		return value, fmt.Errorf("config: unknown %s %q", field, name)
	}
	return value, nil
}
