package plain

import (
	"math"
	"reflect"
	"testing"

	"github.com/lacuna-kg/lacuna/kernel"
)

func upload(d kernel.Device, x ...float32) kernel.Buffer {
	b := d.NewBuffer(len(x))
	d.Upload(b, x)
	return b
}

func download(d kernel.Device, b kernel.Buffer) []float32 {
	x := make([]float32, b.Len())
	d.Download(x, b)
	return x
}

func near(t *testing.T, what string, got []float32, want ...float32) {
	t.Helper()
	for i := range want {
		if len(got) != len(want) || !(math.Abs(float64(got[i]-want[i])) <= 1e-6) {
			t.Errorf("%s: got %v, expected %v", what, got, want)
			return
		}
	}
}

func TestRows(t *testing.T) {
	d := New()
	table, out := upload(d, 1, 2, 3, 4, 5, 6), d.NewBuffer(4)
	d.Gather(out, table, []int32{2, 0}, 2)
	near(t, "gather", download(d, out), 5, 6, 1, 2)
	d.Scatter(table, out, []int32{1, 2}, 2)
	near(t, "scatter", download(d, table), 1, 2, 5, 6, 1, 2)
	d.ScatterAdd(table, out, []int32{0, 0}, 2)
	near(t, "scatter add", download(d, table), 7, 10, 5, 6, 1, 2)
}

func TestLogicValues(t *testing.T) {
	x, y := 0.75, 0.5
	for _, c := range []struct {
		l       kernel.Logic
		and, or float64
	}{{kernel.Product, 0.375, 0.875}, {kernel.Godel, 0.5, 0.75}, {kernel.Lukasiewicz, 0.25, 1}} {
		if got := Apply(c.l, kernel.And, x, y); got != c.and {
			t.Errorf("%v and: %v, expected %v", c.l, got, c.and)
		}
		if got := Apply(c.l, kernel.Or, x, y); got != c.or {
			t.Errorf("%v or: %v, expected %v", c.l, got, c.or)
		}
		if got := Apply(c.l, kernel.Not, x, y); got != 0.25 {
			t.Errorf("%v not: %v, expected 0.25", c.l, got)
		}
	}
}

func TestSetsOnADevice(t *testing.T) {
	d := New()
	sets := upload(d, 9, 9, 9, 9, 9, 9)
	d.Singletons(sets, 3, []int32{1}, []int32{2})
	near(t, "singleton", download(d, sets), 9, 9, 9, 0, 0, 1)

	sets = upload(d, 0.2, 0.8, 0.81, float32(math.NaN()))
	d.Threshold(sets, 0.8)
	near(t, "threshold", download(d, sets), 0, 0, 0.81, 0)

	sets = upload(d, 0, 0.5, 0.75, 1)
	d.Odds(sets, 3)
	near(t, "odds", download(d, sets), 0, 0.75, 0.9, 1)

	cardinality := make([]float64, 2)
	d.Cardinality(cardinality, upload(d, 0.5, 0.75, 1, 0.25), 0.5)
	if cardinality[0] != 0.75 || cardinality[1] != 1 {
		t.Errorf("cardinality %v, expected [0.75 1]", cardinality)
	}
}

// 0 –0→ 2, 1 –0→ 2, 0 –1→ 1.
func TestTraverse(t *testing.T) {
	d := New()
	g, err := kernel.NewGraph(3, 2, []kernel.Edge{{Head: 0, Relation: 0, Tail: 2}, {Head: 1, Relation: 0, Tail: 2}, {Head: 0, Relation: 1, Tail: 1}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	graph, out := d.NewGraph(g), d.NewBuffer(6)
	d.Traverse(graph, out, upload(d, 0.5, 0.75, 1, 0.5, 0.75, 1), []int32{0, 1})
	near(t, "traverse", download(d, out), 0, 0, 0.75, 0, 0.5, 0)
	id, _ := g.Find(kernel.Edge{Head: 1, Relation: 0, Tail: 2})
	d.Traverse(d.Thin(graph, []int32{id}), out, upload(d, 0.5, 0.75, 1, 0.5, 0.75, 1), []int32{0, 1})
	near(t, "traverse without an edge", download(d, out), 0, 0, 0.5, 0, 0.5, 0)
}

// Entities 0 and 4 are answers, 4 hard; of the rest one is higher, one ties, and NaN counts as higher.
func TestRanks(t *testing.T) {
	d := New()
	prob := upload(d, 0.9, 0.6, 0.5, 0.1, 0.5, 0.5, 0.2, 0.3, 0.4, 0.1, 0.2, float32(math.NaN()))
	hard := kernel.NewLists([][]int32{{4}, {2, 4}})
	answers := kernel.NewLists([][]int32{{0, 4}, {2, 4}})
	got := d.Ranks(prob, hard, answers)
	want := []kernel.Rank{{Greater: 1, Equal: 2}, {Greater: 1, Equal: 0}, {Greater: 2, Equal: 1}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("ranks %v, expected %v", got, want)
	}
}

// One answer of probability 1/2 and negatives of 1/2 and 1/4, by hand.
func TestLossValues(t *testing.T) {
	d := New64()
	losses, prob := d.NewBuffer(1), upload(d, 0.5, 0.5, 0.25)
	answers := kernel.NewLists([][]int32{{0}})
	d.Loss(losses, nil, prob, answers, kernel.Known{}, kernel.Objective{}, []float32{1})
	equal := (math.Log(2) + (math.Log(2)+math.Log(4./3))/2) / 2
	near(t, "equal weights", download(d, losses), float32(equal))

	// logits 0 and −log 3, divided by 1/2: weights 1 and 1/9 before they are normalised
	d.Loss(losses, nil, prob, answers, kernel.Known{}, kernel.Objective{Temperature: 0.5}, []float32{1})
	adversarial := (math.Log(2) + 0.9*math.Log(2) + 0.1*math.Log(4./3)) / 2
	near(t, "adversarial weights", download(d, losses), float32(adversarial))
}

// Answers 0 and 2 are known, 3 is hidden: they weigh k/(1+2k), k/(1+2k) and 1/(1+2k). Where all are known, all weigh the same.
func TestLossOfKnownAnswers(t *testing.T) {
	d := New64()
	losses, dprob, prob := d.NewBuffer(1), d.NewBuffer(4), upload(d, 0.5, 0.25, 0.8, 0.1)
	answers, negative := kernel.NewLists([][]int32{{0, 2, 3}}), math.Log(4./3)
	loss := func(weight float32, known ...int32) float32 {
		d.Loss(losses, dprob, prob, answers, kernel.Known{Answers: kernel.NewLists([][]int32{known}), Weight: weight}, kernel.Objective{}, []float32{1})
		return download(d, losses)[0]
	}
	expect := func(of0, of2, of3 float64) float32 {
		return float32((of0*math.Log(2) + of2*math.Log(1/0.8) + of3*math.Log(10) + negative) / 2)
	}
	near(t, "weight 1/4", []float32{loss(0.25, 0, 2)}, expect(1./6, 1./6, 4./6))
	near(t, "weight 0", []float32{loss(0, 0, 2)}, expect(0, 0, 1))
	near(t, "a known answer has no gradient at weight 0", download(d, dprob)[:3], 0, 1/(2*0.75), 0)
	near(t, "all hidden", []float32{loss(0)}, expect(1./3, 1./3, 1./3))
	near(t, "all known", []float32{loss(0, 0, 2, 3)}, expect(1./3, 1./3, 1./3))
	d.Loss(losses, nil, prob, answers, kernel.Known{}, kernel.Objective{}, []float32{1})
	if all := download(d, losses)[0]; loss(1, 0, 2) != all {
		t.Errorf("a loss of %v at weight 1, %v where nothing is known", loss(1, 0, 2), all)
	}
}

// Answers only, none, certain and impossible probabilities: all finite.
func TestLossAtTheEdges(t *testing.T) {
	d := New()
	for name, answers := range map[string][][]int32{"all": {{0, 1}}, "none": {{}}, "one": {{1}}} {
		losses, dprob := d.NewBuffer(1), d.NewBuffer(2)
		d.Loss(losses, dprob, upload(d, 0, 1), kernel.NewLists(answers), kernel.Known{}, kernel.Objective{Temperature: 0.2}, []float32{1})
		for _, x := range append(download(d, losses), download(d, dprob)...) {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				t.Errorf("%s: loss %v, gradient %v", name, download(d, losses), download(d, dprob))
			}
		}
	}
}

func TestSampleWeights(t *testing.T) {
	answers := kernel.NewLists([][]int32{{0}, {1, 2, 3}})
	near(t, "equal", kernel.SampleWeights(answers, false), 0.5, 0.5)
	near(t, "by answers", kernel.SampleWeights(answers, true), 0.25, 0.75)
}

// The first step moves by the rate against the gradient's sign, whatever its size.
func TestAdam(t *testing.T) {
	d := New()
	param, first, second := upload(d, 1, 1), d.NewBuffer(2), d.NewBuffer(2)
	step := kernel.AdamStep{Rate: 0.1, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, Step: 1}
	d.Adam(param, upload(d, 0.5, -20), first, second, step)
	near(t, "step 1", download(d, param), 0.9, 1.1)
	near(t, "first moment", download(d, first), 0.05, -2)
	step.Step = 2
	d.Adam(param, upload(d, 0.5, 0), first, second, step)
	// second value: first moment −1.8/0.19, second 0.3996/0.001999
	near(t, "step 2", download(d, param), 0.8, float32(1.1+0.1*(1.8/0.19)/math.Sqrt(0.3996/0.001999)))
}

// Two edges with the same message: both heads receive all of the maximum's gradient.
func TestTiesReceiveTheFullGradient(t *testing.T) {
	d := New()
	g, err := kernel.NewGraph(3, 1, []kernel.Edge{{Head: 1, Relation: 0, Tail: 0}, {Head: 2, Relation: 0, Tail: 0}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := sample[float32]{l: kernel.Layer{Aggregate: kernel.Max, Width: 1}, g: d.NewGraph(g).(graph[float32])}
	s.hidden, s.relations, s.set, s.query = []float32{0, 3, 3}, []float32{2}, []float32{0, 0, 0}, []float32{1}
	s.message, s.dm = make([]float32, 1), make([]float32, 1)
	grad := sampleGradient[float32]{hidden: make([]float32, 3), query: make([]float32, 1), relations: make([]float32, 1)}
	s.aggregateBackward(grad, []float32{5}, []float32{6}, 0)
	near(t, "heads", grad.hidden, 0, 10, 10)
	near(t, "relation", grad.relations, 30)
}

func TestWrongShapesPanic(t *testing.T) {
	d := New()
	for name, call := range map[string]func(){
		"upload": func() { d.Upload(d.NewBuffer(2), make([]float32, 3)) },
		"gather": func() { d.Gather(d.NewBuffer(3), d.NewBuffer(4), []int32{0}, 2) },
		"linear": func() {
			d.LinearForward(d.NewBuffer(4), d.NewBuffer(3), d.NewBuffer(4), d.NewBuffer(2), kernel.Identity)
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s accepted a wrong shape", name)
				}
			}()
			call()
		}()
	}
}
