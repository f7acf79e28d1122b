package parallel

import (
	"sync"
	"sync/atomic"
)

// Group is a sync.WaitGroup that loses no panic: what one of its goroutines panics with becomes a panic of who waits for
// them, who may recover. By itself a panic in a goroutine ends the process.
type Group struct {
	work     sync.WaitGroup
	panicked atomic.Pointer[any]
}

// Go does work in a goroutine of its own.
func (g *Group) Go(work func()) {
	g.work.Go(func() { g.Do(work) })
}

// Do does work in the caller's goroutine, as one of the group.
func (g *Group) Do(work func()) {
	defer func() {
		if p := recover(); p != nil {
			g.panicked.CompareAndSwap(nil, &p)
		}
	}()
	work()
}

// Wait waits for all of them, and panics where one did.
func (g *Group) Wait() {
	g.work.Wait()
	if p := g.panicked.Load(); p != nil {
		panic(*p)
	}
}
