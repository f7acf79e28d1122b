package factor

import (
	"context"
	"testing"

	"github.com/lacuna-kg/lacuna/internal/synth"
)

// A step of 128 pairs on a graph with as many entities as FB15k-237 has.
func BenchmarkStep(b *testing.B) {
	g, err := synth.Generate(synth.Config{Entities: 14_505, Triples: 100_000, Relations: 237, Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	x, device := newExamples(g), fastDevice(b)
	o := DefaultOptions()
	l := newLearner(New(g.NumEntities(), g.NumRelations(), o.Rank, 1), x, device, o)
	defer l.free()
	pairs := make([]int, 128)
	for i := range pairs {
		pairs[i] = i * 17
	}
	for b.Loop() {
		if _, err := l.step(context.Background(), pairs); err != nil {
			b.Fatal(err)
		}
	}
}
