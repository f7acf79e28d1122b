package gaps

import (
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
)

// Domain are the entities that a relation may begin at, ascending: those that it is stated of and those that are like
// them. An entity is like them where something else that is stated of it is stated, in at least half of
// all cases, of entities that have the relation: who has a director and a year may have a genre.
func Domain(g *kg.Graph, r kg.Relation) []kg.Entity {
	with, both := make([]int, g.NumRelations()), make([]int, g.NumRelations())
	eachPair(g, func(e kg.Entity, q kg.Relation) {
		with[q]++
		if len(g.Tails(e, r)) > 0 {
			both[q]++
		}
	})
	var members []kg.Entity
	last := kg.Entity(0)
	eachPair(g, func(e kg.Entity, q kg.Relation) {
		if 2*both[q] >= with[q] && (len(members) == 0 || last != e) {
			members, last = append(members, e), e
		}
	})
	return members
}

// Likely are the relations that an entity may have: those that are stated of it, in either direction, and those that
// go with one of these in at least half of all cases.
func Likely(g *kg.Graph, e kg.Entity) (relations []kg.Relation) {
	has := relationsOf(g, e)
	with, both := map[kg.Relation]int{}, map[[2]kg.Relation]int{}
	for x := range kg.Entity(g.NumEntities()) {
		others := relationsOf(g, x)
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

// relationsOf are those of an entity, each once.
func relationsOf(g *kg.Graph, e kg.Entity) []kg.Relation {
	relations, _ := g.Edges(e)
	return slices.Compact(slices.Clone(relations))
}

// eachPair visits what is stated of every entity, each relation once.
func eachPair(g *kg.Graph, visit func(kg.Entity, kg.Relation)) {
	for e := range kg.Entity(g.NumEntities()) {
		relations, _ := g.Edges(e)
		for i, q := range relations {
			if i == 0 || relations[i-1] != q {
				visit(e, q)
			}
		}
	}
}

// Column says which places of a relation are to be filled.
type Column struct {
	Relation kg.Relation `json:"relation"`
	Heads    []kg.Entity `json:"heads,omitempty"`   // nil for the domain of the relation
	Lacking  bool        `json:"lacking,omitempty"` // only heads of which nothing is stated
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
