package calibrate

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/eval"
	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel/cpu"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/neural"
	"github.com/lacuna-kg/lacuna/plan"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/turing"
)

// drawn are links of a model whose logits z are true with probability σ(z/temperature − shift).
func drawn(temperature, shift float64) *links {
	random := rand.New(rand.NewPCG(1, 2))
	l := &links{queries: 100}
	for range 40_000 {
		z := temperature * (3*random.NormFloat64() - 2)
		l.logit, l.weight = append(l.logit, z), append(l.weight, 1)
		l.truth = append(l.truth, random.Float64() < sigmoid(z/temperature-shift))
	}
	return l
}

// calibrationError bins links by their probability after a map.
func (l *links) calibrationError(a, b float64) float64 {
	var all bins
	for i, z := range l.logit {
		all.add(candidate{float32(sigmoid(a*z + b)), l.truth[i]})
	}
	return all.error()
}

func TestFit(t *testing.T) {
	tests := []struct {
		name               string
		temperature, shift float64
	}{{"perfect", 1, 0}, {"over-confident", 5, 0}, {"under-confident", 0.4, 0}, {"over-confident and too generous", 3, 2}}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l := drawn(test.temperature, test.shift)
			fit, err := l.fit(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(fit.Scale*test.temperature-1) > 0.05 || math.Abs(fit.Bias+test.shift) > 0.1 {
				t.Errorf("scale %.3f and bias %.3f, want about %.3f and %.3f", fit.Scale, fit.Bias, 1/test.temperature, -test.shift)
			}
			before, after := l.calibrationError(1, 0), l.calibrationError(fit.Scale, fit.Bias)
			if after > 0.01 || test.temperature != 1 && after > before/5 {
				t.Errorf("calibration error %.4f, before %.4f", after, before)
			}
			if fit.LossAfter > fit.LossBefore {
				t.Errorf("the loss rose from %v to %v", fit.LossBefore, fit.LossAfter)
			}
		})
	}
}

// TestFitOfSeparated: where nothing is wrong there is nothing to gain, and the scale stays finite.
func TestFitOfSeparated(t *testing.T) {
	l := &links{queries: 1}
	for i := range 1000 {
		truth := i%10 == 0
		z := -30.
		if truth {
			z = 30
		}
		l.logit, l.weight, l.truth = append(l.logit, z), append(l.weight, 1), append(l.truth, truth)
	}
	fit, err := l.fit(t.Context())
	if err != nil || math.Abs(fit.Scale-1) > 0.01 || math.Abs(fit.Bias) > 0.01 {
		t.Errorf("%+v, %v; want the map that changes nothing", fit, err)
	}
}

func TestFitRefusesTheWrongWayRound(t *testing.T) {
	l := drawn(1, 0)
	for i := range l.logit {
		l.logit[i] = -l.logit[i]
	}
	if _, err := l.fit(t.Context()); kg.KindOf(err) != kg.Invalid {
		t.Errorf("error %v, want a refusal", err)
	}
}

// TestFitGradient compares the derivatives with differences.
func TestFitGradient(t *testing.T) {
	l := drawn(2, 1)
	for i := range l.weight {
		l.weight[i] = 1 + float64(i%3)
	}
	const h = 1e-5
	for _, at := range [][2]float64{{1, 0}, {0.3, -1.2}, {2, 3}} {
		a, b := at[0], at[1]
		p := l.at(a, b)
		for _, d := range []struct {
			name      string
			got, want float64
		}{
			{"∂a", p.ga, (l.at(a+h, b).loss - l.at(a-h, b).loss) / (2 * h)},
			{"∂b", p.gb, (l.at(a, b+h).loss - l.at(a, b-h).loss) / (2 * h)},
			{"∂a∂a", p.haa, (l.at(a+h, b).ga - l.at(a-h, b).ga) / (2 * h)},
			{"∂a∂b", p.hab, (l.at(a, b+h).ga - l.at(a, b-h).ga) / (2 * h)},
			{"∂b∂b", p.hbb, (l.at(a, b+h).gb - l.at(a, b-h).gb) / (2 * h)},
		} {
			if math.Abs(d.got-d.want) > 1e-4*(1+math.Abs(d.want)) {
				t.Errorf("%s at %v: %v, by differences %v", d.name, at, d.got, d.want)
			}
		}
	}
}

// TestMeasureByHand has five entities, of which 0 is known and 1 and 3 are hidden answers.
func TestMeasureByHand(t *testing.T) {
	q := dataset.Query{Easy: []kg.Entity{0}, Hard: []kg.Entity{1, 3}}
	var sum tally
	sum.add(q, fuzzy.Set{1, 0.8, 0.75, 0.2, 0.05})
	m := sum.measure()
	// Bins of .8: one, true; of .7: one, false; of .2: one, true; of 0: one, false.
	if want := (0.2 + 0.75 + 0.8 + 0.05) / 4; math.Abs(m.ECE-want) > 1e-6 || math.Abs(m.ECEAll-want) > 1e-6 {
		t.Errorf("calibration error %v and %v, want %v", m.ECE, m.ECEAll, want)
	}
	if want := math.Abs(1+0.8+0.75-3) / 3; math.Abs(m.MAPE-want) > 1e-6 {
		t.Errorf("MAPE %v, want %v", m.MAPE, want)
	}
	if want := (1. + 1./2) / 2; m.MRR != want {
		t.Errorf("MRR %v, want %v", m.MRR, want)
	}
}

func TestLikeliest(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for n := range 30 {
		list := make([]candidate, n)
		for i := range list {
			list[i] = candidate{float32(random.IntN(6)) / 5, random.IntN(2) == 0}
		}
		want := slices.Clone(list)
		slices.SortStableFunc(want, func(a, b candidate) int { return int(10*b.probability) - int(10*a.probability) })
		if got := likeliest(list, likely); !slices.Equal(got, want[:min(n, likely)]) {
			t.Errorf("of %v: %v, want %v", list, got, want)
		}
	}
}

// laureates is the embedded graph with the model that was trained on it.
func laureates(t *testing.T) (*kg.Graph, *gnn.Model) {
	t.Helper()
	device, err := cpu.New(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := checkpoint.LoadBytes(turing.ModelOfSets(), "turing-sets", device)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	splits, err := read.Stream(t.Context(), turing.Facts(), "turing.tsv", read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return splits.Train, m
}

func parameters(m *gnn.Model) []float32 {
	values := make([]float32, m.Parameters.Len)
	m.Device().Download(values, m.Parameters.Values)
	return values
}

// TestOverConfidentModelIsCured makes a model whose logits are eight times too large: its error falls on facts that the fit has not seen, the order of
// the answers to single links stays, and a second calibration finds nothing left to do.
func TestOverConfidentModelIsCured(t *testing.T) {
	g, m := laureates(t)
	if _, err := scaleLogits(m, 8, 0); err != nil {
		t.Fatal(err)
	}
	options := Options{Graph: g, Model: opened(g, m), Queries: 40, Fit: 120, Shapes: []string{"1p", "2p", "2i"}, Seed: 1}
	report, err := Run(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	if report.Fit.Scale > 0.5 {
		t.Errorf("scale %v, want well below 1", report.Fit.Scale)
	}
	for _, s := range report.Shapes {
		if s.Before.Queries == 0 || s.After.ECEAll > s.Before.ECEAll {
			t.Errorf("%s: calibration error over all candidates %.4f → %.4f", s.Shape, s.Before.ECEAll, s.After.ECEAll)
		}
	}
	single := report.Shapes[0]
	if single.After.ECE > 0.7*single.Before.ECE {
		t.Errorf("1p: calibration error %.3f → %.3f, want a fall by a third or more", single.Before.ECE, single.After.ECE)
	}
	// Equal up to ties that 32 bits make of the largest logits before.
	if math.Abs(single.After.MRR-single.Before.MRR) > 0.03 {
		t.Errorf("1p: MRR %.4f → %.4f, want it unchanged", single.Before.MRR, single.After.MRR)
	}
	again, err := Run(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(again.Fit.Scale-1) > 0.05 || math.Abs(again.Fit.Bias) > 0.1 {
		t.Errorf("a calibrated model is changed again: %+v", again.Fit)
	}
}

// TestPartsAreDisjoint holds fit and measurement to different facts.
func TestPartsAreDisjoint(t *testing.T) {
	g, _ := laureates(t)
	toFit, toMeasure, err := hide(Options{Graph: g, Share: 0.1, Seed: 4})
	if err != nil {
		t.Fatal(err)
	}
	for _, fact := range toFit {
		if slices.Contains(toMeasure, fact) {
			t.Errorf("%v is in both parts", fact)
		}
	}
	if len(toFit) != len(toMeasure) || len(toFit) < fewest {
		t.Errorf("parts of %d and %d facts", len(toFit), len(toMeasure))
	}
}

func TestScaleIsUndoneToTheBit(t *testing.T) {
	_, m := laureates(t)
	m.Adjustments.Threshold, m.Adjustments.Negation = 0.8, -0.5
	before := parameters(m)
	undo, err := apply(m, Fit{Scale: 0.3, Bias: -1})
	if err != nil {
		t.Fatal(err)
	}
	changed := 0
	for i, x := range parameters(m) {
		if x != before[i] {
			changed++
		}
	}
	if feature := 2 * m.Config.Width; changed > feature+1 || changed < feature/2 {
		t.Errorf("%d parameters changed, want those of the last Linear, %d", changed, feature+1)
	}
	if want := float32(sigmoid(0.3*logit(0.8) - 1)); m.Adjustments.Threshold != want {
		t.Errorf("threshold %v, want %v", m.Adjustments.Threshold, want)
	}
	if want := 0.5*math.E - 1; math.Abs(float64(m.Adjustments.Negation)-want) > 1e-6 {
		t.Errorf("negation %v, want %v", m.Adjustments.Negation, want)
	}
	undo()
	if !slices.Equal(parameters(m), before) || m.Adjustments.Threshold != 0.8 || m.Adjustments.Negation != -0.5 {
		t.Error("undo does not put the old values back")
	}
}

// TestShiftMovesAnswersOnly: after two projections the odds of the answers are those of
// before times e^b, and what is left by a negation stays.
func TestShiftMovesAnswersOnly(t *testing.T) {
	g, m := laureates(t)
	m.Adjustments.Negation = -0.5
	won, award := g.Vocabulary.Relations.Find("Win"), g.Vocabulary.Entities.Find("Turing Award")
	winners := query.Projection{Relation: kg.Forward(won[0]).Inverse(), Of: query.Anchor{Entity: kg.Entity(award[0])}}
	chain := query.Projection{Relation: kg.Forward(won[0]), Of: winners}
	before := setsOf(t, g, m, chain, query.Complement{Of: winners})
	if err := Shift(m, -1); err != nil {
		t.Fatal(err)
	}
	after := setsOf(t, g, m, chain, query.Complement{Of: winners})
	for v := range after[0] {
		if want := plain.ScaleOdds(before[0][v], float32(math.Exp(-1))); math.Abs(float64(after[0][v]-want)) > 1e-4 {
			t.Errorf("entity %d: %v after two projections, want %v for %v", v, after[0][v], want, before[0][v])
		}
		if math.Abs(float64(after[1][v]-before[1][v])) > 1e-4 {
			t.Errorf("entity %d: complement %v, %v before", v, after[1][v], before[1][v])
		}
	}
	if spread := slices.Max(before[1]) - slices.Min(before[1]); spread < 0.5 {
		t.Errorf("complements differ by %v at most: the test shows nothing", spread)
	}
}

// opened is a network as it is calibrated on a graph.
func opened(g *kg.Graph, m *gnn.Model) *neural.Model {
	return neural.NewModel("a model", m, checkpoint.Card{Config: m.Spec(), Graph: checkpoint.Describe(g, "a graph")})
}

func setsOf(t *testing.T, g *kg.Graph, m *gnn.Model, exprs ...query.Expr) []fuzzy.Set {
	topology, err := exec.Topology(g)
	if err != nil {
		t.Fatal(err)
	}
	graph, err := m.NewGraph(t.Context(), topology)
	if err != nil {
		t.Fatal(err)
	}
	defer graph.Free()
	machine := exec.Machine{Executor: exec.OnDevice{Projector: graph}, Logic: fuzzy.Logic{Negation: m.Adjustments.Negation}}
	var sets []fuzzy.Set
	for _, e := range exprs {
		run, err := machine.Run(t.Context(), []*plan.Program{plan.Compile(e, plan.Options{})})
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, slices.Clone(run.Answers(0)))
		run.Release()
	}
	return sets
}

func TestRunRefuses(t *testing.T) {
	g, m := laureates(t)
	before := parameters(m)
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	small := kg.Build(g.Vocabulary, slices.Collect(g.Triples())[:50])
	for name, test := range map[string]struct {
		ctx     context.Context
		options Options
		kind    kg.Kind
	}{
		"small graph": {t.Context(), Options{Graph: small, Model: opened(small, m)}, kg.Invalid},
		"share":       {t.Context(), Options{Graph: g, Model: opened(g, m), Share: 0.9}, kg.Invalid},
		"stopped":     {stopped, Options{Graph: g, Model: opened(g, m)}, kg.Cancelled},
	} {
		if _, err := Run(test.ctx, test.options); kg.KindOf(err) != test.kind {
			t.Errorf("%s: error %v of kind %v, want kind %v", name, err, kg.KindOf(err), test.kind)
		}
	}
	if !slices.Equal(parameters(m), before) {
		t.Error("a refused calibration changed the model")
	}
	if hidden := eval.Hide(small, 5, 1, 1); len(hidden) == 0 {
		t.Error("the small graph has nothing to hide at all")
	}
}
