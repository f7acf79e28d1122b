// Package cut finds the part of a graph that matters for predictions from an entity: the entities that a walk which
// starts there, and starts anew now and then, comes by most often, and the facts among them.
//
// A network passes over the whole graph for every row of links, although nearly all of what it looks at is too far
// away to matter: five seconds for a graph of a million entities. Personalised PageRank ranks entities by how near
// they are, counting all ways there; local push (push.go, after Andersen, Chung and Lang, 2006) computes as much of it as
// is wanted and touches only what lies around, so that its work does not grow with the graph. The first so many are the
// cut; topology.go makes the graph of them that kernels take.
//
// What is cut is a row's own affair. A row (h, q) is computed on the cut around h, whatever else is asked together with
// it: so it depends on graph and model alone, as without cuts, and may be kept, written to a file and compared. Rows
// of one head share its cut. What a row lacks are links to entities outside, which are taken to be impossible,
// and the influence of what lies there. Three things stay the whole graph's, so that a network sees the cut as it would see
// the graph around it: the relation vectors of a foundation model (package gnn derives them once), the degrees that PNA
// scales by, and what is stated, which traversal finds exactly.
//
// In the flow it stands between kg, out of which it cuts, and neural, which puts a model on cuts.
package cut

import (
	"math"
	"slices"
	"sync"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

// Cutter cuts parts of one size out of a graph. Any number of goroutines may use it.
type Cutter struct {
	graph   *kg.Graph
	size    int
	inverse []bool // of relations, as kernel.Graph has it
	meanLog func() float64
	spare   sync.Pool // of *push
}

// New cuts so many entities at a time; of a graph that has no more, all.
func New(g *kg.Graph, size int) *Cutter {
	c := &Cutter{graph: g, size: min(size, g.NumEntities()), inverse: make([]bool, g.NumRelations())}
	for r := range c.inverse {
		c.inverse[r] = kg.Relation(r).IsInverse()
	}
	c.meanLog = sync.OnceValue(func() float64 { return meanLogDegree(g) })
	c.spare.New = func() any { return newPush() }
	return c
}

// Size is the number of entities of a cut. One around an entity that reaches fewer has fewer.
func (c *Cutter) Size() int { return c.size }

// Cut is a part of a graph.
type Cut struct {
	Entities []kg.Entity   // ascending: a node of the topology is the place here
	Topology *kernel.Graph // the facts among them, every one with its inverse twin
}

// Place is where an entity stands in the cut.
func (c *Cut) Place(e kg.Entity) (node int32, found bool) {
	at, found := slices.BinarySearch(c.Entities, e)
	return int32(at), found
}

// Around cuts the entities around a head, it included, and others that are to be in it in any case.
func (c *Cutter) Around(head kg.Entity, also ...kg.Entity) (*Cut, error) {
	p := c.spare.Get().(*push)
	defer c.spare.Put(p)
	for _, e := range also {
		p.start(c.graph, e)
	}
	if c.size < c.graph.NumEntities() {
		p.around(c.graph, head, c.size)
		p.choose(c.size, len(also))
	} else {
		p.all(c.graph.NumEntities())
	}
	return c.part(p), nil
}

// AroundAll cuts the entities around several heads, all of them included and others that are to be in it: a walk starts anew at any of the heads.
func (c *Cutter) AroundAll(heads []kg.Entity, also ...kg.Entity) (*Cut, error) {
	p := c.spare.Get().(*push)
	defer c.spare.Put(p)
	for _, e := range heads {
		p.start(c.graph, e).rest = 1 / float64(len(heads))
	}
	for _, e := range also {
		p.start(c.graph, e)
	}
	fixed := len(p.touched) // those given, each once
	if c.size < c.graph.NumEntities() {
		p.until(c.graph, c.size)
		p.choose(c.size, min(fixed, c.size))
	} else {
		p.all(c.graph.NumEntities())
	}
	return c.part(p), nil
}

// Of cuts given entities, which ascend.
func (c *Cutter) Of(entities []kg.Entity) *Cut {
	p := c.spare.Get().(*push)
	defer c.spare.Put(p)
	p.chosen = append(p.chosen, entities...)
	return c.part(p)
}

// meanLogDegree is the mean of log(degree + 1) over all entities: PNA divides by it.
func meanLogDegree(g *kg.Graph) float64 {
	counts := map[int]int{}
	for e := range kg.Entity(g.NumEntities()) {
		counts[g.Degree(e)]++
	}
	sum := 0.0
	for _, degree := range sortedKeys(counts) { // in one order, so that the sum is one number
		sum += float64(counts[degree]) * math.Log(float64(degree+1))
	}
	return sum / float64(g.NumEntities())
}

func sortedKeys(counts map[int]int) []int {
	var keys []int
	for k := range counts {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
