package kg_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/internal/synth"
	"github.com/lacuna-kg/lacuna/kg"
)

// large is the graph of the stated figures.
var large = synth.Config{Seed: 1, Entities: 5_000_000, Relations: 1000, Triples: 20_000_000}

// BenchmarkLarge takes a minute and a few gigabytes, so it is asked for:
//
//	LACUNA_LARGE=1 go test -run '^$' -bench Large -benchtime 3x ./kg
func BenchmarkLarge(b *testing.B) {
	if os.Getenv("LACUNA_LARGE") == "" {
		b.Skip("set LACUNA_LARGE=1 to run on 5 million entities and 20 million triples")
	}
	triples := slices.AppendSeq(make([]kg.Triple, 0, large.Triples), large.Draw())
	vocabulary := large.Vocabulary()
	var graph *kg.Graph
	b.Run("Intern", func(b *testing.B) {
		for b.Loop() {
			vocabulary = large.Vocabulary()
		}
	})
	b.Run("Hash", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			fresh := large.Vocabulary() // whose hash is not yet known
			b.StartTimer()
			fresh.Hash()
		}
	})
	b.Run("Build", func(b *testing.B) {
		for b.Loop() {
			graph = kg.Build(vocabulary, triples)
		}
	})
	if graph == nil { // only some of the benchmarks were asked for
		graph = kg.Build(vocabulary, triples)
	}
	path := filepath.Join(b.TempDir(), "large.lacuna")
	b.Run("WriteSnapshot", func(b *testing.B) {
		for b.Loop() {
			if err := kg.WriteSnapshot(b.Context(), path, &kg.Splits{Train: graph}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("OpenSnapshot", func(b *testing.B) {
		if err := kg.WriteSnapshot(b.Context(), path, &kg.Splits{Train: graph}); err != nil {
			b.Fatal(err)
		}
		benchmarkOpen(b, path)
	})
}

func benchmarkOpen(b *testing.B, path string) {
	for b.Loop() {
		s, err := kg.OpenSnapshot(path)
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Train.Close(); err != nil {
			b.Fatal(err)
		}
	}
	if info, err := os.Stat(path); err == nil {
		b.SetBytes(info.Size())
	}
}
