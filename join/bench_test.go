package join

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lacuna-kg/lacuna/kernel"
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

// Ranking many entities, of which few or all are asked for.
func BenchmarkRanking(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	members := make([]member, 10_000)
	for i := range members {
		members[i] = member{kg.Entity(i), rng.Float64() * rng.Float64()}
	}
	for _, asked := range []int{1, 10, len(members)} {
		b.Run(fmt.Sprintf("%d of %d", asked, len(members)), func(b *testing.B) {
			for b.Loop() {
				c := newCandidates(members)
				for i := range asked {
					c.at(i)
				}
			}
		})
	}
}

// anything is a model that predicts each link, with a probability of its own.
type anything int

// Tails implements links.Source.
func (entities anything) Tails(_ context.Context, heads []kg.Entity, relations []kg.Relation, part func(int, kernel.Device, kernel.Buffer, []kg.Entity) error) error {
	return giveRows(heads, relations, part, func(h kg.Entity, r kg.Relation) []float32 {
		rng := rand.New(rand.NewPCG(uint64(h), uint64(r)))
		row := make([]float32, entities)
		for e := range row {
			row[e] = rng.Float32() * rng.Float32() * rng.Float32()
		}
		return row
	})
}

// The first ten answers of three variables and ten links to a question of which all links are predicted, over rows that are kept.
func BenchmarkPredictedTuples(b *testing.B) {
	const entities = 2000
	rows := links.New(bigGraph(rand.New(rand.NewPCG(1, 2)), entities, 4, 40000), anything(entities), links.Options{Map: links.Map{{Logit: 1}}})
	q := parsed(b, "?x, ?y, ?z : ∃u, v : #0(#30, x) ∧ #2(x, y) ∧ #4(y, z) ∧ #6(z, x) ∧ #0(x, u) ∧ #2(u, y) ∧ #4(z, v) ∧ #6(v, u) ∧ #2(y, v) ∧ x ≠ z")
	for b.Loop() {
		found, err := New(rows, q, Options{Follow: links.Follow{Most: 64}, Predicted: true}).All(b.Context(), 10)
		if err != nil || len(found) != 10 {
			b.Fatal(len(found), err)
		}
	}
}
