package cuda

import "github.com/lacuna-kg/lacuna/kernel"

// LayerBackward runs in passes over samples. First the nodes: norm, Linear, and per node the coefficients of its
// messages' gradients. Then the edges as they arrive, for the gradient of relations; then the edges as they were
// sent, for that of the states. No two threads write to one place.
func (d *device) LayerBackward(l kernel.Layer, g kernel.DeviceGraph, din kernel.LayerGradient, dw kernel.LayerWeights, dout kernel.Buffer, kept kernel.Kept, in kernel.LayerInput, w kernel.LayerWeights) {
	want(dout.Len() == in.Hidden.Len() && din.Hidden.Len() == in.Hidden.Len(), "layer gradient", dout.Len(), in.Hidden.Len())
	r := d.newLayerRun(l, g, in, w)
	if r == nil {
		return
	}
	defer r.close()
	r.needGradients(r.g)
	if din.Fresh && !r.isWide() {
		r.fill(at(din.Hidden), 0, din.Hidden.Len())
	}
	r.inPasses(r.backwardBytes(kept), func() {
		stats, linear := r.recomputed(kept)
		coefficients := r.nodesBackward(din, dw, r.states(dout), linear, stats)
		if hasBoundary(l) && din.Query != nil {
			r.queryBackward(r.part(din.Query, l.Width), coefficients, stats)
		}
		if r.isStraight() {
			r.edgesBackward(din, coefficients, stats)
		} else {
			r.edgesBackwardAny(din, coefficients, stats)
		}
	})
}

// coefficients is how many numbers per node and column the edges need.
func (r *layerRun) coefficients() int {
	return r.l.Stats() // for PNA flat, high, low and slope
}

// backwardBytes is the scratch memory of one sample.
func (r *layerRun) backwardBytes(kept kernel.Kept) int {
	state := 4 * r.g.nodes * r.l.Width
	if r.isSummed() && kept.Stats != nil {
		return r.summedBytes()
	}
	bytes := state*(3+r.coefficients()) + 4*r.l.Width*max(r.g.shape.reached.count, r.g.shape.sent.count) + 8*r.g.edges*blocks(r.l.Width, 32)
	if kept.Stats == nil {
		bytes += state * r.l.Stats()
	}
	return bytes
}

// recomputed gives statistics and Linear of this pass: those kept, or computed again.
func (r *layerRun) recomputed(kept kernel.Kept) (stats, linear address) {
	stats, linear = r.statsFor(kept), r.keptLinear(kept)
	if kept.Stats == nil {
		r.aggregate(stats)
	}
	if linear == 0 {
		linear = r.floats(r.rows() * r.l.Width)
		r.nodesForward(0, linear, stats)
	}
	return stats, linear
}

// nodesBackward adds to the gradients of the weights and to dhidden, and gives the coefficients.
func (r *layerRun) nodesBackward(din kernel.LayerGradient, dw kernel.LayerWeights, dout, linear, stats address) address {
	if r.isTensor() {
		return r.tensorBackward(din, dw, dout, linear, stats)
	}
	if r.isWide() {
		return r.wideBackward(din, dw, dout, linear, stats)
	}
	d, n := r.l.Width, r.rows()
	dhidden := r.states(din.Hidden)
	dz, dscale, dshift := r.floats(n*d), r.floats(n*d), r.floats(n*d)
	r.launch("norm_backward", grid{x: blocks(n, 8), threads: 256}, 0, dz, dscale, dshift, dhidden, dout, linear, at(r.w.NormScale), at(r.w.Shift), int32(d), int64(n))
	r.sumRows(at(dw.NormScale), dscale, 0, 1, n, d)
	r.sumRows(at(dw.Shift), dshift, 0, 1, n, d)
	r.sumRows(at(dw.Bias), dz, 0, 1, n, d)
	dstats := r.floats(n * r.l.Stats() * d)
	r.eachBlock(stats, func(features address, from, count int) {
		r.linearBackward(dw, dhidden.row(from, d), dstats.row(from, r.l.Stats()*d), dz.row(from, d), features, from, count)
	})
	if !hasBoundary(r.l) {
		return dstats
	}
	coefficients := r.floats(n * r.coefficients() * d)
	r.launch("coefficients", over(n*d), 0, coefficients, dstats, stats, r.g.scale, int32(r.g.nodes), int32(r.l.Aggregate), int32(d), int64(n*d))
	return coefficients
}

// linearBackward takes a block of rows through the Linear and the features.
func (r *layerRun) linearBackward(dw kernel.LayerWeights, dhidden, dstats, dz, features address, from, n int) {
	d, f := r.l.Width, r.l.Features()
	r.multiply(product{out: at(dw.Weight), a: rowMajor(dz, d).transposed(), b: rowMajor(features, f).transposed(), m: d, n: f, k: n, add: true})
	dfeatures := features // no longer needed
	r.multiply(product{out: dfeatures, a: rowMajor(dz, d), b: rowMajor(at(r.w.Weight), f).transposed(), m: n, n: f, k: d})
	r.launch("features_backward", over(n*d), 0, dstats, dhidden, dfeatures, r.g.scale, int64(from), int32(r.g.nodes),
		int32(r.l.Aggregate), int32(r.l.Stats()), int32(d), int32(f), int64(n*d))
	if r.l.Aggregate == kernel.Directed {
		dloop := r.floats(n * d)
		r.launch("loop_backward", over(n*d), 0, dhidden, dloop, r.hidden.row(from, d), at(r.w.Loop), dfeatures, int32(r.l.Message), int32(d), int64(n*d))
		r.sumRows(at(dw.Loop), dloop, 0, 1, n, d)
	}
}

// tensorBackward is nodesBackward on the tensor cores.
func (r *layerRun) tensorBackward(din kernel.LayerGradient, dw kernel.LayerWeights, dout, linear, stats address) address {
	if r.packed.backward == 0 {
		r.packed.backward = r.pack("pna32_pack_backward", packedPairs)
	}
	n, g := r.rows()*32, r.persistent()
	warps := g.x * 8
	dz, coefficients, parts := r.floats(n), r.floats(4*n), r.floats(warps*96)
	to := r.states(din.Hidden)
	dhidden, alignedStats := r.aligned(to, n), r.aligned(stats, 4*n)
	if r.moved = r.rowBytes(13 * 32); r.marks != 0 {
		r.moved = r.rowBytes(3 * 32)
	}
	r.launch("pna32_backward", g, packedPairs*512, record{dz, coefficients, dhidden, parts, r.aligned(dout, n), r.aligned(linear, n), alignedStats,
		r.packed.backward, at(r.w.NormScale), at(r.w.Shift), r.g.scale, r.marks, int64(r.rows()), int32(r.g.nodes), int32(0)})
	r.putBack(to, dhidden, n)
	r.addSums([]kernel.Buffer{dw.NormScale, dw.Shift, dw.Bias}, parts, warps)
	r.tensorWeight(at(dw.Weight), dz, alignedStats)
	return coefficients
}

// addSums adds rows of several sums, each as wide as a state, to where they belong.
func (r *layerRun) addSums(to []kernel.Buffer, parts address, rows int) {
	d := r.l.Width
	sums := r.floats(d * len(to))
	r.fill(sums, 0, d*len(to))
	r.sumRows(sums, parts, 0, 1, rows, d*len(to))
	for i, b := range to {
		r.sumRows(at(b), sums.row(i, d), 0, 1, 1, d)
	}
}

// weightRows is how many rows a block of pna32_weight takes; weightShared its dynamic shared memory.
const weightRows, weightShared = 2048, 2 * 64 * (4*(40+40+136) + 16)

func (r *layerRun) tensorWeight(dweight, dz, stats address) {
	n := blocks(r.rows(), weightRows)
	parts := r.floats(n * 104 * 128)
	r.moved = r.rowBytes(6 * 32)
	r.launch("pna32_weight", grid{x: n, threads: 256}, weightShared, record{parts, dz, r.hidden, stats, r.g.scale,
		int64(r.rows()), int32(r.g.nodes), int32(0)})
	r.launch("pna32_add_weight", grid{x: 104, threads: 128}, 0, dweight, parts, int32(n))
}

// queryBackward: the boundary of every node is a message too.
func (r *layerRun) queryBackward(dquery, coefficients, stats address) {
	d, parts := r.l.Width, blocks(r.g.nodes, 256)
	part := r.floats(r.samples * parts * d)
	r.launch("query_backward_"+r.aggregateName(), grid{x: parts, y: r.samples, z: blocks(d, 32), threads: 256}, 0, part, coefficients, stats, r.call())
	r.sumRows(dquery, part, 0, r.samples, parts, d)
}
