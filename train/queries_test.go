package train

import (
	"context"
	"math"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/sample"
)

func storedSet(t *testing.T) *dataset.Set {
	dir := filepath.Join(t.TempDir(), "set")
	counts := []sample.Count{{Shape: "1p", Queries: 30}, {Shape: "up", Queries: 9}, {Shape: "pin", Queries: 10}, {Shape: "pni", Queries: 5}, {Shape: "3i", Queries: 10}}
	splits := &kg.Splits{Train: randomGraph(4, 30, 3, 120)}
	_, err := sample.WriteFolder(context.Background(), splits, dir, sample.Options{Seed: 1, Counts: map[dataset.Split][]sample.Count{dataset.Train: counts}})
	if err != nil {
		t.Fatal(err)
	}
	set, err := dataset.Open(context.Background(), dir, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { set.Close() })
	return set
}

func shapesOf(shapes ...string) Config {
	c := small(map[string]int{})
	for _, shape := range shapes {
		c.Shapes[shape] = 1
	}
	return c
}

// Every query comes once in each pass, in another order in each, whatever was drawn before.
func TestStoredQueriesComeOnceAPass(t *testing.T) {
	set := storedSet(t)
	stored, err := Load(context.Background(), set, shapesOf())
	if err != nil {
		t.Fatal(err)
	}
	again, _ := Load(context.Background(), set, shapesOf())
	all, err := set.Load(context.Background(), dataset.Train)
	if err != nil || stored.Len() != len(all) || len(all) != 64 {
		t.Fatalf("%d queries stored, %d in the set, %v", stored.Len(), len(all), err)
	}
	var orders [3][]string
	for i := range uint64(3 * len(all)) {
		shape, q, err := stored.Draw(i)
		if err != nil || query.ShapeOf(q.Expr) != shape {
			t.Fatalf("query %d: shape %s, error %v", i, shape, err)
		}
		orders[i/64] = append(orders[i/64], query.Key(q.Expr))
		again.Draw(uint64(3*len(all)) - 1 - i)
		if _, same, _ := again.Draw(i); !reflect.DeepEqual(same, q) {
			t.Fatalf("query %d differs when drawn in another order", i)
		}
	}
	for pass, order := range orders {
		answers := map[string][]kg.Entity{}
		for _, q := range all {
			answers[query.Key(q.Expr)] = q.Easy
		}
		for i, key := range order {
			_, q, _ := stored.Draw(uint64(64*pass + i))
			if want, there := answers[key]; !there || !reflect.DeepEqual(q.Easy, want) {
				t.Fatalf("pass %d, query %d: answers %v, want %v (or it came twice)", pass, i, q.Easy, want)
			}
			delete(answers, key)
		}
	}
	if reflect.DeepEqual(orders[0], orders[1]) || reflect.DeepEqual(orders[1], orders[2]) {
		t.Error("two passes have the same order")
	}
}

func TestStoredQueriesOfSomeShapes(t *testing.T) {
	set := storedSet(t)
	stored, err := Load(context.Background(), set, shapesOf("1p", "3i"))
	if err != nil || stored.Len() != 40 {
		t.Errorf("%d queries, %v; want 40", stored.Len(), err)
	}
	half := shapesOf("1p", "pni")
	half.TrainFraction = 0.5
	if stored, err := Load(context.Background(), set, half); err != nil || stored.Len() != 15+2 {
		t.Errorf("half of 30 and half of 5 queries are %d, %v", stored.Len(), err)
	}
	if _, err := Load(context.Background(), set, shapesOf("2u")); kg.KindOf(err) != kg.Invalid {
		t.Errorf("no queries at all: %v", err)
	}
}

// A run trains on the queries of a folder.
func TestTrainingOnStoredQueries(t *testing.T) {
	set := storedSet(t)
	c := small(nil)
	o := Options{Config: c, Device: mixed(t).Device, Dir: filepath.Join(t.TempDir(), "run")}
	stored, err := Load(context.Background(), set, c)
	if err != nil {
		t.Fatal(err)
	}
	o.Graphs = []Graph{{Name: "stored", Facts: set.Graph.Train, Queries: stored}}
	if r := mustRun(t, o); r.Step != c.Steps || r.Loss <= 0 {
		t.Errorf("result %+v", r)
	}
}

// Drawn by answers a query comes as often as it has some, the others as often as without; and a number always gives the same.
func TestQueriesByTheirAnswers(t *testing.T) {
	s := &Stored{idsAt: []int{0}, answersAt: []int{0}, seed: 3, byAnswers: 0.5, orders: map[uint64][]int32{}}
	template, ids := query.Split(query.Projection{Of: query.Anchor{}})
	for _, answers := range []int{1, 7, 2} {
		s.add(template, ids, make([]kg.Entity, answers))
	}
	var came [3]float64
	const draws = 20000
	for i := range uint64(draws) {
		at := s.number(i)
		if at != s.number(i) {
			t.Fatalf("query %d is not always the same", i)
		}
		came[at] += 1. / draws
	}
	for at, want := range []float64{0.5/3 + 0.05, 0.5/3 + 0.35, 0.5/3 + 0.1} {
		if math.Abs(came[at]-want) > 0.02 {
			t.Errorf("query %d comes in %.3f of the draws, expected %.3f", at, came[at], want)
		}
	}
}
