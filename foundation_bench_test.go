package lacuna_test

import (
	"os"
	"testing"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/kg"
)

const (
	nationality = `?x : "/people/person/nationality"("/m/06v8s0", x)`
	stranger    = "someone of no other graph"
)

// BenchmarkFoundation asks for a missing link of FB15k-237: with the graph read anew, by
// an engine that was asked before, and after facts about a new entity were added.
//
//	go test -run '^$' -bench Foundation -benchtime 10x .
func BenchmarkFoundation(b *testing.B) {
	if _, err := os.Stat(benchmarkGraph); err != nil {
		b.Skipf("%s is needed: the FB15k-237 graph of the BetaE release (docs/data.md)", benchmarkGraph)
	}
	open := func() *lacuna.Engine {
		engine, err := lacuna.Open(b.Context(), benchmarkGraph, lacuna.Device("cpu"))
		if err != nil {
			b.Fatal(err)
		}
		return engine
	}
	ask := func(engine *lacuna.Engine) {
		if _, err := engine.Ask(b.Context(), nationality); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("First", func(b *testing.B) {
		for b.Loop() {
			ask(open())
		}
	})
	engine := open()
	b.Run("Warm", func(b *testing.B) {
		for b.Loop() {
			ask(engine)
		}
	})
	b.Run("Changed", func(b *testing.B) {
		for b.Loop() {
			changed, _, err := engine.Change(b.Context(), []kg.Fact{{Head: stranger, Relation: "admires", Tail: "/m/06v8s0"}}, nil)
			if err != nil {
				b.Fatal(err)
			}
			ask(changed)
			changed.Close()
		}
	})
}
