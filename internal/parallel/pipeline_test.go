package parallel

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// upTo counts from 0, for ever if n is below 0.
func upTo(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := 0; i != n && yield(i); i++ {
		}
	}
}

// slowSquares take longer for some items than for others.
func slowSquares(int) func(context.Context, int) int {
	return func(ctx context.Context, i int) int {
		select {
		case <-time.After(time.Duration(i*7%5) * time.Millisecond):
		case <-ctx.Done():
			return -1
		}
		return i * i
	}
}

func TestPipelineKeepsTheOrder(t *testing.T) {
	for _, n := range []int{0, 1, 2, 50} {
		for _, workers := range []int{1, 2, 7} {
			synctest.Test(t, func(t *testing.T) {
				p := Start(t.Context(), workers, workers, upTo(n), slowSquares)
				defer p.Close()
				for i := range n {
					if out, more := p.Next(); !more || out != i*i {
						t.Fatalf("item %d of %d gave %d, %v", i, n, out, more)
					}
				}
				if out, more := p.Next(); more {
					t.Errorf("%d after the last of %d", out, n)
				}
			})
		}
	}
}

// TestPipelineEnds relies on synctest, which fails where a goroutine is left behind.
func TestPipelineEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := Start(t.Context(), 3, 4, upTo(-1), slowSquares)
		p.Next()
		p.Close()
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		p := Start(ctx, 3, 4, upTo(-1), slowSquares)
		p.Next()
		cancel()
		synctest.Wait()
		for out, more := p.Next(); more; out, more = p.Next() {
			if out < 0 {
				t.Error("a result of work that was stopped")
			}
		}
		p.Close()
	})
}

func TestPipelineWorksAheadWithinABound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var begun atomic.Int64
		p := Start(t.Context(), 2, 5, upTo(-1), func(int) func(context.Context, int) int {
			return func(_ context.Context, i int) int { begun.Add(1); return i }
		})
		defer p.Close()
		synctest.Wait()
		if got := begun.Load(); got != 5 {
			t.Errorf("%d items were begun before the first was taken, want 5", got)
		}
	})
}

func TestEveryWorkerHasItsOwn(t *testing.T) {
	made := make([]int, 3) // by worker; the race detector sees whether they share
	p := Start(t.Context(), 3, 3, upTo(100), func(worker int) func(context.Context, int) int {
		return func(_ context.Context, i int) int { made[worker]++; return i }
	})
	for _, more := p.Next(); more; _, more = p.Next() {
	}
	p.Close()
	if made[0]+made[1]+made[2] != 100 {
		t.Errorf("the workers made %v", made)
	}
}

// A device that is not the CPU is left two cores, if there are as many.
func TestAhead(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	if own, beside := Ahead(true), Ahead(false); own != 8 || beside != 6 {
		t.Errorf("%d and %d of 8 cores", own, beside)
	}
	runtime.GOMAXPROCS(1)
	if beside := Ahead(false); beside != 1 {
		t.Errorf("%d of one core", beside)
	}
}

// A panic, of who works or of who gives the items, reaches who takes the results and leaves no goroutine behind.
func TestPanicsReachWhoTakes(t *testing.T) {
	squares := func(int) func(context.Context, int) int { return func(_ context.Context, i int) int { return i * i } }
	failing := func(int) func(context.Context, int) int {
		return func(context.Context, int) int { panic("work") }
	}
	for want, start := range map[string]func(context.Context) *Pipeline[int]{
		"work": func(ctx context.Context) *Pipeline[int] { return Start(ctx, 2, 2, upTo(-1), failing) },
		"items": func(ctx context.Context) *Pipeline[int] {
			return Start(ctx, 2, 2, func(func(int) bool) { panic("items") }, squares)
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := start(t.Context())
			defer p.Close()
			synctest.Wait()
			defer func() {
				if got := recover(); got != want {
					t.Errorf("recovered %v, want %s", got, want)
				}
			}()
			for _, more := p.Next(); more; _, more = p.Next() {
			}
			t.Errorf("the panic of the %s was lost", want)
		})
	}
}
