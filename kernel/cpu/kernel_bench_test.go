package cpu

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lacuna-kg/lacuna/kernel"
)

// BenchmarkMessages is one pass of fused PNA message passing over random edges, per
// edge and core; states beyond the first make it leave the cache, as batches do.
func BenchmarkMessages(b *testing.B) {
	const nodes, relations, degree, width = 14505, 474, 37, 32
	draw := rand.New(rand.NewPCG(1, 2))
	edges := make([][2]int32, nodes*degree)
	for i := range edges {
		x := draw.Float64()
		edges[i] = [2]int32{int32(nodes * x * x), int32(i / 3 % relations)}
	}
	edges = padded(edges)
	acc, rel := make([]float32, tileRows*4*width), random(draw, relations*width)
	for _, set := range sets(b) {
		use, err := choose(set)
		if err != nil {
			b.Fatal(err)
		}
		if len(use.blocks) == 0 {
			continue
		}
		for _, states := range []int{1, 32} {
			hidden := random(draw, states*nodes*width)
			b.Run(fmt.Sprintf("%s/states=%d", set, states), func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					h := row(hidden, i%states, nodes*width)
					for from := 0; from+tileRows <= nodes; from += tileRows {
						for _, s := range use.spans(width, 1) {
							s.block.accumulate[pna][kernel.DistMult](acc[s.from:], h[s.from:], rel[s.from:], edges[from*degree:], tileRows, degree, 4*width, width)
						}
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(edges)), "ns/edge")
			})
		}
	}
}
