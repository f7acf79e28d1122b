// Package factor predicts links by vectors of entities and relations, without looking at the graph around them: ComplEx
// (Trouillon et al. 2016), learned by a softmax over all tails with the N3 norm (Lacroix et al. 2018)
// and the prediction of relations beside it (Chen et al. 2021).
//
// A vector is of complex numbers, and the logit of a link is
//
//	z(h, q, t) = Re Σ_k h_k · q_k · conj(t_k)
//
// Inverse relations have vectors of their own, so that a question is always one for tails. What a network finds along paths
// these vectors do not see, and the other way round; so the mean of both is better than either (docs/lab/factors.md).
//
// In the flow it stands beside gnn: neural puts both on a graph. The files are in the order of work: examples.go
// draws what is learned from a graph, product.go has the products and their gradients, batch.go and
// step.go the gradient of a batch, train.go the loop.
package factor

import (
	"math/rand/v2"

	"github.com/lacuna-kg/lacuna/kg"
)

// Model is the vectors of a graph. A row is the real parts of a vector and then the imaginary ones.
type Model struct {
	Rank      int       // complex numbers of a vector
	Entities  []float32 // (V, 2·Rank)
	Relations []float32 // (R, 2·Rank), inverses counted
}

// Width is the number of floats of a vector.
func (m *Model) Width() int { return 2 * m.Rank }

// NumEntities is the number of entities that have a vector.
func (m *Model) NumEntities() int { return len(m.Entities) / m.Width() }

// NumRelations is the number of relations, inverses counted.
func (m *Model) NumRelations() int { return len(m.Relations) / m.Width() }

// initialScale is small: every logit begins near 0.
const initialScale = 1e-3

// New gives vectors at random.
func New(entities, relations, rank int, seed uint64) *Model {
	random := rand.New(rand.NewPCG(seed, 0xfac7))
	draw := func(n int) []float32 {
		values := make([]float32, n)
		for i := range values {
			values[i] = initialScale * float32(random.NormFloat64())
		}
		return values
	}
	return &Model{rank, draw(entities * 2 * rank), draw(relations * 2 * rank)}
}

// Has tells whether an entity and a relation have vectors: those that came later have none.
func (m *Model) Has(h kg.Entity, q kg.Relation) bool {
	return int(h) < m.NumEntities() && int(q) < m.NumRelations()
}

// Question sets out (2·Rank) to the vector whose products with those of all tails are the logits of a row.
func (m *Model) Question(out []float32, h kg.Entity, q kg.Relation) {
	multiply(out, row(m.Entities, int(h), m.Width()), row(m.Relations, int(q), m.Width()))
}

// Logits sets out (V) to those of a row's links, given the vectors of its entities: what a device computes of many rows at once.
func (m *Model) Logits(out, entities []float32, h kg.Entity, q kg.Relation) {
	question := make([]float32, m.Width())
	if m.Has(h, q) {
		m.Question(question, h, q)
	}
	for t := range out {
		out[t] = dot(question, row(entities, t, m.Width()))
	}
}

// dot has four sums, which do not wait for each other.
func dot(x, y []float32) float32 {
	var a, b, c, d float32
	i := 0
	for y = y[:len(x)]; i+3 < len(x); i += 4 {
		a, b, c, d = a+x[i]*y[i], b+x[i+1]*y[i+1], c+x[i+2]*y[i+2], d+x[i+3]*y[i+3]
	}
	for ; i < len(x); i++ {
		a += x[i] * y[i]
	}
	return a + b + c + d
}

func row(table []float32, i, width int) []float32 { return table[i*width : (i+1)*width] }

// EntitiesUpTo is the vectors of n entities. Those that came after the model was trained have the mean of all: neither
// likely nor unlikely tails.
func (m *Model) EntitiesUpTo(n int) []float32 {
	have, width := m.NumEntities(), m.Width()
	if n <= have {
		return m.Entities[:n*width]
	}
	mean := make([]float32, width)
	for i, x := range m.Entities {
		mean[i%width] += x / float32(have)
	}
	values := append(make([]float32, 0, n*width), m.Entities...)
	for range n - have {
		values = append(values, mean...)
	}
	return values
}
