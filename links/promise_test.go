package links

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// A row of which much is stated promises no more than half as much again as such rows lack, and one fact; what is left out of it does not make the others likelier,
// and links that are asked for one by one are as likely as in their rows.
func TestRowsPromiseWhatTheyLack(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	sure := Part{Logit: 1, Bias: 3, Lacks: 0.25}
	lowered := 0
	for range 10 {
		g, model := randomGraph(rng), randomTable(rng)
		whole := New(g, model, Options{Map: Map{sure}, Least: -1})
		rows, err := whole.Get(t.Context(), allPairs())
		if err != nil {
			t.Fatal(err)
		}
		few, err := New(g, model, Options{Map: Map{sure}, Least: 0.2}).Get(t.Context(), allPairs())
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range allPairs() {
			promised, most := sum(rows[i].Probabilities), 1.5*0.25*float64(len(rows[i].Stated))+1
			if len(rows[i].Stated) > 0 && promised > most+1e-5 {
				t.Fatalf("%v promises %v, expected %v at most", p, promised, most)
			}
			if math.Abs(promised-most) < 1e-5 {
				lowered++
			}
			for k, tail := range few[i].Tails {
				if at := slices.Index(rows[i].Tails, tail); at < 0 || rows[i].Probabilities[at] != few[i].Probabilities[k] {
					t.Fatalf("%v to %d: %v where less is left out %v", p, tail, few[i].Probabilities[k], rows[i])
				}
			}
			checkScores(t, whole, p, rows[i])
		}
	}
	if lowered < 100 {
		t.Errorf("%d rows were lowered, expected many", lowered)
	}
}

// Nothing that is asked for is likelier than the ceiling, and a row of which everything has to be likelier is empty.
func TestNothingIsAboveTheCeiling(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 44))
	g, model := randomGraph(rng), randomTable(rng)
	sure := Map{{Logit: 1, Bias: 9, Ceiling: 0.3}}
	for least, expected := range map[float32]bool{0.2: true, 0.3: false, 0.9: false} {
		rows, err := New(g, model, Options{Map: sure, Least: least}).Get(t.Context(), allPairs())
		if err != nil {
			t.Fatal(err)
		}
		some := false
		for _, row := range rows {
			for _, p := range row.Probabilities {
				if some = true; p > 0.3 {
					t.Fatalf("a link of probability %v below a ceiling of 0.3", p)
				}
			}
		}
		if some != expected {
			t.Errorf("links of %v or more below a ceiling of 0.3: %v, expected %v", least, some, expected)
		}
	}
}

func sum(probabilities []float32) (total float64) {
	for _, p := range probabilities {
		total += float64(p)
	}
	return total
}

// checkScores holds what is read of links by themselves to the row that has them, to the bit.
func checkScores(t *testing.T, rows *Rows, p Pair, row Row) {
	t.Helper()
	var wanted []Reading
	for _, tail := range row.Tails {
		wanted = append(wanted, Reading{p, tail})
	}
	rows.cache = newCache(DefaultBytes) // so that they are read anew
	scores, err := rows.Readings(t.Context(), wanted)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range scores {
		if x != row.Probabilities[i] {
			t.Fatalf("%v: %v by itself, %v in its row", wanted[i], x, row.Probabilities[i])
		}
	}
	if kept, found := rows.cache.row(p); len(wanted) > 0 && (!found || !slices.Equal(kept.Tails, row.Tails) || !slices.Equal(kept.Probabilities, row.Probabilities)) {
		t.Fatalf("%v was kept as %v, expected %v", p, kept, row)
	}
}

func TestNothingStatedPromisesAnything(t *testing.T) {
	part := Part{Logit: 1, Lacks: 0.1}
	for _, c := range []struct {
		stated         int
		promised, want float64
	}{{0, 50, 1}, {10, 2.5, 1}, {10, 10, 0.25}, {1000, 302, 0.5}} {
		if got := part.Share(c.promised, Evidence{Stated: c.stated}); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("of %d stated tails, %v promised: %v is left, expected %v", c.stated, c.promised, got, c.want)
		}
	}
}

// Of twice as many facts a certain link is one with twice the probability; what was fitted to all that is missing stays.
func TestMapUnderAnotherCeiling(t *testing.T) {
	m := Map{{Logit: 1, Ceiling: 0.25, Lacks: 0.1}, {Logit: 1, Lacks: 0.1}}
	twice := m.Under(0.5)
	if got, want := twice[0], (Part{Logit: 1, Ceiling: 0.5, Lacks: 0.2}); !reflect.DeepEqual(got, want) || !reflect.DeepEqual(twice[1], m[1]) {
		t.Errorf("%+v of %+v", twice, m)
	}
	if p, q := m[:1].Probability(30, Evidence{}), twice[:1].Probability(30, Evidence{}); math.Abs(p-0.25) > 1e-9 || math.Abs(q-0.5) > 1e-9 {
		t.Errorf("what is certain has %v and %v", p, q)
	}
}
