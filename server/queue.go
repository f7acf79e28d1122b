package server

import (
	"context"
	"sync"
)

// queue is where requests wait, whatever they wait for: questions for their batch,
// changes for the next group, others for a place (gate). Its law:
//
//   - put accepts a request or refuses it at once, where the queue is closed or limit wait already;
//   - what was accepted leaves the queue once, taken by who serves it or withdrawn by its client;
//   - take keeps the order of arrival, and never gives a request whose client has left;
//   - after close nothing more is accepted, and what was accepted is served before close returns.
type queue[Request, Response any] struct {
	limit int
	full  func(waiting int) error // what is said to one too many

	mutex   sync.Mutex
	waiting []*turn[Request, Response]
	dropped uint64 // left by their clients before they were taken
	closed  bool
	wake    chan struct{} // holds a token when somebody may be waiting
	ended   chan struct{} // closed when consume has returned
}

// turn is one request in a queue.
type turn[Request, Response any] struct {
	ctx     context.Context
	request Request
	done    chan outcome[Response] // has room for one, so that nobody waits for a client that left
}

type outcome[Response any] struct {
	response Response
	err      error
}

func (t *turn[Request, Response]) finish(response Response, err error) {
	t.done <- outcome[Response]{response, err}
}

func newQueue[Request, Response any](limit int, full func(waiting int) error) *queue[Request, Response] {
	return &queue[Request, Response]{limit: limit, full: full, wake: make(chan struct{}, 1), ended: make(chan struct{})}
}

// ask puts a request into the queue and waits until it is finished or its context ends.
func (q *queue[Request, Response]) ask(ctx context.Context, request Request) (response Response, err error) {
	t, err := q.put(ctx, request)
	if err != nil {
		return response, err
	}
	select {
	case out := <-t.done:
		return out.response, out.err
	case <-ctx.Done():
		q.withdraw(t)
		return response, ended(ctx)
	}
}

func (q *queue[Request, Response]) put(ctx context.Context, request Request) (*turn[Request, Response], error) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if q.closed {
		return nil, busy(1, "the server is stopping")
	}
	if n := len(q.waiting); n >= q.limit {
		return nil, q.full(n)
	}
	return q.append(ctx, request), nil
}

// putAnyway is put for who was taken once already: only a closed queue refuses it.
func (q *queue[Request, Response]) putAnyway(ctx context.Context, request Request) (*turn[Request, Response], error) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if q.closed {
		return nil, busy(1, "the server is stopping")
	}
	return q.append(ctx, request), nil
}

// append makes a request the last that waits; who calls it holds the mutex.
func (q *queue[Request, Response]) append(ctx context.Context, request Request) *turn[Request, Response] {
	t := &turn[Request, Response]{ctx, request, make(chan outcome[Response], 1)}
	q.waiting = append(q.waiting, t)
	q.signal()
	return t
}

// withdraw takes back a request that still waits. It tells whether it did.
func (q *queue[Request, Response]) withdraw(gone *turn[Request, Response]) bool {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	for i, t := range q.waiting {
		if t == gone {
			q.waiting = append(q.waiting[:i:i], q.waiting[i+1:]...)
			q.dropped++
			return true
		}
	}
	return false
}

// take gives of those that wait all that fit, asked in their order, and leaves the others waiting.
func (q *queue[Request, Response]) take(fits func(Request) bool) (taken []*turn[Request, Response]) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	var rest []*turn[Request, Response]
	for _, t := range q.waiting {
		switch {
		case t.ctx.Err() != nil: // it was about to withdraw
			q.dropped++
		case fits(t.request):
			taken = append(taken, t)
		default:
			rest = append(rest, t)
		}
	}
	q.waiting = rest
	return taken
}

// consume calls serve whenever somebody waits, until the queue is closed and empty.
func (q *queue[Request, Response]) consume(serve func()) {
	defer close(q.ended)
	for q.await() {
		serve()
	}
}

// await waits until somebody waits; false says that nobody will any more.
func (q *queue[Request, Response]) await() bool {
	for {
		waiting, closed := q.state()
		if waiting > 0 || closed {
			return waiting > 0
		}
		<-q.wake
	}
}

func (q *queue[Request, Response]) state() (waiting int, closed bool) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	return len(q.waiting), q.closed
}

func (q *queue[Request, Response]) left() uint64 {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	return q.dropped
}

// close refuses what comes later and waits until consume has served what was accepted.
func (q *queue[Request, Response]) close() {
	q.mutex.Lock()
	q.closed = true
	q.mutex.Unlock()
	q.signal()
	<-q.ended
}

func (q *queue[Request, Response]) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}
