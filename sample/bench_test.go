package sample

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/query"
)

func freebase(tb testing.TB) *kg.Splits {
	const dir = "../../shared/data/FB15k-237-betae"
	if _, err := os.Stat(dir); err != nil {
		tb.Skip("needs the data folder FB15k-237-betae in ../shared/data (docs/data.md)")
	}
	s, err := read.Graph(context.Background(), dir, read.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// BenchmarkBetaESet draws and writes the whole set of the BetaE size.
func BenchmarkBetaESet(b *testing.B) {
	s := freebase(b)
	o := Options{Seed: 1, Counts: BetaESizes(s, BetaEvaluation), MaxAnswers: 120}
	for b.Loop() {
		outcomes, err := WriteFolder(context.Background(), s, filepath.Join(b.TempDir(), "set"), o)
		if err != nil {
			b.Fatal(err)
		}
		for _, outcome := range outcomes {
			b.Log(outcome)
		}
	}
}

// BenchmarkDraw draws one query of each shape after the other until it is accepted.
func BenchmarkDraw(b *testing.B) {
	s := freebase(b)
	for _, split := range dataset.AllSplits() {
		world, err := newSplitWorld(b.Context(), split, s, Options{MaxAnswers: 120})
		if err != nil {
			b.Fatal(err)
		}
		for _, shape := range query.Shapes {
			b.Run(place(split, shape), func(b *testing.B) { benchmarkDraw(b, world, split, shape) })
		}
	}
}

func benchmarkDraw(b *testing.B, w *world, split dataset.Split, shape string) {
	t, err := newTask(split, Count{shape, 1}, 1)
	if err != nil {
		b.Fatal(err)
	}
	x, attempts := newExaminer(w), uint64(0)
	b.ReportAllocs()
	for b.Loop() {
		for verdict := broken; verdict != accepted; attempts++ {
			_, verdict = x.try(t.template, t.stream, attempts)
		}
	}
	b.ReportMetric(float64(attempts)/float64(b.N), "attempts/op")
}
