package gnn_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
)

// benchGraph has the size of FB15k-237 with heads and tails drawn by a power law.
func benchGraph(b *testing.B) *kernel.Graph {
	const entities, base, triples = 14505, 237, 272115
	draw := rand.New(rand.NewPCG(1, 1))
	node := func() int32 { x := draw.Float64(); return int32(entities * x * x * x) }
	edges := map[kernel.Edge]bool{}
	for len(edges) < 2*triples {
		h, r, t := node(), 2*draw.Int32N(base), node()
		edges[kernel.Edge{Head: h, Relation: r, Tail: t}] = true
		edges[kernel.Edge{Head: t, Relation: r + 1, Tail: h}] = true
	}
	list := make([]kernel.Edge, 0, len(edges))
	for e := range edges {
		list = append(list, e)
	}
	g, err := kernel.NewGraph(entities, 2*base, list, everySecond(2*base))
	if err != nil {
		b.Fatal(err)
	}
	return g
}

// BenchmarkPlain is the yardstick for the fast devices: NBFNet, D = 32, 4 layers, PNA.
func BenchmarkPlain(b *testing.B) {
	g := benchGraph(b)
	b.Run("forward/batch=1", func(b *testing.B) { benchProject(b, plain.New(), g, 1, false) })
	b.Run("forward+backward/batch=1", func(b *testing.B) { benchProject(b, plain.New(), g, 1, true) })
}

func benchProject(b *testing.B, d kernel.Device, g *kernel.Graph, samples int, backward bool) {
	m, err := gnn.New(d, gnn.Default(), g.Relations, 1)
	if err != nil {
		b.Fatal(err)
	}
	graph, relations := newGraph(b, m, g), make([]int32, samples)
	in, out, grads := d.NewBuffer(samples*g.Nodes), d.NewBuffer(samples*g.Nodes), m.NewSlab()
	for i := range relations {
		relations[i] = int32(i % g.Relations)
		d.Singletons(in, g.Nodes, []int32{int32(i)}, []int32{int32(i)})
	}
	ctx := context.Background()
	for b.Loop() {
		if backward {
			activations, err := graph.Forward(ctx, out, in, relations)
			if err != nil {
				b.Fatal(err)
			}
			err = m.Backward(ctx, grads, activations, out)
			if err != nil {
				b.Fatal(err)
			}
		} else if err := graph.Project(ctx, out, in, relations); err != nil {
			b.Fatal(err)
		}
	}
	if err := d.Sync(); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N*samples), "ms/sample")
}
