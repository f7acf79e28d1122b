package cuda

import (
	"github.com/lacuna-kg/lacuna/kernel"
)

// The head of the foundation model: one state of width 64, 128 features, on the tensor cores (head_foundation.cu).

// W0's part of the state is packed in 128 factors, transposed for backward in 64 more, of 512 bytes each; the last
// layer's weight follows.
const headFactors, headPairs, headTail = 128, 64, 4 * 128

// isWide tells whether head_foundation.cu applies.
func (r *headRun) isWide() bool {
	return r.d == 64 && len(r.in.Hidden) == 1 && r.rows < mostHeadRows && r.device.capacity.sharedPerBlock >= 512*(headFactors+headPairs)+headTail
}

// wide is the argument of the kernels. The query's part of W0 is the same for all rows of a sample and is added as a constant.
func (r *headRun) wide(prob, dhidden, dmiddle, parts, dprob address) record {
	constant, packed := r.floats(r.samples*128), r.bytes(512*(headFactors+headPairs))
	r.launch("head64_pack", grid{x: headFactors + headPairs, threads: 32}, 0, packed, at(r.w.Weight0))
	r.multiply(product{out: constant, a: rowMajor(at(r.in.Query), 64), b: matrix{at(r.w.Weight0).plus(4 * 64), 128, 1}, m: r.samples, n: 128, k: 64, bias: at(r.w.Bias0)})
	return record{prob, dhidden, dmiddle, parts, dprob, r.aligned(at(r.in.Hidden[0]), r.rows*64), constant, packed,
		at(r.w.Weight2), at(r.w.Bias2), int32(r.rows), int32(r.nodes())}
}

func (r *headRun) wideForward(prob address) {
	arguments := r.wide(prob, 0, 0, 0, 0)
	r.moved = 4 * int64(r.rows*65)
	r.launch("head64_forward", r.persistent(), 512*headFactors+headTail, arguments)
}

// wideBackward leaves the gradients of the middle layer, (B,V,128), for the sums over rows.
func (r *headRun) wideBackward(din kernel.HeadInput, dw kernel.HeadWeights, dprob, prob address) {
	g := grid{x: r.device.capacity.multiprocessors, threads: 256}
	warps := g.x * 8
	dmiddle, parts, sums := r.floats(r.rows*128), r.floats(warps*160), r.floats(160)
	dhidden := r.aligned(at(din.Hidden[0]), r.rows*64)
	arguments := r.wide(prob, dhidden, dmiddle, parts, dprob)
	r.moved = 4 * int64(r.rows*(64+128+128+2))
	r.launch("head64_backward", g, 512*(headFactors+headPairs)+headTail, arguments)
	r.putBack(at(din.Hidden[0]), dhidden, r.rows*64)
	r.fill(sums, 0, 160)
	r.sumRows(sums, parts, 0, 1, warps, 160)
	r.sumRows(at(dw.Weight2), sums, 0, 1, 1, 128)
	r.sumRows(at(dw.Bias2), sums.plus(4*128), 0, 1, 1, 1)
	bySample := r.floats(r.samples * 128)
	r.fill(bySample, 0, r.samples*128)
	r.sumRows(bySample, dmiddle, 0, r.samples, r.nodes(), 128)
	r.sumRows(at(dw.Bias0), bySample, 0, 1, r.samples, 128)
	weight, dweight := at(r.w.Weight0), at(dw.Weight0)
	r.outer(outer{to: dweight, row: 1, column: 128, a: r.aligned(at(r.in.Hidden[0]), r.rows*64), b: dmiddle, c: dmiddle.plus(4 * 64), rows: r.rows, aStride: 64, bStride: 128})
	r.multiply(product{out: dweight.plus(4 * 64), stride: 128, a: rowMajor(bySample, 128).transposed(), b: rowMajor(at(r.in.Query), 64).transposed(), m: 128, n: 64, k: r.samples, add: true})
	r.multiply(product{out: at(din.Query), a: rowMajor(bySample, 128), b: matrix{weight.plus(4 * 64), 1, 128}, m: r.samples, n: 64, k: 128, add: true})
}
