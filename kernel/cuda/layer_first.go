package cuda

import "github.com/lacuna-kg/lacuna/kernel"

// A first layer reads the boundary, and three in four sets of a training are one entity: of FB15k-237's nodes that
// entity reaches 1 in 60. The others, and the edges between them, carry zeros.

// turns is how many segments a warp of a first layer looks after; TURNS of message32.cu.
const turns = 8

// isFirst tells whether there are kernels that pass over what the sets do not touch.
func (r *layerRun) isFirst() bool {
	return r.in.FromBoundary && r.isVector() && (r.isTensor() || r.isSummed())
}

// touched gives marks (B,V) of the nodes that are in their set or that an edge from it reaches; none but in a first layer.
func (r *layerRun) touched() address {
	if !r.isFirst() {
		return 0
	}
	marks := r.cleared(r.rows())
	r.launch("touched", grid{x: blocks(r.g.out.count, 8), y: blocks(r.samples, 32), threads: 256}, 0,
		marks, r.part(r.in.Set, r.g.nodes), r.g.out.record(), int32(r.g.nodes), int32(r.samples))
	return marks
}

// cleared borrows bytes that are zero.
func (f *frame) cleared(n int) address {
	at := f.bytes(n)
	f.do("cuMemsetD8Async", uintptr(at), 0, uintptr(n), 0)
	return at
}

func (r *layerRun) overTurns(s side) grid {
	return grid{x: blocks(s.count, 4*turns), y: r.samples, threads: 128}
}

// firstAggregate writes the statistics of every node: what was not touched has the same everywhere.
func (r *layerRun) firstAggregate(stats, parts address) {
	r.moved = r.rowBytes(4 * 32)
	r.launch("aggregate32_pna_first", r.overTurns(r.g.in), 0, stats, parts, r.call(), r.g.in.record(), r.marks)
}

// firstBackward is edgesBackward over the edges that reach touched nodes, and back to the sets' own members.
func (r *layerRun) firstBackward(din kernel.LayerGradient, coefficients, stats address) {
	g, of := r.g, r.g.shape.reached
	runs, left := r.floats(r.samples*of.count*32), r.cleared(r.samples*of.count)
	ties := r.bytes(8 * r.samples * g.shape.places)
	r.launch("inward32_pna_first", r.overTurns(g.in), 0, runs, left, ties, coefficients, stats, r.call(), g.in.record(), int32(of.count), int32(g.shape.places), r.marks)
	r.addRuns(din, runs, of, left)
	parts := r.floats(r.samples * g.out.parts * 32)
	to := r.states(din.Hidden)
	r.launch("outward32_pna_first", r.overTurns(g.out), 0, to, parts, ties, coefficients, r.call(), g.out.record(), int32(g.shape.places))
	r.joinSent(to, parts)
}

// firstBytes is what a first layer's marks take of a sample.
func (r *layerRun) firstBytes() int { return r.g.nodes + r.g.shape.reached.count }
