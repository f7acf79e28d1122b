package links

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

func allPairs() (pairs []Pair) {
	for h := range kg.Entity(entities) {
		for q := range kg.Relation(2 * relations) {
			pairs = append(pairs, Pair{h, q})
		}
	}
	return pairs
}

// A row holds the stated links, and of the others those of the formula that reach the bound.
func TestRowsFollowTheFormula(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for range 20 {
		g, model, m := randomGraph(rng), randomTable(rng), randomMap(rng)
		least := []float32{-1, 0.01, 0.1}[rng.IntN(3)]
		rows, err := New(g, model, Options{Map: m, Least: least}).Get(t.Context(), allPairs())
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range allPairs() {
			checkRow(t, rows[i], g, least, p, func(tail kg.Entity) float64 { return model.link(g, m, p, tail) })
		}
	}
}

func checkRow(t *testing.T, row Row, g *kg.Graph, least float32, p Pair, link func(kg.Entity) float64) {
	t.Helper()
	if !slices.Equal(row.Stated, g.Tails(p.Head, p.Relation)) {
		t.Fatalf("stated %v", row.Stated)
	}
	checkLikeliest(t, row)
	for tail := range kg.Entity(entities) {
		want, got := link(tail), 0.0
		if at := slices.Index(row.Tails, tail); at >= 0 {
			got = float64(row.Probabilities[at])
		}
		isStated := g.Has(kg.Triple{Head: p.Head, Relation: p.Relation, Tail: tail})
		switch {
		case isStated || want < 0.999*float64(least):
			if got != 0 {
				t.Fatalf("%v: tail %d has %v, expected not to be predicted", p, tail, got)
			}
		case want > 1.001*float64(least) && math.Abs(got-want) > 1e-6+1e-5*want:
			t.Fatalf("%v: tail %d has %v, want %v", p, tail, got, want)
		}
	}
}

// checkLikeliest compares the likeliest links of a row, however many, with the row sorted as a whole.
func checkLikeliest(t *testing.T, row Row) {
	t.Helper()
	order := make([]int, len(row.Tails))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(row.Probabilities[b], row.Probabilities[a]), cmp.Compare(row.Tails[a], row.Tails[b]))
	})
	for most := range len(order) + 2 {
		best := row.Likeliest(most)
		if len(best.Tails) != min(most, len(order)) || !slices.Equal(best.Stated, row.Stated) {
			t.Fatalf("%d likeliest of %+v: %+v", most, row, best)
		}
		for i, tail := range best.Tails {
			if tail != row.Tails[order[i]] || best.Probabilities[i] != row.Probabilities[order[i]] {
				t.Fatalf("%d likeliest of %+v: %+v", most, row, best)
			}
		}
	}
}

// counting counts the rows that were computed.
type counting struct {
	table
	pairs map[Pair]int
}

func (c counting) Tails(ctx context.Context, heads []kg.Entity, relations []kg.Relation, part func(int, kernel.Device, kernel.Buffer, []kg.Entity) error) error {
	for i, h := range heads {
		c.pairs[Pair{h, relations[i]}]++
	}
	return c.table.Tails(ctx, heads, relations, part)
}

// Whoever asks, in whatever order, a row is computed once while there is room.
func TestRowsAreKept(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	source := counting{randomTable(rng), map[Pair]int{}}
	rows := New(randomGraph(rng), source, Options{})
	var wait sync.WaitGroup
	for range 8 {
		pairs := append(allPairs(), allPairs()...)
		rng.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
		wait.Go(func() {
			for some := range slices.Chunk(pairs, 7) {
				if _, err := rows.Get(t.Context(), some); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	for p, n := range source.pairs {
		if n != 1 {
			t.Errorf("%v was computed %d times", p, n)
		}
	}
	if s := rows.Stats(); s.Rows != len(allPairs()) || s.Made != uint64(s.Rows) || s.Evicted != 0 {
		t.Errorf("%+v", s)
	}
}

// Within a bound that is too small rows go, and come back the same.
func TestRowsKeepTheBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	g, model := randomGraph(rng), randomTable(rng)
	whole, few := New(g, model, Options{Least: -1}), New(g, model, Options{Least: -1, Bytes: 2000})
	for range 300 {
		pairs := []Pair{{kg.Entity(rng.IntN(entities)), kg.Relation(rng.IntN(2 * relations))}, {kg.Entity(rng.IntN(entities)), 0}}
		got, err := few.Get(t.Context(), pairs)
		want, err2 := whole.Get(t.Context(), pairs)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		for i := range pairs {
			if !slices.Equal(got[i].Tails, want[i].Tails) || !slices.Equal(got[i].Probabilities, want[i].Probabilities) {
				t.Fatalf("%v: %v, want %v", pairs[i], got[i], want[i])
			}
		}
		if s := few.Stats(); s.Bytes > 2000 || s.Rows != len(few.cache.ring) || s.Rows != len(few.cache.places) {
			t.Fatalf("%+v", s)
		}
	}
	if s := few.Stats(); s.Evicted == 0 || s.Hits == 0 {
		t.Errorf("%+v", s)
	}
}

// What was computed when the context ended stays.
func TestRowsStopWithTheirContext(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	rows := New(randomGraph(rng), randomTable(rng), Options{})
	if _, err := rows.Get(ctx, allPairs()); kg.KindOf(err) != kg.Cancelled {
		t.Errorf("error %v", err)
	}
	if _, err := rows.Get(t.Context(), allPairs()); err != nil {
		t.Error(err)
	}
}

func TestMapChecks(t *testing.T) {
	for _, m := range []Map{
		{{Logit: -1}}, {{Logit: math.NaN()}}, {{Logit: 1, Top: math.Inf(1)}}, {{}}, {{Bias: 1}}, {{Logit: 1, Room: math.NaN()}}, {{Logit: 1, Range: -1}}, {{Logit: 1, Relations: map[kg.Relation]float64{3: math.Inf(1)}}}, {{Logit: 1, Lacks: -1}}, {{Logit: 1, Lacks: math.NaN()}}, {{Logit: 1, Ceiling: -0.1}}, {{Logit: 1, Ceiling: 1.1}}, {{Logit: 1, Ceiling: math.NaN()}},
		{{Logit: 1, UpTo: 3}, {Logit: 1, UpTo: 3}, {Logit: 1}}, {{Logit: 1}, {}},
		{{Logit: 1, Curve: Curve{{0, 0}, {1, 0}}}}, {{Logit: 1, Curve: Curve{{0, 0}, {0, 1}}}}, {{Logit: 1, Curve: Curve{{0, math.NaN()}}}},
	} {
		if kg.KindOf(m.Check()) != kg.Invalid {
			t.Errorf("%+v is accepted", m)
		}
	}
	for _, m := range []Map{nil, Uncalibrated(), {{Logit: 1, Curve: Curve{{-1, -2}, {0, 1}}}, {Logit: 2, UpTo: 0}}} {
		if err := m.Check(); err != nil {
			t.Error(err)
		}
	}
}

// A map that was written and read gives the same rows.
func TestMapAsJSON(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 20))
	for range 20 {
		m := randomMap(rng)
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		var read Map
		if err := json.Unmarshal(text, &read); err != nil || !reflect.DeepEqual(read, m) {
			t.Errorf("%s is read as %+v, %v", text, read, err)
		}
	}
}

func TestCurveHasAnInverse(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for range 200 {
		c, x := randomPart(rng).Curve, 20*rng.Float64()-10
		if back := c.inverse(c.at(x)); math.Abs(back-x) > 1e-9 {
			t.Errorf("%v bends %v to %v and back to %v", c, x, c.at(x), back)
		}
	}
}
