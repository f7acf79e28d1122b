package neural

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/factor"
	"github.com/lacuna-kg/lacuna/internal/gradcheck"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

// tailsOf is a row by a predictor.
func tailsOf(t *testing.T, p *Predictor, h kg.Entity, q kg.Relation) (row []float32) {
	t.Helper()
	err := p.Tails(t.Context(), []kg.Entity{h}, []kg.Relation{q}, func(_ int, device kernel.Device, probabilities kernel.Buffer, _ []kg.Entity) error {
		row = make([]float32, probabilities.Len())
		device.Download(row, probabilities)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return row
}

func randomVectors(g *kg.Graph) *factor.Model {
	vectors := factor.New(g.NumEntities(), g.NumRelations(), 8, 1)
	for _, table := range [][]float32{vectors.Entities, vectors.Relations} {
		for i := range table {
			table[i] *= 800
		}
	}
	return vectors
}

// A row of a model with vectors is the weighted sum of both logits, up to one number for all; a change of names behind
// the known ones leaves the network alone where there are no vectors.
func TestTailsWithFactors(t *testing.T) {
	m, plain := laureates(t, Foundation)
	defer m.Close()
	defer plain.Close()
	g, blend := plain.Graph, factor.Blend{{Vectors: 0.5}}
	vectors := randomVectors(g)
	before, err := m.Hash()
	if err != nil {
		t.Fatal(err)
	}
	if m.Card.Factors, err = checkpoint.NewFactors(vectors, g.Vocabulary, blend, factor.Options{}); err != nil {
		t.Fatal(err)
	}
	if after, err := m.Hash(); err != nil || after == before {
		t.Errorf("the hash does not tell that there are vectors (%v)", err)
	}
	both, err := m.On(t.Context(), g, "the graph")
	if err != nil {
		t.Fatal(err)
	}
	defer both.Close()
	const h, q = 3, 2
	network, got, z := tailsOf(t, plain, h, q), tailsOf(t, both, h, q), make([]float32, g.NumEntities())
	vectors.Logits(z, vectors.Entities, h, q)
	compared, low, high := 0, math.Inf(1), math.Inf(-1) // of the number for all
	for v, x := range got {
		if min(x, network[v]) < 1e-6 || network[v] > 0.99 { // few digits of such a logit are left
			continue
		}
		compared++
		level := float64(logitOf(x)) - float64(logitOf(network[v])) - 0.5*float64(z[v])
		low, high = min(low, level), max(high, level)
	}
	if high-low > 1e-2 {
		t.Errorf("beside both logits stands a number from %v to %v", low, high)
	}
	fact := slices.Collect(g.Triples())[5]
	without, err := both.Without(t.Context(), []kg.Triple{fact})
	if err != nil {
		t.Fatal(err)
	}
	defer without.Close()
	alone, err := plain.Without(t.Context(), []kg.Triple{fact})
	if err != nil {
		t.Fatal(err)
	}
	defer alone.Close()
	if !slices.Equal(tailsOf(t, without, fact.Head, fact.Relation), tailsOf(t, alone, fact.Head, fact.Relation)) {
		t.Error("vectors tell of a fact that is hidden")
	}
	if compared < 20 {
		t.Errorf("only %d entities could be compared", compared)
	}
	checkNewcomer(t, m, g)
}

// checkNewcomer adds a fact about an entity that has no vector: its row is the network's.
func checkNewcomer(t *testing.T, m *Model, g *kg.Graph) {
	t.Helper()
	const q = 2
	more, _, err := g.Change(t.Context(), []kg.Fact{{Head: "somebody new", Relation: g.Vocabulary.Relation(q), Tail: g.Vocabulary.Entity(0)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	newcomer := kg.Entity(g.NumEntities())
	var rows [2][]float32
	for i, factors := range []*checkpoint.Factors{m.Card.Factors, nil} {
		m.Card.Factors = factors
		p, err := m.On(t.Context(), more, "the changed graph")
		if err != nil {
			t.Fatal(err)
		}
		rows[i] = tailsOf(t, p, newcomer, q)
		if other := tailsOf(t, p, 3, q); factors != nil && len(other) != int(newcomer)+1 {
			t.Errorf("%d entities in a row", len(other))
		}
		p.Close()
	}
	for v, x := range rows[0] {
		if math.Abs(float64(x-rows[1][v])) > 1e-5 {
			t.Fatalf("entity %d has %v from the newcomer, by the network alone %v", v, x, rows[1][v])
		}
	}
}

// The slopes of the likelihood are what finite differences say, and a fit finds out who knows.
func TestFitBlend(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	var rows []blendRow
	for range 200 {
		r := blendRow{stated: len(rows) % 2 * 100}
		for i := range 50 {
			network, vectors := float32(random.NormFloat64()), float32(random.NormFloat64())
			if i == 0 && r.stated > 0 {
				vectors += 3
			} else if i == 0 {
				network += 3
			}
			r.logits[0], r.logits[1] = append(r.logits[0], network), append(r.logits[1], vectors)
		}
		rows = append(rows, r)
	}
	w := []float64{0.4, 0.9}
	likelihood := func() (sum float64) {
		for _, r := range rows {
			total := 0.0
			for i := range r.logits[0] {
				total += math.Exp(w[0]*float64(r.logits[0][i]) + w[1]*float64(r.logits[1][i]))
			}
			sum += w[0]*float64(r.logits[0][0]) + w[1]*float64(r.logits[1][0]) - math.Log(total)
		}
		return sum
	}
	g, _ := blendSlope(context.Background(), rows, [2]float64(w))
	if err := gradcheck.Check("weights", likelihood, w, g[:]); err != nil {
		t.Error(err)
	}
	if b := fitBlend(context.Background(), rows); b.Check() != nil || b.Of(0) > 0.3 || b.Of(100) < 3 {
		t.Errorf("of rows that the network knows where nothing is stated, and vectors where much is: %+v", b)
	}
}
