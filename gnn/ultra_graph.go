package gnn

import (
	"context"
	"slices"

	"github.com/lacuna-kg/lacuna/kernel"
)

// UltraGraph is a graph as an ultra model takes it, with all that is derived from it:
// the graph that messages run on, the graph of relations, and the relation vectors
// computed so far. It is a kernel.DeviceGraph for the model alone; other operations
// on the facts, such as traversal, take Facts.
type UltraGraph struct {
	device    kernel.Device
	topology  *kernel.Graph      // nil of a thinned graph until it is asked for
	messages  kernel.DeviceGraph // the facts, turned round where messages run from tail to head
	turned    []int32            // where they are turned: place of every edge of Graph.In in that of messages
	relations kernel.DeviceGraph // the same of the relation graph
	facts     kernel.DeviceGraph // made when first asked for; messages itself where that is the same
	cache     *cache

	base    *UltraGraph // of a thinned graph that shares the relation graph and the vectors of this
	dropped []int32     // its edges without which it is
}

// Nodes is the number of entities.
func (g *UltraGraph) Nodes() int { return g.messages.Nodes() }

// Relations is the number of relations, inverses counted.
func (g *UltraGraph) Relations() int { return g.messages.Relations() }

// Edges is the number of facts, inverses counted.
func (g *UltraGraph) Edges() int { return g.messages.Edges() }

// RelationEdges is the number of edges of the relation graph.
func (g *UltraGraph) RelationEdges() int { return g.relations.Edges() }

// Facts is the graph itself on the device.
func (g *UltraGraph) Facts() kernel.DeviceGraph {
	switch {
	case g.facts != nil:
	case g.base != nil:
		g.facts = g.device.Thin(g.base.Facts(), g.dropped)
	default:
		g.facts = g.device.NewGraph(g.topology)
	}
	return g.facts
}

// onHost is the graph on the host.
func (g *UltraGraph) onHost() *kernel.Graph {
	if g.topology == nil {
		g.topology = g.base.onHost().Thin(g.dropped)
	}
	return g.topology
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
	g := &UltraGraph{device: m.device, topology: topology, cache: &cache{}}
	if m.Config.Direction == TailToHead {
		reversed := topology.Reverse()
		g.messages, g.turned = m.device.NewGraph(reversed), reversed.OutID
		g.relations = m.device.NewGraph(relations.Reverse())
		return g, nil
	}
	g.messages, g.relations = m.device.NewGraph(topology), m.device.NewGraph(relations)
	g.facts = g.messages
	return g, nil
}

// Thin is a graph of NewGraph without the edges whose ids (positions in Graph.In,
// ascending) are dropped; g stays as it is, and with KeepRelationGraph must outlive it.
func (m *Model) Thin(ctx context.Context, g kernel.DeviceGraph, dropped []int32) (kernel.DeviceGraph, error) {
	ultra, ok := g.(*UltraGraph)
	switch {
	case !ok:
		return m.device.Thin(g, dropped), nil
	case !m.KeepRelationGraph:
		return m.NewGraph(ctx, ultra.onHost().Thin(dropped))
	}
	return m.thinFacts(ultra, dropped), nil
}

// thinFacts thins the facts on the device and keeps all that belongs to the relations. A
// thinned graph's own ids are known on the host only.
func (m *Model) thinFacts(g *UltraGraph, dropped []int32) *UltraGraph {
	if g.base != nil && g.turned == nil && m.Config.Direction == TailToHead {
		g.turned = g.onHost().Reverse().OutID
	}
	t := &UltraGraph{device: m.device, relations: g.relations, cache: g.cache, base: g, dropped: slices.Clone(dropped)}
	places := t.dropped
	if m.Config.Direction == TailToHead {
		places = make([]int32, len(dropped))
		for i, id := range dropped {
			places[i] = g.turned[id]
		}
		slices.Sort(places)
	}
	t.messages = m.device.Thin(g.messages, places)
	if m.Config.Direction == HeadToTail {
		t.facts = t.messages
	}
	return t
}

// FreeGraph gives back the memory of a graph of NewGraph or Thin.
func (m *Model) FreeGraph(g kernel.DeviceGraph) {
	ultra, ok := g.(*UltraGraph)
	if !ok {
		m.device.FreeGraph(g)
		return
	}
	if ultra.facts != nil && m.Config.Direction == TailToHead {
		m.device.FreeGraph(ultra.facts)
	}
	m.device.FreeGraph(ultra.messages)
	if ultra.base != nil {
		return
	}
	m.memory.give(ultra.cache.table)
	ultra.cache = &cache{}
	m.device.FreeGraph(ultra.relations)
}
