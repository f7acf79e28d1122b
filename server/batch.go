package server

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/internal/count"
)

// lane runs questions in batches: those that wait when it becomes free, or that
// come within a few milliseconds of the first, run together, and what several of
// them need is computed once. There is one for predictions and one for exact
// answers, which need not wait for the model.
type lane struct {
	limits  Limits
	metrics *laneMetrics
	log     *slog.Logger
	run     runQuestions
	queue   *queue[job, *lacuna.Result]
	pace    atomic.Int64 // nanoseconds that a batch took of late
}

// job is a question in a lane.
type job struct {
	at       *snapshot
	question *lacuna.Question
	bytes    int64
}

// batch is the jobs that run together.
type batch []*turn[job, *lacuna.Result]

type runQuestions func(ctx context.Context, at *snapshot, questions []*lacuna.Question) ([]*lacuna.Result, error)

// newLane makes a lane that takes questions until it is closed.
func newLane(limits Limits, metrics *laneMetrics, log *slog.Logger, run runQuestions) *lane {
	l := &lane{limits: limits, metrics: metrics, log: log, run: run}
	l.queue = newQueue[job, *lacuna.Result](limits.Queue, func(waiting int) error {
		return busy(l.retryAfter(waiting), fmt.Sprintf("%s waiting already", count.Of(waiting, "question")))
	})
	go l.queue.consume(l.serveAll)
	return l
}

// answer is how a lane runs questions.
func answer(ctx context.Context, at *snapshot, questions []*lacuna.Question) ([]*lacuna.Result, error) {
	return at.engine.Answer(ctx, questions)
}

// answer puts a question into the lane and waits for its result or the end of its context.
func (l *lane) answer(ctx context.Context, at *snapshot, q *lacuna.Question, bytes int64) (*lacuna.Result, error) {
	return l.queue.ask(ctx, job{at, q, bytes})
}

// retryAfter is when the queue should be through, in seconds.
func (l *lane) retryAfter(waiting int) int {
	batches := float64(waiting)/float64(l.limits.Batch) + 1
	return int(min(60, max(1, math.Ceil(batches*time.Duration(l.pace.Load()).Seconds()))))
}

// close waits until all that was accepted is answered.
func (l *lane) close() { l.queue.close() }

// serveAll runs batches until nobody waits.
func (l *lane) serveAll() {
	for {
		l.gather()
		next := l.next()
		if len(next) == 0 {
			return
		}
		start := time.Now()
		l.serve(next)
		l.pace.Store((l.pace.Load() + int64(time.Since(start))) / 2)
	}
}

// gather waits a moment for company, unless there is a batch full of it. It does so
// before every batch: the clients of the last one ask again within the moment, and
// without it two halves would take turns forever.
func (l *lane) gather() {
	waiting, closed := l.queue.state()
	if waiting < l.limits.Batch && l.limits.Batch > 1 && !closed {
		time.Sleep(l.limits.Window)
	}
}

// next takes the oldest question and those that can run with it: on the same
// snapshot, executed alike, and within the limits of a batch.
func (l *lane) next() batch {
	var first job
	var size int
	var bytes int64
	return l.queue.take(func(j job) bool {
		switch {
		case size == 0:
			first = j
		case size == l.limits.Batch || bytes+j.bytes > l.limits.Memory || !together(first, j):
			return false
		}
		size++
		bytes += j.bytes
		return true
	})
}

func together(a, b job) bool {
	return a.at == b.at && a.question.Asking.Execution == b.question.Asking.Execution
}

// serve answers a batch. It ends early when the last of its clients has left.
func (l *lane) serve(batch batch) {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	var staying atomic.Int64
	staying.Store(int64(len(batch)))
	for _, t := range batch {
		stop := context.AfterFunc(t.ctx, func() {
			if staying.Add(-1) == 0 {
				cancel(context.Cause(t.ctx))
			}
		})
		defer stop()
	}
	results, err := l.attempt(ctx, batch)
	if err != nil && len(batch) > 1 && ctx.Err() == nil {
		l.serveApart(ctx, batch)
		return
	}
	for i, t := range batch {
		if err != nil {
			t.finish(nil, err)
		} else {
			t.finish(results[i], nil)
		}
	}
}

// serveApart answers the questions of a batch that failed one by one, so that the
// failure stays with the question that has it.
func (l *lane) serveApart(ctx context.Context, all batch) {
	for _, t := range all {
		results, err := l.attempt(ctx, batch{t})
		if err != nil {
			t.finish(nil, err)
		} else {
			t.finish(results[0], nil)
		}
	}
}

// attempt runs questions together. A panic becomes an error: it must end neither
// the server nor the questions of others.
func (l *lane) attempt(ctx context.Context, batch batch) (results []*lacuna.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			l.log.Error("a batch panicked", "panic", p, "stack", string(debug.Stack()))
			results, err = nil, fmt.Errorf("a batch panicked: %v", p)
		}
	}()
	questions := make([]*lacuna.Question, len(batch))
	for i, t := range batch {
		questions[i] = t.request.question
	}
	results, err = l.run(ctx, batch[0].request.at, questions)
	if err == nil {
		l.metrics.ran(len(batch), results[0].Stats)
	}
	return results, err
}
