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
)

// lane runs questions in batches: those that wait when it becomes free, or that
// come within a few milliseconds of the first, run together, and what several of
// them need is computed once. There is one for predictions and one for exact
// answers, which need not wait for the model.
type lane struct {
	limits  Limits
	metrics *laneMetrics
	log     *slog.Logger
	run     func(ctx context.Context, at *snapshot, questions []*lacuna.Question) ([]*lacuna.Result, error)

	mutex   sync.Mutex
	waiting []*job
	closed  bool
	wake    chan struct{} // holds a token when a job may be waiting
	ended   chan struct{}
	pace    atomic.Int64 // nanoseconds that a batch took of late
}

// job is a question in a lane.
type job struct {
	ctx      context.Context
	at       *snapshot
	question *lacuna.Question
	bytes    int64
	done     chan outcome // has room for one, so that nobody waits for a client that left
}

type outcome struct {
	result *lacuna.Result
	err    error
}

func newLane(limits Limits, metrics *laneMetrics, log *slog.Logger) *lane {
	return &lane{limits: limits, metrics: metrics, log: log, run: answer, wake: make(chan struct{}, 1), ended: make(chan struct{})}
}

// answer is how a lane runs questions.
func answer(ctx context.Context, at *snapshot, questions []*lacuna.Question) ([]*lacuna.Result, error) {
	return at.engine.Answer(ctx, questions)
}

// answer puts a question into the lane and waits for its result or the end of its context.
func (l *lane) answer(ctx context.Context, at *snapshot, q *lacuna.Question, bytes int64) (*lacuna.Result, error) {
	j := &job{ctx: ctx, at: at, question: q, bytes: bytes, done: make(chan outcome, 1)}
	if err := l.enqueue(j); err != nil {
		return nil, err
	}
	select {
	case out := <-j.done:
		return out.result, out.err
	case <-ctx.Done():
		return nil, ended(ctx)
	}
}

func (l *lane) enqueue(j *job) error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.closed {
		return busy(1, "the server is stopping")
	}
	if len(l.waiting) >= l.limits.Queue {
		return busy(l.retryAfter(), fmt.Sprintf("%d questions are waiting already", len(l.waiting)))
	}
	l.waiting = append(l.waiting, j)
	l.metrics.waiting.Store(int64(len(l.waiting)))
	l.signal()
	return nil
}

func (l *lane) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// retryAfter is when the queue should be through, in seconds.
func (l *lane) retryAfter() int {
	batches := float64(len(l.waiting))/float64(l.limits.Batch) + 1
	return int(min(60, max(1, math.Ceil(batches*time.Duration(l.pace.Load()).Seconds()))))
}

// close waits until all that was accepted is answered.
func (l *lane) close() {
	l.mutex.Lock()
	l.closed = true
	l.mutex.Unlock()
	l.signal()
	<-l.ended
}

func (l *lane) loop() {
	defer close(l.ended)
	for more := true; more; {
		<-l.wake
		more = l.serveAll()
	}
}

// serveAll runs batches until nobody waits. It tells whether others may come.
func (l *lane) serveAll() (more bool) {
	for {
		l.gather()
		batch, open := l.next()
		if len(batch) == 0 {
			return open
		}
		start := time.Now()
		l.serve(batch)
		l.pace.Store((l.pace.Load() + int64(time.Since(start))) / 2)
	}
}

// gather waits a moment for company, unless there is a batch full of it. It does so
// before every batch: the clients of the last one ask again within the moment, and
// without it two halves would take turns forever.
func (l *lane) gather() {
	l.mutex.Lock()
	full := len(l.waiting) >= l.limits.Batch || l.limits.Batch == 1 || l.closed
	l.mutex.Unlock()
	if !full {
		time.Sleep(l.limits.Window)
	}
}

// next takes the oldest question and those that can run with it: on the same
// snapshot, executed alike, and within the limits of a batch. Clients that left
// are dropped. open is false once the lane is closed.
func (l *lane) next() (batch []*job, open bool) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	var rest []*job
	var bytes int64
	for _, j := range l.waiting {
		switch {
		case j.ctx.Err() != nil:
			l.metrics.dropped.Add(1)
		case len(batch) == 0 || len(batch) < l.limits.Batch && bytes+j.bytes <= l.limits.Memory && together(batch[0], j):
			batch = append(batch, j)
			bytes += j.bytes
		default:
			rest = append(rest, j)
		}
	}
	l.waiting = rest
	l.metrics.waiting.Store(int64(len(rest)))
	return batch, !l.closed
}

func together(a, b *job) bool {
	return a.at == b.at && a.question.Options.Execution() == b.question.Options.Execution()
}

// serve answers a batch. It ends early when the last of its clients has left.
func (l *lane) serve(batch []*job) {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	var staying atomic.Int64
	staying.Store(int64(len(batch)))
	for _, j := range batch {
		stop := context.AfterFunc(j.ctx, func() {
			if staying.Add(-1) == 0 {
				cancel(context.Cause(j.ctx))
			}
		})
		defer stop()
	}
	results, err := l.attempt(ctx, batch)
	if err != nil && len(batch) > 1 && ctx.Err() == nil {
		l.serveApart(ctx, batch)
		return
	}
	for i, j := range batch {
		if err != nil {
			j.done <- outcome{err: err}
		} else {
			j.done <- outcome{result: results[i]}
		}
	}
}

// serveApart answers the questions of a batch that failed one by one, so that the
// failure stays with the question that has it.
func (l *lane) serveApart(ctx context.Context, batch []*job) {
	for _, j := range batch {
		results, err := l.attempt(ctx, []*job{j})
		if err != nil {
			j.done <- outcome{err: err}
		} else {
			j.done <- outcome{result: results[0]}
		}
	}
}

// attempt runs questions together. A panic becomes an error: it must end neither
// the server nor the questions of others.
func (l *lane) attempt(ctx context.Context, batch []*job) (results []*lacuna.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			l.log.Error("a batch panicked", "panic", p, "stack", string(debug.Stack()))
			results, err = nil, fmt.Errorf("a batch panicked: %v", p)
		}
	}()
	questions := make([]*lacuna.Question, len(batch))
	for i, j := range batch {
		questions[i] = j.question
	}
	results, err = l.run(ctx, batch[0].at, questions)
	if err == nil {
		l.metrics.ran(len(batch), results[0].Stats)
	}
	return results, err
}
