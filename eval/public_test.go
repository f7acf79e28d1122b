package eval

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/query"
)

func publicSet(tb testing.TB) *dataset.Set {
	dir := filepath.Join("..", "..", "shared", "data", "FB15k-237-betae")
	if _, err := os.Stat(dir); err != nil {
		tb.Skipf("the public data are not there: expected the folder %s (docs/data.md)", dir)
	}
	set, err := dataset.Open(tb.Context(), dir, dataset.Options{})
	must(tb, err)
	tb.Cleanup(func() { set.Close() })
	return set
}

// TestTraversalOfPublicData computes the figures of 1p in closed form: no hard answer
// is a training fact, so each ties at 0 with all V − |answers| entities that are
// none, and all that traversal finds are easy answers, so none is above it.
func TestTraversalOfPublicData(t *testing.T) {
	set := publicSet(t)
	r := mustRun(t, Options{Set: set, Split: dataset.Test, Method: NewTraversal(set.Graph.Train), Model: "exact", Shapes: []string{"1p"}})

	var queries, answers int
	var mrr, worst, mape float64
	for q, err := range set.Queries(t.Context(), dataset.Test, "1p") {
		must(t, err)
		all := float64(len(q.Easy) + len(q.Hard))
		ties := float64(set.Graph.Train.NumEntities()) - all
		queries, answers = queries+1, answers+len(q.Hard)
		mrr += 1 / (1 + ties/2)
		worst += 1 / (1 + ties)
		link := q.Expr.(query.Projection)
		found := float64(len(set.Graph.Train.Tails(link.Of.(query.Anchor).Entity, link.Relation)))
		mape += (all - found) / all
	}
	got, n := r.Types["1p"], float64(queries)
	if got.Queries != 22_804 || got.Queries != queries || got.Answers != answers {
		t.Errorf("%d queries and %d answers, want %d and %d", got.Queries, got.Answers, queries, answers)
	}
	if !near(got.MRR, mrr/n) || got.Optimistic.MRR != 1 || !near(got.Pessimistic.MRR, worst/n) || !near(got.MAPE, mape/n) || got.Hits10 != 0 {
		t.Errorf("MRR %v within %v and %v, MAPE %v; want %v within 1 and %v, %v", got.MRR, got.Optimistic.MRR, got.Pessimistic.MRR, got.MAPE, mrr/n, worst/n, mape/n)
	}
	if links := r.ByMissingLinks; len(links) != 1 || links["1"].Answers != answers {
		t.Errorf("by missing links: %+v, want one missing for all %d answers", links, answers)
	}
}

// BenchmarkTraversal evaluates the 25,804 public test queries, reading them from pickles included.
func BenchmarkTraversal(b *testing.B) {
	set := publicSet(b)
	for _, c := range []struct {
		name    string
		noLinks bool
	}{{"with missing links", false}, {"ranks alone", true}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				mustRun(b, Options{Set: set, Split: dataset.Test, Method: NewTraversal(set.Graph.Train), NoMissingLinks: c.noLinks})
			}
		})
	}
}
