package eval

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/neural"
)

// ordinary draws a graph that gives no concern.
func ordinary(seed uint64) *kg.Graph { return scattered(seed, 60, 6, 600) }

func scattered(seed uint64, entities, relations, facts int) *kg.Graph {
	random := rand.New(rand.NewPCG(seed, 1))
	triples := make([]kg.Triple, facts)
	for i := range triples {
		triples[i] = kg.Triple{Head: kg.Entity(random.IntN(entities)), Relation: kg.Forward(uint32(random.IntN(relations))), Tail: kg.Entity(random.IntN(entities))}
	}
	return kg.Build(vocabulary(entities, relations), triples)
}

// made builds a graph of n facts, fact i by a rule.
func made(entities, relations, n int, rule func(i int) (head, relation, tail int)) *kg.Graph {
	triples := make([]kg.Triple, n)
	for i := range triples {
		h, r, t := rule(i)
		triples[i] = kg.Triple{Head: kg.Entity(h), Relation: kg.Forward(uint32(r)), Tail: kg.Entity(t)}
	}
	return kg.Build(vocabulary(entities, relations), triples)
}

func TestConcerns(t *testing.T) {
	tests := []struct {
		name  string
		graph *kg.Graph
		want  []string
	}{
		{"ordinary", ordinary(1), nil},
		{"no facts", made(3, 1, 0, nil), []string{"no facts"}},
		{"few facts", scattered(2, 20, 4, 100), []string{"few facts"}},
		{"one relation", scattered(3, 60, 1, 600), []string{"one relation"}},
		{"one relation used, another named", made(50, 2, 400, func(i int) (int, int, int) { return i % 50, 1, (i/50*7 + i + 1) % 50 }), []string{"one relation"}},
		{"star", made(200, 3, 400, func(i int) (int, int, int) {
			if i%2 == 0 {
				return 0, i % 3, 1 + i/2%199
			}
			return 1 + i/2%199, i % 3, 1 + (i*7)%199
		}), []string{"star"}},
		// Rings of ten entities each, by two relations.
		{"disconnected", made(200, 2, 400, func(i int) (int, int, int) { return i % 200, i / 200, i%200/10*10 + (i+1+i/200)%10 }), []string{"disconnected"}},
		// A ring of 40, and 200 more that hang on it by a fact each.
		{"single facts", made(240, 3, 280, func(i int) (int, int, int) {
			if i < 40 {
				return i, 0, (i + 1) % 40
			}
			return i - 40, 1 + i%2, i % 40
		}), []string{"single facts"}},
		{"leaves only", made(800, 4, 700, func(i int) (int, int, int) { return 100 + i, i % 4, i % 100 }), []string{"disconnected", "single facts"}},
		{"relations used once", made(40, 300, 300, func(i int) (int, int, int) { return i % 40, i, (i/40*3 + i + 1) % 40 }), []string{"relations used once"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var kinds []string
			for _, c := range Concerns(test.graph) {
				kinds = append(kinds, c.Kind)
				if c.Text == "" {
					t.Errorf("nothing is said of %q", c.Kind)
				}
			}
			if !slices.Equal(kinds, test.want) {
				t.Errorf("concerns %q, want %q; structure %+v", kinds, test.want, structureOf(test.graph))
			}
		})
	}
}

// TestSingleFactsLimit moves over the limit: leaves hung on a ring until three quarters of all have one fact.
func TestSingleFactsLimit(t *testing.T) {
	for leaves, want := range map[int]bool{100: false, 119: false, 122: true, 400: true} {
		g := made(40+leaves, 2, 240+leaves, func(i int) (int, int, int) {
			if i < 240 {
				return i % 40, i % 2, (i/40*3 + i + 1) % 40
			}
			return i - 200, 1, i % 40
		})
		if got := slices.ContainsFunc(Concerns(g), func(c Concern) bool { return c.Kind == "single facts" }); got != want {
			t.Errorf("%d leaves: concern %v, want %v", leaves, got, want)
		}
	}
}

func TestHideKeepsEveryEntity(t *testing.T) {
	for seed := range uint64(20) {
		g := scattered(seed, 40, 3, 60) // many entities of one or two facts, loops among them
		hidden := Hide(g, 1000, 0.5, seed)
		rest, err := g.Without(t.Context(), hidden)
		if err != nil {
			t.Fatal(err)
		}
		if len(hidden) == 0 || rest.NumTriples() != g.NumTriples()-len(hidden) {
			t.Errorf("%d facts hidden of %d, %d left", len(hidden), g.NumTriples(), rest.NumTriples())
		}
		for e := range kg.Entity(g.NumEntities()) {
			_, before := g.Edges(e)
			if _, after := rest.Edges(e); len(before) > 0 && len(after) == 0 {
				t.Errorf("entity %d lost all of its %d edges", e, len(before))
			}
		}
		if !slices.Equal(hidden, Hide(g, 1000, 0.5, seed)) {
			t.Error("the same seed hides other facts")
		}
	}
	if hidden := Hide(ordinary(1), 7, 0.5, 1); len(hidden) != 7 {
		t.Errorf("%d facts hidden, want 7", len(hidden))
	}
	if hidden := Hide(ordinary(1), 1000, 0.1, 1); len(hidden) > 60 {
		t.Errorf("%d facts hidden, want a tenth of 600 at most", len(hidden))
	}
}

// asking is an estimate by any method on a graph less its hidden facts.
func asking(t *testing.T, g *kg.Graph, hidden []kg.Triple, method func(full, rest *kg.Graph) Method) *estimate {
	t.Helper()
	rest, err := g.Without(t.Context(), hidden)
	if err != nil {
		t.Fatal(err)
	}
	e := &estimate{full: g, heldOut: kg.Build(g.Vocabulary, nil), frequent: newFrequent(rest), until: time.Now().Add(time.Hour), method: method(g, rest)}
	if err := e.ask(t.Context(), hidden, nil); err != nil {
		t.Fatal(err)
	}
	return e
}

// TestEstimateOfOracle asks one who knows all, and one who knows nothing of what was hidden.
func TestEstimateOfOracle(t *testing.T) {
	g := ordinary(5)
	hidden := Hide(g, 40, 0.1, 1)
	oracle := recovery(asking(t, g, hidden, func(full, _ *kg.Graph) Method { return NewTraversal(full) }).model, 1)
	if one := (Interval{1, 1, 1}); oracle.MRR != one || oracle.Hits1 != one || oracle.Hits10 != one {
		t.Errorf("the oracle recovers %+v", oracle)
	}
	blind := recovery(asking(t, g, hidden, func(_, rest *kg.Graph) Method { return NewTraversal(rest) }).model, 1)
	if blind.Hits10.High != 0 || blind.MRR.Mean > 0.05 {
		t.Errorf("traversal recovers %+v of what it cannot know", blind)
	}
}

// TestFrequentByHand has one relation whose tails are 9 (three times), 8 (twice) and 7 (once).
func TestFrequentByHand(t *testing.T) {
	g := made(10, 1, 6, func(i int) (int, int, int) { return i, 0, []int{9, 9, 9, 8, 8, 7}[i] })
	f := newFrequent(g)
	for _, test := range []struct {
		target  kg.Entity
		answers []kg.Entity
		want    kernel.Rank
	}{
		{9, []kg.Entity{9}, kernel.Rank{}},
		{8, []kg.Entity{8}, kernel.Rank{Greater: 1}},
		{8, []kg.Entity{8, 9}, kernel.Rank{}}, // filtered
		{7, []kg.Entity{7}, kernel.Rank{Greater: 2}},
		{0, []kg.Entity{0}, kernel.Rank{Greater: 3, Equal: 6}},
	} {
		if got := f.rank(0, test.target, test.answers); got != test.want {
			t.Errorf("rank of %d without %v: %+v, want %+v", test.target, test.answers, got, test.want)
		}
	}
}

// toyModel is an untrained one for any graph.
func toyModel(t *testing.T) *neural.Model {
	t.Helper()
	config := gnn.DefaultUltra()
	config.Width, config.Layers = 8, 2
	network, err := gnn.New(plain.New(), config, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	model := neural.NewModel("toy", network, checkpoint.Card{Config: network.Spec()})
	t.Cleanup(func() { model.Close() })
	return model
}

// TestEstimateIsOfRows ranks hidden facts in the rows that answers by links are made of, one by one.
func TestEstimateIsOfRows(t *testing.T) {
	g, model := ordinary(7), toyModel(t)
	hidden := Hide(g, 10, 0.1, 1)
	rest, err := model.OnRest(t.Context(), g, hidden)
	if err != nil {
		t.Fatal(err)
	}
	defer rest.Close()
	executor, err := rest.Executor(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	e := asking(t, g, hidden, func(_, _ *kg.Graph) Method { return Learned{Executor: executor} })
	for i, fact := range hidden {
		want := 0.0
		for _, link := range []kg.Triple{fact, fact.Inverse()} {
			err := rest.Tails(t.Context(), []kg.Entity{link.Head}, []kg.Relation{link.Relation}, func(_ int, device kernel.Device, row kernel.Buffer, _ []kg.Entity) error {
				known := ids(g.Tails(link.Head, link.Relation))
				want += retrieved(device.Ranks(row, kernel.NewLists([][]int32{{int32(link.Tail)}}), kernel.NewLists([][]int32{known}))[0]).MRR / 2
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if got := e.model[i].MRR; math.Abs(got-want) > 1e-9 {
			t.Errorf("%v: reciprocal rank %v, in its rows %v", fact, got, want)
		}
	}
}

func TestEstimateOfModel(t *testing.T) {
	model := toyModel(t)
	options := FitOptions{Graph: ordinary(7), Model: model, Hidden: 20, Seed: 3}
	asked := 0
	options.Progress = func(done, hidden int) { asked = done }
	fit, err := Estimate(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	if fit.Hidden != 20 || fit.Asked != 20 || asked != 20 || fit.Facts != options.Graph.NumTriples() {
		t.Errorf("%+v, %d asked for", fit, asked)
	}
	for _, i := range []Interval{fit.Model.MRR, fit.Model.Hits1, fit.Model.Hits10, fit.Frequent.MRR} {
		if !(0 <= i.Low && i.Low <= i.Mean && i.Mean <= i.High && i.High <= 1) {
			t.Errorf("interval %+v", i)
		}
	}
	options.Progress, options.Time = nil, time.Nanosecond
	if short, err := Estimate(t.Context(), options); err != nil || short.Asked != 1 {
		t.Errorf("without time: %+v, %v; want one fact asked for", short, err)
	}
	options.Graph = scattered(1, 9, 1, 5)
	if _, err := Estimate(t.Context(), options); kg.KindOf(err) != kg.Invalid {
		t.Errorf("on a graph of five facts: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	options.Graph = ordinary(7)
	if _, err := Estimate(ctx, options); kg.KindOf(err) != kg.Cancelled {
		t.Errorf("a stopped estimate gives %v", err)
	}
}

// TestHeldOutFactsAreNoWrongAnswers holds out every other end of every fact: what is true cannot stand before a hidden fact.
func TestHeldOutFactsAreNoWrongAnswers(t *testing.T) {
	options := FitOptions{Graph: ordinary(7), Model: toyModel(t), Hidden: 20, Seed: 3}
	for fact := range options.Graph.Triples() {
		for e := range kg.Entity(options.Graph.NumEntities()) {
			options.HeldOut = append(options.HeldOut,
				kg.Triple{Head: fact.Head, Relation: fact.Relation, Tail: e}, kg.Triple{Head: e, Relation: fact.Relation, Tail: fact.Tail})
		}
	}
	fit, err := Estimate(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	if one := (Interval{1, 1, 1}); fit.Model.MRR != one || fit.Frequent.MRR != one {
		t.Errorf("MRR %v of the model and %v of frequent ends, want 1 of both", fit.Model.MRR, fit.Frequent.MRR)
	}
}

// TestBootstrapWidth: an interval of the mean of coin flips has half the width for four times the flips.
func TestBootstrapWidth(t *testing.T) {
	width := func(n int) float64 {
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(i % 2)
		}
		interval := bootstrap(values, 1)
		return interval.High - interval.Low
	}
	// 2 · 1.96 · 0.5 / √400
	if got := width(400); math.Abs(got-0.098) > 0.015 {
		t.Errorf("width %v of 400 flips, want about 0.098", got)
	}
	if ratio := width(400) / width(1600); math.Abs(ratio-2) > 0.3 {
		t.Errorf("the ratio of widths is %v, want about 2", ratio)
	}
}
