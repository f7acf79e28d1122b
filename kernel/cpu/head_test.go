package cpu

import (
	"testing"

	"github.com/lacuna-kg/lacuna/kernel"
)

// TestNegligibleGradients: where the network is sure, gradients vanish instead of becoming denormal, and
// those that count are what they were without them.
func TestNegligibleGradients(t *testing.T) {
	const nodes, width, f = 6, 8, 16
	run := func(dprob []float32) []float32 {
		d := open(t, Options{Threads: 1})
		filled := func(n int) kernel.Buffer {
			values := make([]float32, n)
			for i := range values {
				values[i] = 0.1 + float32(i%7)/10
			}
			return uploaded(d, values)
		}
		in := kernel.HeadInput{Hidden: []kernel.Buffer{filled(nodes * width)}, Query: filled(width)}
		w := kernel.HeadWeights{Weight0: filled(f * f), Bias0: filled(f), Weight2: filled(f), Bias2: filled(1)}
		din := kernel.HeadInput{Hidden: []kernel.Buffer{d.NewBuffer(nodes * width)}, Query: d.NewBuffer(width)}
		dw := kernel.HeadWeights{Weight0: d.NewBuffer(f * f), Bias0: d.NewBuffer(f), Weight2: d.NewBuffer(f), Bias2: d.NewBuffer(1)}
		prob := uploaded(d, []float32{0.5, 0.5, 0.5, 0.5, 0.5, 0.5})
		d.HeadBackward(din, dw, uploaded(d, dprob), prob, in, w)
		return append(clone(d.floats(din.Hidden[0])), d.floats(dw.Weight0)...)
	}
	want := run([]float32{1, 0, -1, 0, 1e-12, 0})
	got := run([]float32{1, 1e-38, -1, -1e-36, 1e-12, 1e-30})
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("gradient %d is %v, without the negligible ones %v", i, got[i], want[i])
		}
	}
	if want[4*width] == 0 {
		t.Error("a gradient of 1e-12 is lost")
	}
}

func uploaded(d *Device, values []float32) kernel.Buffer {
	b := d.NewBuffer(len(values))
	copy(d.floats(b), values)
	return b
}
