package join

import (
	"math/rand/v2"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/query"
)

// bigGraph has hubs, as graphs have.
func bigGraph(rng *rand.Rand, entities, relations, facts int) *kg.Graph {
	var names, relationNames kg.Interner
	for i := range entities {
		names.Intern([]byte{byte(i), byte(i >> 8), byte(i >> 16)})
	}
	for i := range relations {
		relationNames.Intern([]byte{byte(i)})
	}
	draw := func() kg.Entity { return kg.Entity(float64(entities) * rng.Float64() * rng.Float64()) }
	triples := make([]kg.Triple, facts)
	for i := range triples {
		triples[i] = kg.Triple{Head: draw(), Relation: kg.Forward(uint32(rng.IntN(relations))), Tail: draw()}
	}
	return kg.Build(&kg.Vocabulary{Entities: kg.Dictionary{Names: names.Names()}, Relations: kg.Dictionary{Names: relationNames.Names()}}, triples)
}

func parsed(tb testing.TB, text string) *query.Normal {
	tb.Helper()
	q, err := query.Parse(text)
	if err != nil {
		tb.Fatal(err)
	}
	n, err := query.Normalise(q)
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

// All triangles of a graph, by what it states.
func BenchmarkStatedTriangles(b *testing.B) {
	rows := links.New(bigGraph(rand.New(rand.NewPCG(1, 2)), 2000, 4, 40000), nil, links.Options{})
	q := parsed(b, "?x, ?y, ?z : #0(x, y) & #2(y, z) & #4(z, x)")
	found := 0
	for b.Loop() {
		answers, err := New(rows, q, Options{}).All(b.Context(), -1)
		if err != nil {
			b.Fatal(err)
		}
		found = len(answers)
	}
	b.ReportMetric(float64(found), "answers")
}
