package cut

import (
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
)

// plainPush is a push as it is defined: one entity after the other, each with what the graph says of it then.
type plainPush struct {
	order      []kg.Entity
	mass, rest map[kg.Entity]float64
	waits      map[kg.Entity]bool
}

func (p *plainPush) within(g *kg.Graph, tolerance float64) {
	var queue []kg.Entity
	enqueue := func(e kg.Entity) {
		if !p.waits[e] && p.rest[e] > tolerance*float64(g.Degree(e)) {
			p.waits[e] = true
			queue = append(queue, e)
		}
	}
	for _, e := range p.order {
		enqueue(e)
	}
	for len(queue) > 0 {
		e := queue[0]
		queue = queue[1:]
		rest := p.rest[e]
		p.waits[e], p.rest[e] = false, 0
		_, tails := g.Edges(e)
		if len(tails) == 0 {
			p.mass[e] += rest
			continue
		}
		p.mass[e] += restart * rest
		for _, t := range tails {
			if _, found := p.rest[t]; !found {
				p.order = append(p.order, t)
			}
			p.rest[t] += (1 - restart) * rest / float64(len(tails))
			enqueue(t)
		}
	}
}

// TestPushIsPlain holds a push that reads ahead to the plain one, to the bit and in order, on graphs whose queues are longer than it reads together.
func TestPushIsPlain(t *testing.T) {
	for seed := range uint64(10) {
		g, head := randomGraph(seed, 2000, 6000), kg.Entity(seed)
		plain := plainPush{[]kg.Entity{head}, map[kg.Entity]float64{}, map[kg.Entity]float64{head: 1}, map[kg.Entity]bool{}}
		p := newPush()
		p.start(g, head).rest = 1
		for tolerance := firstTolerance; tolerance > 1e-6; tolerance /= 4 {
			plain.within(g, tolerance)
			p.within(g, tolerance)
			if len(p.touched) != len(plain.order) {
				t.Fatalf("seed %d, tolerance %g: %d entities, want %d", seed, tolerance, len(p.touched), len(plain.order))
			}
			for at, e := range plain.order {
				if got := p.touched[at]; got.entity != e || got.mass != plain.mass[e] || got.rest != plain.rest[e] || int(got.degree) != g.Degree(e) {
					t.Fatalf("seed %d, tolerance %g: %+v at place %d, want entity %d with mass %g, rest %g", seed, tolerance, got, at, e, plain.mass[e], plain.rest[e])
				}
			}
		}
	}
}
