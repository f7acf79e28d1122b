package train

import (
	"context"
	"os"
	"testing"

	"github.com/lacuna-kg/lacuna/configs"
	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/internal/synth"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/query"
)

// BenchmarkPrepare draws the 192 queries of a step of the paper and their dropout, on a graph as
// large as FB15k-237: what one core of the host does while the device trains.
func BenchmarkPrepare(b *testing.B) {
	g, err := synth.Generate(synth.Config{Seed: 1, Entities: 14_505, Relations: 237, Triples: 272_115})
	if err != nil {
		b.Fatal(err)
	}
	benchmarkPrepare(b, g, map[string]int{"1p": 10, "2p": 10, "3p": 10, "2i": 10, "3i": 10, "2in": 1, "pin": 1, "pni": 1, "inp": 1})
}

// BenchmarkPrepareShape does the same on public graphs, for the mix of shapes that the
// foundation model is trained on and for each of the 14 by itself.
func BenchmarkPrepareShape(b *testing.B) {
	for _, name := range []string{"FB15k-237", "WN18RR", "NELL-betae", "CoDEx-M"} {
		dir := "../../shared/data/" + name
		if _, err := os.Stat(dir); err != nil {
			b.Skipf("needs the data folder %s in ../shared/data (docs/data.md)", name)
		}
		s, err := read.Graph(b.Context(), dir, read.Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name+"/foundation", func(b *testing.B) { benchmarkPrepare(b, s.Train, foundationShapes(b)) })
		for _, shape := range query.Shapes {
			b.Run(name+"/"+shape, func(b *testing.B) { benchmarkPrepare(b, s.Train, map[string]int{shape: 1}) })
		}
	}
}

func foundationShapes(b *testing.B) map[string]int {
	data, err := configs.Read("foundation")
	if err != nil {
		b.Fatal(err)
	}
	c, err := ParseConfig(data, "foundation")
	if err != nil {
		b.Fatal(err)
	}
	return c.Shapes
}

func benchmarkPrepare(b *testing.B, g *kg.Graph, shapes map[string]int) {
	const size = 192
	topology, err := exec.Topology(g)
	if err != nil {
		b.Fatal(err)
	}
	f := oneFeed(b, g, topology, small(shapes), size)
	edges, answers, step := 0, 0, 0
	for b.Loop() {
		step++
		batch, err := f.prepare(context.Background(), job{step: step, turn: uint64(step - 1)})
		if err != nil {
			b.Fatal(err)
		}
		for _, mask := range batch.masks {
			edges += len(mask)
		}
		answers += len(batch.answers.Items)
	}
	b.ReportMetric(float64(edges)/float64(step), "edges-dropped/op")
	b.ReportMetric(float64(answers)/float64(step*size), "answers/query")
	b.ReportMetric(float64(step*size)/b.Elapsed().Seconds(), "queries/s")
}
