package gnn

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
)

// twins is a topology in which relations 2i and 2i+1 are inverse to each other, as Meetings.
type twins struct{ *kernel.Graph }

func (t twins) NumEntities() int      { return t.Nodes }
func (t twins) NumRelations() int     { return t.Relations }
func (t twins) Inverse(r int32) int32 { return r ^ 1 }
func (t twins) RelationsOf(to []int32, v int) []int32 {
	return append(to, slices.Compact(slices.Clone(t.Out.Relation[t.Out.At[v]:t.Out.At[v+1]]))...)
}

// drawTwins draws a graph that has the inverse twin of every edge.
func drawTwins(t *testing.T, nodes, relations int32, count int) *kernel.Graph {
	draw := rand.New(rand.NewPCG(uint64(nodes), uint64(count)))
	edges := map[kernel.Edge]bool{}
	for range count {
		e := kernel.Edge{Head: draw.Int32N(nodes), Relation: draw.Int32N(relations), Tail: draw.Int32N(nodes)}
		edges[e], edges[kernel.Edge{Head: e.Tail, Relation: e.Relation ^ 1, Tail: e.Head}] = true, true
	}
	var list []kernel.Edge
	for e := range edges {
		list = append(list, e)
	}
	inverse := make([]bool, relations)
	for r := range inverse {
		inverse[r] = r%2 == 1
	}
	g, err := kernel.NewGraph(int(nodes), int(relations), list, inverse)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// What entity by entity is collected of a graph with twins is what its topology gives.
func TestRelationGraphOfMeetings(t *testing.T) {
	for _, c := range []struct {
		nodes, relations int32
		count            int
	}{{1, 2, 0}, {5, 2, 8}, {30, 6, 60}, {9, 130, 400}, {50, 70, 90}, {40_000, 4, 300}} {
		g := drawTwins(t, c.nodes, c.relations, c.count)
		want, err := relationGraph(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range []int{1, 7, 1000} {
			got, err := relationGraphOf(t.Context(), twins{g}, block)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%+v in blocks of %d: another graph", c, block)
			}
		}
	}
}

// A part that is all of a graph projects as the graph itself does, by every network, and so it does thinned.
func TestPartThatIsAll(t *testing.T) {
	g := drawTwins(t, 20, 6, 60)
	degrees := &kernel.Degrees{MeanLog: g.MeanLog()}
	for v := range g.Nodes {
		degrees.Of = append(degrees.Of, int32(g.In.Degree(v)))
	}
	part := *g
	part.Whole = degrees
	alternating := DefaultAlternating()
	alternating.Layers, alternating.Width = 2, 8
	turned := DefaultUltra()
	turned.Layers, turned.Width = 2, 8
	for _, config := range []Config{Default(), turned, alternating} {
		d := plain.New()
		m, err := New(d, config, g.Relations, 3)
		if err != nil {
			t.Fatal(err)
		}
		m.KeepRelationGraph = true
		whole, err := m.NewWhole(t.Context(), twins{g})
		if err != nil {
			t.Fatal(err)
		}
		some, err := whole.Part(t.Context(), &part)
		if err != nil {
			t.Fatal(err)
		}
		all, err := m.NewGraph(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		compareProjections(t, config.Kind, some, all)
		thinSome, err := some.Thin(t.Context(), []int32{1, 4})
		if err != nil {
			t.Fatal(err)
		}
		thinAll, err := all.Thin(t.Context(), []int32{1, 4})
		if err != nil {
			t.Fatal(err)
		}
		if config.Aggregate != "pna" { // which divides by the mean of the degrees in the whole
			compareProjections(t, config.Kind+" thinned", thinSome, thinAll)
		}
		for _, g := range []*Graph{thinSome, thinAll, some, all} {
			g.Free()
		}
		whole.Free()
	}
}

func compareProjections(t *testing.T, name string, a, b *Graph) {
	t.Helper()
	d, nodes := a.Device(), a.Nodes()
	in, outs := d.NewBuffer(2*nodes), [2]kernel.Buffer{d.NewBuffer(2 * nodes), d.NewBuffer(2 * nodes)}
	d.Singletons(in, nodes, []int32{0, 1}, []int32{3, 7})
	var values [2][]float32
	for i, g := range []*Graph{a, b} {
		if err := g.Project(t.Context(), outs[i], in, []int32{2, 5}); err != nil {
			t.Fatal(err)
		}
		values[i] = make([]float32, 2*nodes)
		d.Download(values[i], outs[i])
	}
	if !slices.Equal(values[0], values[1]) {
		t.Errorf("%s: %v, want %v", name, values[0], values[1])
	}
}
