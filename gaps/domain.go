package gaps

import (
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
)

// Domain are the entities that a relation may begin at, ascending: those that it is stated of and those that are like them. An entity is like them where something
// else that is stated of it is stated, in at least half of all cases, of entities that have the relation: who has a director and a year may have a genre. And it is like them where
// it has half of the relations that most of them have: so a column that few rows of a table fill is asked of the others.
func Domain(g *kg.Graph, r kg.Relation) []kg.Entity { return domainsOf(g, []kg.Relation{r})[0] }

// domainsOf are the domains of relations.
func domainsOf(g *kg.Graph, of []kg.Relation) [][]kg.Entity {
	const most = 1 << 24 // pairs of relations that are counted together
	var all [][]kg.Entity
	for some := range slices.Chunk(of, max(1, most/max(1, g.NumRelations()))) {
		all = append(all, countPairs(g, some).domains(g)...)
	}
	return all
}

// pairCounts say which relations go together.
type pairCounts struct {
	of   []kg.Relation
	with []int   // entities that have a relation
	both [][]int // and one of the others, too
}

func countPairs(g *kg.Graph, of []kg.Relation) pairCounts {
	c := pairCounts{of, make([]int, g.NumRelations()), make([][]int, g.NumRelations())}
	place := make([]int, g.NumRelations()) // in the list, from 1
	for i, r := range of {
		place[r] = i + 1
	}
	for r := range c.both {
		c.both[r] = make([]int, len(of))
	}
	var has []kg.Relation
	for e := range kg.Entity(g.NumEntities()) {
		has = relationsOf(g, e, has[:0])
		for _, q := range has {
			c.with[q]++
			for _, r := range has {
				if at := place[r]; at > 0 {
					c.both[q][at-1]++
				}
			}
		}
	}
	return c
}

// domains are the entities that have a relation or are like those.
func (c pairCounts) domains(g *kg.Graph) [][]kg.Entity {
	certain, typical, expected := make([][]int, len(c.with)), make([][]int, len(c.with)), make([]int, len(c.of))
	for q := range c.with {
		for i, r := range c.of {
			if 2*c.both[q][i] >= c.with[q] {
				certain[q] = append(certain[q], i)
			}
			if kg.Relation(q) != r && 2*c.both[q][i] >= max(1, c.with[r]) {
				typical[q] = append(typical[q], i)
				expected[i]++
			}
		}
	}
	members, seen := make([][]kg.Entity, len(c.of)), make([]int, len(c.of))
	var has []kg.Relation
	for e := range kg.Entity(g.NumEntities()) {
		clear(seen)
		has = relationsOf(g, e, has[:0])
		for _, q := range has {
			for _, i := range typical[q] {
				seen[i]++
			}
			for _, i := range certain[q] {
				seen[i] += len(c.with) // more than enough
			}
		}
		for i, n := range seen {
			if n > 0 && 2*n >= expected[i] {
				members[i] = append(members[i], e)
			}
		}
	}
	return members
}

// Likely are the relations that an entity may have: those that are stated of it, in either direction, and those that
// go with one of these in at least half of all cases.
func Likely(g *kg.Graph, e kg.Entity) (relations []kg.Relation) {
	has := relationsOf(g, e, nil)
	with, both := map[kg.Relation]int{}, map[[2]kg.Relation]int{}
	for x := range kg.Entity(g.NumEntities()) {
		others := relationsOf(g, x, nil)
		for _, q := range others {
			if !slices.Contains(has, q) {
				continue
			}
			with[q]++
			for _, r := range others {
				both[[2]kg.Relation{q, r}]++
			}
		}
	}
	relations = slices.Clone(has)
	for pair, n := range both {
		if 2*n >= with[pair[0]] && !slices.Contains(relations, pair[1]) {
			relations = append(relations, pair[1])
		}
	}
	slices.Sort(relations)
	return relations
}

// relationsOf appends those of an entity, each once.
func relationsOf(g *kg.Graph, e kg.Entity, to []kg.Relation) []kg.Relation {
	relations, _ := g.Edges(e)
	for i, q := range relations {
		if i == 0 || relations[i-1] != q {
			to = append(to, q)
		}
	}
	return to
}

// Column says which places of a relation are to be filled.
type Column struct {
	Relation kg.Relation `json:"relation"`
	Heads    []kg.Entity `json:"heads,omitempty"`   // nil for the domain of the relation
	Lacking  bool        `json:"lacking,omitempty"` // only heads of which nothing is stated
}

// Asked says which entities a column asks for, and why not others.
type Asked struct {
	Asked  int `json:"asked"`
	Stated int `json:"stated"` // left out, as they have a value
	Unlike int `json:"unlike"` // left out, as they are not like those that have one
}

// Asked counts the entities of a column.
func (f *Finder) Asked(c Column) Asked {
	a := Asked{Asked: len(c.pairs(f.graph))}
	heads := len(c.Heads)
	if c.Heads == nil {
		heads = len(Domain(f.graph, c.Relation))
		a.Unlike = f.graph.NumEntities() - heads
	}
	a.Stated = heads - a.Asked
	return a
}

// pairs are the places.
func (c Column) pairs(g *kg.Graph) []links.Pair {
	heads := c.Heads
	if heads == nil {
		heads = Domain(g, c.Relation)
	}
	var pairs []links.Pair
	for _, h := range heads {
		if !c.Lacking || len(g.Tails(h, c.Relation)) == 0 {
			pairs = append(pairs, links.Pair{Head: h, Relation: c.Relation})
		}
	}
	return pairs
}
