package server

import (
	"context"
	"sync"
)

// gate is a queue for places: it lets a few requests through at a time, in the order
// they came. It is for what runs in the request's own goroutine, such as handlers of other packages.
type gate struct {
	queue *queue[struct{}, struct{}]

	mutex sync.Mutex
	free  int // places
}

func newGate(places, waiting int) *gate {
	full := func(int) error { return busy(1, "too many requests of this kind are waiting already") }
	return &gate{queue: newQueue[struct{}, struct{}](waiting, full), free: places}
}

// enter waits for a place; leave gives it back.
func (g *gate) enter(ctx context.Context) (leave func(), err error) { return g.place(ctx, false) }

// enterAgain is enter for who had a place and left it for a while: it is not refused.
func (g *gate) enterAgain(ctx context.Context) (leave func(), err error) { return g.place(ctx, true) }

func (g *gate) place(ctx context.Context, again bool) (leave func(), err error) {
	t, err := g.join(ctx, again)
	if err != nil {
		return nil, err
	}
	select {
	case <-t.done:
		return g.leave, nil
	case <-ctx.Done():
		g.abandon(t)
		return nil, ended(ctx)
	}
}

// join puts a request into the queue. A free place is given before the next one joins,
// so that only those count as waiting for whom there is none.
func (g *gate) join(ctx context.Context, again bool) (*turn[struct{}, struct{}], error) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	put := g.queue.put
	if again {
		put = g.queue.putAnyway
	}
	t, err := put(ctx, struct{}{})
	g.admit()
	return t, err
}

// abandon takes a request out of the queue, and its place back where it got one in the same moment.
func (g *gate) abandon(t *turn[struct{}, struct{}]) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.queue.withdraw(t)
	select {
	case <-t.done:
		g.free++
		g.admit()
	default:
	}
}

func (g *gate) leave() {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.free++
	g.admit()
}

// admit gives the free places to those that wait. Who calls it holds the mutex, so
// that a turn that was taken is finished for everybody else who does.
func (g *gate) admit() {
	given := 0
	taken := g.queue.take(func(struct{}) bool {
		if given == g.free {
			return false
		}
		given++
		return true
	})
	g.free -= given
	for _, t := range taken {
		t.finish(struct{}{}, nil)
	}
}
