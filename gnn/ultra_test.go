package gnn_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
)

func toyUltra(t testing.TB, d kernel.Device, direction string) *gnn.Model {
	t.Helper()
	m, err := gnn.New(d, gnn.Config{Kind: gnn.Ultra, Message: "distmult", Aggregate: "sum", Width: 8, Layers: 3, Direction: direction}, 0, 21)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// counting counts the layers that run on a graph of 4 relations: those of the relation model.
type counting struct {
	*plain.Device[float32]
	relationSamples int
}

func (c *counting) LayerForward(l kernel.Layer, g kernel.DeviceGraph, out kernel.Buffer, kept kernel.Kept, in kernel.LayerInput, w kernel.LayerWeights) {
	if in.Relations.Len() == 4*l.Width {
		c.relationSamples += len(in.RelationOf)
	}
	c.Device.LayerForward(l, g, out, kept, in, w)
}

// everySecond marks every second relation as the inverse of the one before.
func everySecond(relations int) []bool {
	inverse := make([]bool, relations)
	for r := range inverse {
		inverse[r] = r%2 == 1
	}
	return inverse
}

// sixRelations is a toy graph whose number of relations is not that of the relation graph's.
func sixRelations(t testing.TB, seed uint64) *kernel.Graph {
	draw := rand.New(rand.NewPCG(seed, 3))
	edges := map[kernel.Edge]bool{}
	for range 14 {
		h, r, tail := draw.Int32N(nodes), 2*draw.Int32N(3), draw.Int32N(nodes)
		edges[kernel.Edge{Head: h, Relation: r, Tail: tail}] = true
		edges[kernel.Edge{Head: tail, Relation: r + 1, Tail: h}] = true
	}
	var list []kernel.Edge
	for e := range edges {
		list = append(list, e)
	}
	g, err := kernel.NewGraph(nodes, 6, list, everySecond(6))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func projected(t testing.TB, m *gnn.Model, d *plain.Device[float32], g *gnn.Graph, relations ...int32) []float32 {
	t.Helper()
	out := d.NewBuffer(len(relations) * nodes)
	if err := g.Project(context.Background(), out, uploadSets(d, len(relations)), relations); err != nil {
		t.Fatal(err)
	}
	return slices.Clone(d.Values(out))
}

// The relation model runs once for each different relation of a batch, never again for
// one it has seen, and again for all once the parameters or the graph have changed.
func TestRelationVectorsAreComputedOnce(t *testing.T) {
	d := &counting{Device: plain.New()}
	m := toyUltra(t, d, gnn.TailToHead)
	g := newGraph(t, m, sixRelations(t, 1))
	expect := func(samples int, what string, relations ...int32) {
		t.Helper()
		d.relationSamples = 0
		projected(t, m, d.Device, g, relations...)
		if got := d.relationSamples / m.Config.Layers; got != samples {
			t.Errorf("%s: the relation model ran for %d relations, expected %d", what, got, samples)
		}
	}
	expect(2, "a batch with repetitions", 3, 0, 3, 3, 0)
	expect(0, "the same relations", 0, 3)
	expect(1, "one new relation", 0, 5, 3)
	m.Changed()
	expect(3, "after a change", 0, 5, 3)
	in := uploadSets(d, 3)
	d.relationSamples = 0
	activations, err := g.Forward(context.Background(), d.NewBuffer(in.Len()), in, []int32{4, 1, 4})
	if err != nil {
		t.Fatal(err)
	}
	if got := d.relationSamples / m.Config.Layers; got != 2 {
		t.Errorf("training: the relation model ran for %d relations, expected 2", got)
	}
	if err := m.Backward(context.Background(), m.NewSlab(), activations, in); err != nil {
		t.Fatal(err)
	}
	expect(1, "after Backward", 3)
	other := newGraph(t, m, sixRelations(t, 2))
	g = other
	expect(1, "another graph", 3)
}

// Whatever is remembered, and however little fits, answers are those of a fresh model.
func TestCacheChangesNoAnswer(t *testing.T) {
	d := plain.New()
	rounds := gnn.Config{Kind: gnn.Alternating, Message: "distmult", Aggregate: "pna", Width: 8, Layers: 3, RelationRounds: 3}
	manyRounds, err := gnn.New(d, rounds, 0, 22)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("ultra", func(t *testing.T) {
		checkCache(t, d, toyUltra(t, d, gnn.HeadToTail), "relation_model.layers.1.linear.bias")
	})
	t.Run("alternating", func(t *testing.T) { checkCache(t, d, toyAlternating(t, d), "relation_updates.0.linear.bias") })
	t.Run("alternating, three rounds", func(t *testing.T) { checkCache(t, d, manyRounds, "relation_updates.1.linear.bias") })
}

func checkCache(t *testing.T, d *plain.Device[float32], m *gnn.Model, parameter string) {
	topologies := []*kernel.Graph{sixRelations(t, 1), sixRelations(t, 2)}
	graphs := []*gnn.Graph{newGraph(t, m, topologies[0]), newGraph(t, m, topologies[1])}
	slot := int64(4 * 6 * m.Config.Width)
	draw := rand.New(rand.NewPCG(8, 8))
	for step := range 60 {
		m.Limits.Vectors = draw.Int64N(5) * slot
		m.Limits.Workspace = []int64{1, 1 << 20}[draw.IntN(2)]
		if step%20 == 19 { // a step of training
			d.Fill(m.Parameters.Of(parameter), float32(step)/50)
			m.Changed()
		}
		which := draw.IntN(2)
		relations := make([]int32, 1+draw.IntN(5))
		for i := range relations {
			relations[i] = draw.Int32N(6)
		}
		got := projected(t, m, d, graphs[which], relations...)
		fresh := newGraph(t, m, topologies[which])
		if want := projected(t, m, d, fresh, relations...); !slices.Equal(got, want) {
			t.Fatalf("step %d: %v, expected %v", step, got, want)
		}
		if want := forwarded(t, m, d, fresh, relations...); !slices.Equal(got, want) {
			t.Fatalf("step %d: %v, expected %v as training has it", step, got, want)
		}
		fresh.Free()
	}
}

// forwarded is what Forward gives, which takes nothing from a cache.
func forwarded(t testing.TB, m *gnn.Model, d *plain.Device[float32], g *gnn.Graph, relations ...int32) []float32 {
	t.Helper()
	out := d.NewBuffer(len(relations) * nodes)
	activations, err := g.Forward(context.Background(), out, uploadSets(d, len(relations)), relations)
	if err != nil {
		t.Fatal(err)
	}
	m.Release(activations)
	return slices.Clone(d.Values(out))
}

// Along a single edge a set reaches the other end in the model's direction only.
func TestDirectionsDiffer(t *testing.T) {
	d := plain.New()
	forward, backward := toyUltra(t, d, gnn.HeadToTail), toyUltra(t, d, gnn.TailToHead)
	// An edge 0 → 1 without inverse: only along it can one learn of the other.
	one, err := kernel.NewGraph(3, 1, []kernel.Edge{{Head: 0, Relation: 0, Tail: 1}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	reached := func(m *gnn.Model, from int32) (changed []int) {
		g := newGraph(t, m, one)
		in, out, none := d.NewBuffer(3), d.NewBuffer(3), d.NewBuffer(3)
		project(t, m, g, none, in, []int32{0})
		d.Singletons(in, 3, []int32{0}, []int32{from})
		project(t, m, g, out, in, []int32{0})
		for v, p := range d.Values(out) {
			if p != d.Values(none)[v] {
				changed = append(changed, v)
			}
		}
		return changed
	}
	for _, c := range []struct {
		m    *gnn.Model
		from int32
		want []int
	}{{forward, 0, []int{0, 1}}, {forward, 1, []int{1}}, {backward, 0, []int{0}}, {backward, 1, []int{0, 1}}} {
		if got := reached(c.m, c.from); !slices.Equal(got, c.want) {
			t.Errorf("%s from %d: reached %v, expected %v", c.m.Config.Direction, c.from, got, c.want)
		}
	}
}

// A thinned graph is the graph of what is left, relation graph included.
func TestThinnedUltraGraph(t *testing.T) {
	d := plain.New()
	m := toyUltra(t, d, gnn.TailToHead)
	topology := sixRelations(t, 1)
	g := newGraph(t, m, topology)
	dropped := []int32{0, 3, 4, 9}
	thin, err := g.Thin(context.Background(), dropped)
	if err != nil {
		t.Fatal(err)
	}
	want := projected(t, m, d, newGraph(t, m, topology.Thin(dropped)), 2, 5)
	if got := projected(t, m, d, thin, 2, 5); !slices.Equal(got, want) {
		t.Errorf("%v, expected %v", got, want)
	}
	if slices.Equal(want, projected(t, m, d, g, 2, 5)) {
		t.Error("the dropped edges change nothing")
	}
}

// With KeepRelationGraph the facts are those that are left, and all that belongs to the relations is the whole graph's.
func TestThinnedUltraGraphKeepsRelations(t *testing.T) {
	for _, direction := range []string{gnn.HeadToTail, gnn.TailToHead} {
		d := plain.New()
		m := toyUltra(t, d, direction)
		m.KeepRelationGraph = true
		topology := sixRelations(t, 1)
		g := newGraph(t, m, topology)
		first, second := []int32{0, 3, 4, 9}, []int32{1, 5}
		thin := thinned(t, m, g, first)
		twice := thinned(t, m, thin, second)
		for _, c := range []struct {
			g    *gnn.Graph
			left *kernel.Graph
		}{{thin, topology.Thin(first)}, {twice, topology.Thin(first).Thin(second)}} {
			if got, want := c.g.RelationEdges(), g.RelationEdges(); got != want {
				t.Errorf("%s: %d edges of relations, expected %d", direction, got, want)
			}
			if c.g.Edges() != c.left.Edges() {
				t.Errorf("%s: %d edges are left, expected %d", direction, c.g.Edges(), c.left.Edges())
			}
			in, got, want := uploadSets(d, 2), d.NewBuffer(2*nodes), d.NewBuffer(2*nodes)
			d.Traverse(c.g.Facts(), got, in, []int32{2, 5})
			d.Traverse(d.NewGraph(c.left), want, in, []int32{2, 5})
			equal(t, direction+": facts", d.Values(got), d.Values(want))
			if slices.Equal(projected(t, m, d, c.g, 2, 5), projected(t, m, d, g, 2, 5)) {
				t.Errorf("%s: the dropped edges change nothing", direction)
			}
		}
		twice.Free()
		thin.Free()
		g.Free()
	}
}

// Messages run along the edges that are left, and on no others: with the relation graph of the whole
// graph restored by an edge elsewhere, keeping it and deriving it anew are the same.
func TestKeptRelationGraphIsTheSameWhereItDoesNotChange(t *testing.T) {
	for _, direction := range []string{gnn.HeadToTail, gnn.TailToHead} {
		d := plain.New()
		m := toyUltra(t, d, direction)
		edges := []kernel.Edge{}
		for _, base := range []int32{0, 3} { // the same triangle twice: dropping an edge of one loses no pair of relations
			for i := range int32(3) {
				edges = append(edges, kernel.Edge{Head: base + i, Relation: i, Tail: base + (i+1)%3})
			}
		}
		topology, err := kernel.NewGraph(nodes, 6, edges, nil)
		if err != nil {
			t.Fatal(err)
		}
		g := newGraph(t, m, topology)
		want := projected(t, m, d, thinned(t, m, g, []int32{1}), 0, 2)
		m.KeepRelationGraph = true
		equal(t, direction, projected(t, m, d, thinned(t, m, g, []int32{1}), 0, 2), want)
	}
}

func thinned(t *testing.T, m *gnn.Model, g *gnn.Graph, dropped []int32) *gnn.Graph {
	t.Helper()
	thin, err := g.Thin(context.Background(), dropped)
	if err != nil {
		t.Fatal(err)
	}
	return thin
}

// Threshold and odds are what a caller would do to the sets, and leave the caller's as they were.
func TestIncomingSets(t *testing.T) {
	d := plain.New()
	m := toyUltra(t, d, gnn.TailToHead)
	g, in := newGraph(t, m, sixRelations(t, 1)), uploadSets(d, 2)
	before := slices.Clone(d.Values(in))
	cut := d.NewBuffer(in.Len())
	d.Copy(cut, in)
	d.Threshold(cut, 0.5)
	d.Odds(cut, 2)
	want, got := d.NewBuffer(in.Len()), d.NewBuffer(in.Len())
	project(t, m, g, want, cut, []int32{1, 2})
	m.Adjustments.Threshold, m.Adjustments.InputOdds = 0.5, 2
	project(t, m, g, got, in, []int32{1, 2})
	equal(t, "threshold and odds", d.Values(got), d.Values(want))
	equal(t, "input", d.Values(in), before)
	activations, err := g.Forward(context.Background(), got, in, []int32{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	m.Release(activations)
	equal(t, "forward with threshold and odds", d.Values(got), d.Values(want))
}

// The facts of a graph are the graph itself, whatever messages run on.
func TestFacts(t *testing.T) {
	d := plain.New()
	ultra := toyUltra(t, d, gnn.TailToHead)
	topology := sixRelations(t, 1)
	plain, prepared := d.NewGraph(topology), newGraph(t, ultra, topology)
	in := uploadSets(d, 1)
	got, want := d.NewBuffer(nodes), d.NewBuffer(nodes)
	d.Traverse(prepared.Facts(), got, in, []int32{3})
	d.Traverse(plain, want, in, []int32{3})
	equal(t, "traversal", d.Values(got), d.Values(want))
	prepared.Free()
}

// The number of parameters that METHOD states.
func TestUltraParameters(t *testing.T) {
	table, err := gnn.DefaultUltra().Table(0)
	if err != nil {
		t.Fatal(err)
	}
	if table.Len != 168705 {
		t.Errorf("%d parameters, expected 168705", table.Len)
	}
}

// Training moves the loss: gradients of the relation model point somewhere useful.
func TestUltraLearns(t *testing.T) {
	d := plain.New()
	checkLearns(t, d, toyUltra(t, d, gnn.HeadToTail))
}

// checkLearns fits two answers of a toy graph.
func checkLearns(t *testing.T, d *plain.Device[float32], m *gnn.Model) {
	t.Helper()
	g := newGraph(t, m, sixRelations(t, 1))
	in, out, grads := d.NewBuffer(2*nodes), d.NewBuffer(2*nodes), m.NewSlab()
	d.Singletons(in, nodes, []int32{0, 1}, []int32{0, 4})
	first, second := m.NewSlab(), m.NewSlab()
	losses, dout := d.NewBuffer(2), d.NewBuffer(2*nodes)
	answers := kernel.NewLists([][]int32{{1, 5}, {2}})
	var history []float64
	for step := 1; step <= 60; step++ {
		activations, err := g.Forward(context.Background(), out, in, []int32{0, 3})
		if err != nil {
			t.Fatal(err)
		}
		d.Loss(losses, dout, out, answers, kernel.Known{}, kernel.Objective{Temperature: 0.2}, []float32{0.5, 0.5})
		d.Fill(grads.Values, 0)
		if err := m.Backward(context.Background(), grads, activations, dout); err != nil {
			t.Fatal(err)
		}
		d.Adam(m.Parameters.Values, grads.Values, first.Values, second.Values, kernel.AdamStep{Rate: 5e-3, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, Step: step})
		history = append(history, float64(d.Values(losses)[0]+d.Values(losses)[1])/2)
	}
	if last := history[len(history)-1]; math.IsNaN(last) || last > history[0]/2 {
		t.Errorf("the loss went from %.3f to %.3f", history[0], last)
	}
}
