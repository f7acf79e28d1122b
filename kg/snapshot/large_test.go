package snapshot

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/lacuna-kg/lacuna/internal/synth"
	"github.com/lacuna-kg/lacuna/kg"
)

// BenchmarkLarge takes half a minute and a few gigabytes, so it is asked for:
//
//	LACUNA_LARGE=1 go test -run '^$' -bench Large -benchtime 3x ./kg/snapshot
func BenchmarkLarge(b *testing.B) {
	if os.Getenv("LACUNA_LARGE") == "" {
		b.Skip("set LACUNA_LARGE=1 to run on 5 million entities and 20 million triples")
	}
	graph, err := synth.Generate(synth.Large)
	if err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(b.TempDir(), "large.lacuna")
	b.Run("Write", func(b *testing.B) {
		for b.Loop() {
			if err := Write(b.Context(), path, &kg.Splits{Train: graph}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Open", func(b *testing.B) {
		if err := Write(b.Context(), path, &kg.Splits{Train: graph}); err != nil {
			b.Fatal(err)
		}
		benchmarkOpen(b, path)
		if info, err := os.Stat(path); err == nil {
			b.SetBytes(info.Size())
		}
	})
}
