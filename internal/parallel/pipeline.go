package parallel

import (
	"context"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
)

// Pipeline is work on the items of a stream by several goroutines, whose results come in
// the order of the items. It works ahead of who takes them, and ends when it is closed.
type Pipeline[Out any] struct {
	results  chan chan Out // of the items in their order
	done     <-chan struct{}
	stop     context.CancelFunc
	routines sync.WaitGroup
	panicked atomic.Pointer[any] // what the first of them panicked with
}

// Ahead is how many goroutines work ahead of one that feeds a device: one a core, and two fewer where the device is not the CPU
// itself. Whoever comes back from a call of a driver waits for a core, up to ten milliseconds where all of them are busy.
func Ahead(isCPU bool) int {
	cores := runtime.GOMAXPROCS(0)
	if isCPU {
		return cores
	}
	return max(1, cores-2)
}

// item travels to one worker, which sends what it makes of it.
type item[In, Out any] struct {
	in  In
	out chan Out
}

// Start begins the work: so many workers, each with a function of its own for memory that
// they do not share, and so many results at most that wait to be taken. The items are
// drawn one after another, in a goroutine of the pipeline; they may be without end. Work
// that sees its context end may return anything, which nobody gets.
func Start[In, Out any](ctx context.Context, workers, ahead int, items iter.Seq[In], newWork func(worker int) func(context.Context, In) Out) *Pipeline[Out] {
	ctx, stop := context.WithCancel(ctx)
	p := &Pipeline[Out]{results: make(chan chan Out, ahead), done: ctx.Done(), stop: stop}
	todo := make(chan item[In, Out])
	p.goOn(func() {
		defer close(p.results)
		defer close(todo)
		for in := range items {
			next := item[In, Out]{in, make(chan Out, 1)}
			if !send(ctx, p.results, next.out) || !send(ctx, todo, next) {
				return
			}
		}
	})
	for worker := range workers {
		p.goOn(func() {
			work := newWork(worker)
			for next := range todo {
				out := work(ctx, next.in)
				if ctx.Err() != nil {
					return
				}
				next.out <- out
			}
		})
	}
	return p
}

// goOn works in a goroutine. A panic ends the pipeline, and becomes one of who takes the results.
func (p *Pipeline[Out]) goOn(work func()) {
	p.routines.Go(func() {
		defer func() {
			if trouble := recover(); trouble != nil {
				p.panicked.CompareAndSwap(nil, &trouble)
				p.stop()
			}
		}()
		work()
	})
}

func send[T any](ctx context.Context, to chan<- T, value T) bool {
	select {
	case to <- value:
		return true
	case <-ctx.Done():
		return false
	}
}

// Next gives the coming result. There is none after the last item or once the context has ended. Where one
// who works has panicked, it does.
func (p *Pipeline[Out]) Next() (out Out, more bool) {
	if out, more = p.next(); !more {
		if trouble := p.panicked.Load(); trouble != nil {
			panic(*trouble)
		}
	}
	return out, more
}

func (p *Pipeline[Out]) next() (out Out, more bool) {
	select {
	case result, more := <-p.results:
		if !more {
			return out, false
		}
		select {
		case out = <-result:
			return out, true
		case <-p.done:
		}
	case <-p.done:
	}
	return out, false
}

// Close ends the work and waits until nobody is at it.
func (p *Pipeline[Out]) Close() {
	p.stop()
	p.routines.Wait()
}
