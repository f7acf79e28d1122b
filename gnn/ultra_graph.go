package gnn

import (
	"context"

	"github.com/lacuna-kg/lacuna/kernel"
)

// UltraGraph is a graph as an ultra model takes it, with all that is derived from it:
// the graph that messages run on, the graph of relations, and the relation vectors
// computed so far. It is a kernel.DeviceGraph for the model alone; other operations
// on the facts, such as traversal, take Facts.
type UltraGraph struct {
	device    kernel.Device
	topology  *kernel.Graph
	messages  kernel.DeviceGraph // the facts, turned round where messages run from tail to head
	relations kernel.DeviceGraph // the same of the relation graph
	facts     kernel.DeviceGraph // made when first asked for; messages itself where that is the same
	cache     cache
}

// Nodes is the number of entities.
func (g *UltraGraph) Nodes() int { return g.topology.Nodes }

// Relations is the number of relations, inverses counted.
func (g *UltraGraph) Relations() int { return g.topology.Relations }

// Edges is the number of facts, inverses counted.
func (g *UltraGraph) Edges() int { return g.topology.Edges() }

// RelationEdges is the number of edges of the relation graph.
func (g *UltraGraph) RelationEdges() int { return g.relations.Edges() }

// Facts is the graph itself on the device.
func (g *UltraGraph) Facts() kernel.DeviceGraph {
	if g.facts == nil {
		g.facts = g.device.NewGraph(g.topology)
	}
	return g.facts
}

// messages is the graph that a network of entities runs on.
func messages(g kernel.DeviceGraph) kernel.DeviceGraph {
	if ultra, ok := g.(*UltraGraph); ok {
		return ultra.messages
	}
	return g
}

// NewGraph puts a graph on the device in the form that the model's projections take.
// The topology must not change as long as the graph is used. FreeGraph ends it.
func (m *Model) NewGraph(ctx context.Context, topology *kernel.Graph) (kernel.DeviceGraph, error) {
	if m.Config.Kind != Ultra {
		return m.device.NewGraph(topology), nil
	}
	relations, err := RelationGraph(ctx, topology)
	if err != nil {
		return nil, err
	}
	g := &UltraGraph{device: m.device, topology: topology}
	if m.Config.Direction == TailToHead {
		g.messages = m.device.NewGraph(topology.Reverse())
		g.relations = m.device.NewGraph(relations.Reverse())
		return g, nil
	}
	g.messages, g.relations = m.device.NewGraph(topology), m.device.NewGraph(relations)
	g.facts = g.messages
	return g, nil
}

// Thin is a graph of NewGraph without the edges whose ids (positions in Graph.In,
// ascending) are dropped, the relation graph included; g stays as it is.
func (m *Model) Thin(ctx context.Context, g kernel.DeviceGraph, dropped []int32) (kernel.DeviceGraph, error) {
	if ultra, ok := g.(*UltraGraph); ok {
		return m.NewGraph(ctx, ultra.topology.Thin(dropped))
	}
	return m.device.Thin(g, dropped), nil
}

// FreeGraph gives back the memory of a graph of NewGraph or Thin.
func (m *Model) FreeGraph(g kernel.DeviceGraph) {
	ultra, ok := g.(*UltraGraph)
	if !ok {
		m.device.FreeGraph(g)
		return
	}
	m.memory.give(ultra.cache.table)
	ultra.cache = cache{}
	if ultra.facts != nil && m.Config.Direction == TailToHead {
		m.device.FreeGraph(ultra.facts)
	}
	m.device.FreeGraph(ultra.messages)
	m.device.FreeGraph(ultra.relations)
}
