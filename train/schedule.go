package train

import (
	"math"

	"github.com/lacuna-kg/lacuna/kernel"
)

// The schedules of the learning rate.
const (
	Constant = "constant"
	Cosine   = "cosine" // down to a hundredth of the rate at the last step
)

// cosineFloor is the part of the rate that a cosine ends with: steps of no length teach nothing.
const cosineFloor = 0.01

// rateAt is the learning rate at a step, counted from 1: it rises in proportion over the
// warm-up, in which Adam's second moments still settle, then follows the schedule.
func (c Config) rateAt(step int) float64 {
	if step < c.Warmup {
		return c.Rate * float64(step) / float64(c.Warmup)
	}
	if c.Schedule != Cosine {
		return c.Rate
	}
	done := float64(step-c.Warmup) / float64(max(1, c.Steps-c.Warmup))
	return c.Rate * (cosineFloor + (1-cosineFloor)*(1+math.Cos(math.Pi*min(1, done)))/2)
}

// adam is the optimiser's setting at a step, counted from 1.
func (c Config) adam(step int) kernel.AdamStep {
	return kernel.AdamStep{Rate: c.rateAt(step), Beta1: c.Beta1, Beta2: c.Beta2, Epsilon: c.Epsilon, Step: step}
}

// decayAt is how much of the average of the weights outlives a step. Early on it is less
// than configured, or the initial values would weigh on the average for thousands of steps.
func (c Config) decayAt(step int) float64 {
	return min(c.Average, float64(1+step)/float64(10+step))
}
