package cuda

import (
	"github.com/lacuna-kg/lacuna/kernel"
)

// The head of the paper's models: one state of width 32, 64 features, on the tensor cores (head_paper.cu).

// isNarrow tells whether head_paper.cu applies.
func (r *headRun) isNarrow() bool {
	return r.d == 32 && len(r.in.Hidden) == 1 && r.rows < mostHeadRows
}

// narrow is the argument of the tensor cores' head: W0's part of the state is packed, its part of the query,
// the same for all rows of a sample, is added as a constant.
func (r *headRun) narrow(prob, dhidden, dmiddle, parts, dprob address) record {
	constant, packed := r.floats(r.samples*64), r.bytes(64*512)
	r.launch("head32_pack", grid{x: 64, threads: 32}, 0, packed, at(r.w.Weight0))
	r.multiply(product{out: constant, a: rowMajor(at(r.in.Query), 32), b: matrix{at(r.w.Weight0).plus(4 * 32), 64, 1}, m: r.samples, n: 64, k: 32, bias: at(r.w.Bias0)})
	return record{prob, dhidden, dmiddle, parts, dprob, r.aligned(at(r.in.Hidden[0]), r.rows*32), constant, packed,
		at(r.w.Weight2), at(r.w.Bias2), int32(r.rows), int32(r.nodes())}
}

func (r *headRun) narrowForward(prob address) {
	arguments := r.narrow(prob, 0, 0, 0, 0)
	r.moved = 4 * int64(r.rows*33)
	r.launch("head32_forward", r.persistent(), 0, arguments)
}

func (r *headRun) narrowBackward(din kernel.HeadInput, dw kernel.HeadWeights, dprob, prob address) {
	g := r.persistent()
	warps := g.x * 8
	dmiddle, parts, sums := r.floats(r.rows*64), r.floats(warps*96), r.floats(96)
	dhidden := r.aligned(at(din.Hidden[0]), r.rows*32)
	arguments := r.narrow(prob, dhidden, dmiddle, parts, dprob)
	r.moved = 4 * int64(r.rows*(32+64+64+2))
	r.launch("head32_backward", g, 0, arguments)
	r.putBack(at(din.Hidden[0]), dhidden, r.rows*32)
	r.fill(sums, 0, 96)
	r.sumRows(sums, parts, 0, 1, warps, 96)
	r.sumRows(at(dw.Weight2), sums, 0, 1, 1, 64)
	r.sumRows(at(dw.Bias2), sums.plus(4*64), 0, 1, 1, 1)
	bySample := r.floats(r.samples * 64)
	r.fill(bySample, 0, r.samples*64)
	r.sumRows(bySample, dmiddle, 0, r.samples, r.nodes(), 64)
	r.sumRows(at(dw.Bias0), bySample, 0, 1, r.samples, 64)
	weight, dweight := at(r.w.Weight0), at(dw.Weight0)
	r.multiply(product{out: dweight, stride: 64, a: rowMajor(dmiddle, 64).transposed(), b: rowMajor(r.aligned(at(r.in.Hidden[0]), r.rows*32), 32).transposed(), m: 64, n: 32, k: r.rows, add: true})
	r.multiply(product{out: dweight.plus(4 * 32), stride: 64, a: rowMajor(bySample, 64).transposed(), b: rowMajor(at(r.in.Query), 32).transposed(), m: 64, n: 32, k: r.samples, add: true})
	r.multiply(product{out: at(din.Query), a: rowMajor(bySample, 64), b: matrix{weight.plus(4 * 32), 1, 64}, m: r.samples, n: 32, k: 64, add: true})
}
