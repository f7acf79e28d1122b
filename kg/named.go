package kg

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
)

// A Graph is the union of what all of its data states. Where that came in named graphs, as N-Quads and TriG have them, Named keeps who
// states what: a graph without any has none of it, and costs nothing more.

// Named are the named graphs of a graph, each with the facts and labels that it states.
type Named struct {
	names *Names
	first []uint64 // statements of graph i are facts[first[i]:first[i+1]]
	facts []Triple // by head, relation and tail within each
	only  []Triple // what no one but named graphs states, in the same order

	views sync.Map // by Unnamed and 1 … Len: *View, once somebody asks
}

// LabelRelation stands for rdfs:label in the statements of Named where a label is no fact; its ends are numbers of LabelTriples.
const LabelRelation Relation = 1<<32 - 2

// Unnamed is the number of the graph without a name; that of named graph i is i+1.
const Unnamed uint32 = 0

// Statement is a triple of one of the graphs.
type Statement struct {
	Graph uint32
	Triple
}

func (s Statement) compare(other Statement) int {
	return cmp.Or(cmp.Compare(s.Graph, other.Graph), s.Triple.Compare(other.Triple))
}

// NewNamed puts statements in order, those of the graph without a name among them: they tell which facts that one states, too.
func NewNamed(names *Names, all []Statement) *Named {
	slices.SortFunc(all, func(a, b Statement) int { return cmp.Or(a.Triple.Compare(b.Triple), cmp.Compare(a.Graph, b.Graph)) })
	all = slices.Compact(all)
	var only []Triple
	for i, s := range all {
		if s.Graph != Unnamed && (i == 0 || all[i-1].Triple != s.Triple) {
			only = append(only, s.Triple)
		}
	}
	return newNamed(names, slices.DeleteFunc(all, func(s Statement) bool { return s.Graph == Unnamed }), only)
}

// newNamed puts the statements of named graphs in order.
func newNamed(names *Names, all []Statement, only []Triple) *Named {
	slices.SortFunc(all, Statement.compare)
	n := &Named{names: names, first: make([]uint64, names.Len()+1), facts: make([]Triple, len(all)), only: only}
	for i, s := range all {
		n.facts[i] = s.Triple
		n.first[s.Graph]++
	}
	for i := 1; i < len(n.first); i++ {
		n.first[i] += n.first[i-1]
	}
	return n
}

// Named are the graph's named graphs, nil where it has none.
func (g *Graph) Named() *Named { return g.named }

// WithNamed gives a graph its named graphs, whose statements are all of it. It is for who has just built it.
func (g *Graph) WithNamed(n *Named) *Graph {
	g.named = n
	return g
}

// Len is how many there are; nil has none.
func (n *Named) Len() int {
	if n == nil {
		return 0
	}
	return n.names.Len()
}

// Name is that of a graph by its number, "" of Unnamed.
func (n *Named) Name(graph uint32) string {
	if graph == Unnamed {
		return ""
	}
	return n.names.At(graph - 1)
}

// Find gives the number of a graph.
func (n *Named) Find(name string) (graph uint32, known bool) {
	if name == "" {
		return Unnamed, true
	}
	if n == nil {
		return 0, false
	}
	id, known := n.names.Find(name)
	return id + 1, known
}

// Facts are the statements of a named graph, by head, relation and tail; labels have LabelRelation.
func (n *Named) Facts(graph uint32) []Triple { return n.facts[n.first[graph-1]:n.first[graph]] }

// OnlyNamed tells that named graphs alone state a fact or label, which is stated.
func (n *Named) OnlyNamed(t Triple) bool {
	if n == nil {
		return false
	}
	_, found := slices.BinarySearchFunc(n.only, t, Triple.Compare)
	return found
}

// States tells whether one of the graphs states a fact or label.
func (g *Graph) States(s Statement) bool {
	if s.Graph != Unnamed {
		_, found := slices.BinarySearchFunc(g.named.Facts(s.Graph), s.Triple, Triple.Compare)
		return found
	}
	return g.holds(s.Triple) && !g.named.OnlyNamed(s.Triple)
}

// holds tells whether any graph states a fact or label.
func (g *Graph) holds(t Triple) bool {
	if t.Relation != LabelRelation {
		return g.states(t)
	}
	if g.Stated == nil {
		return false
	}
	_, found := slices.BinarySearch(g.Stated.Of(t.Head), t.Tail)
	return found
}

// FactOf is a statement by its names.
func (g *Graph) FactOf(s Statement) Fact {
	graph := ""
	if s.Graph != Unnamed {
		graph = g.named.Name(s.Graph)
	}
	if s.Relation == LabelRelation {
		names := g.Entities.Names
		return Fact{g.Stated.Name(names, s.Head), RDFSLabel, g.Stated.Name(names, s.Tail), graph, ""}
	}
	return Fact{g.Entities.Names.At(uint32(s.Head)), g.Relations.Names.At(s.Relation.Base()), g.Entities.Names.At(uint32(s.Tail)), graph, ""}
}

// GraphsOf are the names of the graphs that state a fact, "" of the one without a name first.
func (g *Graph) GraphsOf(t Triple) (graphs []string) {
	t = t.Stated()
	if g.States(Statement{Unnamed, t}) {
		graphs = append(graphs, "")
	}
	for number := uint32(1); int(number) <= g.named.Len(); number++ {
		if g.States(Statement{number, t}) {
			graphs = append(graphs, g.named.Name(number))
		}
	}
	return graphs
}

// StatesFact tells whether the graph of a fact states it, by identifiers; it may be a label.
func (g *Graph) StatesFact(f Fact) bool {
	all, err := newStatementFinder(g, true).find([]Fact{f})
	return err == nil && len(all) == 1 && g.States(all[0])
}

// check makes sure that statements are of the graph and in order.
func (n *Named) check(g *Graph) error {
	if n == nil {
		return nil
	}
	if len(n.first) != n.names.Len()+1 {
		return fmt.Errorf("named graphs: %d beginnings for %d of them", len(n.first), n.names.Len())
	}
	if err := checkEnds(n.first, len(n.facts)); err != nil {
		return fmt.Errorf("named graphs: %w", err)
	}
	lists := [][]Triple{n.only}
	for graph := range n.names.Len() {
		lists = append(lists, n.Facts(uint32(graph)+1))
	}
	for _, list := range lists {
		for i, t := range list {
			if i > 0 && list[i-1].Compare(t) >= 0 {
				return fmt.Errorf("named graphs: statement (%d, %d, %d) is out of order", t.Head, t.Relation, t.Tail)
			}
			if t.Relation.IsInverse() || !g.holds(t) {
				return fmt.Errorf("named graphs: (%d, %d, %d) is no fact of the graph", t.Head, t.Relation, t.Tail)
			}
		}
	}
	return nil
}
