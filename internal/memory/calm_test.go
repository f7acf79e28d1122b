package memory

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestPercentOf(t *testing.T) {
	for _, c := range []struct {
		live int64
		want int
	}{{0, most}, {1 << 20, most}, {64 << 20, 100}, {128 << 20, 50}, {1 << 30, 25}} {
		if got := percentOf(64<<20, c.live, 25); got != c.want {
			t.Errorf("%d bytes in use: %d %%, want %d", c.live, got, c.want)
		}
	}
}

// Every run of the collector adjusts what the next waits for.
func TestCalmFollowsTheHeap(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	t.Setenv("GOGC", "")
	Calm(64<<20, 25)
	after(t, func(percent int) bool { return percent > 100 })
	large := make([]byte, 512<<20)
	after(t, func(percent int) bool { return percent == 25 })
	runtime.KeepAlive(large)
	after(t, func(percent int) bool { return percent > 100 })
}

// after collects until the percentage is as wanted: finalizers run some time after the run that found their object dead.
func after(t *testing.T, wanted func(percent int) bool) {
	t.Helper()
	for range 1000 {
		runtime.GC()
		percent := debug.SetGCPercent(100)
		debug.SetGCPercent(percent)
		if wanted(percent) {
			return
		}
	}
	t.Fatal("it never came to that")
}
