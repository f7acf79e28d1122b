package links

import (
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
)

// StatedPairs are the pairs that a graph states a link of, in the order of a file: by
// relation, then by head. Chosen, where given, tells which relations and heads are wanted.
func StatedPairs(g *kg.Graph, chosen func(Pair) bool) []Pair {
	ofRelation := make([][]Pair, g.NumRelations())
	for h := range kg.Entity(g.NumEntities()) {
		relations, _ := g.Edges(h)
		for i, r := range relations {
			p := Pair{h, r}
			if (i == 0 || relations[i-1] != r) && (chosen == nil || chosen(p)) {
				ofRelation[r] = append(ofRelation[r], p)
			}
		}
	}
	return slices.Concat(ofRelation...)
}

// AllPairs are those of every head and relation, in the same order.
func AllPairs(g *kg.Graph, chosen func(Pair) bool) (pairs []Pair) {
	for r := range kg.Relation(g.NumRelations()) {
		for h := range kg.Entity(g.NumEntities()) {
			if p := (Pair{h, r}); chosen == nil || chosen(p) {
				pairs = append(pairs, p)
			}
		}
	}
	return pairs
}
