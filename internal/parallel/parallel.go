// Package parallel spreads work over the cores: loops whose turns do not know of each
// other, and pipelines whose results come in the order of what went in. What comes out
// is the same for any number of cores, errors included: they are given in the order of
// the work, not of time.
package parallel

import (
	"context"
	"runtime"
	"sync/atomic"
)

// Each calls work(0) … work(n-1) on all cores, in any order, and waits for them. No turn
// is begun once the context has ended.
func Each(ctx context.Context, n int, work func(i int)) {
	EachWith(ctx, n, func() func(int) { return work })
}

// EachWith is Each with memory of their own for those who work: newWork is called once
// in each goroutine. A panic of one of them becomes one of the caller, who may recover.
func EachWith(ctx context.Context, n int, newWork func() func(i int)) {
	var next atomic.Int64
	take := func() {
		defer func() { next.Store(int64(n)) }() // where it panics, nobody begins another
		work := newWork()
		for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
			work(i)
		}
	}
	var all Group
	for range min(runtime.GOMAXPROCS(0), n) - 1 {
		all.Go(take)
	}
	if n > 0 {
		all.Do(take) // the caller is one of them
	}
	all.Wait()
}

// Shares splits 0 … n-1 into a share a core, many times over so that hubs
// do not leave a core behind. No share is begun once the context has ended.
func Shares(ctx context.Context, n int, work func(from, to int)) {
	size := shareSize(n)
	Each(ctx, shareCount(n), func(i int) { work(i*size, min((i+1)*size, n)) })
}

func shareSize(n int) int  { return max(1, n/(16*runtime.GOMAXPROCS(0))) }
func shareCount(n int) int { return (n + shareSize(n) - 1) / shareSize(n) }

// CheckShares runs a check over shares of 0 … n-1 and gives the error of the lowest share.
func CheckShares(n int, check func(from, to int) error) error {
	size := shareSize(n)
	return Check(shareCount(n), func(i int) error { return check(i*size, min((i+1)*size, n)) })
}

// Check runs check(0) … check(n-1) and gives the error of the lowest.
func Check(n int, check func(i int) error) error {
	found := make([]error, n)
	Each(context.Background(), n, func(i int) { found[i] = check(i) })
	for _, err := range found {
		if err != nil {
			return err
		}
	}
	return nil
}

// FirstError runs checks side by side and gives the error of the first that has one, so
// that the same input always gives the same message.
func FirstError(checks ...func() error) error {
	return Check(len(checks), func(i int) error { return checks[i]() })
}
