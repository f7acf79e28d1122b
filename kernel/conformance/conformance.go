// Package conformance runs any kernel.Device against the plain one, which is the
// definition: every operation, forward and backward, at sizes around vector widths, with
// hubs, empty rows and ties, on buffers of odd alignment between guard zones.
//
// Tests of a device loop over Cases; the self test of the command line prints them.
package conformance

import (
	"fmt"
	"math"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
)

// Case is one comparison.
type Case struct {
	Name   string
	script func(s *stage)
}

// Tolerance is the largest accepted relative norm of a buffer's difference.
type Tolerance struct{ Forward, Backward float64 }

// Float32 is the tolerance of a device that computes in float32 throughout.
func Float32() Tolerance { return Tolerance{Forward: 1e-5, Backward: 1e-4} }

// Report says how far a case was off at most.
type Report struct{ Forward, Backward float64 }

// Run plays the case on both devices and compares every buffer; on the device under
// test twice, since it must give the same bits each time.
func (c Case) Run(device kernel.Device, tolerance Tolerance) (report Report, err error) {
	defined := plain.New()
	want, _, err := play(defined, c)
	if err != nil {
		return report, fmt.Errorf("%s: the plain device: %w", c.Name, err)
	}
	got, counts, err := play(device, c)
	if err != nil {
		return report, fmt.Errorf("%s: %w", c.Name, err)
	}
	again, _, err := play(device, c)
	if err != nil {
		return report, fmt.Errorf("%s: %w", c.Name, err)
	}
	for i, b := range got {
		if err := compare(&report, b, want[i], again[i], tolerance); err != nil {
			return report, fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	if counts == 0 {
		return report, fmt.Errorf("%s: the case compares nothing", c.Name)
	}
	return report, nil
}

// play runs the script and reads all buffers back.
func play(device kernel.Device, c Case) (results []result, outputs int, err error) {
	s := newStage(device)
	c.script(s)
	if err := device.Sync(); err != nil {
		return nil, 0, err
	}
	results, err = s.results()
	for _, r := range results {
		if r.role != input && r.role != scratch {
			outputs++
		}
	}
	s.free()
	return results, outputs, err
}

func compare(report *Report, got, want, again result, tolerance Tolerance) error {
	if got.role == scratch {
		return nil
	}
	for i := range got.values {
		if math.Float32bits(got.values[i]) != math.Float32bits(again.values[i]) {
			return fmt.Errorf("%s[%d] is %v in one run and %v in the next", got.name, i, got.values[i], again.values[i])
		}
	}
	off, at := relativeNorm(got.values, want.values)
	switch got.role {
	case output:
		report.Forward = max(report.Forward, off)
		tolerance.Backward = tolerance.Forward
	case gradient:
		report.Backward = max(report.Backward, off)
	}
	if !(off <= tolerance.Backward) {
		return fmt.Errorf("%s is off by %.2g; most at %d of %d: %v, expected %v", got.name, off, at, len(got.values), got.values[at], want.values[at])
	}
	return nil
}

// relativeNorm gives |got − want| / |want| and where they differ most.
func relativeNorm(got, want []float32) (off float64, at int) {
	var difference, norm, most float64
	for i := range want {
		d := math.Abs(float64(got[i]) - float64(want[i]))
		if !(d <= most) { // NaN is always most
			most, at = d, i
		}
		difference += d * d
		norm += float64(want[i]) * float64(want[i])
	}
	if difference == 0 {
		return 0, at
	}
	return math.Sqrt(difference / norm), at
}
