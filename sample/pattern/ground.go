package pattern

import (
	"math/rand/v2"
	"slices"

	"github.com/lacuna-kg/lacuna/internal/sorted"
	"github.com/lacuna-kg/lacuna/kg"
)

// grounder finds entities and relations for all of a pattern in a graph: one node after the other,
// each at the end of links from those that have their entity. A node with several is where
// their neighbours meet, so that cycles close.
type grounder struct {
	*Pattern
	graph  *kg.Graph
	random *rand.Rand

	at        []kg.Entity // by node
	placed    []bool
	drawn     draw
	hasDrawn  []bool // by open relation
	triples   map[kg.Triple]bool
	connected []kg.Entity
}

func (p *Pattern) grounder(g *kg.Graph, connected []kg.Entity, random *rand.Rand) *grounder {
	return &grounder{
		Pattern: p, graph: g, random: random, connected: connected,
		at: make([]kg.Entity, len(p.nodes)), placed: make([]bool, len(p.nodes)), hasDrawn: make([]bool, p.relations),
		drawn: draw{make([]kg.Relation, p.relations), make([]kg.Entity, p.entities)}, triples: map[kg.Triple]bool{},
	}
}

// ground draws all that is open and tells whether it was possible.
func (g *grounder) ground() bool {
	for n, of := range g.nodes {
		if of.kind == fixedEntity {
			if !g.place(n, of.entity) {
				return false
			}
		}
	}
	for {
		n, links := g.next()
		if n < 0 {
			return true
		}
		e, found := g.candidate(n, links)
		if !found || !g.place(n, e) {
			return false
		}
	}
}

// next is the node with the most links to those placed, of equal ones the first, variables before open entities.
// The answers are the first of all.
func (g *grounder) next() (next int, links []int) {
	next = -1
	for n := range g.nodes {
		if g.placed[n] {
			continue
		}
		var own []int
		for i, a := range g.atoms {
			if a.from != a.to && (a.from == n && g.placed[a.to] || a.to == n && g.placed[a.from]) {
				own = append(own, i)
			}
		}
		if next < 0 || len(own) > len(links) || len(own) == len(links) && g.nodes[next].kind == openEntity && g.nodes[n].kind == variable {
			next, links = n, own
		}
	}
	return next, links
}

// candidate draws an entity for a node.
func (g *grounder) candidate(n int, links []int) (kg.Entity, bool) {
	var others []int
	for _, i := range links {
		if m := g.other(i, n); !slices.Contains(others, m) {
			others = append(others, m)
		}
	}
	switch len(others) {
	case 0:
		return g.start(n)
	case 1:
		return g.along(g.atoms[links[0]], n)
	}
	meeting := g.neighbours(g.atoms[links[0]], n)
	for _, i := range links[1:] {
		meeting = sorted.Intersection(nil, meeting, g.neighbours(g.atoms[i], n))
	}
	return g.oneOf(meeting)
}

// other is the end of an atom that is not n.
func (g *grounder) other(atom, n int) int {
	if a := g.atoms[atom]; a.from != n {
		return a.from
	}
	return g.atoms[atom].to
}

func (g *grounder) oneOf(entities []kg.Entity) (kg.Entity, bool) {
	if len(entities) == 0 {
		return 0, false
	}
	return entities[g.random.IntN(len(entities))], true
}

// start draws an entity that nothing leads to. Where a relation of the graph is said of it, it is one that has it.
func (g *grounder) start(n int) (kg.Entity, bool) {
	const tries = 200
	for range tries {
		e, found := g.oneOf(g.connected)
		if !found {
			return 0, false
		}
		fits := !slices.ContainsFunc(g.atoms, func(a atom) bool {
			r, known := g.known(a)
			if !known || a.from != n && a.to != n {
				return false
			}
			if a.to == n {
				r = r.Inverse()
			}
			return len(g.graph.Tails(e, r)) == 0
		})
		if fits {
			return e, true
		}
	}
	return 0, false
}

// known is the relation of an atom, if it has one yet.
func (g *grounder) known(a atom) (kg.Relation, bool) {
	if a.slot < 0 {
		return a.relation, true
	}
	return g.drawn.relations[a.slot], g.hasDrawn[a.slot]
}

// along draws a neighbour by a link: as in BetaE first a relation, all alike however many facts it has, then one of its ends.
func (g *grounder) along(a atom, n int) (kg.Entity, bool) {
	from, r, known := g.from(a, n)
	if known {
		return g.oneOf(g.graph.Tails(from, r))
	}
	relations, _ := g.graph.Edges(from)
	if len(relations) == 0 {
		return 0, false
	}
	distinct := slices.Compact(slices.Clone(relations))
	return g.oneOf(g.graph.Tails(from, distinct[g.random.IntN(len(distinct))]))
}

// from is the placed end of an atom at n and its relation from there, if it is known.
func (g *grounder) from(a atom, n int) (kg.Entity, kg.Relation, bool) {
	r, known := g.known(a)
	if a.to == n {
		return g.at[a.from], r, known
	}
	return g.at[a.to], r.Inverse(), known
}

// neighbours are all ends of a link at n, ascending.
func (g *grounder) neighbours(a atom, n int) []kg.Entity {
	from, r, known := g.from(a, n)
	if known {
		return g.graph.Tails(from, r)
	}
	_, tails := g.graph.Edges(from)
	all := slices.Clone(tails)
	slices.Sort(all)
	return slices.Compact(all)
}

// place gives a node its entity and draws the relations of all links that are then between two entities.
func (g *grounder) place(n int, e kg.Entity) bool {
	g.at[n], g.placed[n] = e, true
	if of := g.nodes[n]; of.kind == openEntity {
		g.drawn.entities[of.slot] = e
	}
	for _, a := range g.atoms {
		if (a.from == n || a.to == n) && g.placed[a.from] && g.placed[a.to] && !g.settle(a) {
			return false
		}
	}
	return true
}

// settle draws the relation of a link whose ends have their entities: one that holds and that no
// other link of the pattern uses between the same two.
func (g *grounder) settle(a atom) bool {
	r, known := g.known(a)
	if !known {
		var holding []kg.Relation
		relations, tails := g.graph.Edges(g.at[a.from])
		for i, t := range tails {
			if t == g.at[a.to] && !g.triples[g.triple(a, relations[i])] {
				holding = append(holding, relations[i])
			}
		}
		if len(holding) == 0 {
			return false
		}
		r = holding[g.random.IntN(len(holding))]
		g.drawn.relations[a.slot], g.hasDrawn[a.slot] = r, true
	}
	fact := kg.Triple{Head: g.at[a.from], Relation: r, Tail: g.at[a.to]}
	if !g.graph.Has(fact) || g.triples[fact.Stated()] {
		return false
	}
	g.triples[fact.Stated()] = true
	return true
}

func (g *grounder) triple(a atom, r kg.Relation) kg.Triple {
	return kg.Triple{Head: g.at[a.from], Relation: r, Tail: g.at[a.to]}.Stated()
}
