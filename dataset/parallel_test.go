package dataset

import (
	"context"
	"errors"
	"iter"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// anchors streams n queries, then the error if there is one.
func anchors(n int, last error) iter.Seq2[Query, error] {
	return func(yield func(Query, error) bool) {
		for i := range n {
			if !yield(Query{Expr: query.Anchor{Entity: kg.Entity(i)}}, nil) {
				return
			}
		}
		if last != nil {
			yield(Query{}, last)
		}
	}
}

func entityOf() func(Query) int {
	return func(q Query) int { return int(q.Expr.(query.Anchor).Entity) }
}

func TestParallelKeepsOrder(t *testing.T) {
	failure := errors.New("the stream broke")
	for _, n := range []int{0, 1, batchSize - 1, batchSize, batchSize + 1, 5000} {
		for _, last := range []error{nil, failure} {
			next := 0
			var got error
			for i, err := range inParallel(t.Context(), 5, anchors(n, last), entityOf) {
				if err != nil {
					got = err
					continue
				}
				if i != next {
					t.Fatalf("expected %d, found %d", next, i)
				}
				next++
			}
			if next != n || !errors.Is(got, last) {
				t.Errorf("expected %d queries and %v, found %d and %v", n, last, next, got)
			}
		}
	}
}

func TestParallelStops(t *testing.T) {
	for i := range inParallel(t.Context(), 3, anchors(1_000_000, nil), entityOf) {
		if i == 1000 {
			break // returns only when all workers have ended
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var got error
	for i, err := range inParallel(ctx, 3, anchors(1_000_000, nil), entityOf) {
		if got = err; i == 1000 {
			cancel()
		}
	}
	if kg.KindOf(got) != kg.Cancelled {
		t.Errorf("expected a cancelled stream, found %v", got)
	}
}
