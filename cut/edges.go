package cut

import (
	"cmp"
	"slices"
	"sort"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

// longRow is from how many edges on the row of an entity is not read: of its edges those to others are found in their
// rows, and only those among entities with rows as long are looked for in it. Hubs are in every cut, and their rows
// may be longer than all others of it together.
const longRow = 1 << 12

// edgeLists are the lists that the edges of a cut come from.
type edgeLists struct {
	marked       []uint64 // of the rows that are read together
	ends         []int32  // where those of each row end
	read, ofHubs []kernel.Edge
	all          []kernel.Edge
	ahead        ahead
}

// among lists the edges among the entities by head, relation and tail. The list is good until the next call.
func (l *edgeLists) among(g *kg.Graph, nodes *nodeTable, entities []kg.Entity, degrees []int32) []kernel.Edge {
	l.read, l.ofHubs, l.all = l.read[:0], l.ofHubs[:0], l.all[:0]
	var hubs []kg.Entity
	for first := 0; first < len(entities); first += together {
		rows := entities[first:min(first+together, len(entities))]
		l.mark(g, nodes, rows)
		for i, e := range rows {
			if g.Degree(e) > longRow {
				hubs = append(hubs, e)
			}
			l.addRow(g, nodes, int32(first+i), e, l.marked[l.ends[i]:l.ends[i+1]], degrees)
		}
	}
	for _, e := range hubs {
		l.addHub(g, nodes, e, hubs)
	}
	slices.SortFunc(l.ofHubs, func(a, b kernel.Edge) int {
		return cmp.Or(cmp.Compare(a.Head, b.Head), cmp.Compare(a.Relation, b.Relation), cmp.Compare(a.Tail, b.Tail))
	})
	return l.join()
}

// mark lists what is marked in the rows of some entities, those of hubs left out.
func (l *edgeLists) mark(g *kg.Graph, nodes *nodeTable, entities []kg.Entity) {
	for _, e := range entities {
		relations, tails := g.Edges(e)
		read(&l.ahead, tails)
		read(&l.ahead, relations)
	}
	l.marked, l.ends = l.marked[:0], append(l.ends[:0], 0)
	for _, e := range entities {
		if _, tails := g.Edges(e); len(tails) <= longRow {
			l.marked = nodes.marked(l.marked, tails)
		}
		l.ends = append(l.ends, int32(len(l.marked)))
	}
}

// addRow adds the edges of a row of which some tails are marked, which has them in order, and the twins of those that lead to hubs.
func (l *edgeLists) addRow(g *kg.Graph, nodes *nodeTable, node int32, e kg.Entity, marked []uint64, degrees []int32) {
	relations, _ := g.Edges(e)
	for _, m := range marked {
		tail := nodes.of(kg.Entity(uint32(m)))
		if tail < 0 {
			continue
		}
		r := relations[m>>32]
		l.read = append(l.read, kernel.Edge{Head: node, Relation: int32(r), Tail: tail})
		if degrees[tail] > longRow {
			l.ofHubs = append(l.ofHubs, kernel.Edge{Head: tail, Relation: int32(r.Inverse()), Tail: node})
		}
	}
}

// addHub adds the edges from a hub to others, looked for relation by relation.
func (l *edgeLists) addHub(g *kg.Graph, nodes *nodeTable, hub kg.Entity, others []kg.Entity) {
	relations, tails := g.Edges(hub)
	for len(relations) > 0 {
		r := relations[0]
		n, _ := slices.BinarySearch(relations, r+1)
		for _, t := range others {
			if _, found := slices.BinarySearch(tails[:n], t); found {
				l.ofHubs = append(l.ofHubs, kernel.Edge{Head: nodes.of(hub), Relation: int32(r), Tail: nodes.of(t)})
			}
		}
		relations, tails = relations[n:], tails[n:]
	}
}

// join puts the edges of hubs in their place.
func (l *edgeLists) join() []kernel.Edge {
	read := l.read
	for hubs := l.ofHubs; len(hubs) > 0; {
		before := sort.Search(len(read), func(i int) bool { return read[i].Head > hubs[0].Head })
		n := 1
		for n < len(hubs) && hubs[n].Head == hubs[0].Head {
			n++
		}
		l.all = append(append(l.all, read[:before]...), hubs[:n]...)
		read, hubs = read[before:], hubs[n:]
	}
	l.all = append(l.all, read...)
	return l.all
}
