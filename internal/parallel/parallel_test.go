package parallel

import (
	"errors"
	"fmt"
	"slices"
	"testing"
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
	passes, fails := func() error { return nil }, make(chan struct{})
	err = FirstError(passes, func() error { <-fails; return first }, func() error { close(fails); return second })
	if err != first {
		t.Errorf("error %v of the checks", err)
	}
	if err := errors.Join(FirstError(passes, passes), CheckShares(100, func(int, int) error { return nil })); err != nil {
		t.Error(err)
	}
}
