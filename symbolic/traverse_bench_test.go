package symbolic

import (
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/query"
)

// BenchmarkTraverser answers queries of each shape on FB15k-237, grounded by
// random walks so that most have answers, and reports the median time of one.
func BenchmarkTraverser(b *testing.B) {
	const dir = "../../shared/data/FB15k-237-betae"
	if _, err := os.Stat(dir); err != nil {
		b.Skip("needs the data folder FB15k-237-betae in ../shared/data (docs/data.md)")
	}
	s, err := read.Graph(context.Background(), dir, read.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for _, shape := range query.Shapes {
		b.Run(shape, func(b *testing.B) { benchmarkShape(b, s.Train, shape) })
	}
}

func benchmarkShape(b *testing.B, g *kg.Graph, shape string) {
	tree, err := query.ParseShape(shape)
	if err != nil {
		b.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 1))
	exprs := make([]query.Expr, 1000)
	for i := range exprs {
		exprs[i] = groundFrom(random, g, tree, kg.Entity(random.IntN(g.NumEntities())))
	}
	t := NewTraverser(g)
	times := make([]time.Duration, 0, len(exprs))
	next, answers := 0, 0
	for b.Loop() {
		start := time.Now()
		answers += len(t.Answers(exprs[next]))
		if len(times) < cap(times) {
			times = append(times, time.Since(start))
		}
		next = (next + 1) % len(exprs)
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Nanoseconds()), "median-ns")
	b.ReportMetric(float64(answers)/float64(b.N), "answers/op")
}

// groundFrom fills a tree with a random walk from an answer down to the anchors.
func groundFrom(random *rand.Rand, g *kg.Graph, e query.Expr, answer kg.Entity) query.Expr {
	all := func(of []query.Expr) []query.Expr {
		grounded := make([]query.Expr, len(of))
		for i, operand := range of {
			grounded[i] = groundFrom(random, g, operand, answer)
		}
		return grounded
	}
	switch e := e.(type) {
	case query.Projection:
		relations, tails := g.Edges(answer)
		i := random.IntN(len(tails))
		return query.Projection{Relation: relations[i].Inverse(), Of: groundFrom(random, g, e.Of, tails[i])}
	case query.Complement:
		return query.Complement{Of: groundFrom(random, g, e.Of, answer)}
	case query.Intersection:
		return query.Intersection{Of: all(e.Of)}
	case query.Union:
		return query.Union{Of: all(e.Of)}
	}
	return query.Anchor{Entity: answer}
}
