package cpu_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/cpu"
)

// BenchmarkRow is what a row of links costs the foundation model's network on FB15k-237, alone and of several together: the least
// of many runs, by processor time of all cores and by the clock, as others use the machine too.
func BenchmarkRow(b *testing.B) {
	inverse := make([]bool, relations)
	for r := range inverse {
		inverse[r] = r%2 == 1
	}
	g, err := kernel.NewGraph(entities, relations, benchEdges(b), inverse)
	if err != nil {
		b.Fatal(err)
	}
	for _, set := range cpu.Instructions() {
		for _, threads := range []int{1, 2} {
			for _, samples := range []int{1, 2, 16} {
				b.Run(fmt.Sprintf("%s/threads=%d/batch=%d", set, threads, samples), func(b *testing.B) {
					rowsOf(b, cpu.Options{Instructions: set, Threads: threads}, g, samples)
				})
			}
		}
	}
}

func rowsOf(b *testing.B, o cpu.Options, g *kernel.Graph, samples int) {
	d, _, graph := modelOn(b, o, gnn.DefaultAlternating(), g)
	relations := make([]int32, samples)
	in, out := d.NewBuffer(samples*g.Nodes), d.NewBuffer(samples*g.Nodes)
	for i := range relations {
		relations[i] = int32(17 * i % g.Relations)
		d.Singletons(in, g.Nodes, []int32{int32(i)}, []int32{int32(31 * i % g.Nodes)})
	}
	processor, clock := time.Hour, time.Hour
	for b.Loop() {
		before, begin := processTime(), time.Now()
		if err := graph.Project(b.Context(), out, in, relations); err != nil {
			b.Fatal(err)
		}
		processor, clock = min(processor, processTime()-before), min(clock, time.Since(begin))
	}
	b.ReportMetric(processor.Seconds()*1000/float64(samples), "least-cpu-ms/row")
	b.ReportMetric(clock.Seconds()*1000/float64(samples), "least-ms/row")
}
