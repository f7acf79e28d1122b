package cut

import (
	"slices"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

// longRow is from how many edges on the row of an entity is not read: of its edges those to others are found in their
// rows, and only those among entities with rows as long are looked for in it. Hubs are in every cut, and their rows
// may be longer than all others of it together.
const longRow = 1 << 12

// part makes the cut of the entities that were chosen.
func (c *Cutter) part(p *push) (*Cut, error) {
	defer p.reset()
	cut := &Cut{Entities: slices.Clone(p.chosen)}
	p.node = append(p.node, make([]int32, len(p.entities))...)
	for at := range p.node {
		p.node[at] = -1
	}
	degrees := &kernel.Degrees{Of: make([]int32, len(cut.Entities)), MeanLog: c.meanLog()}
	for node, e := range cut.Entities {
		p.node[p.find(e)], degrees.Of[node] = int32(node), int32(c.graph.Degree(e))
	}
	var err error
	cut.Topology, err = kernel.NewGraph(len(cut.Entities), c.graph.NumRelations(), c.edges(p, cut.Entities), c.inverse)
	if err == nil {
		cut.Topology.Whole = degrees
	}
	return cut, err
}

// edges are those among the entities, in any order.
func (c *Cutter) edges(p *push, entities []kg.Entity) (edges []kernel.Edge) {
	var hubs []kg.Entity
	for node, e := range entities {
		relations, tails := c.graph.Edges(e)
		if len(tails) > longRow {
			hubs = append(hubs, e)
			continue
		}
		for i, t := range tails {
			at := p.find(t)
			if at < 0 || p.node[at] < 0 {
				continue
			}
			edge := kernel.Edge{Head: int32(node), Relation: int32(relations[i]), Tail: p.node[at]}
			edges = append(edges, edge)
			if c.graph.Degree(t) > longRow {
				edges = append(edges, kernel.Edge{Head: edge.Tail, Relation: int32(relations[i].Inverse()), Tail: edge.Head})
			}
		}
	}
	for _, e := range hubs {
		edges = c.edgesOfHub(p, edges, e, hubs)
	}
	return edges
}

// edgesOfHub adds the edges from a hub to others, looked for relation by relation.
func (c *Cutter) edgesOfHub(p *push, edges []kernel.Edge, hub kg.Entity, others []kg.Entity) []kernel.Edge {
	relations, tails := c.graph.Edges(hub)
	for len(relations) > 0 {
		r := relations[0]
		n, _ := slices.BinarySearch(relations, r+1)
		for _, t := range others {
			if _, found := slices.BinarySearch(tails[:n], t); found {
				edges = append(edges, kernel.Edge{Head: p.node[p.find(hub)], Relation: int32(r), Tail: p.node[p.find(t)]})
			}
		}
		relations, tails = relations[n:], tails[n:]
	}
	return edges
}
