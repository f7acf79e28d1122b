package cuda

import "github.com/lacuna-kg/lacuna/kernel"

// A layer of width 64 with one statistic, the foundation model's: its Linear on the tensor cores (linear_sum.cu, outer.cu),
// and for sums and means of DistMult messages the whole gradient in one pass over the edges (message_sum.cu).

// The weights of a layer are 128 factors of 8×8, for backward 64 of 16×8, of 512 bytes each.
const wideFactors, widePairs = 128, 64

func (r *layerRun) wideForward(out, linear, stats address) {
	if r.packed.forward == 0 {
		r.packed.forward = r.pack("sum64_pack_forward", wideFactors)
	}
	n := r.rows() * 64
	aligned := r.aligned(stats, n)
	to, z := r.alignedOutput(out, n), r.alignedOutput(linear, n)
	r.moved = r.rowBytes(4 * 64)
	r.launch("sum64_forward", grid{x: r.device.capacity.multiprocessors, threads: 384}, wideFactors*512, record{to, z, r.hidden, aligned, r.packed.forward,
		at(r.w.Bias), at(r.w.NormScale), at(r.w.Shift), int64(r.rows())})
	r.putBack(out, to, n)
	r.putBack(linear, z, n)
}

// wideBackward adds to the gradients of the weights and to dhidden, and gives the gradient of every message of a node.
func (r *layerRun) wideBackward(din kernel.LayerGradient, dw kernel.LayerWeights, dout, linear, stats address) address {
	if r.packed.backward == 0 {
		r.packed.backward = r.pack("sum64_pack_backward", widePairs)
	}
	n := r.rows() * 64
	g := r.persistent()
	warps := g.x * g.threads / 32
	dz, dstats, parts := r.floats(n), r.floats(n), r.floats(warps*3*64)
	to := r.states(din.Hidden)
	dhidden := r.aligned(to, n)
	r.moved = r.rowBytes(6 * 64)
	r.launch("sum64_backward", g, widePairs*512, record{dz, dstats, dhidden, parts, r.aligned(dout, n), r.aligned(linear, n),
		r.packed.backward, at(r.w.NormScale), at(r.w.Shift), r.g.scale, int64(r.rows()), int32(r.g.nodes), truth(r.l.Aggregate == kernel.Mean), truth(din.Fresh), int32(0)})
	r.putBack(to, dhidden, n)
	r.addSums([]kernel.Buffer{dw.NormScale, dw.Shift, dw.Bias}, parts, warps)
	r.outer(outer{to: at(dw.Weight), row: 128, column: 1, a: dz, b: r.hidden, c: r.aligned(stats, n), rows: r.rows(), aStride: 64, bStride: 64})
	return dstats
}

// outerRows is how many rows a block of outer64 takes; outerShared its dynamic shared memory.
const outerRows, outerShared = 2048, 2 * 3 * 64 * 4 * (64 + 8)

// outer is a product aᵀ·[b, c] over rows of 64 numbers each, added to where cell (i,k) lies at i·row + k·column.
type outer struct {
	to               address
	row, column      int
	a, b, c          address
	rows             int
	aStride, bStride int
}

func (f *frame) outer(o outer) {
	n := blocks(o.rows, outerRows)
	parts := f.floats(n * 64 * 128)
	f.moved = 4 * int64(o.rows) * 3 * 64
	f.launch("outer64", grid{x: n, threads: 256}, outerShared, record{parts, o.a, o.b, o.c, int64(o.rows), int32(o.aStride), int32(o.bStride)})
	f.launch("outer64_add", grid{x: 64 * 128 / 32, threads: 256}, 0, o.to, parts, int32(n), int32(o.row), int32(o.column))
}

// summedAggregate writes the sum of every node: of those of many edges by segments, of the others four to a warp.
func (r *layerRun) summedAggregate(stats address) {
	g, n := r.g, r.rows()*64
	to, parts := r.alignedOutput(stats, n), r.floats(r.samples*g.in.parts*64)
	r.moved = r.summedEdgeBytes() + r.rowBytes(64)
	r.launch("aggregate64_sum", grid{x: blocks(g.in.long, 4), y: r.samples, z: 2, threads: 128}, 0, to, parts, r.call(), g.in.record(), int32(g.in.long), r.marks)
	r.launch("aggregate64_short", grid{x: blocks(g.in.count-g.in.long, shortGroup), y: r.samples, threads: 256}, 0, to, r.call(), g.in.record(), int32(g.in.long), r.marks)
	r.launch("joined_sum", r.warps(g.in.splits), 0, to, parts, r.call(), g.in.record())
	r.putBack(stats, to, n)
}

// summedEdgeBytes is what the edges bring; next to nothing in a first layer.
func (r *layerRun) summedEdgeBytes() int64 {
	if r.marks != 0 {
		return 0
	}
	return r.edgeBytes(1)
}

// summedBackward takes the gradient dx of every node's sum along the edges that were sent.
func (r *layerRun) summedBackward(din kernel.LayerGradient, dx address) {
	g, of := r.g, r.g.shape.groups
	rows, parts := r.floats(r.samples*of.rows.count*64), r.floats(r.samples*g.out.parts*64)
	states := r.states(din.Hidden)
	to := r.aligned(states, r.rows()*64)
	thinned, first := truth(g.dropped != 0), truth(r.marks != 0)
	r.moved = r.summedEdgeBytes() + 4*int64(r.samples*of.rows.count*64)
	r.launch("sent64", grid{x: of.long, y: r.samples, z: 2, threads: 32 * longGroup}, 0, to, parts, rows, dx, r.call(), g.out.record(), of.record(g.sentEdges), thinned, first)
	r.launch("sent64_short", grid{x: of.count - of.long, y: r.samples, threads: 8 * shortGroup}, 0, to, rows, dx, r.call(), g.out.record(), of.record(g.sentEdges), int32(of.long), thinned, first)
	r.joinSent(to, parts)
	r.putBack(states, to, r.rows()*64)
	r.addRuns(din, rows, of.rows, 0)
}

// summedBytes is the scratch memory of one sample in backward.
func (r *layerRun) summedBytes() int {
	return 4*64*(2*r.g.nodes+r.g.shape.groups.rows.count+r.g.out.parts) + r.g.nodes
}
