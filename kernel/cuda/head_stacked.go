package cuda

import (
	"github.com/lacuna-kg/lacuna/kernel"
)

// The head that reads the states after all of four layers of width 32, NELL995's: 160 features, on the tensor cores (head_stacked.cu).

// W0's part of the states is packed in factors of 512 bytes, 8×8 of them for forward and, transposed, 16×8 for backward. In
// shared memory the last layer's weight follows those of forward.
const (
	stackStates   = 4
	stackDepth    = 32 * stackStates // columns of the states
	stackWidth    = stackDepth + 32  // and of the query: the features
	stackFactors  = stackDepth / 8 * stackWidth / 8
	stackPairs    = stackWidth / 16 * stackDepth / 8
	stackShared   = 512*stackFactors + 4*stackWidth
	stackWarpSums = stackWidth + 32 // what a warp leaves: the sums of dw2, and db2 in a row of its own

	stackBlockRows   = 2048                                           // of the states, for a part of dW0
	stackBlockShared = 2 * 4 * 32 * (stackDepth + 8 + stackWidth + 8) // two stages of 32 padded rows
)

// isStacked tells whether head_stacked.cu applies.
func (r *headRun) isStacked() bool {
	return r.d == 32 && len(r.in.Hidden) == stackStates && r.rows < mostHeadRows && r.device.capacity.sharedPerBlock >= stackShared
}

// alignedStates are the states where vector loads may read them.
func (r *headRun) alignedStates(states []kernel.Buffer) (list [stackStates]address) {
	for i, h := range states {
		list[i] = r.aligned(at(h), r.rows*32)
	}
	return list
}

// stacked is the argument of the kernels that compute the middle layer. The query's part of W0 is the same for all rows
// of a sample and is added as a constant.
func (r *headRun) stacked(prob, dmiddle, parts, dprob, packed address, states [stackStates]address) record {
	constant := r.floats(r.samples * stackWidth)
	r.launch("head160_pack", grid{x: stackFactors + stackPairs, threads: 32}, 0, packed, at(r.w.Weight0))
	r.multiply(product{out: constant, a: rowMajor(at(r.in.Query), 32), b: matrix{at(r.w.Weight0).plus(4 * stackDepth), stackWidth, 1}, m: r.samples, n: stackWidth, k: 32, bias: at(r.w.Bias0)})
	return record{prob, dmiddle, parts, dprob, states[0], states[1], states[2], states[3], constant, packed,
		at(r.w.Weight2), at(r.w.Bias2), int32(r.rows), int32(r.nodes())}
}

// resident is a grid of one block a multiprocessor, which takes rows in turn.
func (r *headRun) resident() grid {
	return grid{x: r.device.capacity.multiprocessors, threads: 256}
}

func (r *headRun) stackedForward(prob address) {
	arguments := r.stacked(prob, 0, 0, 0, r.bytes(512*(stackFactors+stackPairs)), r.alignedStates(r.in.Hidden))
	r.moved = 4 * int64(r.rows*(stackDepth+1))
	r.launch("head160_forward", r.resident(), stackShared, arguments)
}

// stackedBackward leaves the gradients of the middle layer, (B,V,160), for the states' and for the sums over rows.
func (r *headRun) stackedBackward(din kernel.HeadInput, dw kernel.HeadWeights, dprob, prob address) {
	g := r.resident()
	warps := g.x * 8
	dmiddle, parts, packed := r.floats(r.rows*stackWidth), r.floats(warps*stackWarpSums), r.bytes(512*(stackFactors+stackPairs))
	states := r.alignedStates(r.in.Hidden)
	arguments := r.stacked(prob, dmiddle, parts, dprob, packed, states)
	r.moved = 4 * int64(r.rows*(stackDepth+stackWidth+2))
	r.launch("head160_middle", g, stackShared, arguments)
	r.stackedStates(din.Hidden, dmiddle, packed.plus(512*stackFactors))
	r.stackedWeight(at(dw.Weight0), dmiddle, states)

	sums := r.floats(stackWarpSums)
	r.fill(sums, 0, stackWarpSums)
	r.sumRows(sums, parts, 0, 1, warps, stackWarpSums)
	r.sumRows(at(dw.Weight2), sums, 0, 1, 1, stackWidth)
	r.sumRows(at(dw.Bias2), sums.plus(4*stackWidth), 0, 1, 1, 1)
	bySample := r.floats(r.samples * stackWidth)
	r.fill(bySample, 0, r.samples*stackWidth)
	r.sumRows(bySample, dmiddle, 0, r.samples, r.nodes(), stackWidth)
	r.sumRows(at(dw.Bias0), bySample, 0, 1, r.samples, stackWidth)
	r.multiply(product{out: at(dw.Weight0).plus(4 * stackDepth), stride: stackWidth, a: rowMajor(bySample, stackWidth).transposed(), b: rowMajor(at(r.in.Query), 32).transposed(), m: stackWidth, n: 32, k: r.samples, add: true})
	r.multiply(product{out: at(din.Query), a: rowMajor(bySample, stackWidth), b: matrix{at(r.w.Weight0).plus(4 * stackDepth), 1, stackWidth}, m: r.samples, n: 32, k: stackWidth, add: true})
}

func (r *headRun) stackedStates(dstates []kernel.Buffer, dmiddle, pairs address) {
	to := r.alignedStates(dstates)
	r.moved = 4 * int64(r.rows*(stackWidth+2*stackDepth))
	r.launch("head160_states", r.persistent(), 512*stackPairs, record{to[0], to[1], to[2], to[3], dmiddle, pairs, int32(r.rows), int32(0)})
	for i, h := range dstates {
		r.putBack(at(h), to[i], r.rows*32)
	}
}

func (r *headRun) stackedWeight(dweight, dmiddle address, states [stackStates]address) {
	n := blocks(r.rows, stackBlockRows)
	parts := r.floats(n * stackDepth * stackWidth)
	r.moved = 4 * int64(r.rows*(stackDepth+stackWidth))
	r.launch("head160_weight", grid{x: n, threads: 256}, stackBlockShared, record{parts, states[0], states[1], states[2], states[3], dmiddle, int64(r.rows)})
	r.launch("head160_add_weight", grid{x: stackDepth * stackWidth / 32, threads: 256}, 0, dweight, parts, int32(n))
}
