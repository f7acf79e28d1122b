package cpu_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/cpu"
)

// The paper's largest graph in common use, where the data is there.
const realGraph = "../../../shared/data/FB15k-237-betae/train.txt"

const entities, relations = 14505, 474

// benchEdges are FB15k-237's, or of its size with heads and tails drawn by a power law.
func benchEdges(b *testing.B) []kernel.Edge {
	file, err := os.Open(realGraph)
	if err != nil {
		b.Logf("no %s: a synthetic graph of its size", realGraph)
		return syntheticEdges()
	}
	defer file.Close()
	var edges []kernel.Edge
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var e kernel.Edge
		if _, err := fmt.Sscan(lines.Text(), &e.Head, &e.Relation, &e.Tail); err != nil {
			b.Fatal(err)
		}
		edges = append(edges, e)
	}
	return edges
}

func syntheticEdges() (list []kernel.Edge) {
	const triples = 272115
	draw := rand.New(rand.NewPCG(1, 1))
	node := func() int32 { x := draw.Float64(); return int32(entities * x * x * x) }
	seen := map[kernel.Edge]bool{}
	for len(list) < 2*triples {
		h, r, t := node(), 2*draw.Int32N(relations/2), node()
		e := kernel.Edge{Head: h, Relation: r, Tail: t}
		if !seen[e] {
			seen[e] = true
			list = append(list, e, kernel.Edge{Head: t, Relation: r + 1, Tail: h})
		}
	}
	return list
}

// BenchmarkProjection is the figures of the project: NBFNet, D = 32, 4 layers, PNA.
func BenchmarkProjection(b *testing.B) {
	g, err := kernel.NewGraph(entities, relations, benchEdges(b), nil)
	if err != nil {
		b.Fatal(err)
	}
	for _, set := range cpu.Instructions() {
		for _, batch := range []int{1, 16} {
			b.Run(fmt.Sprintf("%s/forward/batch=%d", set, batch), func(b *testing.B) { project(b, set, g, batch, false) })
		}
		b.Run(set+"/forward+backward/batch=8", func(b *testing.B) { project(b, set, g, 8, true) })
	}
}

func project(b *testing.B, set string, g *kernel.Graph, samples int, backward bool) {
	d, err := cpu.New(cpu.Options{Instructions: set})
	if err != nil {
		b.Fatal(err)
	}
	m, err := gnn.New(d, gnn.Default(), g.Relations, 1)
	if err != nil {
		b.Fatal(err)
	}
	graph, relations := d.NewGraph(g), make([]int32, samples)
	in, out, grads := d.NewBuffer(samples*g.Nodes), d.NewBuffer(samples*g.Nodes), m.NewSlab()
	for i := range relations {
		relations[i] = int32(17 * i % g.Relations)
		d.Singletons(in, g.Nodes, []int32{int32(i)}, []int32{int32(31 * i)})
	}
	ctx := context.Background()
	before := processTime()
	for b.Loop() {
		if !backward {
			err = m.Project(ctx, graph, out, in, relations)
		} else if trace, e := m.Forward(ctx, graph, out, in, relations); e != nil {
			err = e
		} else {
			err = m.Backward(ctx, grads, trace, out)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()*1000/float64(b.N*samples), "ms/sample")
	b.ReportMetric((processTime()-before).Seconds()*1000/float64(b.N*samples), "cpu-ms/sample")
}
