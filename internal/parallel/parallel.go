// Package parallel spreads work over the cores: the same result for any number of
// them, and errors in the order of the work rather than of time.
package parallel

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
)

// Shares splits 0 … n-1 into a share a core, many times over so that hubs
// do not leave a core behind. No share is begun once the context has ended.
func Shares(ctx context.Context, n int, work func(from, to int)) {
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

// CheckShares runs a check over shares of 0 … n-1 and gives the error of the lowest share.
func CheckShares(n int, check func(from, to int) error) error {
	var lock sync.Mutex
	var found []shareError
	Shares(context.Background(), n, func(from, to int) {
		if err := check(from, to); err != nil {
			lock.Lock()
			defer lock.Unlock()
			found = append(found, shareError{from, err})
		}
	})
	if len(found) == 0 {
		return nil
	}
	return slices.MinFunc(found, func(a, b shareError) int { return cmp.Compare(a.from, b.from) }).err
}

type shareError struct {
	from int
	err  error
}

// FirstError runs checks side by side and gives the first error, by the order of the
// checks and not of time, so that the same input always gives the same message.
func FirstError(checks ...func() error) error {
	found := make([]error, len(checks))
	var wait sync.WaitGroup
	for i, check := range checks {
		wait.Go(func() { found[i] = check() })
	}
	wait.Wait()
	for _, err := range found {
		if err != nil {
			return err
		}
	}
	return nil
}
