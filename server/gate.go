package server

import (
	"context"
	"sync"
	"time"
)

// gate is a queue for places: it lets a few requests through at a time, each client in its turn, by the time
// that its requests had a place for. It is for what runs in the request's own goroutine, such as handlers of other packages.
type gate struct {
	queue *queue[struct{}, struct{}]
	each  int     // places that one client may have at a time
	usual float64 // seconds that a client is charged when it gets a place, until it is known what it took

	mutex  sync.Mutex
	free   int // places; below zero where some have one beyond those there are
	inside map[string]int
}

// newGate makes a gate of some places, of which one client may have each, for waiting requests at most.
func newGate(places, each, waiting int) *gate {
	full := func(int) error { return busy(1, "too many requests of this kind are waiting already") }
	return &gate{queue: newQueue[struct{}, struct{}](waiting, full), each: each, usual: slice.Seconds(), free: places, inside: map[string]int{}}
}

// enter waits for a place; leave gives it back.
func (g *gate) enter(ctx context.Context) (leave func(), err error) { return g.place(ctx, 0, false) }

// enterAgain is enter for who had a place and left it for a while: it is not refused, and heavier by what it took so far.
func (g *gate) enterAgain(ctx context.Context, taken time.Duration) (leave func(), err error) {
	return g.place(ctx, taken.Seconds(), true)
}

func (g *gate) place(ctx context.Context, heavier float64, again bool) (leave func(), err error) {
	t, err := g.join(ctx, heavier, again)
	if err != nil {
		return nil, err
	}
	select {
	case out := <-t.done:
		return g.leaver(t.client, t.weight), out.err
	case <-ctx.Done():
		g.abandon(t)
		return nil, ended(ctx)
	}
}

// enterAtOnce gives a place to who cannot wait for it, beyond those there are if need be.
func (g *gate) enterAtOnce(client string) (leave func()) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.free--
	g.inside[client]++
	return g.leaver(client, 0)
}

// leaver gives a place back, once, and charges the client for the time that it had it.
func (g *gate) leaver(client string, weight float64) func() {
	since := time.Now()
	return sync.OnceFunc(func() {
		g.queue.charge(client, time.Since(since).Seconds()-weight)
		g.mutex.Lock()
		defer g.mutex.Unlock()
		g.giveBack(client)
	})
}

// join puts a request into the queue. A free place is given before the next one joins,
// so that only those count as waiting for whom there is none.
func (g *gate) join(ctx context.Context, heavier float64, again bool) (*turn[struct{}, struct{}], error) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	put := g.queue.put
	if again {
		put = g.queue.putAnyway
	}
	t, err := put(ctx, struct{}{}, g.usual+heavier)
	g.admit()
	return t, err
}

// abandon takes a request out of the queue, and its place back where it got one in the same moment.
func (g *gate) abandon(t *turn[struct{}, struct{}]) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.queue.withdraw(t)
	select {
	case out := <-t.done:
		if out.err == nil {
			g.giveBack(t.client)
		}
	default:
	}
}

// giveBack counts a place as free. Who calls it holds the mutex.
func (g *gate) giveBack(client string) {
	g.free++
	if g.inside[client]--; g.inside[client] == 0 {
		delete(g.inside, client)
	}
	g.admit()
}

// admit gives the free places to those that wait. Who calls it holds the mutex, so
// that a turn that was taken is finished for everybody else who does.
func (g *gate) admit() {
	if g.free <= 0 {
		return
	}
	taken := g.queue.take(func(t *turn[struct{}, struct{}]) bool {
		if g.free <= 0 || g.inside[t.client] >= g.each {
			return false
		}
		g.free--
		g.inside[t.client]++
		return true
	})
	for _, t := range taken {
		t.finish(struct{}{}, nil)
	}
}
