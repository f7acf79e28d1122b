package sample

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

func freebase(tb testing.TB) *kg.Splits {
	const dir = "../../shared/data/FB15k-237-betae/"
	if _, err := os.Stat(dir); err != nil {
		tb.Skip("needs FB15k-237-betae in ../shared/data")
	}
	v := &kg.Vocabulary{Entities: numbered(14505), Relations: numbered(237)}
	read := func(name string) (triples []kg.Triple) {
		f, err := os.Open(dir + name)
		if err != nil {
			tb.Fatal(err)
		}
		defer f.Close()
		s := bufio.NewScanner(f)
		for s.Scan() {
			var h, r, t uint32
			fmt.Sscan(s.Text(), &h, &r, &t)
			if r%2 == 0 {
				triples = append(triples, kg.Triple{Head: kg.Entity(h), Relation: kg.Relation(r), Tail: kg.Entity(t)})
			}
		}
		return triples
	}
	return &kg.Splits{Train: kg.Build(v, read("train.txt")), Valid: read("valid.txt"), Test: read("test.txt")}
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
		world := newSplitWorld(split, s, Options{MaxAnswers: 120})
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
	j, attempts := newJudge(w), uint64(0)
	b.ReportAllocs()
	for b.Loop() {
		for verdict := Broken; verdict != Accepted; attempts++ {
			_, verdict = j.try(t.template, t.stream, attempts)
		}
	}
	b.ReportMetric(float64(attempts)/float64(b.N), "attempts/op")
}
