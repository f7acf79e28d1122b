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

// networks are the paper's, whose figures are the project's, and one as the foundation
// model's entity model is: sums, D = 64, 6 layers.
func networks() map[string]gnn.Config {
	wide := gnn.Default()
	wide.Aggregate, wide.Width, wide.Layers, wide.Dependent = "sum", 64, 6, false
	return map[string]gnn.Config{"pna32": gnn.Default(), "sum64": wide}
}

func BenchmarkProjection(b *testing.B) {
	g, err := kernel.NewGraph(entities, relations, benchEdges(b), nil)
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range []string{"pna32", "sum64"} {
		for _, set := range cpu.Instructions() {
			run := func(work string, batch int, backward bool) {
				b.Run(fmt.Sprintf("%s/%s/%s/batch=%d", name, set, work, batch), func(b *testing.B) {
					project(b, networks()[name], set, g, batch, backward)
				})
			}
			run("forward", 1, false)
			run("forward", 16, false)
			run("forward+backward", 8, true)
		}
	}
}

// BenchmarkFloor is what the inner loops alone would take of the paper's network.
func BenchmarkFloor(b *testing.B) {
	topology, err := kernel.NewGraph(entities, relations, benchEdges(b), nil)
	if err != nil {
		b.Fatal(err)
	}
	for _, set := range cpu.Instructions() {
		b.Run(set, func(b *testing.B) {
			d, err := cpu.New(cpu.Options{Instructions: set})
			if err != nil {
				b.Fatal(err)
			}
			g, l := d.NewGraph(topology), kernel.Layer{Message: kernel.DistMult, Aggregate: kernel.PNA, Width: 32}
			var r cpu.Rates
			for b.Loop() {
				r = d.Measure(l, g)
			}
			b.ReportMetric(r.EdgeNanoseconds, "ns/edge")
			b.ReportMetric(r.Gigaflops, "GFLOP/s")
			b.ReportMetric(r.Floor(l, g, 4, d.Threads(), false).Seconds()*1000, "forward-ms")
			b.ReportMetric(r.Floor(l, g, 4, d.Threads(), true).Seconds()*1000, "backward-ms")
		})
	}
}

// modelOn is a network on a graph.
func modelOn(b testing.TB, o cpu.Options, config gnn.Config, g *kernel.Graph) (*cpu.Device, *gnn.Model, *gnn.Graph) {
	d, err := cpu.New(o)
	if err != nil {
		b.Fatal(err)
	}
	m, err := gnn.New(d, config, g.Relations, 1)
	if err != nil {
		b.Fatal(err)
	}
	graph, err := m.NewGraph(b.Context(), g)
	if err != nil {
		b.Fatal(err)
	}
	return d, m, graph
}

func project(b *testing.B, config gnn.Config, set string, g *kernel.Graph, samples int, backward bool) {
	d, m, graph := modelOn(b, cpu.Options{Instructions: set}, config, g)
	relations := make([]int32, samples)
	in, out, grads := d.NewBuffer(samples*g.Nodes), d.NewBuffer(samples*g.Nodes), m.NewSlab()
	for i := range relations {
		relations[i] = int32(17 * i % g.Relations)
		d.Singletons(in, g.Nodes, []int32{int32(i)}, []int32{int32(31 * i % g.Nodes)})
	}
	ctx := context.Background()
	before := processTime()
	for b.Loop() {
		var err error
		if !backward {
			err = graph.Project(ctx, out, in, relations)
		} else if activations, e := graph.Forward(ctx, out, in, relations); e != nil {
			err = e
		} else {
			err = m.Backward(ctx, grads, activations, out)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()*1000/float64(b.N*samples), "ms/sample")
	b.ReportMetric((processTime()-before).Seconds()*1000/float64(b.N*samples), "cpu-ms/sample")
}
