package synth

import (
	"math/rand/v2"

	"github.com/lacuna-kg/lacuna/kg"
)

// Random is a small graph of so many facts drawn evenly, for tests that compare with a naive definition. Entities are
// named a, b, … and relations R, S, …: at most 26 and 8.
func Random(rng *rand.Rand, entities, relations, facts int) *kg.Graph {
	triples := make([]kg.Triple, facts)
	for i := range triples {
		triples[i] = kg.Triple{Head: kg.Entity(rng.IntN(entities)), Relation: kg.Forward(uint32(rng.IntN(relations))), Tail: kg.Entity(rng.IntN(entities))}
	}
	return kg.Build(&kg.Vocabulary{Entities: letters('a', entities), Relations: letters('R', relations)}, triples)
}

func letters(first byte, n int) kg.Dictionary {
	var names kg.Interner
	for i := range n {
		names.Intern([]byte{first + byte(i)})
	}
	return kg.Dictionary{Names: names.Names()}
}
