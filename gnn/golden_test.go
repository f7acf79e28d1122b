package gnn_test

import (
	"context"
	"os"
	"testing"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/lab/golden"
)

func goldenFiles(t *testing.T) []*golden.File {
	files, err := golden.Paper(os.Getenv("LACUNA_GOLDEN"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func checkGolden(t *testing.T, device kernel.Device, options golden.Options) {
	for _, f := range goldenFiles(t) {
		t.Run(f.Name, func(t *testing.T) {
			report, err := golden.Check(context.Background(), device, f, options)
			if err != nil {
				t.Fatal(err)
			}
			if report.Cancelled != nil {
				t.Logf("outside the tolerance by itself, within it with its weight: %v", report.Cancelled)
			}
			t.Logf("steps %.1e, loss %.1e, gradient %.1e (%s)", report.Steps, report.Loss, report.Gradient, report.Worst)
		})
	}
}

func TestGolden(t *testing.T) { checkGolden(t, plain.New(), golden.Options{}) }

// In float64 every tensor meets the tolerance by itself: what is left in float32 is rounding.
func TestGoldenFloat64(t *testing.T) {
	checkGolden(t, plain.New64(), golden.Options{Strict: true})
}

// Two samples at a time, nothing kept: chunking and recomputation change no result.
func TestGoldenRecomputed(t *testing.T) {
	checkGolden(t, plain.New(), golden.Options{Limits: gnn.Limits{Workspace: 16 << 10, Kept: 1}})
}

// Statistics kept rather than recomputed.
func TestGoldenKept(t *testing.T) {
	checkGolden(t, plain.New(), golden.Options{Limits: gnn.Limits{Workspace: 64 << 10, Kept: 1 << 20, KeepStats: true}})
}
