package server

import (
	"context"
	"math"
	"slices"
	"sync"
)

// queue is where requests wait, whatever they wait for: questions for their batch,
// changes for the next group, others for a place (gate). It shares what they wait for among clients. Its law:
//
//   - put accepts a request or refuses it at once, where the queue is closed or limit wait already. A full queue
//     takes the request of a client that has fewer waiting than another: the last of the greediest is refused in its place;
//   - what was accepted leaves the queue once: taken by who serves it, withdrawn by its client or refused;
//   - take goes to the client that was given least, by the weights of what it was given; of a client to the lightest
//     request, of those alike to the one that came first. It never gives a request whose client has left;
//   - who comes back after a pause stands level with the one that was served last: nobody saves up, nobody is in debt for ever;
//   - after close nothing more is accepted, and what was accepted is served before close returns.
type queue[Request, Response any] struct {
	limit int
	full  func(waiting int) error // what is said to one too many

	mutex   sync.Mutex
	shares  map[string]*share[Request, Response] // of clients
	waiting int
	level   float64 // what the client that was served last had been given before
	dropped uint64  // left by their clients before they were taken
	closed  bool
	wake    chan struct{} // holds a token when somebody may be waiting
	ended   chan struct{} // closed when consume has returned
}

// share is what a client has of a queue.
type share[Request, Response any] struct {
	given   float64 // weights of what was taken of it
	waiting []*turn[Request, Response]
}

// turn is one request in a queue.
type turn[Request, Response any] struct {
	ctx     context.Context
	request Request
	client  string
	weight  float64
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
	return &queue[Request, Response]{
		limit: limit, full: full, shares: map[string]*share[Request, Response]{}, wake: make(chan struct{}, 1), ended: make(chan struct{}),
	}
}

// ask puts a request of some weight into the queue and waits until it is finished or its context ends.
func (q *queue[Request, Response]) ask(ctx context.Context, request Request, weight float64) (response Response, err error) {
	t, err := q.put(ctx, request, weight)
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

func (q *queue[Request, Response]) put(ctx context.Context, request Request, weight float64) (*turn[Request, Response], error) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if q.closed {
		return nil, busy(1, "the server is stopping")
	}
	if q.waiting >= q.limit && !q.displace(clientOf(ctx)) {
		return nil, q.full(q.waiting)
	}
	return q.append(ctx, request, weight), nil
}

// putAnyway is put for who was taken once already: only a closed queue refuses it.
func (q *queue[Request, Response]) putAnyway(ctx context.Context, request Request, weight float64) (*turn[Request, Response], error) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if q.closed {
		return nil, busy(1, "the server is stopping")
	}
	return q.append(ctx, request, weight), nil
}

// displace makes room for a client: where another has more waiting than it would have, that one's last is refused.
func (q *queue[Request, Response]) displace(client string) bool {
	var greediest *share[Request, Response]
	for _, s := range q.shares {
		if greediest == nil || len(s.waiting) > len(greediest.waiting) {
			greediest = s
		}
	}
	own := 0
	if s := q.shares[client]; s != nil {
		own = len(s.waiting)
	}
	if greediest == nil || len(greediest.waiting) <= own+1 {
		return false
	}
	var none Response
	last := greediest.waiting[len(greediest.waiting)-1]
	q.remove(last)
	last.finish(none, q.full(q.waiting+1))
	return true
}

// append makes a request the last of its weight that waits; who calls it holds the mutex.
func (q *queue[Request, Response]) append(ctx context.Context, request Request, weight float64) *turn[Request, Response] {
	t := &turn[Request, Response]{ctx, request, clientOf(ctx), weight, make(chan outcome[Response], 1)}
	s := q.share(t.client)
	if len(s.waiting) == 0 {
		s.given = max(s.given, q.level)
	}
	at, _ := slices.BinarySearchFunc(s.waiting, weight, func(other *turn[Request, Response], weight float64) int {
		if other.weight <= weight {
			return -1
		}
		return 1
	})
	s.waiting = slices.Insert(s.waiting, at, t)
	q.waiting++
	q.signal()
	return t
}

// share is a client's, made where it has none.
func (q *queue[Request, Response]) share(client string) *share[Request, Response] {
	s := q.shares[client]
	if s == nil {
		s = &share[Request, Response]{given: q.level}
		q.shares[client] = s
	}
	return s
}

// charge adds to what a client was given: what it took beyond the weight, or less where that was too much.
func (q *queue[Request, Response]) charge(client string, more float64) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.share(client).given += more
	q.forget()
}

// withdraw takes back a request that still waits. It tells whether it did.
func (q *queue[Request, Response]) withdraw(gone *turn[Request, Response]) bool {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if !q.remove(gone) {
		return false
	}
	q.dropped++
	return true
}

// remove takes a request out, and tells whether it waited; who calls it holds the mutex.
func (q *queue[Request, Response]) remove(gone *turn[Request, Response]) bool {
	s := q.shares[gone.client]
	if s == nil {
		return false
	}
	at := slices.Index(s.waiting, gone)
	if at < 0 {
		return false
	}
	s.waiting = slices.Delete(s.waiting, at, at+1)
	q.waiting--
	return true
}

// take gives of those that wait all that fit, asked in the order of the law, and leaves the others waiting.
func (q *queue[Request, Response]) take(fits func(*turn[Request, Response]) bool) (taken []*turn[Request, Response]) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	passed := map[string]int{} // of each client, how many did not fit
	for {
		s, t := q.next(passed)
		switch {
		case s == nil:
			q.forget()
			return taken
		case t.ctx.Err() != nil: // it was about to withdraw
			q.remove(t)
			q.dropped++
		case !fits(t):
			passed[t.client]++
		default:
			q.remove(t)
			q.level = max(q.level, s.given)
			s.given += t.weight
			taken = append(taken, t)
		}
	}
}

// next is the request whose turn it is among those that were not passed over, and its client's share. Of clients that
// were given alike it is the one whose request is the lightest, and then the name decides, so that the order is one.
func (q *queue[Request, Response]) next(passed map[string]int) (least *share[Request, Response], first *turn[Request, Response]) {
	for client, s := range q.shares {
		if passed[client] >= len(s.waiting) {
			continue
		}
		t := s.waiting[passed[client]]
		if least == nil || s.given < least.given ||
			s.given == least.given && (t.weight < first.weight || t.weight == first.weight && client < first.client) {
			least, first = s, t
		}
	}
	return least, first
}

// forget drops the shares of clients that wait for nothing and are level with the others. Who calls it holds the mutex.
func (q *queue[Request, Response]) forget() {
	const many = 1000 // clients whose debts are remembered while nobody waits
	if q.waiting == 0 && len(q.shares) > many {
		q.level = 0
		clear(q.shares)
		return
	}
	if q.level > math.MaxInt32 { // numbers stay exact
		for _, s := range q.shares {
			s.given -= q.level
		}
		q.level = 0
	}
	for client, s := range q.shares {
		if len(s.waiting) == 0 && s.given <= q.level {
			delete(q.shares, client)
		}
	}
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
	return q.waiting, q.closed
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
