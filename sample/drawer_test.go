package sample

import (
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

func TestDrawerGivesTheSameQueryForTheSameNumber(t *testing.T) {
	s := randomSplits(12, 60, 4, 260, 0)
	d, err := NewDrawer(s.Train, Counts(query.Shapes, 1), 5)
	if err != nil {
		t.Fatal(err)
	}
	f := factsOf(slices.Collect(s.Train.Triples()))
	backwards := drawBackwards(d, 300)
	for i := range uint64(300) {
		shape, q, err := d.Draw(i)
		if err != nil {
			t.Fatal(err)
		}
		if got := query.ShapeOf(q.Expr); got != shape {
			t.Errorf("query %d has shape %s, announced as %s", i, got, shape)
		}
		if want := slices.Sorted(maps.Keys(f.answers(q.Expr, 60))); !slices.Equal(q.Easy, want) || len(q.Easy) == 0 {
			t.Errorf("query %d, %+v: answers %v, want %v", i, q.Expr, q.Easy, want)
		}
		if !reflect.DeepEqual(q, backwards[i]) {
			t.Fatalf("query %d differs when drawn in another order", i)
		}
	}
}

// drawBackwards draws by several goroutines, the last query first.
func drawBackwards(d *Drawer, n int) []dataset.Query {
	drawn := make([]dataset.Query, n)
	var all sync.WaitGroup
	for worker := range 3 {
		all.Go(func() {
			for i := n - 1 - worker; i >= 0; i -= 3 {
				_, drawn[i], _ = d.Draw(uint64(i))
			}
		})
	}
	all.Wait()
	return drawn
}

func TestDrawerKeepsTheSharesOfTheCounts(t *testing.T) {
	s := randomSplits(12, 60, 4, 260, 0)
	d, err := NewDrawer(s.Train, []Count{{"1p", 700}, {"2i", 300}}, 5)
	if err != nil {
		t.Fatal(err)
	}
	const draws = 5000
	seen := map[string]int{}
	for i := range uint64(draws) {
		shape, _, _ := d.Draw(i)
		seen[shape]++
	}
	if deviation := math.Abs(float64(seen["1p"]) - .7*draws); deviation > 5*math.Sqrt(draws*.7*.3) || seen["1p"]+seen["2i"] != draws {
		t.Errorf("drew %v, want 7 of 10 to be 1p", seen)
	}
}

// An entity that is linked to many is asked for as often as one that is linked to a single one.
func TestDrawerDrawsLinksAlike(t *testing.T) {
	s := randomSplits(12, 60, 4, 260, 0)
	d, err := NewDrawer(s.Train, []Count{{"1p", 1}}, 5)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	links := countLinks(s.Train)
	for i := range 30 * links {
		_, q, _ := d.Draw(uint64(i))
		seen[query.Key(q.Expr)]++
	}
	least, most := slices.Min(slices.Collect(maps.Values(seen))), slices.Max(slices.Collect(maps.Values(seen)))
	if len(seen) != links || least < 8 || most > 65 {
		t.Errorf("%d of %d links were drawn, %d to %d times; want all, 30 times on average", len(seen), links, least, most)
	}
}

// By answers a link comes as often as it has some, and a share is drawn so.
func TestDrawerDrawsLinksByAnswers(t *testing.T) {
	facts := []kg.Triple{{Head: 0, Relation: 0, Tail: 1}}
	for tail := range kg.Entity(9) { // one link of nine answers; each fact is another link from its tail
		facts = append(facts, kg.Triple{Head: 1, Relation: 0, Tail: tail + 2})
	}
	const draws = 4000
	links := float64(countLinks(toyGraph(facts...)))
	for _, share := range []float64{0, .5, 1} {
		d, err := NewDrawer(toyGraph(facts...), []Count{{"1p", 1}}, 5)
		if err != nil {
			t.Fatal(err)
		}
		d.ByAnswers(share)
		seen := 0.
		for i := range uint64(draws) {
			if _, q, _ := d.Draw(i); len(q.Easy) == 9 {
				seen++
			}
		}
		want := share*9/20 + (1-share)/links
		if deviation := math.Abs(seen/draws - want); deviation > 5*math.Sqrt(want*(1-want)/draws) {
			t.Errorf("share %v: the link of nine answers came in %v of the draws, want %v", share, seen/draws, want)
		}
	}
}

func TestDrawerErrors(t *testing.T) {
	g := toyGraph(kg.Triple{Head: 0, Relation: 0, Tail: 1})
	if _, err := NewDrawer(g, nil, 1); kg.KindOf(err) != kg.Invalid {
		t.Errorf("a drawer of no shapes: error %v", err)
	}
	empty := kg.Build(&kg.Vocabulary{Entities: numbered(2), Relations: numbered(1)}, nil)
	if _, err := NewDrawer(empty, []Count{{"1p", 1}}, 1); kg.KindOf(err) != kg.Invalid {
		t.Errorf("a drawer on a graph without facts: error %v", err)
	}
	d, err := NewDrawer(g, []Count{{"2p", 1}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := d.Draw(0); kg.KindOf(err) != kg.Invalid || !strings.Contains(err.Error(), "no query of this shape") {
		t.Errorf("an impossible shape: error %v", err)
	}
}

func TestBetaESizes(t *testing.T) {
	s := randomSplits(12, 60, 4, 260, 10)
	s.Test = nil
	sizes := BetaESizes(s, 50)
	links := countLinks(s.Train)
	want := []Count{{"1p", links}, {"2p", links}, {"3p", links}, {"2i", links}, {"3i", links},
		{"2in", links / 10}, {"3in", links / 10}, {"inp", links / 10}, {"pin", links / 10}, {"pni", links / 10}}
	if !slices.Equal(sizes[dataset.Train], want) {
		t.Errorf("training sizes %v, want %v", sizes[dataset.Train], want)
	}
	if valid := sizes[dataset.Valid]; len(valid) != 14 || valid[13].Queries != 50 {
		t.Errorf("validation sizes %v, want 50 of each of 14 shapes", valid)
	}
	if _, asked := sizes[dataset.Test]; asked {
		t.Error("test queries are asked without test facts")
	}
}
