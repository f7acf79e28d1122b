package limit

import (
	"testing"
)

// TestLittleIsLeft lets queries that hold much take what they get: one that holds little still runs.
func TestLittleIsLeft(t *testing.T) {
	pool := NewPool(16 << 20)
	var large []*Meter
	for range 4 {
		m := New(t.Context(), 0, 0, pool)
		for m.Keep(1 << 20) {
		}
		large = append(large, m)
	}
	small := New(t.Context(), 0, 0, pool)
	if !small.Keep(1 << 10) {
		t.Errorf("a small query gets nothing: %v", small.Err)
	}
	for _, m := range append(large, small) {
		m.Close()
	}
	if drawn := pool.Drawn(); drawn != 0 {
		t.Errorf("%d bytes are still drawn", drawn)
	}
}
