// Package browse helps to find one's way in a graph: what tells two entities of one name apart (hint.go),
// what relations lead from and to (relation.go), what is worth asking (example.go), and where a question
// has the ends of a relation in the wrong order (order.go).
//
// In the flow it stands beside query, above kg: it looks at stated facts alone, and all faces show what it says.
package browse

import (
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
)

// typeNames are what relations to kinds of things are called, as the last part of an address has it.
var typeNames = map[string]bool{
	"type": true, "instance of": true, "instanceof": true, "instance_of": true, "p31": true, "isa": true, "is_a": true, "is a": true,
	"class": true, "category": true, "kind": true, "label": true,
}

// typeRelations are the relations that lead to kinds of things.
func typeRelations(g *kg.Graph) (types []kg.Relation) {
	for base := range uint32(g.Relations.Names.Len()) {
		r := kg.Forward(base)
		if typeNames[strings.ToLower(lastPart(g.Relation(r)))] {
			types = append(types, r)
		}
	}
	return types
}

// lastPart is what an address ends in.
func lastPart(name string) string {
	name = strings.TrimRight(name, "/#>")
	return name[strings.LastIndexAny(name, "/#:.")+1:]
}

// Hint tells an entity from others of its name by one fact: its kind where the graph has kinds, else the fact
// that says most, of the relation with the fewest facts at this entity. It is "" without facts.
func Hint(g *kg.Graph, e kg.Entity) string {
	for _, r := range typeRelations(g) {
		if tails := g.Tails(e, r); len(tails) > 0 {
			return g.Relation(r) + " " + g.Entity(tails[0])
		}
	}
	relations, tails := g.Edges(e)
	best, fewest := -1, 0
	for from := 0; from < len(relations); {
		to := from
		for to < len(relations) && relations[to] == relations[from] {
			to++
		}
		if n := to - from; best < 0 || n < fewest || n == fewest && relations[best].IsInverse() && !relations[from].IsInverse() {
			best, fewest = from, n
		}
		from = to
	}
	if best < 0 {
		return ""
	}
	return factOf(g, e, relations[best], tails[best])
}

// factOf is a fact as it is stated, from whichever end it was met.
func factOf(g *kg.Graph, e kg.Entity, r kg.Relation, other kg.Entity) string {
	t := kg.Triple{Head: e, Relation: r, Tail: other}.Stated()
	return g.Relation(t.Relation) + "(" + g.Entity(t.Head) + ", " + g.Entity(t.Tail) + ")"
}
