package cpu

import (
	"math"
	"math/rand/v2"
	"slices"
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
	nodes := []int32{3, 0, 4, 6, 1, 2} // those that are taken together and those left over
	p := &plainKernels
	state, before, z := random(draw, 7*w), random(draw, 7*w), random(draw, len(nodes)*w)
	scale, shift := random(draw, w), random(draw, w)

	dz, dzPlain := make([]float32, len(nodes)*w), make([]float32, len(nodes)*w)
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

// A row's bits do not depend on how many are normalised with it.
func TestNormTogether(t *testing.T) {
	for _, i := range available() {
		for _, k := range i.sets {
			w := 2 * k.lanes
			draw := rand.New(rand.NewPCG(2, uint64(w)))
			before, z, scale, shift := random(draw, 6*w), random(draw, 6*w), random(draw, w), random(draw, w)
			together, alone := make([]float32, 6*w), make([]float32, 6*w)
			k.normForward(together, before, z, scale, shift, countUp(6), w)
			for r := range 6 {
				k.normForward(row(alone, r, w), row(before, r, w), row(z, r, w), scale, shift, countUp(1), w)
			}
			if !slices.Equal(together, alone) {
				t.Errorf("%s, %d lanes: rows differ with those beside them", i.name, k.lanes)
			}
		}
	}
}

// Features that are filled in one go have the bits of those that are begun, gathered and finished.
func TestFeaturesPNA(t *testing.T) {
	const degree, heads, relations = 5, 9, 4
	nodes := []int32{3, 0, 8}
	for _, i := range available() {
		for _, b := range i.blocks {
			for message, fill := range b.features {
				if fill == nil {
					continue
				}
				w, k := b.columns, i.set(b.lanes)
				draw := rand.New(rand.NewPCG(3, uint64(w)))
				hidden, rel, values, query := random(draw, heads*w), random(draw, relations*w), random(draw, heads), random(draw, w)
				edges := make([][2]int32, len(nodes)*degree)
				for e := range edges {
					edges[e] = [2]int32{draw.Int32N(heads), draw.Int32N(relations)}
				}
				edges = padded(edges)
				got, want := make([]float32, len(nodes)*5*w), make([]float32, len(nodes)*5*w)
				fill(got, hidden, rel, values, query, nodes, edges, degree, w, 1./(degree+1))
				k.startPNA(want, hidden, values, query, nodes, w)
				b.accumulate[pna][message](want[w:], hidden, rel, edges, len(nodes), degree, 5*w, w)
				k.finishPNA(want, len(nodes), w, 1./(degree+1))
				if !slices.Equal(got, want) {
					t.Errorf("%s, %d columns, message %d: other bits", i.name, w, message)
				}
			}
		}
	}
}
