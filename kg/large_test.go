package kg_test

import (
	"os"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/internal/synth"
	"github.com/lacuna-kg/lacuna/kg"
)

// BenchmarkLarge takes a minute and a few gigabytes, so it is asked for:
//
//	LACUNA_LARGE=1 go test -run '^$' -bench Large -benchtime 3x ./kg
func BenchmarkLarge(b *testing.B) {
	if os.Getenv("LACUNA_LARGE") == "" {
		b.Skip("set LACUNA_LARGE=1 to run on 5 million entities and 20 million triples")
	}
	triples := slices.AppendSeq(make([]kg.Triple, 0, synth.Large.Triples), synth.Large.Draw())
	vocabulary := synth.Large.Vocabulary()
	b.Run("Intern", func(b *testing.B) {
		for b.Loop() {
			vocabulary = synth.Large.Vocabulary()
		}
	})
	b.Run("Hash", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			fresh := synth.Large.Vocabulary() // whose hash is not yet known
			b.StartTimer()
			fresh.Hash()
		}
	})
	b.Run("Build", func(b *testing.B) {
		for b.Loop() {
			kg.Build(vocabulary, triples)
		}
	})
}
