package kg

import (
	"slices"
	"sort"
	"sync"
)

// View is a part of a graph's facts and labels, over the same numbers, in compressed sparse rows of what it has: that of one of its named
// graphs, or of several together.
type View struct {
	nodes     []Entity // that have edges
	first     []uint64
	relations []Relation
	tails     []Entity

	once  sync.Once
	heads map[Relation][]Entity
	edges map[Relation]int
}

// newView makes rows of facts in both directions; a label is an edge of the relation that stands for rdfs:label.
func newView(facts []Triple, label Relation) *View {
	type rowEdge struct {
		at   Entity
		edge edge
	}
	all := make([]rowEdge, 0, 2*len(facts))
	for _, t := range facts {
		if t.Relation == LabelRelation {
			t.Relation = label
		}
		all = append(all, rowEdge{t.Head, packEdge(t.Relation, t.Tail)}, rowEdge{t.Tail, packEdge(t.Relation.Inverse(), t.Head)})
	}
	slices.SortFunc(all, func(a, b rowEdge) int {
		if a.at != b.at {
			return int(int64(a.at) - int64(b.at))
		}
		switch {
		case a.edge < b.edge:
			return -1
		case a.edge > b.edge:
			return 1
		}
		return 0
	})
	all = slices.Compact(all)
	v := &View{relations: make([]Relation, len(all)), tails: make([]Entity, len(all))}
	for i, e := range all {
		if i == 0 || all[i-1].at != e.at {
			v.nodes, v.first = append(v.nodes, e.at), append(v.first, uint64(i))
		}
		v.relations[i], v.tails[i] = e.edge.relation(), e.edge.tail()
	}
	v.first = append(v.first, uint64(len(all)))
	return v
}

// LabelsAs is the relation by which queries see labels that are no facts: rdfs:label where facts have it, else the next free number.
func (v *Vocabulary) LabelsAs() Relation {
	if base, stated := v.Relations.Names.Find(RDFSLabel); stated {
		return Forward(base)
	}
	return Forward(uint32(v.Relations.Names.Len()))
}

// View is what some graphs state together, by their numbers; nil where that is all of the graph.
func (g *Graph) View(graphs ...uint32) *View {
	if len(graphs) != 1 {
		var facts []Triple
		for _, graph := range graphs {
			facts = append(facts, g.statedBy(graph)...)
		}
		return newView(facts, g.LabelsAs())
	}
	if graphs[0] == Unnamed && (g.named == nil || len(g.named.only) == 0) {
		return nil
	}
	if v, made := g.named.views.Load(graphs[0]); made {
		return v.(*View)
	}
	v, _ := g.named.views.LoadOrStore(graphs[0], newView(g.statedBy(graphs[0]), g.LabelsAs()))
	return v.(*View)
}

// statedBy are the statements of a graph, which must not be changed.
func (g *Graph) statedBy(graph uint32) (facts []Triple) {
	if graph != Unnamed {
		return g.named.Facts(graph)
	}
	for t := range g.Triples() {
		if !g.named.OnlyNamed(t) {
			facts = append(facts, t)
		}
	}
	if g.Stated != nil {
		for l := range g.Stated.All() {
			if t := (Triple{l.Subject, LabelRelation, l.Literal}); !g.named.OnlyNamed(t) {
				facts = append(facts, t)
			}
		}
	}
	return facts
}

// NumEdges counts every statement in both directions.
func (v *View) NumEdges() int { return len(v.tails) }

// Nodes are those that have edges, sorted. The slice must not be changed.
func (v *View) Nodes() []Entity { return v.nodes }

// Edges is the row of a node.
func (v *View) Edges(h Entity) (relations []Relation, tails []Entity) {
	at, found := slices.BinarySearch(v.nodes, h)
	if !found {
		return nil, nil
	}
	from, to := v.first[at], v.first[at+1]
	return v.relations[from:to], v.tails[from:to]
}

// Tails gives what a node reaches by a relation, sorted. The slice must not be changed.
func (v *View) Tails(h Entity, r Relation) []Entity {
	relations, tails := v.Edges(h)
	from, found := slices.BinarySearch(relations, r)
	if !found {
		return nil
	}
	length := sort.Search(len(relations)-from, func(i int) bool { return relations[from+i] > r })
	return tails[from : from+length]
}

// Heads are the nodes that have an edge of a relation, sorted, and Count is how many such edges there are.
func (v *View) Heads(r Relation) []Entity { v.once.Do(v.sortByRelation); return v.heads[r] }

// Count is the number of edges of a relation.
func (v *View) Count(r Relation) int { v.once.Do(v.sortByRelation); return v.edges[r] }

func (v *View) sortByRelation() {
	v.heads, v.edges = map[Relation][]Entity{}, map[Relation]int{}
	for i, node := range v.nodes {
		row := v.relations[v.first[i]:v.first[i+1]]
		for j, r := range row {
			if v.edges[r]++; j == 0 || row[j-1] != r {
				v.heads[r] = append(v.heads[r], node)
			}
		}
	}
}
