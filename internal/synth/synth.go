// Package synth makes synthetic knowledge graphs of any size for benchmarks: the
// degrees of entities follow a power law, the frequencies of relations Zipf's
// law, and each relation has hubs of its own, as "country" and "profession" have
// in real graphs. A graph is a function of its Config.
package synth

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"

	"github.com/lacuna-kg/lacuna/kg"
)

// Config says which graph to make.
type Config struct {
	Seed      uint64
	Entities  int
	Relations int
	Triples   int // a few of them repeat others, as in real files
}

// Large is the graph of the stated figures of large graphs.
var Large = Config{Seed: 1, Entities: 5_000_000, Relations: 1000, Triples: 20_000_000}

// Exponents of the power laws by which heads and tails are drawn. Tails are more
// uneven than heads: many people have one country, few countries have many people.
const (
	headSkew = 0.35
	tailSkew = 0.8
)

// Check tells what is wrong with a configuration.
func (c Config) Check() error {
	switch {
	case c.Triples < 0:
		return fmt.Errorf("%d triples, expected at least 0", c.Triples)
	case c.Entities < 1 || uint64(c.Entities) > math.MaxInt32:
		return fmt.Errorf("%d entities, expected 1 to %d", c.Entities, math.MaxInt32)
	case c.Relations < 1 || uint64(c.Relations) > math.MaxInt32:
		return fmt.Errorf("%d relations, expected 1 to %d", c.Relations, math.MaxInt32)
	}
	return nil
}

// Draw gives the triples one by one, in a random order. The first of them touch
// every entity once, alternately as head and as tail, so that a graph with at
// least as many triples as entities has no isolated one.
func (c Config) Draw() iter.Seq[kg.Triple] {
	return func(yield func(kg.Triple) bool) {
		d := newDraw(c)
		for i := range c.Triples {
			t := d.triple()
			if i < c.Entities {
				t = d.touch(t, i)
			}
			if !yield(t) {
				return
			}
		}
	}
}

// Generate makes the graph in memory, its entities named Q0, Q1, … and its relations P0, P1, ….
func Generate(c Config) (*kg.Graph, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	triples := make([]kg.Triple, 0, c.Triples)
	for t := range c.Draw() {
		triples = append(triples, t)
	}
	return kg.Build(c.Vocabulary(), triples), nil
}

// Vocabulary names the entities and relations in the order of their ids.
func (c Config) Vocabulary() *kg.Vocabulary {
	return &kg.Vocabulary{
		Entities:  kg.Dictionary{Names: names('Q', c.Entities)},
		Relations: kg.Dictionary{Names: names('P', c.Relations)},
	}
}

func names(prefix byte, n int) *kg.Names {
	var in kg.Interner
	var name []byte
	for id := range n {
		name = appendName(name[:0], prefix, uint32(id))
		in.Intern(name)
	}
	return in.Names()
}

// draw is the state of a sequence of draws.
type draw struct {
	Config
	random       *rand.Rand
	stride       uint64 // prime to the number of entities: rank ↦ rank·stride is a permutation
	logRelations float64
}

func newDraw(c Config) *draw {
	return &draw{
		Config:       c,
		random:       rand.New(rand.NewPCG(c.Seed, 0x6c6163756e61)),
		stride:       primeTo(uint64(c.Entities)),
		logRelations: math.Log(float64(c.Relations) + 1),
	}
}

// primeTo gives a number without a common divisor with n, near the golden section of n, so that neighbours in rank are far apart.
func primeTo(n uint64) uint64 {
	stride := uint64(float64(n)*0.6180339887) + 1
	for gcd(stride, n) != 1 {
		stride++
	}
	return stride
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func (d *draw) triple() kg.Triple {
	r := d.relation()
	return kg.Triple{
		Head:     d.entity(d.rank(headSkew), 2*r),
		Relation: kg.Forward(uint32(r)),
		Tail:     d.entity(d.rank(tailSkew), 2*r+1),
	}
}

// touch puts the i-th entity into the triple.
func (d *draw) touch(t kg.Triple, i int) kg.Triple {
	e := d.entity(uint64(i), 0)
	if i%2 == 0 {
		t.Head = e
	} else {
		t.Tail = e
	}
	return t
}

// relation draws k with a probability of about 1/(k+1): Zipf's law by inversion,
// as ⌊(R+1)^u⌋ is k+1 with probability log((k+2)/(k+1)) / log(R+1).
func (d *draw) relation() uint64 {
	k := uint64(math.Exp(d.random.Float64()*d.logRelations)) - 1
	return min(k, uint64(d.Relations)-1) // rounding may reach R+1
}

// rank draws k with a probability of about (k+1)^-skew, again by inversion.
func (d *draw) rank(skew float64) uint64 {
	k := uint64(math.Pow(d.random.Float64(), 1/(1-skew)) * float64(d.Entities))
	return min(k, uint64(d.Entities)-1)
}

// entity gives the entity of a rank within a group, a group being the heads or
// the tails of one relation: the same permutation, shifted by a hash of the group.
func (d *draw) entity(rank, group uint64) kg.Entity {
	n := uint64(d.Entities)
	shift := (group + d.Seed) * 0x9e3779b97f4a7c15 >> 32
	return kg.Entity((rank*d.stride + shift) % n)
}
