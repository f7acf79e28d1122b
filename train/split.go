package train

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
)

// Most graphs at hand say a thing once. Others say it several ways: an encyclopaedia's birthPlace and placeOfBirth, the events that
// come with each other between two countries, a relation beside its inverse under another name. What a model must learn from them is
// that relations go together, more or less; splitting makes such graphs of any.
const mostVariants = 6

// variant is one of the relations that stand for what one relation said.
type variant struct {
	relation uint32
	often    float64 // how likely it states a fact
	inverted bool
}

// splitRelations says the facts of a graph by several relations in place of one: each fact by some of its relation's variants, at least by one.
func splitRelations(g *kg.Graph, random *rand.Rand) *kg.Graph {
	var relations kg.Interner
	variants := make([][]variant, g.NumRelations()/2)
	for r := range variants {
		variants[r] = drawVariants(&relations, g.Relations.Names.At(uint32(r)), random)
	}
	var triples []kg.Triple
	for _, t := range slices.Collect(g.Triples()) {
		triples = append(triples, restate(t, variants[t.Relation.Base()], random)...)
	}
	return kg.Build(&kg.Vocabulary{Entities: g.Entities, Relations: kg.Dictionary{Names: relations.Names()}}, triples)
}

// drawVariants gives a relation one to mostVariants of them; the first is not inverted.
func drawVariants(relations *kg.Interner, name string, random *rand.Rand) []variant {
	list := make([]variant, evenly(random, 1, mostVariants))
	for i := range list {
		list[i] = variant{
			relation: relations.Intern(fmt.Appendf(nil, "%s %d", name, i+1)),
			often:    random.Float64(),
			inverted: i > 0 && random.IntN(4) == 0,
		}
	}
	return list
}

func restate(t kg.Triple, variants []variant, random *rand.Rand) []kg.Triple {
	var stated []kg.Triple
	for _, v := range variants {
		if random.Float64() < v.often {
			stated = append(stated, v.of(t))
		}
	}
	if stated == nil {
		stated = append(stated, variants[random.IntN(len(variants))].of(t))
	}
	return stated
}

func (v variant) of(t kg.Triple) kg.Triple {
	if v.inverted {
		t.Head, t.Tail = t.Tail, t.Head
	}
	t.Relation = kg.Forward(v.relation)
	return t
}

// joinedOnce keeps one of the facts between two entities, drawn at random: where two people are cousins they are nothing else, and a
// fact between them speaks against every other.
func joinedOnce(g *kg.Graph, random *rand.Rand) *kg.Graph {
	facts, joined := slices.Collect(g.Triples()), map[[2]kg.Entity]bool{}
	random.Shuffle(len(facts), func(i, j int) { facts[i], facts[j] = facts[j], facts[i] })
	facts = slices.DeleteFunc(facts, func(t kg.Triple) bool {
		pair := [2]kg.Entity{min(t.Head, t.Tail), max(t.Head, t.Tail)}
		gone := joined[pair]
		joined[pair] = true
		return gone
	})
	return kg.Build(g.Vocabulary, facts)
}

// joinedOnceEachWay keeps one of the facts between two entities and answers it in the other direction: whom one calls uncle one
// calls nothing else, but is called nephew. A fact speaks against others in its direction and for some in the other.
func joinedOnceEachWay(g *kg.Graph, random *rand.Rand) *kg.Graph {
	return answered(joinedOnce(g, random), random)
}

// answered adds to most facts one in the other direction, by a relation that depends on that of the fact; several may have the same answer.
func answered(g *kg.Graph, random *rand.Rand) *kg.Graph {
	var relations kg.Interner
	for r := range g.NumRelations() / 2 {
		relations.Intern([]byte(g.Relations.Names.At(uint32(r))))
	}
	answers := make([]uint32, g.NumRelations()/2)
	several := evenly(random, 1, len(answers))
	for r := range answers {
		answers[r] = relations.Intern(fmt.Appendf(nil, "answer %d", random.IntN(several)+1))
	}
	often := 0.5 + random.Float64()/2
	facts := slices.Collect(g.Triples())
	for _, t := range facts {
		if t.Head != t.Tail && random.Float64() < often {
			facts = append(facts, kg.Triple{Head: t.Tail, Relation: kg.Forward(answers[t.Relation.Base()]), Tail: t.Head})
		}
	}
	return kg.Build(&kg.Vocabulary{Entities: g.Entities, Relations: kg.Dictionary{Names: relations.Names()}}, facts)
}
