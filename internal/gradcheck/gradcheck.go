// Package gradcheck compares a gradient written by hand with finite differences in float64.
package gradcheck

import (
	"fmt"
	"math"
)

// Tolerance is the largest accepted difference, relative to the larger of 1 and the derivative.
const Tolerance = 1e-6

// Check moves each value of x by a little both ways, has f compute the result anew, and
// compares the slope with dx. x is left as it was. At a kink the slope is not defined:
// choose inputs away from them.
func Check(name string, f func() float64, x, dx []float64) error {
	if len(x) != len(dx) {
		return fmt.Errorf("%s: %d values, %d derivatives", name, len(x), len(dx))
	}
	for i := range x {
		slope := centralDifference(f, &x[i])
		if off := math.Abs(slope - dx[i]); !(off <= Tolerance*max(1, math.Abs(slope))) {
			return fmt.Errorf("%s[%d]: derivative %.9g, finite difference %.9g", name, i, dx[i], slope)
		}
	}
	return nil
}

func centralDifference(f func() float64, x *float64) float64 {
	const step = 1e-5 // near the cube root of float64's precision, where truncation meets rounding
	before := *x
	*x = before + step
	up := f()
	*x = before - step
	down := f()
	*x = before
	return (up - down) / (2 * step)
}
