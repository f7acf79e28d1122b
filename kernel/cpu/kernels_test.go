package cpu

import (
	"math"
	"math/rand/v2"
	"testing"
)

// random floats between −1 and 1.
func random(draw *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = 2*draw.Float32() - 1
	}
	return x
}

// near compares two results.
func near(t *testing.T, what string, got, want []float32) {
	t.Helper()
	for i := range want {
		if !(math.Abs(float64(got[i]-want[i])) <= 1e-5*(1+math.Abs(float64(want[i])))) {
			t.Errorf("%s[%d] = %v, expected %v", what, i, got[i], want[i])
			return
		}
	}
}

func clone(x []float32) []float32 { return append([]float32(nil), x...) }

// The row kernels of every instruction set against their plain Go twins.
func TestRowKernels(t *testing.T) {
	for _, i := range available() {
		for _, k := range i.sets {
			for _, width := range []int{k.lanes, 2 * k.lanes, 5 * k.lanes} {
				compareRows(t, k, width)
			}
		}
	}
}

func compareRows(t *testing.T, k *kernels, w int) {
	draw := rand.New(rand.NewPCG(1, uint64(w)))
	nodes := []int32{3, 0, 4}
	p := &plainKernels
	state, before, z := random(draw, 5*w), random(draw, 5*w), random(draw, 3*w)
	scale, shift := random(draw, w), random(draw, w)

	dz, dzPlain := make([]float32, 3*w), make([]float32, 3*w)
	sums := random(draw, 3*w)
	sumsPlain := clone(sums)
	k.normBackward(dz, sums, state, z, scale, shift, nodes, w)
	p.normBackward(dzPlain, sumsPlain, state, z, scale, shift, nodes, w)
	near(t, "norm backward", dz, dzPlain)
	near(t, "norm backward: sums", sums, sumsPlain)

	out, outPlain := clone(state), clone(state)
	k.normForward(out, before, z, scale, shift, nodes, w)
	p.normForward(outPlain, before, z, scale, shift, nodes, w)
	near(t, "norm forward", out, outPlain)

	k.addRows(out, before, z, nodes, w, w)
	p.addRows(outPlain, before, z, nodes, w, w)
	near(t, "add rows", out, outPlain)
}
