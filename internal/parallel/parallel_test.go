package parallel

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

func TestSharesCoverAll(t *testing.T) {
	for _, n := range []int{0, 1, 2, 31, 32, 33, 1000} {
		seen := make([]int, n)
		Shares(t.Context(), n, func(from, to int) {
			for i := from; i < to; i++ {
				seen[i]++
			}
		})
		if slices.ContainsFunc(seen, func(times int) bool { return times != 1 }) {
			t.Errorf("of %d: %v", n, seen)
		}
	}
}

func TestEachStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var begun atomic.Int64
	Each(ctx, 1_000_000, func(int) {
		begun.Add(1)
		cancel()
	})
	if got := begun.Load(); got > int64(runtime.GOMAXPROCS(0)) {
		t.Errorf("%d turns were begun after the end", got)
	}
	EachWith(t.Context(), 0, func() func(int) { t.Error("work on nothing"); return nil })
}

func TestErrorsComeInTheOrderOfTheWork(t *testing.T) {
	err := CheckShares(10_000, func(from, to int) error {
		if to > 3000 {
			return fmt.Errorf("share of %d", max(from, 3000))
		}
		return nil
	})
	if err == nil || err.Error() != "share of 3000" {
		t.Errorf("error %v of the shares", err)
	}
	first, second := errors.New("first"), errors.New("second")
	passes := func() error { return nil }
	err = FirstError(passes, func() error { time.Sleep(time.Millisecond); return first }, func() error { return second })
	if err != first {
		t.Errorf("error %v of the checks", err)
	}
	if err := errors.Join(FirstError(passes, passes), CheckShares(100, func(int, int) error { return nil })); err != nil {
		t.Error(err)
	}
}

func TestPanicsReachTheCaller(t *testing.T) {
	defer func() {
		if p := recover(); p != "turn 7" {
			t.Errorf("recovered %v", p)
		}
	}()
	Each(t.Context(), 100, func(i int) {
		if i == 7 {
			panic("turn 7")
		}
	})
	t.Error("the panic was lost")
}

func TestGroup(t *testing.T) {
	var sum atomic.Int64
	var all Group
	for i := range 10 {
		all.Go(func() { sum.Add(int64(i)) })
	}
	all.Wait()
	if sum.Load() != 45 {
		t.Errorf("summed up to %d", sum.Load())
	}
	defer func() {
		if p := recover(); p != "seven" || sum.Load() != 46 {
			t.Errorf("recovered %v; summed up to %d", p, sum.Load())
		}
	}()
	all.Go(func() { panic("seven") })
	all.Do(func() { sum.Add(1) })
	all.Wait()
	t.Error("the panic was lost")
}
