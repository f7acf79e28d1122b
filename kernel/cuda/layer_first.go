package cuda

// A first layer reads the boundary, and three in four sets of a training are one entity: of FB15k-237's nodes that
// entity reaches 1 in 60. The others, and the edges between them, carry zeros.

// turns is how many segments a warp of a first layer looks after; TURNS of message_vector.cu.
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
	marks, crowds, set := r.cleared(r.rows()), r.bytes(r.samples), r.part(r.in.Set, r.g.nodes)
	r.launch("crowded", grid{x: r.samples, threads: 1024}, 0, marks, crowds, set, int32(r.g.nodes))
	r.launch("touched", grid{x: blocks(r.g.out.count, 8), y: blocks(r.samples, 32), threads: 256}, 0,
		marks, crowds, set, r.g.out.record(), int32(r.g.nodes), int32(r.samples))
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

// firstAggregate writes the statistics of every node: what was not touched has the same everywhere, and is left out where nobody
// will read it.
func (r *layerRun) firstAggregate(stats, parts address) {
	if !r.sparse {
		r.moved = r.rowBytes(4 * 32)
	}
	r.launch("aggregate32_pna_first", r.overTurns(r.g.in), 0, stats, parts, r.call(), r.g.in.record(), r.marks, truth(r.sparse))
}
