package dataset

import (
	"context"
	"iter"

	"github.com/lacuna-kg/lacuna/internal/parallel"
	"github.com/lacuna-kg/lacuna/kg"
)

// batchSize is how many queries a worker takes at a time: enough to make the
// hand-over cheap, few enough that slow ones spread over the cores.
const batchSize = 64

// batch is a stretch of a stream of queries, or of what was made of them.
type batch[T any] struct {
	of  []T
	err error // what ended the stream after these
}

// batches cuts a stream.
func batches(queries iter.Seq2[Query, error]) iter.Seq[batch[Query]] {
	return func(yield func(batch[Query]) bool) {
		var next batch[Query]
		for q, err := range queries {
			if err != nil {
				next.err = err
				break
			}
			next.of = append(next.of, q)
			if len(next.of) == batchSize {
				if !yield(next) {
					return
				}
				next = batch[Query]{}
			}
		}
		yield(next)
	}
}

// inParallel streams work(q) for every query of a stream, in its order. newWork is
// called once in each worker, for scratch memory that workers do not share.
func inParallel[T any](ctx context.Context, workers int, queries iter.Seq2[Query, error], newWork func() func(Query) T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		made := parallel.Start(ctx, workers, 4*workers, batches(queries), func(int) func(context.Context, batch[Query]) batch[T] {
			return onBatches(newWork())
		})
		defer made.Close()
		for b, more := made.Next(); more; b, more = made.Next() {
			for _, one := range b.of {
				if !yield(one, nil) {
					return
				}
			}
			if b.err != nil {
				yield(*new(T), b.err)
				return
			}
		}
		if err := kg.Stopped(ctx); err != nil {
			yield(*new(T), err)
		}
	}
}

// onBatches makes work on a query work on a batch, until the context ends.
func onBatches[T any](work func(Query) T) func(context.Context, batch[Query]) batch[T] {
	return func(ctx context.Context, b batch[Query]) batch[T] {
		made := batch[T]{make([]T, 0, len(b.of)), b.err}
		for _, q := range b.of {
			if ctx.Err() != nil {
				break
			}
			made.of = append(made.of, work(q))
		}
		return made
	}
}
