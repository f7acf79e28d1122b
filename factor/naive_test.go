package factor

import (
	"context"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
)

// naive is the loss as the papers write it, a fact at a time, in complex numbers of double precision.
type naive struct {
	rank                 int
	entities, relations  []float64
	norm, relationWeight float64
}

func (n naive) vector(table []float64, i int) []complex128 {
	v := make([]complex128, n.rank)
	for k := range v {
		v[k] = complex(table[i*2*n.rank+k], table[i*2*n.rank+n.rank+k])
	}
	return v
}

func (n naive) logit(h, q, t int) float64 {
	sum := 0.0
	a, b, c := n.vector(n.entities, h), n.vector(n.relations, q), n.vector(n.entities, t)
	for k := range a {
		sum += real(a[k] * b[k] * cmplx.Conj(c[k]))
	}
	return sum
}

func (n naive) loss(facts [][3]int) float64 {
	total := 0.0
	for _, f := range facts {
		total += n.fact(f[0], f[1], f[2]) / float64(len(facts))
	}
	return total
}

func (n naive) fact(h, q, t int) float64 {
	tails, others := 0.0, 0.0
	for e := range len(n.entities) / (2 * n.rank) {
		tails += math.Exp(n.logit(h, q, e))
	}
	for r := range len(n.relations) / (2 * n.rank) {
		others += math.Exp(n.logit(h, r, t))
	}
	z := n.logit(h, q, t)
	loss := math.Log(tails) - z + n.relationWeight*(math.Log(others)-z)
	for _, v := range [][]complex128{n.vector(n.entities, h), n.vector(n.relations, q), n.vector(n.entities, t)} {
		for _, x := range v {
			loss += n.norm * math.Pow(cmplx.Abs(x), 3)
		}
	}
	return loss
}

func devices(t *testing.T) map[string]kernel.Device {
	return map[string]kernel.Device{"plain": plain.New(), "cpu": fastDevice(t)}
}

// The gradient of a batch is what finite differences of the naive loss say.
func TestGradient(t *testing.T) {
	const entityCount, rank = 9, 4
	g := ring(entityCount)
	x := newExamples(g)
	for name, device := range devices(t) {
		for _, relationWeight := range []float64{0, 1.5} {
			o := Options{Rank: rank, Norm: 0.3, RelationWeight: relationWeight}
			m := New(entityCount, g.NumRelations(), rank, 5)
			random := rand.New(rand.NewPCG(3, 3))
			for _, table := range [][]float32{m.Entities, m.Relations} {
				for i := range table {
					table[i] = float32(random.NormFloat64())
				}
			}
			l := newLearner(m, x, device, o)
			pairs := []int{0, 3, 4, 7}
			loss, norm, err := l.gradient(context.Background(), pairs)
			if err != nil {
				t.Fatal(err)
			}
			n := naive{rank, doubles(m.Entities), doubles(m.Relations), o.Norm, relationWeight}
			var facts [][3]int
			for _, p := range pairs {
				h, q, tails := x.of(p)
				for _, tail := range tails {
					facts = append(facts, [3]int{h, q, int(tail)})
				}
			}
			if want := n.loss(facts); math.Abs(loss+norm-want) > 1e-5*want {
				t.Errorf("%s: loss %v, by the definition %v", name, loss+norm, want)
			}
			for i, values := range [][]float64{n.entities, n.relations} {
				gradient := make([]float32, len(values))
				device.Download(gradient, l.tables[i].dweight)
				for k := range values {
					const step = 1e-5
					before := values[k]
					values[k] = before + step
					up := n.loss(facts)
					values[k] = before - step
					down := n.loss(facts)
					values[k] = before
					want, got := (up-down)/(2*step), float64(gradient[k])
					if math.Abs(got-want) > 2e-5*max(1, math.Abs(want)) {
						t.Fatalf("%s, table %d: derivative %d is %v, finite differences say %v", name, i, k, got, want)
					}
				}
			}
			l.free()
		}
	}
}

func doubles(values []float32) []float64 {
	out := make([]float64, len(values))
	for i, x := range values {
		out[i] = float64(x)
	}
	return out
}
