package tuples

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/internal/synth"
	"github.com/lacuna-kg/lacuna/join"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/query"
)

const entities, relations = 6, 2

func randomGraph(rng *rand.Rand) *kg.Graph { return synth.Random(rng, entities, relations, 10) }

// model gives random probabilities, few different ones, so that there are ties.
type model struct{ seed uint64 }

// Tails implements links.Source.
func (m model) Tails(_ context.Context, heads []kg.Entity, relations []kg.Relation, part func(int, kernel.Device, kernel.Buffer, []kg.Entity) error) error {
	device := plain.New()
	for i, h := range heads {
		rng := rand.New(rand.NewPCG(m.seed, uint64(h)<<8|uint64(relations[i])))
		row := make([]float32, entities)
		for j := range row {
			row[j] = float32(rng.IntN(5)) / 4
		}
		buffer := device.NewBuffer(entities)
		device.Upload(buffer, row)
		if err := part(i, device, buffer, nil); err != nil {
			return err
		}
	}
	return nil
}

// Ranks are those of comparing all tuples, and a judge gives each of them the degree that the search does.
func TestRanksAreThoseOfComparingAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, text := range []string{"?x, ?y : #0(#1, x) & #2(x, y) & #1(y, x)", "?x : ∃y : #0(#1, y) & #2(y, x) & #0(y, x)", "?x, ?y : #0(x, y) & !#2(#3, y)"} {
		for range 20 {
			g := randomGraph(rng)
			rows := links.New(g, model{rng.Uint64()}, links.Options{Least: -1})
			q, err := query.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			normal, err := query.Normalise(q)
			if err != nil {
				t.Fatal(err)
			}
			all := tuplesOf(normal.Answers)
			rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			easy, hard := all[:1], all[1:4]
			o := Options{Rows: rows, Follow: links.Follow{Most: -1, Weight: -1, Lacking: -1}, Logic: fuzzy.Logics[0]}.withDefaults()
			a := asked{&evaluation{Options: o}, dataset.TupleQuery{Query: q, Easy: easy, Hard: hard}, normal, &outcome{}}
			if err := a.rank(t.Context()); err != nil {
				t.Fatal(err)
			}
			want := naiveRanks(t, a, all)
			if !slices.EqualFunc(a.joint, want, func(x, y float64) bool { return math.Abs(x-y) < 1e-9 }) {
				t.Errorf("%s: ranks %v, want %v", text, a.joint, want)
			}
		}
	}
}

func tuplesOf(variables int) [][]kg.Entity {
	all := [][]kg.Entity{{}}
	for range variables {
		var longer [][]kg.Entity
		for _, t := range all {
			for e := range kg.Entity(entities) {
				longer = append(longer, append(slices.Clone(t), e))
			}
		}
		all = longer
	}
	return all
}

func naiveRanks(t *testing.T, a asked, all [][]kg.Entity) []float64 {
	judge := join.NewJudge(a.Rows, a.normal, a.options())
	listed, err := join.New(a.Rows, a.normal, a.options()).All(t.Context(), -1)
	if err != nil {
		t.Fatal(err)
	}
	degrees := map[string]float64{}
	for _, l := range listed {
		d, err := judge.Degree(t.Context(), a.variables(), l.Entities)
		if err != nil || math.Abs(d-l.Degree) > 1e-6*d {
			t.Fatalf("%v is of degree %v by itself and %v in the list, %v", l.Entities, d, l.Degree, err)
		}
		degrees[key(l.Entities)] = float64(float32(l.Degree))
	}
	degree := func(tuple []kg.Entity) float64 { return degrees[key(tuple)] }
	var ranks []float64
	for _, target := range a.Hard {
		greater, equal := 0, 0
		for _, other := range all[4:] {
			switch d := degree(other); {
			case d > degree(target):
				greater++
			case d == degree(target):
				equal++
			}
		}
		ranks = append(ranks, 1+float64(greater)+float64(equal)/2)
	}
	slices.Sort(ranks)
	return ranks
}

func TestToldRightFromWrong(t *testing.T) {
	got := told([]judged{{0.9, true}, {0.7, false}, {0.6, true}, {0.2, false}, {0.2, true}}, 0.5)
	// Of six pairs the right one is likelier in 2+1 and ties in one.
	if got.Right != 3 || got.Wrong != 2 || math.Abs(got.Area-3.5/6) > 1e-9 || math.Abs(got.Precision-2.0/3) > 1e-9 || math.Abs(got.F1-2.0/3) > 1e-9 {
		t.Errorf("%+v", got)
	}
	if told(nil, 0.5) != nil || told([]judged{{1, true}}, 0.5).Area != 0.5 {
		t.Error("without both kinds there is no curve")
	}
}

// The best threshold is what trying all of them finds, and telling by it gives the F1 that it promised.
func TestTheBestThreshold(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		all := make([]judged, 1+random.IntN(12))
		for i := range all {
			all[i] = judged{float64(random.IntN(5)) / 4, random.IntN(2) == 0}
		}
		best := 0.0
		for _, j := range all {
			if j.probability > 0 {
				best = max(best, told(all, j.probability).F1)
			}
		}
		got := told(all, 0.5)
		if math.Abs(got.Best-best) > 1e-12 || best > 0 && told(all, got.BestAt).F1 != got.Best {
			t.Fatalf("%v: %+v, expected %v", all, got, best)
		}
	}
}

func TestRelaxedQuestionsAreTrees(t *testing.T) {
	for text, want := range map[string]string{
		"?y : ∃x : #0(#1, x) & #1(x, y) & #2(x, y)":                           "#1.#0.#1",
		"?y : ∃x, z : #0(#1, x) & #1(x, y) & #2(#2, z) & #3(z, y) & #0(x, z)": "and",
		"?y : ∃x : #0(#1, x) & #1(x, y) & !#2(x, y)":                          "",
	} {
		q, err := query.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		e, ok := relax(q)
		if !ok {
			t.Errorf("%s: no tree, want %s", text, want)
			continue
		}
		t.Log(text, "=>", query.FormatOperators(e, nil))
	}
	q, _ := query.Parse("?x : #0(x, x)")
	if e, ok := relax(q); ok {
		t.Errorf("a loop alone became %s", query.FormatOperators(e, nil))
	}
}
