package cuda

import "github.com/lacuna-kg/lacuna/kernel"

// wholeNodes is how many nodes a block of aggregate32_pna_whole takes; NODES of message_whole.cu.
const wholeNodes = 16

// isWhole tells whether nodes of one segment are taken four to a warp (message_whole.cu): there are many of them, and no edge is gone
// from between others.
func (r *layerRun) isWhole() bool {
	return r.isVector() && r.l.Aggregate == kernel.PNA && r.l.Width == 32 && r.g.dropped == 0 && r.isMany()
}

// wholeAggregate writes the statistics of every node of one segment, and the parts of the others.
func (r *layerRun) wholeAggregate(stats, parts address) {
	in, n := r.g.in, r.rows()*4*32
	hubs := in
	hubs.count = in.parts
	r.moved = r.gatheredBytes(in.partEdges) + 4*int64(r.samples*in.parts*4*32)
	r.launch("aggregate32_pna", r.overSegments(hubs), 0, stats, parts, r.call(), hubs.record())
	to := r.alignedOutput(stats, n)
	r.moved = r.gatheredBytes(r.g.edges-in.partEdges) + 4*int64(r.samples*(in.count-in.parts)*4*32)
	r.launch("aggregate32_pna_whole", grid{x: blocks(in.count-in.parts, wholeNodes), y: r.samples, threads: 128}, 0, to, r.call(), in.record(), int32(in.parts))
	r.putBack(stats, to, n)
}

// gatheredBytes is what the messages of so many edges read.
func (r *layerRun) gatheredBytes(edges int) int64 { return int64(r.samples) * int64(edges) * 4 * 32 }
