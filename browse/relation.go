package browse

import (
	"cmp"
	"math"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
)

// Relation is one with what it leads from and to.
type Relation struct {
	Name   string `json:"name"`
	ID     string `json:"id,omitempty"` // the identifier, where Name is a label
	Facts  int    `json:"facts"`
	Domain string `json:"domain"` // what its heads are, in words
	Range  string `json:"range"`  // what its tails are
	// Example is a fact of it.
	Example string `json:"example"`
}

// looked bounds the entities of a relation that are looked at: enough to say what most are.
const looked = 500

// Relations describes all relations, the most frequent first.
func Relations(g *kg.Graph) []Relation {
	return described(g, func(uint32) bool { return true })
}

// described describes some relations, the most frequent first. Without any it does not look at the facts.
func described(g *kg.Graph, isWanted func(base uint32) bool) []Relation {
	var wanted []uint32
	for base := range uint32(g.Relations.Names.Len()) {
		if isWanted(base) {
			wanted = append(wanted, base)
		}
	}
	if len(wanted) == 0 {
		return []Relation{}
	}
	all := describeAll(g)
	list := make([]Relation, len(wanted))
	for i, base := range wanted {
		list[i] = all[base]
	}
	slices.SortStableFunc(list, func(a, b Relation) int { return cmp.Compare(b.Facts, a.Facts) })
	return list
}

// describeAll describes all relations by their numbers.
func describeAll(g *kg.Graph) []Relation {
	s := survey{g, typeRelations(g), frequencies(g)}
	list := make([]Relation, g.Relations.Names.Len())
	heads, tails := make([][]kg.Entity, len(list)), make([][]kg.Entity, len(list))
	for t := range g.Triples() {
		base := t.Relation.Base()
		if list[base].Facts++; list[base].Facts == 1 {
			list[base].Example = factOf(g, t.Head, t.Relation, t.Tail)
		}
		if len(heads[base]) < looked {
			heads[base], tails[base] = append(heads[base], t.Head), append(tails[base], t.Tail)
		}
	}
	for base := range list {
		r := kg.Forward(uint32(base))
		list[base].Name, list[base].ID = g.Relation(r), g.Relations.LabelledID(uint32(base))
		list[base].Domain, list[base].Range = s.kind(heads[base], r), s.kind(tails[base], r.Inverse())
	}
	return list
}

// survey is what describing entities needs of a graph.
type survey struct {
	graph *kg.Graph
	types []kg.Relation
	with  []int // entities that have each relation, read in its direction
}

// frequencies counts the entities that have each relation.
func frequencies(g *kg.Graph) []int {
	with := make([]int, g.NumRelations())
	for e := range kg.Entity(g.NumEntities()) {
		relations, _ := g.Edges(e)
		for i, r := range relations { // sorted
			if i == 0 || relations[i-1] != r {
				with[r]++
			}
		}
	}
	return with
}

// relationsOf are those of an entity, each once.
func relationsOf(g *kg.Graph, e kg.Entity) []kg.Relation {
	relations, _ := g.Edges(e)
	return slices.Compact(slices.Clone(relations))
}

// mostOf is the share of entities from which on something is said of all of them.
const mostOf = 0.5

// kind says what entities that have a relation are: their type, where most have one; numbers and texts; or else
// what most of them have beside it.
func (s survey) kind(entities []kg.Entity, beside kg.Relation) string {
	if len(entities) == 0 {
		return ""
	}
	values, types, others := 0, map[kg.Entity]int{}, map[kg.Relation]int{}
	for _, e := range entities {
		if name := s.graph.Entities.Names.At(uint32(e)); len(name) > 0 && name[0] == '"' {
			values++
		}
		for _, r := range s.types {
			for _, t := range s.graph.Tails(e, r) {
				types[t]++
			}
		}
		for _, r := range relationsOf(s.graph, e) {
			if r != beside {
				others[r]++
			}
		}
	}
	n := float64(len(entities))
	if float64(values) >= mostOf*n {
		return "a value"
	}
	if t, count := most(types, func(kg.Entity) float64 { return 1 }); float64(count) >= mostOf*n {
		return s.graph.Entity(t)
	}
	// Of what most have, the rarest says most: a share of all entities is what chance would give.
	r, count := most(others, func(r kg.Relation) float64 {
		return math.Max(0, float64(others[r])/n-mostOf) / float64(1+s.with[r])
	})
	if count == 0 || float64(count) < mostOf*n {
		return ""
	}
	if r.IsInverse() {
		return "tails of " + s.graph.Relation(r.Inverse())
	}
	return "what has " + s.graph.Relation(r)
}

// most is the key of the highest count times weight, the least of equals.
func most[K cmp.Ordered](counts map[K]int, weigh func(K) float64) (best K, count int) {
	highest := -1.0
	for key, n := range counts {
		if score := float64(n) * weigh(key); score > highest || score == highest && key < best {
			best, count, highest = key, n, score
		}
	}
	return best, count
}
