package kg_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/lacuna-kg/lacuna/internal/synth"
	"github.com/lacuna-kg/lacuna/kg"
)

// BenchmarkLargeChange changes the graph of the stated figures, asked for by
//
//	LACUNA_LARGE=1 go test -run '^$' -bench LargeChange -benchtime 3x ./kg
func BenchmarkLargeChange(b *testing.B) {
	if os.Getenv("LACUNA_LARGE") == "" {
		b.Skip("set LACUNA_LARGE=1 to run on 5 million entities and 20 million triples")
	}
	graph, err := synth.Generate(synth.Large)
	if err != nil {
		b.Fatal(err)
	}
	for _, size := range []int{1, 1000, 1_000_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			add, remove := make([]kg.Fact, size), make([]kg.Fact, 0, size)
			for i := range add {
				add[i] = kg.Fact{Head: fmt.Sprint("new", i), Relation: "P1", Tail: fmt.Sprint("Q", i*7%synth.Large.Entities)}
			}
			for t := range graph.Triples() {
				if len(remove) == size {
					break
				}
				v := graph.Vocabulary
				remove = append(remove, kg.Fact{Head: v.Entity(t.Head), Relation: v.Relation(t.Relation), Tail: v.Entity(t.Tail)})
			}
			for b.Loop() {
				if _, _, err := graph.Change(b.Context(), add, remove); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
