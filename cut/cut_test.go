package cut

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/internal/synth"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

// randomGraph has a few parts that do not hang together, loops, twofold edges and entities without any.
func randomGraph(seed uint64, entities, triples int) *kg.Graph {
	draw := rand.New(rand.NewPCG(seed, 1))
	var list []kg.Triple
	for range triples {
		h := draw.IntN(entities)
		t := (h + 3*int(math.Pow(draw.Float64(), 4)*float64(entities)/3)) % entities
		if h%11 != 5 && t%11 != 5 {
			list = append(list, kg.Triple{Head: kg.Entity(h), Relation: kg.Forward(draw.Uint32N(4)), Tail: kg.Entity(t)})
		}
	}
	return kg.Build(synth.Config{Entities: entities, Relations: 4}.Vocabulary(), list)
}

// visits is personalised PageRank by its definition: how often a walk with restarts is at each entity.
func visits(g *kg.Graph, head kg.Entity) []float64 {
	n := g.NumEntities()
	found, now := make([]float64, n), make([]float64, n)
	now[head] = 1
	for range 300 {
		next := make([]float64, n)
		for e, x := range now {
			_, tails := g.Edges(kg.Entity(e))
			if len(tails) == 0 {
				found[e] += x
				continue
			}
			found[e] += restart * x
			for _, t := range tails {
				next[t] += (1 - restart) * x / float64(len(tails))
			}
		}
		now = next
	}
	return found
}

func TestPushAgainstPowerIteration(t *testing.T) {
	for seed := range uint64(20) {
		g := randomGraph(seed, 60, 150)
		for _, tolerance := range []float64{1e-2, 1e-4, 1e-7} {
			head := kg.Entity(seed)
			p := newPush()
			p.start(g, head).rest = 1
			p.within(g, tolerance)
			for e, want := range visits(g, head) {
				got := 0.0
				if at := p.find(kg.Entity(e)); at >= 0 {
					got = p.touched[at].mass
				}
				if short := want - got; short < -1e-9 || short > tolerance*float64(g.Degree(kg.Entity(e)))+1e-9 {
					t.Errorf("seed %d, tolerance %g: entity %d of degree %d has %g of %g", seed, tolerance, e, g.Degree(kg.Entity(e)), got, want)
				}
			}
		}
	}
}

func TestCutHasTheNearest(t *testing.T) {
	for seed := range uint64(20) {
		g := randomGraph(seed, 300, 900)
		head := kg.Entity(1)
		c, err := New(g, 40).Around(head, 5)
		if err != nil {
			t.Fatal(err)
		}
		if _, found := c.Place(head); !found || !slices.IsSorted(c.Entities) || len(c.Entities) > 40 {
			t.Fatalf("seed %d: the cut around %d is %d", seed, head, c.Entities)
		}
		if _, found := c.Place(5); !found {
			t.Errorf("seed %d: entity 5 was to be in it", seed)
		}
		far, near := visits(g, head), 0.0
		for e, x := range far {
			if _, in := c.Place(kg.Entity(e)); !in {
				near = max(near, x)
			}
		}
		for _, e := range c.Entities {
			if far[e] < near/4 && e != 5 {
				t.Errorf("seed %d: entity %d is in with %g visits, one out has %g", seed, e, far[e], near)
			}
		}
	}
}

// induced is the graph of a cut by definition.
func induced(t *testing.T, g *kg.Graph, entities []kg.Entity) *kernel.Graph {
	var edges []kernel.Edge
	for node, e := range entities {
		relations, tails := g.Edges(e)
		for i, r := range relations {
			if at, in := slices.BinarySearch(entities, tails[i]); in {
				edges = append(edges, kernel.Edge{Head: int32(node), Relation: int32(r), Tail: int32(at)})
			}
		}
	}
	inverse := make([]bool, g.NumRelations())
	for r := range inverse {
		inverse[r] = kg.Relation(r).IsInverse()
	}
	want, err := kernel.NewGraph(len(entities), g.NumRelations(), edges, inverse)
	if err != nil {
		t.Fatal(err)
	}
	return want
}

func TestTopology(t *testing.T) {
	hubs := []kg.Triple{{Head: 0, Relation: kg.Forward(2), Tail: 1}, {Head: 1, Relation: kg.Forward(1), Tail: 0}, {Head: 1, Relation: kg.Forward(1), Tail: 1}}
	for i := range kg.Entity(3 * longRow) {
		hubs = append(hubs, kg.Triple{Head: i % 2, Relation: kg.Forward(uint32(i % 3)), Tail: 2 + i})
	}
	withHubs := kg.Build(synth.Config{Entities: 3*longRow + 2, Relations: 3}.Vocabulary(), hubs)
	for _, test := range []struct {
		g    *kg.Graph
		size int
	}{{randomGraph(1, 200, 700), 50}, {randomGraph(2, 200, 700), 200}, {withHubs, 500}} {
		c, err := New(test.g, test.size).Around(0)
		if err != nil {
			t.Fatal(err)
		}
		want := induced(t, test.g, c.Entities)
		want.Whole = c.Topology.Whole
		if fmt.Sprint(*c.Topology) != fmt.Sprint(*want) {
			t.Errorf("the graph of %d entities has %d edges, or others, want %d", len(c.Entities), c.Topology.Edges(), want.Edges())
		}
		for node, e := range c.Entities {
			if c.Topology.ScaleDegree(node) != test.g.Degree(e) {
				t.Errorf("degree %d of entity %d, want %d", c.Topology.ScaleDegree(node), e, test.g.Degree(e))
			}
		}
	}
}

func TestCutOfAll(t *testing.T) {
	g := randomGraph(3, 100, 300)
	c, err := New(g, 1000).Around(7)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Entities) != g.NumEntities() || c.Topology.Edges() != g.NumEdges() {
		t.Errorf("%d entities and %d edges, want all %d and %d", len(c.Entities), c.Topology.Edges(), g.NumEntities(), g.NumEdges())
	}
	own := *c.Topology
	own.Whole = nil
	if math.Abs(own.MeanLog()-c.Topology.MeanLog()) > 1e-12 {
		t.Errorf("mean of log degrees %v, want %v", c.Topology.MeanLog(), own.MeanLog())
	}
}

// TestReused holds a cutter that has cut before, by several at a time, to a fresh one.
func TestReused(t *testing.T) {
	g := randomGraph(4, 400, 1500)
	c := New(g, 60)
	for head := range kg.Entity(20) {
		t.Run(fmt.Sprint(head), func(t *testing.T) {
			t.Parallel()
			for range 3 {
				got, err := c.Around(head)
				want, err2 := New(g, 60).Around(head)
				if err != nil || err2 != nil || !slices.Equal(got.Entities, want.Entities) {
					t.Errorf("around %d: %d, want %d", head, got.Entities, want.Entities)
				}
			}
		})
	}
}

func TestSelectLowest(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		keys := make([]uint64, 1+draw.IntN(300))
		for i, at := range draw.Perm(len(keys)) {
			keys[i] = uint64(at)
		}
		n := draw.IntN(len(keys) + 1)
		selectLowest(keys, n)
		for _, key := range keys[:n] {
			if key >= uint64(n) {
				t.Fatalf("%d of %d is not among the %d lowest", key, len(keys), n)
			}
		}
	}
}

func TestSortEntities(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 1000} {
		for _, below := range []uint32{1, 7, 1 << 12, 1 << 23, math.MaxUint32} {
			list := make([]kg.Entity, n)
			for i := range list {
				list[i] = kg.Entity(draw.Uint32N(below))
			}
			want := slices.Sorted(slices.Values(list))
			if sortEntities(list, make([]kg.Entity, n)); !slices.Equal(list, want) {
				t.Errorf("%d entities below %d are not sorted", n, below)
			}
		}
	}
}

func BenchmarkAround(b *testing.B) {
	g, err := synth.Generate(synth.Config{Seed: 1, Entities: 1_000_000, Relations: 500, Triples: 5_000_000})
	if err != nil {
		b.Fatal(err)
	}
	for _, size := range []int{3_000, 10_000, 30_000} {
		c := New(g, size)
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			edges, i := 0, 0
			for b.Loop() {
				cut, err := c.Around(kg.Entity(i * 7919 % g.NumEntities()))
				if err != nil {
					b.Fatal(err)
				}
				i, edges = i+1, edges+cut.Topology.Edges()
			}
			b.ReportMetric(float64(edges)/float64(b.N), "edges/op")
		})
	}
}

// TestCutAroundSeveral has all of the heads and what is asked for besides, and around one head it is that of Around.
func TestCutAroundSeveral(t *testing.T) {
	for seed := range uint64(10) {
		g := randomGraph(seed, 300, 900)
		cutter := New(g, 40)
		heads := []kg.Entity{1, 7, 1, 130, 280}
		c, err := cutter.AroundAll(heads, 5, 11)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range append(heads, 5, 11) {
			if _, found := c.Place(e); !found {
				t.Errorf("seed %d: entity %d is not in the cut", seed, e)
			}
		}
		if len(c.Entities) > 40 {
			t.Errorf("seed %d: %d entities", seed, len(c.Entities))
		}
		one, err := cutter.AroundAll(heads[:1])
		if err != nil {
			t.Fatal(err)
		}
		if same, err := cutter.Around(heads[0]); err != nil || !slices.Equal(one.Entities, same.Entities) {
			t.Errorf("seed %d: around one head %d, want %d (%v)", seed, one.Entities, same.Entities, err)
		}
	}
}
