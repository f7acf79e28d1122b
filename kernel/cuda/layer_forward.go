package cuda

import "github.com/lacuna-kg/lacuna/kernel"

// LayerForward aggregates all messages, then computes the nodes.
func (d *device) LayerForward(l kernel.Layer, g kernel.DeviceGraph, out kernel.Buffer, kept kernel.Kept, in kernel.LayerInput, w kernel.LayerWeights) {
	want(out.Len() == in.Hidden.Len(), "layer output", out.Len(), in.Hidden.Len())
	r := d.newLayerRun(l, g, in, w)
	if r == nil {
		return
	}
	defer r.close()
	perSample := 4 * r.g.nodes * l.Stats() * l.Width
	r.inPasses(perSample, func() {
		stats := r.statsFor(kept)
		r.sparse = kept.Stats == nil && r.marks != 0 && r.isByDegree()
		r.aggregate(stats)
		r.nodesForward(r.states(out), r.keptLinear(kept), stats)
	})
}

func (r *layerRun) statsFor(kept kernel.Kept) address {
	n := r.g.nodes * r.l.Stats() * r.l.Width
	if kept.Stats != nil {
		return r.part(kept.Stats, n)
	}
	return r.floats(r.samples * n)
}

func (r *layerRun) keptLinear(kept kernel.Kept) address {
	if kept.Linear == nil {
		return 0
	}
	return r.states(kept.Linear)
}

// aggregate writes the statistics of every node.
func (r *layerRun) aggregate(stats address) {
	if !r.isStraight() {
		r.launch("aggregate_any", r.warps(r.g.nodes), 0, stats, r.call(), r.g.in.record(), r.rest(0, 0))
		return
	}
	if r.isSummed() {
		r.summedAggregate(stats)
		return
	}
	s := r.l.Stats()
	parts := r.floats(r.samples * r.g.in.parts * s * r.l.Width)
	switch {
	case r.marks != 0:
		r.firstAggregate(stats, parts)
	case r.isWhole():
		r.wholeAggregate(stats, parts)
	default:
		r.moved = r.edgeBytes(1) + r.rowBytes(s*r.l.Width)
		r.launch(r.edgeKernel("aggregate"), r.overSegments(r.g.in), 0, stats, parts, r.call(), r.g.in.record())
	}
	r.moved = 4 * int64(r.samples*r.g.in.parts*s*r.l.Width)
	r.launch("joined_"+r.aggregateName(), r.warps(r.g.in.splits), 0, stats, parts, r.call(), r.g.in.record())
}

// nodesForward is Linear, norm, ReLU and short cut. out or linear may be nowhere, but not both.
func (r *layerRun) nodesForward(out, linear, stats address) {
	if r.isByDegree() {
		r.degreesForward(out, linear, stats)
		return
	}
	if r.isTensor() {
		r.tensorForward(out, linear, stats)
		return
	}
	if r.isWide() {
		r.wideForward(out, linear, stats)
		return
	}
	if linear == 0 {
		linear = r.floats(r.rows() * r.l.Width)
	}
	r.eachBlock(stats, func(features address, from, n int) {
		f := r.l.Features()
		r.multiply(product{out: linear.row(from, r.l.Width), a: rowMajor(features, f), b: rowMajor(at(r.w.Weight), f), m: n, n: r.l.Width, k: f, bias: at(r.w.Bias)})
	})
	if out != 0 {
		r.launch("norm_forward", grid{x: blocks(r.rows(), 8), threads: 256}, 0, out, linear, at(r.w.NormScale), at(r.w.Shift), r.hidden, int32(r.l.Width), int64(r.rows()))
	}
}

// eachBlock forms the features of the rows, block by block as the scratch memory holds.
func (r *layerRun) eachBlock(stats address, visit func(features address, from, n int)) {
	f := r.l.Features()
	step := max(1, int(r.device.scratch)/(8*f))
	for from := 0; from < r.rows(); from += step {
		n := min(step, r.rows()-from)
		mark := r.mark()
		features := r.floats(n * f)
		r.launch("features", over(n*f), 0, features, stats, at(r.w.Loop), r.call(), int64(from),
			int32(r.l.Message), int32(r.l.Aggregate), int32(r.l.Stats()), int32(f), int64(n*f))
		visit(features, from, n)
		r.release(mark)
	}
}

// A PNA layer's weights in shared memory are 208 factors of 8×8, for backward 104 of 16×8, of 512 bytes each.
const packedFactors, packedPairs = 208, 104
const packedBytes = 512 * packedFactors

func (r *layerRun) tensorForward(out, linear, stats address) {
	if r.packed.forward == 0 {
		r.packed.forward = r.pack("pna32_pack_forward", packedFactors)
	}
	n := r.rows() * 32
	aligned := r.aligned(stats, 4*n)
	to, z := r.alignedOutput(out, n), r.alignedOutput(linear, n)
	if r.moved = r.rowBytes(7 * 32); r.marks != 0 {
		r.moved = r.rowBytes(4 * 32)
	}
	r.launch("pna32_forward", grid{x: r.device.capacity.multiprocessors, threads: 384}, packedBytes, record{to, z, r.hidden, aligned, r.packed.forward,
		at(r.w.Bias), at(r.w.NormScale), at(r.w.Shift), r.g.scale, r.marks, int64(r.rows()), int32(r.g.nodes), int32(0)})
	r.putBack(out, to, n)
	r.putBack(linear, z, n)
}

// pack lays the weights out, once for all passes: the memory goes back when the frame closes.
func (r *layerRun) pack(kernel string, factors int) address {
	packed := r.own(&r.lasting, 512*factors)
	r.launch(kernel, grid{x: factors, threads: 32}, 0, packed, at(r.w.Weight))
	return packed
}

// alignedOutput is where a kernel writes what belongs to b: b itself, or a place that putBack copies to it.
func (f *frame) alignedOutput(b address, n int) address {
	if b%16 == 0 {
		return b
	}
	return f.floats(n)
}
