package gnn

import (
	"context"
	"fmt"

	"github.com/lacuna-kg/lacuna/kernel"
)

// Ultra has no table of relations: it computes relation vectors from the graph, so that
// one set of parameters answers on any graph (METHOD "The foundation model"). It is two
// networks of the same layers. The relation model runs on the graph of relations
// (relation_graph.go) and gives, for a query relation, a vector for every relation
// (ultra_vectors.go); the entity model runs on the facts with these vectors, mapped
// anew for each layer (ultra_tables.go). What it derives from a graph stands in its Graph.
//
//	q ─ relation model ─ (R,D) ─┬─ row q: the query ────────── boundary, head
//	                            └─ relation_projection_t ───── messages of layer t

// The prefixes of the parameters of the two networks.
const (
	relationModel = "relation_model."
	entityModel   = "entity_model."
)

// DefaultUltra is the network of the public checkpoints.
func DefaultUltra() Config {
	return Config{Kind: Ultra, Message: "distmult", Aggregate: "sum", Width: 64, Layers: 6, Direction: TailToHead}
}

// ultra is the network of entities; what it runs on relations stands beside it.
type ultra struct{}

func (ultra) anyGraph() bool { return true }
func (ultra) prefix() string { return entityModel }

// derive adds the relation graph, turned as the facts are.
func (ultra) derive(ctx context.Context, g *Graph) error {
	relations, err := relationGraph(ctx, g.topology)
	if err != nil {
		return err
	}
	g.relations, g.cache = g.model.uploadRelations(relations), &cache{}
	return nil
}

// deriveWhole adds the relation graph of all parts.
func (ultra) deriveWhole(ctx context.Context, w *Whole, of Meetings) error {
	relations, err := relationGraphOf(ctx, of, relationBlock(of.NumRelations()))
	if err != nil {
		return err
	}
	w.relations, w.cache = w.model.uploadRelations(relations), &cache{}
	return nil
}

// uploadRelations puts a relation graph on the device, turned as the facts are.
func (m *Model) uploadRelations(relations *kernel.Graph) kernel.DeviceGraph {
	if m.Config.Direction == TailToHead {
		relations = relations.Reverse()
	}
	return m.device.NewGraph(relations)
}

func (ultra) layer(c Config) (kernel.Layer, error) { return chooseBellmanFord(c) }

func (ultra) table(c Config, l kernel.Layer, _ int) *Table {
	t := &Table{}
	d := c.Width
	for i := range c.Layers {
		layer := fmt.Sprintf("%slayers.%d.", relationModel, i)
		t.norm(layer+"layer_norm", d)
		t.linear(layer+"linear", d, l.Features())
		t.add(layer+"relation.weight", normal, 0, relationEdgeTypes, d)
	}
	for i := range c.Layers {
		layer := fmt.Sprintf("%slayers.%d.", entityModel, i)
		t.norm(layer+"layer_norm", d)
		t.linear(layer+"linear", d, l.Features())
		t.linear(layer+"relation_projection.0", d, d)
		t.linear(layer+"relation_projection.2", d, d)
	}
	t.head(entityModel, (c.states()+1)*d)
	return t
}
