package cuda

import (
	"math"

	"github.com/lacuna-kg/lacuna/kernel"
)

// mostHeadRows is how many rows, of all samples, the heads on the tensor cores count in 32 bits. The states of more
// would be over 270 GB; they go the general way.
const mostHeadRows = math.MaxInt32 - 1<<20

// headRun is one call of the head, opened: n states and the query make F = (n+1)·D features.
type headRun struct {
	*frame
	in            kernel.HeadInput
	w             kernel.HeadWeights
	rows, samples int
	d, features   int
}

func (d *device) newHeadRun(in kernel.HeadInput, w kernel.HeadWeights, rows int) *headRun {
	r := &headRun{in: in, w: w, rows: rows, features: w.Bias0.Len()}
	r.d = r.features / (len(in.Hidden) + 1)
	for _, h := range in.Hidden {
		want(h.Len() == rows*r.d, "head input", h.Len(), rows*r.d)
	}
	want(w.Weight0.Len() == r.features*r.features && w.Weight2.Len() == r.features && w.Bias2.Len() == 1, "head weights", w.Weight0.Len(), r.features)
	r.samples = in.Query.Len() / r.d
	want(in.Query.Len()%r.d == 0 && rows%r.samples == 0, "head query", in.Query.Len(), rows)
	if r.frame = d.frame(); r.frame == nil {
		return nil
	}
	return r
}

func (r *headRun) nodes() int { return r.rows / r.samples }

func (d *device) HeadForward(prob kernel.Buffer, in kernel.HeadInput, w kernel.HeadWeights) {
	r := d.newHeadRun(in, w, prob.Len())
	if r == nil {
		return
	}
	defer r.close()
	if r.isNarrow() {
		r.narrowForward(at(prob))
		return
	}
	if r.isWide() {
		r.wideForward(at(prob))
		return
	}
	if r.isStacked() {
		r.stackedForward(at(prob))
		return
	}
	r.eachBlock(func(from, n int) {
		_, middle := r.middle(from, n)
		r.launch("head_output", grid{x: blocks(n, 8), threads: 256}, 0, at(prob).row(from, 1), middle, at(w.Weight2), at(w.Bias2), int32(r.features), int64(n))
	})
}

// eachBlock goes over the rows in blocks whose features and gradients fit the scratch memory; blocks are whole samples.
func (r *headRun) eachBlock(visit func(from, n int)) {
	step := max(1, int(r.device.scratch/int64(16*r.features*r.nodes()))) * r.nodes()
	for from := 0; from < r.rows; from += step {
		mark := r.mark()
		visit(from, min(step, r.rows-from))
		r.release(mark)
	}
}

// middle computes features and hidden layer of n rows.
func (r *headRun) middle(from, n int) (features, middle address) {
	features, middle = r.floats(n*r.features), r.floats(n*r.features)
	var states []address
	for _, h := range r.in.Hidden {
		states = append(states, at(h))
	}
	r.launch("head_features", over(n*r.features), 0, features, send(r.frame, states), at(r.in.Query), int32(len(states)), int64(from), int32(r.nodes()), int32(r.d), int64(n*r.features))
	r.multiply(product{out: middle, a: rowMajor(features, r.features), b: rowMajor(at(r.w.Weight0), r.features), m: n, n: r.features, k: r.features, bias: at(r.w.Bias0), relu: true})
	return features, middle
}

func (d *device) HeadBackward(din kernel.HeadInput, dw kernel.HeadWeights, dprob, prob kernel.Buffer, in kernel.HeadInput, w kernel.HeadWeights) {
	r := d.newHeadRun(in, w, prob.Len())
	if r == nil {
		return
	}
	defer r.close()
	if r.isNarrow() {
		r.narrowBackward(din, dw, at(dprob), at(prob))
		return
	}
	if r.isWide() {
		r.wideBackward(din, dw, at(dprob), at(prob))
		return
	}
	if r.isStacked() {
		r.stackedBackward(din, dw, at(dprob), at(prob))
		return
	}
	r.eachBlock(func(from, n int) { r.blockBackward(din, dw, at(dprob).row(from, 1), at(prob).row(from, 1), from, n) })
}

func (r *headRun) blockBackward(din kernel.HeadInput, dw kernel.HeadWeights, dprob, prob address, from, n int) {
	features, dmiddle := r.middle(from, n)
	f, size := r.features, n*r.features
	terms, dlogit, dfeatures := r.floats(size), r.floats(n), r.floats(size)
	r.launch("head_output_backward", over(size), 0, dmiddle, terms, dlogit, dprob, prob, at(r.w.Weight2), int32(f), int64(size))
	r.sumRows(at(dw.Weight2), terms, 0, 1, n, f)
	r.sumRows(at(dw.Bias2), dlogit, 0, 1, n, 1)
	r.sumRows(at(dw.Bias0), dmiddle, 0, 1, n, f)
	r.multiply(product{out: at(dw.Weight0), a: rowMajor(dmiddle, f).transposed(), b: rowMajor(features, f).transposed(), m: f, n: f, k: n, add: true})
	r.multiply(product{out: dfeatures, a: rowMajor(dmiddle, f), b: rowMajor(at(r.w.Weight0), f).transposed(), m: n, n: f, k: f})
	var states []address
	for _, h := range din.Hidden {
		states = append(states, at(h))
	}
	dquery := r.floats(n * r.d)
	r.launch("head_split", over(size), 0, send(r.frame, states), dquery, dfeatures, int32(len(states)), int64(from), int32(r.d), int64(size))
	r.sumRows(at(din.Query).row(from/r.nodes(), r.d), dquery, 0, n/r.nodes(), r.nodes(), r.d)
}
