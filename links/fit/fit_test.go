package fit

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/internal/synth"
	"github.com/lacuna-kg/lacuna/kernel/cpu"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/neural"
	"github.com/lacuna-kg/lacuna/turing"
)

// drawn are links whose truth follows a map.
func drawn(rng *rand.Rand, m links.Map, rows int) observations {
	o := observations{rows: rows}
	for range rows {
		e := links.Evidence{Stated: rng.IntN(4)}
		if e.Stated == 0 {
			e.Room = -4 * rng.Float64()
		}
		logits := make([]float64, 60)
		sum := 0.0
		e.Top = math.Inf(-1)
		for i := range logits {
			logits[i] = 3*rng.NormFloat64() - 4
			sum += math.Exp(logits[i])
			e.Top = max(e.Top, logits[i])
		}
		e.Total = math.Log(sum)
		for i, z := range logits {
			o.links = append(o.links, link{logit: z, evidence: e, rank: i, weight: 1, held: rng.Float64() < m.Probability(z, e)})
		}
	}
	return o
}

// Where links follow a map, fitting finds one that predicts them as well, curve included.
func TestFitFindsTheMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, truth := range map[string]links.Map{
		"METHOD":    links.Uncalibrated(),
		"weights":   {{Logit: 0.7, Total: -0.4, Top: 0.2, Stated: 0.5, None: -1, Bias: -0.5}},
		"two parts": {{Logit: 1.5, Total: -1.2}, {Logit: 0.5, Stated: 1, Bias: -2}},
		"domains":   {{Logit: 1, Total: -1, Stated: 1, Room: 1.5}},
		"a ceiling": {{Logit: 1, Total: -1, Stated: 1, Curve: links.Curve{{Score: -6, Logit: -6}, {Score: -2, Logit: -2.5}, {Score: 2, Logit: -1}}}},
	} {
		found := drawn(rng, truth, 3000).fit(missing{held: 1, hidden: true})
		if err := found.Check(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		fresh := drawn(rng, truth, 3000)
		got, best := fresh.measure(found), fresh.measure(truth)
		if got.Surprise > 1.01*best.Surprise {
			t.Errorf("%s: surprise %v by the map that was fitted, %v by the true one", name, got.Surprise, best.Surprise)
		}
		for _, b := range got.Bins {
			if off := math.Abs(b.Expected - b.Found); off > 30+5*math.Sqrt(b.Found+1)+0.1*b.Found {
				t.Errorf("%s: %v to %v: %.0f expected, %.0f found", name, b.From, b.To, b.Expected, b.Found)
			}
		}
	}
}

// Where it is known that only some of what is true was held out, a fit to a few rows promises no more of links that are surer than any it has seen,
// and does better on others than one that does not know.
func TestFitKeepsBelowTheCeiling(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	truth := links.Map{{Logit: 2, Total: -1, Stated: 1, Bias: 1, Ceiling: 0.25}}
	few, others := drawn(rng, truth, 60), drawn(rng, truth, 3000)
	known, unknown := few.fit(missing{held: 0.25}), few.fit(missing{held: 1})
	if p := known.Probability(40, links.Evidence{Stated: 1}); p > 0.25 {
		t.Errorf("a link surer than any other has probability %v, expected 0.25 at most", p)
	}
	if with, without := others.measure(known), others.measure(unknown); with.Surprise > without.Surprise || with.ECE > without.ECE {
		t.Errorf("below a ceiling surprise is %v and ECE %v, without %v and %v", with.Surprise, with.ECE, without.Surprise, without.ECE)
	}
}

// Facts that are held out elsewhere are true and not among those held out.
func TestMissingCountsWhatIsElsewhere(t *testing.T) {
	rest, held := laureates(t)
	w := &world{held: held, options: Options{Elsewhere: 3 * len(held)}, predictor: &neural.Predictor{Graph: rest}}
	if m, each := w.missing(), float64(len(held))/float64(rest.NumTriples()); m.held != 0.25 || m.each != each {
		t.Errorf("of all that is missing %v is held out, %v for each fact stated; expected 0.25 and %v", m.held, m.each, each)
	}
}

// The Newton step is that of finite differences, under a ceiling, too.
func TestNewtonFollowsTheGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	o := drawn(rng, links.Uncalibrated(), 20)
	for i := range o.links {
		o.links[i].denied = i%5 == 0 && !o.links[i].held
	}
	for _, ceiling := range []float64{1, 0.6} {
		r := o.regression(start(), weights{1, 1, 1, 1, 1, 1, 1, 1}, ridge, ceiling)
		w := r.solution()
		for i := range w {
			const h = 1e-4
			up, down := w, w
			up[i] += h
			down[i] -= h
			if slope := (r.surprise(up) - r.surprise(down)) / (2 * h); math.Abs(slope) > 1e-2 {
				t.Errorf("ceiling %v: where the regression ended weight %d still falls by %v", ceiling, i, slope)
			}
		}
	}
}

// laureates is the embedded graph with every eighth fact held out.
func laureates(t *testing.T) (rest *kg.Graph, held []kg.Triple) {
	t.Helper()
	splits, err := read.Stream(t.Context(), turing.Facts(), "turing.tsv", read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for fact := range splits.Train.Triples() {
		if (3*fact.Head+fact.Tail)%8 == 0 {
			held = append(held, fact)
		}
	}
	if rest, err = splits.Train.Without(t.Context(), held); err != nil {
		t.Fatal(err)
	}
	return rest, held
}

func foundationModel(t *testing.T) *neural.Model {
	t.Helper()
	device, err := cpu.New(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	model, err := neural.OpenModel(neural.Foundation, device)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { model.Close() })
	return model
}

// On a graph that the foundation model has not seen, a fit makes its probabilities hold on facts not fitted on.
func TestFitOnAGraph(t *testing.T) {
	model := foundationModel(t)
	g, held := laureates(t)
	for _, o := range []Options{{Graph: g, Model: model, Held: held, Rows: 600}, {Graph: g, Model: model, Rows: 600}} {
		m, report, err := Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Check(); err != nil {
			t.Error(err)
		}
		if report.Hidden != (o.Held == nil) || report.Held == 0 || report.Rows != 600 {
			t.Errorf("%+v", report)
		}
		if report.After.Surprise >= report.Before.Surprise || report.After.ECE > 0.05 {
			t.Errorf("before %+v, after %+v", report.Before, report.After)
		}
		again, err := Measure(t.Context(), o, m)
		if err != nil || math.Abs(again.Surprise-report.After.Surprise) > 0.5*report.After.Surprise {
			t.Errorf("on all rows %v, on half of them %v, %v", again.Surprise, report.After.Surprise, err)
		}
	}
}

// A fit in a hurry is one to the rows that it came to; without any it says so.
func TestQuickFit(t *testing.T) {
	model := foundationModel(t)
	g, held := laureates(t)
	o := Options{Graph: g, Model: model, Held: held}
	m, report, err := Quick(t.Context(), o, time.Hour)
	if err != nil || m.Check() != nil || report.Rows != byCPU.most || report.Cut || m[0].Lacks == 0 {
		t.Fatalf("%v, %+v, %v", m, report, err)
	}
	reliability, err := Measure(t.Context(), Options{Graph: g, Model: model, Held: held, Rows: 400, Seed: 2}, m)
	if err != nil || reliability.ECE > 0.05 {
		t.Errorf("on other rows %+v, %v", reliability, err)
	}
	if _, _, err := Quick(t.Context(), o, time.Nanosecond); kg.KindOf(err) != kg.Invalid {
		t.Errorf("without time: %v", err)
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Quick(stopped, o, time.Hour); kg.KindOf(err) != kg.Cancelled {
		t.Errorf("after the end of its context: %v", err)
	}
}

// What a fit in a hurry looks at depends on the graph and the network alone; beyond some size it is refused.
func TestQuickRows(t *testing.T) {
	network := gnn.Config{Layers: 6, Width: 64}
	graph := func(entities int) *kg.Graph {
		g, err := synth.Generate(synth.Config{Seed: 1, Entities: entities, Relations: 10, Triples: 3 * entities})
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	last := byCPU.most
	for _, entities := range []int{100, 10_000, 20_000, 50_000} {
		rows, err := byCPU.rows(graph(entities), 0, network)
		if err != nil || rows > last || rows < fewestRows {
			t.Errorf("%d entities: %d rows, %v; fewer entities take %d", entities, rows, err, last)
		}
		last = rows
	}
	large := graph(400_000)
	if _, err := byCPU.rows(large, 0, network); last == byCPU.most || kg.KindOf(err) != kg.TooLarge {
		t.Errorf("%d rows of the last; a graph too large: error %v", last, err)
	}
	if rows, err := byCPU.rows(large, 30_000, network); err != nil || rows <= fewestRows {
		t.Errorf("on cuts of it %d rows, %v", rows, err)
	}
}

func TestFitRefuses(t *testing.T) {
	g, held := laureates(t)
	for _, o := range []Options{{Graph: g, Held: held, Share: 0.9}, {Graph: g, Held: held, Share: math.NaN()}, {Graph: g, Held: held, Rows: -1}} {
		if _, _, err := Run(t.Context(), o); kg.KindOf(err) != kg.Invalid {
			t.Errorf("%+v: error %v", o, err)
		}
	}
}

// ringWithout is a ring of a dozen entities that lacks some facts.
func ringWithout(t *testing.T, lacking int) (rest *kg.Graph, held []kg.Triple) {
	t.Helper()
	const entities = 12
	var facts strings.Builder
	for i := range entities {
		fmt.Fprintf(&facts, "n%d\tBefore\tn%d\nn%d\tAfter\tn%d\n", i, (i+1)%entities, (i+1)%entities, i)
	}
	splits, err := read.Stream(t.Context(), strings.NewReader(facts.String()), "ring.tsv", read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	held = slices.Collect(splits.Train.Triples())[:lacking]
	if rest, err = splits.Train.Without(t.Context(), held); err != nil {
		t.Fatal(err)
	}
	return rest, held
}

// Three facts that are held out are too few however often rows show them, and a fit that may take no time looks at none.
func TestFitWantsFacts(t *testing.T) {
	model := foundationModel(t)
	ring, ofRing := ringWithout(t, 3)
	few := Options{Graph: ring, Model: model, Held: ofRing, Rows: 800}
	seen, err := few.look(t.Context())
	if some, all := seen.without(1), seen.all(); err != nil || some.found() < fewest || all.facts() != 3 {
		t.Fatalf("%d links to fit on, %d facts, %v; expected many links of 3 facts", some.found(), all.facts(), err)
	}
	g, held := laureates(t)
	for _, o := range []Options{few, {Graph: g, Model: model, Held: held, Time: time.Nanosecond}} {
		if _, _, err := Run(t.Context(), o); kg.KindOf(err) != kg.Invalid {
			t.Errorf("%d facts held out, a time of %v: error %v", len(o.Held), o.Time, err)
		}
	}
	o := Options{Graph: g, Model: model, Held: held, Rows: 600, Time: time.Hour}
	if _, report, err := Run(t.Context(), o); err != nil || report.Rows != 600 {
		t.Errorf("with plenty of time %+v, %v", report, err)
	}
}

func TestRowsOfManyTailsCountForNoMoreThanOthers(t *testing.T) {
	rowOf := func(stated int) observations {
		return observations{rows: 1, links: []link{{weight: 2, evidence: links.Evidence{Stated: stated}}}}
	}
	for stated, want := range map[int]float64{0: 2, 1: 2, plentyStated: 2, 10 * plentyStated: 0.2} {
		row := rowOf(stated)
		if got := row.byRows().links[0].weight; math.Abs(got-want) > 1e-12 {
			t.Errorf("a link of a row with %d stated tails weighs %v, expected %v", stated, got, want)
		}
		if row.links[0].weight != 2 {
			t.Errorf("what was observed weighs %v after a fit, expected as before", row.links[0].weight)
		}
	}
}

// A curve rests on many rows where there are enough: facts of rows with many stated tails count for less, unless too few would be left.
func TestCurvesCountFactsByRows(t *testing.T) {
	facts := func(n, stated int) observations {
		return observations{rows: 1, links: slices.Repeat([]link{{weight: 1, held: true, evidence: links.Evidence{Stated: stated}}}, n)}
	}
	large := facts(1, 10*plentyStated).links[0]
	if counts := facts(enoughByRow, 1).counting(); counts(large) != 0.1 {
		t.Errorf("a fact of a large row counts for %v among many of small ones, expected 0.1", counts(large))
	}
	if counts := facts(2*enoughByRow, 10*plentyStated).counting(); counts(large) != 1 {
		t.Errorf("a fact of a large row counts for %v where there are only such, expected 1", counts(large))
	}
}

func TestFilesAreWrittenToFolders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none", "graph.calibration")
	if err := (File{}).Write(path); kg.KindOf(err) != kg.NotFound || !strings.Contains(err.Error(), path+": there is no folder") {
		t.Errorf("without a folder: %v", err)
	}
}
