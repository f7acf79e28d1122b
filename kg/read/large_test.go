package read_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/lacuna-kg/lacuna/internal/synth"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/kg/snapshot"
)

// BenchmarkLargeImport is the way from text to a snapshot, as a user goes it. For
// the memory it takes, run it alone and under a tool that gives the peak:
//
//	go test -c -o read.test ./kg/read && LACUNA_LARGE=1 /usr/bin/time -v ./read.test -test.run '^$' -test.bench LargeImport -test.benchtime 1x
func BenchmarkLargeImport(b *testing.B) {
	if os.Getenv("LACUNA_LARGE") == "" {
		b.Skip("set LACUNA_LARGE=1 to run on 5 million entities and 20 million triples")
	}
	source := filepath.Join(b.TempDir(), "large.tsv")
	if err := writeLargeTSV(b.Context(), source); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		s, err := read.Graph(b.Context(), source, read.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := snapshot.Write(b.Context(), source+".lacuna", s); err != nil {
			b.Fatal(err)
		}
		if s.Train.NumTriples()+s.Train.Duplicates() != synth.Large.Triples {
			b.Fatalf("%d triples and %d duplicates", s.Train.NumTriples(), s.Train.Duplicates())
		}
	}
}

func writeLargeTSV(ctx context.Context, path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(synth.Large.WriteTSV(ctx, f), f.Close())
}
