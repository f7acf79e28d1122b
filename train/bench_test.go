package train

import (
	"context"
	"testing"

	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/internal/synth"
)

// BenchmarkPrepare draws the 192 queries of a step of the paper and their dropout, on a graph as
// large as FB15k-237: what the host does while the device trains.
func BenchmarkPrepare(b *testing.B) {
	g, err := synth.Generate(synth.Config{Seed: 1, Entities: 14_505, Relations: 237, Triples: 272_115})
	if err != nil {
		b.Fatal(err)
	}
	topology, err := exec.Topology(g)
	if err != nil {
		b.Fatal(err)
	}
	c := small(map[string]int{"1p": 10, "2p": 10, "3p": 10, "2i": 10, "3i": 10, "2in": 1, "pin": 1, "pni": 1, "inp": 1})
	f := oneFeed(b, g, topology, c, 192)
	edges, step := 0, 0
	for b.Loop() {
		step++
		batch, err := f.prepare(context.Background(), job{step: step, turn: uint64(step - 1)})
		if err != nil {
			b.Fatal(err)
		}
		for _, mask := range batch.masks {
			edges += len(mask)
		}
	}
	b.ReportMetric(float64(edges)/float64(step), "edges-dropped/op")
}
