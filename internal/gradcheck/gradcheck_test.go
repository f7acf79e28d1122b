package gradcheck

import (
	"math"
	"testing"
)

func TestCheck(t *testing.T) {
	x := []float64{0.3, -1.2}
	f := func() float64 { return math.Sin(x[0]) * x[1] }
	right := []float64{math.Cos(0.3) * -1.2, math.Sin(0.3)}
	if err := Check("sin", f, x, right); err != nil {
		t.Error(err)
	}
	if x[0] != 0.3 || x[1] != -1.2 {
		t.Errorf("inputs were left at %v", x)
	}
	for _, wrong := range [][]float64{{right[0] + 1e-5, right[1]}, {right[0], math.NaN()}, {right[0]}} {
		if Check("sin", f, x, wrong) == nil {
			t.Errorf("accepted %v", wrong)
		}
	}
}
