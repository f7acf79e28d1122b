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
	template, err := query.ParseShape(shape)
	if err != nil {
		b.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 1))
	exprs := make([]query.Expr, 1000)
	for i := range exprs {
		ids := make([]uint32, template.Slots)
		groundFrom(random, g, template, ids, kg.Entity(random.IntN(g.NumEntities())))
		exprs[i] = template.Fill(ids)
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

// groundFrom finds ids for a template by a random walk from an answer down to the anchors.
func groundFrom(random *rand.Rand, g *kg.Graph, t *query.Template, ids []uint32, answer kg.Entity) {
	switch t.Kind {
	case query.AnchorKind:
		ids[0] = uint32(answer)
	case query.ProjectionKind:
		relations, tails := g.Edges(answer)
		i := random.IntN(len(tails))
		ids[0], ids, answer = uint32(relations[i].Inverse()), ids[1:], tails[i]
	}
	for _, operand := range t.Of {
		groundFrom(random, g, operand, ids, answer)
		ids = ids[operand.Slots:]
	}
}
