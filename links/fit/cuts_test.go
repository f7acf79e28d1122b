package fit

import (
	"math"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna/internal/synth"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
)

// On cuts of a graph a fit hides facts and draws rows without a list of all, makes probabilities hold, and says what it looked at.
func TestFitOnCuts(t *testing.T) {
	model := foundationModel(t)
	g, held := laureates(t)
	model.Cut = g.NumEntities() / 2
	for _, o := range []Options{{Graph: g, Model: model, Held: held, Rows: 600}, {Graph: g, Model: model, Rows: 600}} {
		_, report, err := Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if report.Around != model.Cut || report.After.Surprise >= report.Before.Surprise || report.After.ECE > 0.05 {
			t.Errorf("%+v", report)
		}
		if share := float64(report.Held) / float64(g.NumTriples()); o.Held == nil && math.Abs(share-DefaultShare) > 0.02 {
			t.Errorf("%.3f of the facts are hidden", share)
		}
	}
	if _, report, err := Quick(t.Context(), Options{Graph: g, Model: model, Held: held, Rows: 200}, time.Hour); err != nil || report.Around != model.Cut {
		t.Errorf("%+v, %v", report, err)
	}
}

// The pairs that stand for all of a graph are drawn evenly, whatever the number of their tails.
func TestSomePairsStandForAll(t *testing.T) {
	model := foundationModel(t)
	g, held := laureates(t)
	model.Cut = g.NumEntities() / 2
	w, err := Options{Graph: g, Model: model, Held: held}.newWorld(t.Context(), turn{rows: DefaultRows})
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	mean := func(pairs func(func(links.Pair) bool)) (tails float64) {
		n := 0
		for p := range pairs {
			tails += float64(len(w.full.Tails(p.Head, p.Relation)))
			n++
		}
		return tails / float64(n)
	}
	if all, some := mean(w.allPairs), mean(w.somePairs); math.Abs(some-all) > 0.1*all {
		t.Errorf("a pair has %v tails on average, one of those drawn %v", all, some)
	}
}

// Of a graph whose facts have nothing to do with each other only the first rows are looked at.
func TestHopelessFitsEndEarly(t *testing.T) {
	model := foundationModel(t)
	g, err := synth.Generate(synth.Config{Seed: 1, Entities: 20_000, Relations: 50, Triples: 60_000})
	if err != nil {
		t.Fatal(err)
	}
	model.Cut = 50
	last := 0
	_, _, err = Quick(t.Context(), Options{Graph: g, Model: model, Rows: 800, Progress: func(done, _ int) { last = done }}, time.Hour)
	if kg.KindOf(err) != kg.Invalid || last > 100 {
		t.Errorf("%d rows were looked at: %v", last, err)
	}
}
