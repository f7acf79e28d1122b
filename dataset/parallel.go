package dataset

import (
	"context"
	"iter"
	"sync"

	"github.com/lacuna-kg/lacuna/kg"
)

// batchSize is how many queries a worker takes at a time: enough to make the
// hand-over cheap, few enough that slow ones spread over the cores.
const batchSize = 64

// batch travels from the stream to a worker and, with what the worker made of its
// queries, on to the consumer.
type batch[T any] struct {
	queries []Query
	err     error // what ended the stream after these queries
	made    []T
	done    chan struct{}
}

// pipeline hands every batch to one worker by todo, and to the consumer by inOrder.
type pipeline[T any] struct {
	todo    chan *batch[T]
	inOrder chan *batch[T]
}

// inParallel streams work(q) for every query of a stream, in its order. newWork is
// called once in each worker, for scratch memory that workers do not share.
func inParallel[T any](ctx context.Context, workers int, queries iter.Seq2[Query, error], newWork func() func(Query) T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		p := pipeline[T]{make(chan *batch[T]), make(chan *batch[T], 4*workers)}
		var wait sync.WaitGroup
		defer wait.Wait()
		defer cancel() // runs before the waiting, so that all goroutines end when the consumer does
		wait.Go(func() { p.feed(ctx, queries) })
		for range workers {
			wait.Go(func() { p.work(ctx, newWork()) })
		}
		if err := p.deliver(ctx, yield); err != nil {
			yield(*new(T), err)
		}
	}
}

// feed cuts the stream into batches.
func (p pipeline[T]) feed(ctx context.Context, queries iter.Seq2[Query, error]) {
	defer close(p.inOrder)
	defer close(p.todo)
	next := &batch[T]{done: make(chan struct{})}
	for q, err := range queries {
		if err != nil {
			next.err = err
			break
		}
		next.queries = append(next.queries, q)
		if len(next.queries) == batchSize {
			if !p.send(ctx, next) {
				return
			}
			next = &batch[T]{done: make(chan struct{})}
		}
	}
	p.send(ctx, next)
}

func (p pipeline[T]) send(ctx context.Context, b *batch[T]) bool {
	for _, to := range []chan *batch[T]{p.inOrder, p.todo} {
		select {
		case to <- b:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

func (p pipeline[T]) work(ctx context.Context, work func(Query) T) {
	for b := range p.todo {
		for _, q := range b.queries {
			if ctx.Err() != nil {
				return
			}
			b.made = append(b.made, work(q))
		}
		close(b.done)
	}
}

// deliver yields what the workers made, until the consumer stops or something fails.
func (p pipeline[T]) deliver(ctx context.Context, yield func(T, error) bool) error {
	for b := range p.inOrder {
		select {
		case <-b.done:
		case <-ctx.Done():
			return kg.Stopped(ctx)
		}
		for _, made := range b.made {
			if !yield(made, nil) {
				return nil
			}
		}
		if b.err != nil {
			return b.err
		}
	}
	return kg.Stopped(ctx)
}
