package kg

import (
	"slices"
	"sync"
)

// ByRelation is a graph seen from its relations: the entities that have an edge of each, in one
// direction, and how many edges there are. Those who join whole relations start from it, and
// choose an order by its counts.
type ByRelation struct {
	first []uint64 // heads of r are entities first[r] … first[r+1]-1
	heads []Entity
	edges []int
}

// byRelation is made when somebody asks for it, once for a graph.
type byRelation struct {
	once sync.Once
	made *ByRelation
}

// ByRelation makes the index at the first call, in two passes over all edges.
func (g *Graph) ByRelation() *ByRelation {
	g.byRelation.once.Do(func() { g.byRelation.made = g.sortByRelation() })
	return g.byRelation.made
}

func (g *Graph) sortByRelation() *ByRelation {
	relations := 2 * g.Relations.Names.Len()
	x := &ByRelation{first: make([]uint64, relations+1), edges: make([]int, relations)}
	runs := func(each func(h Entity, r Relation, edges int)) {
		for h := range Entity(g.NumEntities()) {
			row, _ := g.Edges(h)
			for from := 0; from < len(row); {
				to := from + 1
				for to < len(row) && row[to] == row[from] {
					to++
				}
				each(h, row[from], to-from)
				from = to
			}
		}
	}
	runs(func(_ Entity, r Relation, edges int) {
		x.first[r+1]++
		x.edges[r] += edges
	})
	for r := range relations {
		x.first[r+1] += x.first[r]
	}
	next := slices.Clone(x.first[:relations])
	x.heads = make([]Entity, x.first[relations])
	runs(func(h Entity, r Relation, _ int) {
		x.heads[next[r]] = h
		next[r]++
	})
	return x
}

// Heads gives the entities with an edge of r, sorted. The slice must not be changed.
func (x *ByRelation) Heads(r Relation) []Entity {
	if int(r)+1 >= len(x.first) {
		return nil
	}
	return x.heads[x.first[r]:x.first[r+1]]
}

// Edges is the number of edges of r.
func (x *ByRelation) Edges(r Relation) int {
	if int(r) >= len(x.edges) {
		return 0
	}
	return x.edges[r]
}
