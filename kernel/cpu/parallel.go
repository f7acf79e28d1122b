package cpu

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/lacuna-kg/lacuna/internal/parallel"
)

// worker is one thread's own memory.
type worker struct {
	plain *definition // for operations without a fast version
	tile  tile
	since time.Time // it has yielded last
}

// yieldAfter is how long a worker computes before it lets another goroutine have its processor: one that waits for it, such as
// who serves a request, would otherwise do so for ten milliseconds, each time that it waits.
const yieldAfter = 200 * time.Microsecond

func (w *worker) yield() {
	if now := time.Now(); now.Sub(w.since) > yieldAfter {
		runtime.Gosched()
		w.since = now
	}
}

// parallel runs tasks 0 … n−1 on all workers and waits. Tasks write apart from each
// other, so that it does not matter which worker takes which.
func (d *Device) parallel(n int, run func(w *worker, task int)) {
	if n == 1 || len(d.workers) == 1 {
		for task := range n {
			run(d.workers[0], task)
			d.workers[0].yield()
		}
		return
	}
	var next atomic.Int64
	var all parallel.Group
	work := func(w *worker) {
		defer next.Store(int64(n)) // where it panics, nobody begins another
		for task := int(next.Add(1)) - 1; task < n; task = int(next.Add(1)) - 1 {
			run(w, task)
			w.yield()
		}
	}
	for _, w := range d.workers[1:min(n, len(d.workers))] {
		all.Go(func() { work(w) })
	}
	all.Do(func() { work(d.workers[0]) })
	all.Wait()
}

// perSample runs tasks 0 … n−1 of every sample. A worker stays with a sample, whose states
// then are in its cache, and helps another's worker only when no sample is left.
func (d *Device) perSample(samples, n int, run func(w *worker, sample, task int)) {
	next := make([]atomic.Int64, samples)
	var begun atomic.Int64
	d.parallel(len(d.workers), func(w *worker, _ int) {
		finish := func(sample int) {
			for task := int(next[sample].Add(1)) - 1; task < n; task = int(next[sample].Add(1)) - 1 {
				run(w, sample, task)
			}
		}
		for sample := int(begun.Add(1)) - 1; sample < samples; sample = int(begun.Add(1)) - 1 {
			finish(sample)
		}
		for sample := range samples {
			finish(sample)
		}
	})
}

// ranges cuts n items into tasks of step items.
func (d *Device) ranges(n, step int, run func(w *worker, from, to int)) {
	d.parallel((n+step-1)/step, func(w *worker, task int) {
		run(w, task*step, min((task+1)*step, n))
	})
}

// scratch is memory that grows on demand and is kept; each name has its own.
type scratch map[string][]float32

// floats is n floats, not cleared.
func (s *scratch) floats(name string, n int) []float32 {
	if *s == nil {
		*s = scratch{}
	}
	if cap((*s)[name]) < n {
		(*s)[name] = make([]float32, n)
	}
	return (*s)[name][:n]
}

// zeros is n floats, cleared.
func (s *scratch) zeros(name string, n int) []float32 {
	x := s.floats(name, n)
	clear(x)
	return x
}
