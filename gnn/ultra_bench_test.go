package gnn_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/cpu"
)

// BenchmarkUltra is the foundation model at the size of FB15k-237 on this machine's CPU:
// a projection whose relation vectors are known, one that computes them, and a training sample.
func BenchmarkUltra(b *testing.B) {
	d, err := cpu.New(cpu.Options{})
	if err != nil {
		b.Fatal(err)
	}
	m, err := gnn.New(d, gnn.DefaultUltra(), 0, 1)
	if err != nil {
		b.Fatal(err)
	}
	topology := benchGraph(b)
	g := newGraph(b, m, topology)
	in, out, grads := d.NewBuffer(topology.Nodes), d.NewBuffer(topology.Nodes), m.NewSlab()
	d.Singletons(in, topology.Nodes, []int32{0}, []int32{7})
	ctx, relation := context.Background(), []int32{3}
	for name, run := range map[string]func() error{
		"project/warm": func() error { return g.Project(ctx, out, in, relation) },
		"project/cold": func() error {
			m.Changed()
			return g.Project(ctx, out, in, relation)
		},
		"forward+backward": func() error {
			activations, err := g.Forward(ctx, out, in, relation)
			if err != nil {
				return err
			}
			return m.Backward(ctx, grads, activations, out)
		},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRelationGraph has the size of FB15k-237.
func BenchmarkRelationGraph(b *testing.B) {
	g := benchGraph(b)
	for b.Loop() {
		if _, err := gnn.RelationGraph(context.Background(), g); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRelationGraphLarge has five million entities; most meet few relations, some hundreds.
func BenchmarkRelationGraphLarge(b *testing.B) {
	for _, relations := range []int32{100, 2000} {
		b.Run(fmt.Sprintf("relations=%d", relations), func(b *testing.B) { benchLarge(b, relations) })
	}
}

func benchLarge(b *testing.B, relations int32) {
	g := largeGraph(b, relations)
	for b.Loop() {
		if _, err := gnn.RelationGraph(context.Background(), g); err != nil {
			b.Fatal(err)
		}
	}
}

func largeGraph(b *testing.B, relations int32) *kernel.Graph {
	const entities, triples = 5_000_000, 10_000_000
	next := uint64(1) // a small generator: the one of math/rand takes longer than the graph
	draw := func(n int32) int32 {
		next ^= next << 13
		next ^= next >> 7
		next ^= next << 17
		return int32(next >> 33 % uint64(n))
	}
	skewed := func(n int32) int32 { x := float64(draw(1<<24)) / (1 << 24); return int32(float64(n) * x * x * x) }
	edges := make([]kernel.Edge, 0, 2*triples)
	for range triples {
		h, r, t := draw(entities), 2*skewed(relations/2), skewed(entities)
		edges = append(edges, kernel.Edge{Head: h, Relation: r, Tail: t}, kernel.Edge{Head: t, Relation: r + 1, Tail: h})
	}
	g, err := kernel.NewGraph(entities, int(relations), edges, nil)
	if err != nil {
		b.Fatal(err)
	}
	return g
}
