package kg

import (
	"context"
	"runtime"
	"sync"
)

// forEachShare splits 0 … n-1 into a share a core, many times over so that hubs
// do not leave a core behind. No share is begun once the context has ended.
func forEachShare(ctx context.Context, n int, work func(from, to int)) {
	workers := runtime.GOMAXPROCS(0)
	size := max(1, n/(16*workers))
	var wait sync.WaitGroup
	limit := make(chan struct{}, workers)
	for from := 0; from < n && ctx.Err() == nil; from += size {
		limit <- struct{}{}
		wait.Go(func() {
			work(from, min(from+size, n))
			<-limit
		})
	}
	wait.Wait()
}
