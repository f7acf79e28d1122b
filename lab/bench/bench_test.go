package bench

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
)

func TestBest(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 5, 100} {
		p := make([]float32, n)
		order := make([]int, n)
		for i := range p {
			p[i], order[i] = float32(draw.IntN(20)), i
		}
		slices.SortStableFunc(order, func(a, b int) int { return int(p[b] - p[a]) })
		if got := best(p, 10); !slices.Equal(got, order[:min(n, 10)]) {
			t.Errorf("of %v the best are %v, expected %v", p, got, order[:min(n, 10)])
		}
	}
}

func TestRun(t *testing.T) {
	g, err := kernel.NewGraph(3, 2, []kernel.Edge{{Head: 0, Relation: 0, Tail: 1}, {Head: 1, Relation: 1, Tail: 2}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Device: plain.New(), Name: "plain", Graph: g, Time: time.Nanosecond,
		Config: gnn.Config{Kind: gnn.NBFNet, Message: "distmult", Aggregate: "sum", Width: 4, Layers: 2}}
	rows, err := Run(context.Background(), o, slices.Concat(Works, Query))
	if err != nil || len(rows) != 4 {
		t.Fatalf("%v: rows %v", err, rows)
	}
	for _, r := range rows {
		if r.MSPerSample <= 0 || r.Runs < 3 || r.FloorMS != 0 {
			t.Errorf("row %+v", r)
		}
	}
	if rows[3].Work != "1p query" {
		t.Errorf("the last work is %s", rows[3].Work)
	}
}
