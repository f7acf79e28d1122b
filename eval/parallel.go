package eval

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/lacuna-kg/lacuna/kg"
)

// inParallel calls work(0) … work(n-1) on all cores. newWork is called once in
// each goroutine, for scratch memory of its own.
func inParallel(ctx context.Context, n int, newWork func() func(int)) error {
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		wait.Go(func() {
			work := newWork()
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				work(i)
			}
		})
	}
	wait.Wait()
	return kg.Stopped(ctx)
}
