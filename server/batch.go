package server

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/internal/count"
)

// lane runs questions in batches: those that wait when it becomes free, or that
// come within a few milliseconds of the first, run together, and what several of
// them need is computed once. There is one for predictions and one for exact
// answers, which need not wait for the model. A second batch runs beside the first
// for clients that have none at work, so that nobody waits for a batch of others.
// What takes long goes another way (cores).
type lane struct {
	limits  Limits
	metrics *laneMetrics
	log     *slog.Logger
	run     runQuestions
	queue   *queue[job, *lacuna.Result]
	pace    atomic.Int64  // nanoseconds that a batch took of late
	freed   chan struct{} // holds a token when a batch may have ended

	mutex   sync.Mutex
	batches int            // at work
	served  map[string]int // their questions, of each client
}

// mostBatches is how many batches of a lane are at work at a time.
const mostBatches = 2

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
	l := &lane{limits: limits, metrics: metrics, log: log, run: run, freed: make(chan struct{}, 1), served: map[string]int{}}
	l.queue = newQueue[job, *lacuna.Result](limits.Queue, func(waiting int) error {
		return busy(l.retryAfter(waiting), fmt.Sprintf("%s waiting already", count.Of(waiting, "question")))
	})
	go l.queue.consume(l.serveNext)
	return l
}

// answer puts a question of so many links into the lane and waits for its result or the end of its context.
func (l *lane) answer(ctx context.Context, j job, links int) (*lacuna.Result, error) {
	return l.queue.ask(ctx, j, float64(1+links))
}

// retryAfter is when the queue should be through, in seconds.
func (l *lane) retryAfter(waiting int) int {
	batches := float64(waiting)/float64(l.limits.Batch) + 1
	return int(min(60, max(1, math.Ceil(batches*time.Duration(l.pace.Load()).Seconds()))))
}

// close waits until all that was accepted is answered.
func (l *lane) close() {
	l.queue.close()
	for l.working() > 0 {
		<-l.freed
	}
}

func (l *lane) working() int {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.batches
}

// serveNext begins a batch, or waits until there may be one to begin.
func (l *lane) serveNext() {
	if l.working() == mostBatches {
		<-l.freed
		return
	}
	l.gather()
	next := l.begin()
	if len(next) == 0 {
		select {
		case <-l.freed:
		case <-l.queue.wake:
		}
		return
	}
	go func() {
		start := time.Now()
		l.serve(next)
		l.pace.Store((l.pace.Load() + int64(time.Since(start))) / 2)
		l.end(next)
	}()
}

// end counts a batch out.
func (l *lane) end(b batch) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.batches--
	for _, t := range b {
		if l.served[t.client]--; l.served[t.client] == 0 {
			delete(l.served, t.client)
		}
	}
	select {
	case l.freed <- struct{}{}:
	default:
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

// begin takes the question whose turn it is and those that can run with it: on the same
// snapshot, executed alike, within the limits of a batch and of clients that have no other at work.
func (l *lane) begin() batch {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	var first job
	var bytes int64
	taken := batch{}
	for _, t := range l.queue.take(func(t *turn[job, *lacuna.Result]) bool {
		j := t.request
		switch {
		case l.served[t.client] > 0:
			return false
		case len(taken) == 0:
			first = j
		case len(taken) == l.limits.Batch || bytes+j.bytes > l.limits.Memory || !together(first, j):
			return false
		}
		bytes += j.bytes
		taken = append(taken, t)
		return true
	}) {
		l.served[t.client]++
	}
	if len(taken) > 0 {
		l.batches++
	}
	return taken
}

func together(a, b job) bool {
	return a.at == b.at && a.question.Asking.Execution == b.question.Asking.Execution
}

// serve answers a batch. It ends early when the last of its clients has left.
func (l *lane) serve(batch batch) {
	ctx, cancel := context.WithCancelCause(withClient(context.Background(), batch[0].client)) // whose turn it was
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
			l.metrics.panics.Inc()
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
