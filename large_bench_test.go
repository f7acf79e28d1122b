package lacuna_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/explain"
	"github.com/lacuna-kg/lacuna/internal/synth"
	"github.com/lacuna-kg/lacuna/kg"
)

// drawWalk gives a question of so many steps that the graph has an answer to: the relations of a walk over its facts, and where it began.
func drawWalk(g *kg.Graph, draw *rand.Rand, steps int) (question, answer string) {
	at := kg.Entity(draw.IntN(g.NumEntities()))
	from := g.Entity(at)
	var atoms []string
	for i := range steps {
		relations, tails := g.Edges(at)
		if len(tails) == 0 {
			return drawWalk(g, draw, steps)
		}
		k := draw.IntN(len(tails))
		to := fmt.Sprintf("v%d", i)
		ends := []string{from, to}
		if relations[k].IsInverse() {
			ends = []string{to, from}
		}
		atoms = append(atoms, fmt.Sprintf("%s(%s)", g.Relation(kg.Forward(relations[k].Base())), strings.Join(ends, ", ")))
		at, from = tails[k], to
	}
	var bound []string
	for i := range steps - 1 {
		bound = append(bound, fmt.Sprintf("v%d", i))
	}
	exists := ""
	if len(bound) > 0 {
		exists = "∃" + strings.Join(bound, ", ") + " : "
	}
	return fmt.Sprintf("?v%d : %s%s", steps-1, exists, strings.Join(atoms, " ∧ ")), g.Entity(at)
}

// BenchmarkLarge asks new questions of the snapshot that LACUNA_GRAPH names, such as one of 25 million entities, and explains an
// answer to some of them: what a server of it takes for each.
func BenchmarkLarge(b *testing.B) {
	file := os.Getenv("LACUNA_GRAPH")
	if file == "" {
		b.Skip("LACUNA_GRAPH names no snapshot (lacuna-lab bench graph -o large.tsv, then lacuna import large.tsv --columns hrt -o large.lacuna makes one)")
	}
	e, err := lacuna.Open(b.Context(), file, lacuna.Calibrating(lacuna.CalibrationOptions{Off: true}))
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	ask := func(b *testing.B, steps int, why bool) {
		draw := rand.New(rand.NewPCG(1, uint64(steps)))
		for range b.N + 1 {
			question, _ := drawWalk(e.Graph, draw, steps)
			var err error
			if why {
				prepared, failed := e.Prepare(question)
				if failed != nil {
					b.Fatal(failed)
				}
				_, _, err = e.Explain(b.Context(), prepared, nil, explain.Options{})
			} else {
				_, err = e.Ask(b.Context(), question)
			}
			if err != nil {
				b.Fatalf("%s: %v", question, err)
			}
			b.StartTimer()
		}
	}
	for _, steps := range []int{1, 2, 3} {
		b.Run(fmt.Sprintf("%dp", steps), func(b *testing.B) { b.StopTimer(); ask(b, steps, false) })
	}
	b.Run("explain", func(b *testing.B) { b.StopTimer(); ask(b, 2, true) })
}

// BenchmarkFirstPage asks for the first page of answers to questions of a single link, each a new one: on FB15k-237, and on a synthetic
// graph of 25 million facts. It reports the median and the slowest beside the mean.
func BenchmarkFirstPage(b *testing.B) {
	b.Run("FB15k-237", func(b *testing.B) {
		if _, err := os.Stat(benchmarkGraph); err != nil {
			b.Skipf("%s is needed: the FB15k-237 graph of the BetaE release (docs/data.md)", benchmarkGraph)
		}
		e, err := lacuna.Open(b.Context(), benchmarkGraph, withoutFit)
		if err != nil {
			b.Fatal(err)
		}
		firstPages(b, e)
	})
	b.Run("synthetic", func(b *testing.B) {
		if testing.Short() {
			b.Skip("25 million facts take a minute and 3 GB")
		}
		g, err := synth.Generate(synth.Config{Seed: 1, Entities: 6_250_000, Relations: 400, Triples: 25_000_000})
		if err != nil {
			b.Fatal(err)
		}
		e, err := lacuna.New(b.Context(), g, withoutFit)
		if err != nil {
			b.Fatal(err)
		}
		firstPages(b, e)
	})
}

// withoutFit leaves out what the first question alone waits for.
var withoutFit = lacuna.Calibrating(lacuna.CalibrationOptions{Off: true})

func firstPages(b *testing.B, e *lacuna.Engine) {
	defer e.Close()
	draw := rand.New(rand.NewPCG(1, 1))
	var times []time.Duration
	for b.Loop() {
		b.StopTimer()
		question, _ := drawWalk(e.Graph, draw, 1)
		start := time.Now()
		b.StartTimer()
		if _, err := e.Ask(b.Context(), question); err != nil {
			b.Fatalf("%s: %v", question, err)
		}
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	b.ReportMetric(times[len(times)/2].Seconds()*1000, "ms/median")
	b.ReportMetric(times[len(times)-1].Seconds()*1000, "ms/slowest")
}
