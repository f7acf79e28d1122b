package gnn

import (
	"context"
	"slices"

	"github.com/lacuna-kg/lacuna/kernel"
)

// Graph is a graph on the device in the form that a model's projections take: the model
// on this graph. Most networks send their messages along the facts as they are. Ultra
// derives more from them: the graph of relations, perhaps the facts turned round, and
// the relation vectors computed so far; alternating which relations meet in which entities.
type Graph struct {
	model    *Model
	topology *kernel.Graph      // nil of a thinned graph until it is asked for
	messages kernel.DeviceGraph // the facts, turned round where messages run from tail to head
	turned   []int32            // where they are turned: place of every edge of Graph.In in that of messages
	facts    kernel.DeviceGraph // made when first asked for; messages itself where that is the same

	relations kernel.DeviceGraph // ultra: the relation graph, turned as the facts are
	cache     *cache             // ultra, alternating: vectors of query relations computed so far

	meets     *kernel.Incidence      // alternating: which relations meet in which entities
	incidence kernel.DeviceIncidence // the same on the device

	base    *Graph  // of a thinned graph that shares the topology and the relations of this
	dropped []int32 // its edges without which it is
	isPart  bool    // of a larger graph, whose relations it shares
}

// Model is the model whose graph it is.
func (g *Graph) Model() *Model { return g.model }

// Device is where graph and model live.
func (g *Graph) Device() kernel.Device { return g.model.device }

// Nodes is the number of entities.
func (g *Graph) Nodes() int { return g.messages.Nodes() }

// Relations is the number of relations, inverses counted.
func (g *Graph) Relations() int { return g.messages.Relations() }

// Edges is the number of facts, inverses counted.
func (g *Graph) Edges() int { return g.messages.Edges() }

// Facts is the graph itself on the device, for operations other than the model's, such as traversal.
func (g *Graph) Facts() kernel.DeviceGraph {
	switch {
	case g.facts != nil:
	case g.base != nil:
		g.facts = g.Device().Thin(g.base.Facts(), g.dropped)
	default:
		g.facts = g.Device().NewGraph(g.topology)
	}
	return g.facts
}

// Topology is the graph on the host.
func (g *Graph) Topology() *kernel.Graph {
	if g.topology == nil {
		g.topology = g.base.Topology().Thin(g.dropped)
	}
	return g.topology
}

// isTurned tells whether messages run against the direction of the facts.
func (g *Graph) isTurned() bool { return g.model.Config.Direction == TailToHead }

// NewGraph puts a graph on the device in the form that the model's projections take.
// The topology must not change as long as the graph is used. Free ends it.
func (m *Model) NewGraph(ctx context.Context, topology *kernel.Graph) (*Graph, error) {
	g := &Graph{model: m, topology: topology}
	if err := m.network.derive(ctx, g); err != nil {
		return nil, err
	}
	messages := topology
	if g.isTurned() {
		messages = topology.Reverse()
	}
	g.upload(messages)
	return g, nil
}

// upload puts the topology on the device, as messages run on it.
func (g *Graph) upload(messages *kernel.Graph) {
	g.messages = g.Device().NewGraph(messages)
	if g.isTurned() {
		g.turned = messages.OutID
	} else {
		g.facts = g.messages
	}
}

// Thin is the graph without the edges whose ids (positions in Graph.In of the topology,
// ascending) are dropped; g stays as it is and must outlive it.
func (g *Graph) Thin(ctx context.Context, dropped []int32) (*Graph, error) {
	if g.relations != nil && !g.model.KeepRelationGraph && !g.isPart {
		return g.model.NewGraph(ctx, g.Topology().Thin(dropped))
	}
	if g.base != nil && g.turned == nil && g.isTurned() { // a thinned graph's own ids are known on the host only
		g.turned = g.Topology().Reverse().OutID
	}
	t := &Graph{model: g.model, relations: g.relations, cache: g.cache, base: g, dropped: slices.Clone(dropped), isPart: g.isPart}
	t.messages = g.Device().Thin(g.messages, g.places(t.dropped))
	if !g.isTurned() {
		t.facts = t.messages
	}
	if g.incidence != nil {
		t.meets = g.meets.Thin(g.Topology(), dropped)
		t.incidence, t.cache = g.Device().NewIncidence(t.meets), &cache{}
	}
	return t, nil
}

// places are the ids of edges in the graph that messages run on, ascending.
func (g *Graph) places(ids []int32) []int32 {
	if !g.isTurned() {
		return ids
	}
	places := make([]int32, len(ids))
	for i, id := range ids {
		places[i] = g.turned[id]
	}
	slices.Sort(places)
	return places
}

// Free gives the memory of the graph back. A thinned graph shares its relations with the
// one it was made of, and a part with the whole, which free them.
func (g *Graph) Free() {
	device := g.Device()
	if g.facts != nil && g.isTurned() {
		device.FreeGraph(g.facts)
	}
	device.FreeGraph(g.messages)
	if g.incidence != nil {
		device.FreeIncidence(g.incidence)
	}
	if g.meets != nil && g.cache != nil { // alternating, whose thinned graphs have their own
		g.model.buffers.give(g.cache.table)
		g.cache = &cache{}
	}
	if g.base != nil || g.isPart || g.relations == nil {
		return
	}
	g.model.freeRelations(g.relations, g.cache)
	g.cache = &cache{}
}

func (m *Model) freeRelations(relations kernel.DeviceGraph, vectors *cache) {
	m.buffers.give(vectors.table)
	m.device.FreeGraph(relations)
}
