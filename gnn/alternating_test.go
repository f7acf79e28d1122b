package gnn_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/cpu"
	"github.com/lacuna-kg/lacuna/kernel/plain"
)

func toyAlternating(t testing.TB, d kernel.Device) *gnn.Model {
	t.Helper()
	m, err := gnn.New(d, gnn.Config{Kind: gnn.Alternating, Message: "distmult", Aggregate: "pna", Width: 8, Layers: 3}, 0, 21)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestAlternatingLearns(t *testing.T) {
	d := plain.New()
	checkLearns(t, d, toyAlternating(t, d))
}

// A thinned graph is the graph of what is left, also in which relations meet, and thinned twice as well.
func TestThinnedAlternatingGraph(t *testing.T) {
	d := plain.New()
	m := toyAlternating(t, d)
	topology := sixRelations(t, 1)
	g := newGraph(t, m, topology)
	first, second := []int32{0, 3, 4, 9}, []int32{1, 5}
	thin := thinned(t, m, g, first)
	twice := thinned(t, m, thin, second)
	equal(t, "thinned", projected(t, m, d, thin, 2, 5), projected(t, m, d, newGraph(t, m, topology.Thin(first)), 2, 5))
	equal(t, "thinned twice", projected(t, m, d, twice, 2, 5), projected(t, m, d, newGraph(t, m, topology.Thin(first).Thin(second)), 2, 5))
	if slices.Equal(projected(t, m, d, thin, 2, 5), projected(t, m, d, g, 2, 5)) {
		t.Error("the dropped edges change nothing")
	}
	twice.Free()
	thin.Free()
	g.Free()
}

// Renaming relations and entities renames the answers: no parameter knows either. Sums of another order round otherwise.
func TestAlternatingKnowsNoNames(t *testing.T) {
	d := plain.New()
	m := toyAlternating(t, d)
	topology := sixRelations(t, 1)
	var renamed []kernel.Edge
	for v := range int32(nodes) {
		for id := topology.In.At[v]; id < topology.In.At[v+1]; id++ {
			renamed = append(renamed, kernel.Edge{Head: nodes - 1 - topology.In.Node[id], Relation: (topology.In.Relation[id] + 2) % 6, Tail: nodes - 1 - v})
		}
	}
	other, err := kernel.NewGraph(nodes, 6, renamed, everySecond(6))
	if err != nil {
		t.Fatal(err)
	}
	in, out := d.NewBuffer(nodes), d.NewBuffer(nodes)
	d.Singletons(in, nodes, []int32{0}, []int32{2})
	project(t, m, newGraph(t, m, topology), out, in, []int32{3})
	want := slices.Clone(d.Values(out))
	slices.Reverse(want)
	d.Singletons(in, nodes, []int32{0}, []int32{nodes - 1 - 2})
	project(t, m, newGraph(t, m, other), out, in, []int32{5})
	for v, p := range d.Values(out) {
		if off := p - want[v]; off > 1e-5 || off < -1e-5 {
			t.Errorf("entity %d: %v, expected %v", v, p, want[v])
		}
	}
}

// A graph whose relations have no inverse is refused, not misread.
func TestAlternatingWantsInverses(t *testing.T) {
	m := toyAlternating(t, plain.New())
	bare, err := kernel.NewGraph(3, 2, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.NewGraph(context.Background(), bare); err == nil || !strings.Contains(err.Error(), "expected half of them") {
		t.Errorf("error %v", err)
	}
}

// One file suits any graph and stays far below a megabyte.
func TestAlternatingParameters(t *testing.T) {
	table, err := gnn.DefaultAlternating().Table(0)
	if err != nil {
		t.Fatal(err)
	}
	if table.Len != 122689 {
		t.Errorf("%d parameters, expected 122689", table.Len)
	}
}

// BenchmarkAlternating is to be compared with BenchmarkUltra: one of the same run.
//
//	go test -run '^$' -bench 'Alternating|Ultra' ./gnn
func BenchmarkAlternating(b *testing.B) {
	d, err := cpu.New(cpu.Options{})
	if err != nil {
		b.Fatal(err)
	}
	topology := benchGraph(b)
	for _, aggregate := range []string{"pna", "sum"} {
		config := gnn.DefaultAlternating()
		config.Aggregate = aggregate
		m, err := gnn.New(d, config, 0, 1)
		if err != nil {
			b.Fatal(err)
		}
		g := newGraph(b, m, topology)
		in, out, grads := d.NewBuffer(topology.Nodes), d.NewBuffer(topology.Nodes), m.NewSlab()
		d.Singletons(in, topology.Nodes, []int32{0}, []int32{7})
		ctx, relation := context.Background(), []int32{3}
		b.Run(aggregate+"/project", func(b *testing.B) {
			for b.Loop() {
				if err := g.Project(ctx, out, in, relation); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(aggregate+"/forward+backward", func(b *testing.B) {
			for b.Loop() {
				activations, err := g.Forward(ctx, out, in, relation)
				if err == nil {
					err = m.Backward(ctx, grads, activations, out)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
