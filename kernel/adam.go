package kernel

import "math"

// AdamStep is the optimiser's setting at one step; Step counts from 1.
type AdamStep struct {
	Rate, Beta1, Beta2, Epsilon float64
	Step                        int
}

// Factors are what a device multiplies by, with the bias corrections folded in:
//
//	param −= rate · first / (√second·root + ε)
func (s AdamStep) Factors() (rate, root float64) {
	rate = s.Rate / (1 - math.Pow(s.Beta1, float64(s.Step)))
	root = 1 / math.Sqrt(1-math.Pow(s.Beta2, float64(s.Step)))
	return rate, root
}
