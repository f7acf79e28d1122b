package cpu

import (
	"math"
	"testing"
)

func TestExp(t *testing.T) {
	for x := float32(0); x > -90; x -= 0.0137 {
		if got, want := float64(exp(x)), math.Exp(float64(x)); math.Abs(got-want) > 1e-5*want+1e-37 {
			t.Fatalf("exp(%v) = %v, expected %v", x, got, want)
		}
	}
}
