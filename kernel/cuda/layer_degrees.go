package cuda

import (
	"github.com/lacuna-kg/lacuna/kernel"
)

// degrees are the nodes of a graph by the degree that PNA's scalers go by: those of one degree share the weights of a
// Linear (linear_pna_degree.cu).
type degrees struct {
	order, classes address // (V) nodes by degree; {first in order, nodes} of every degree
	counts         [][2]int32
	chunks         map[int]chunksOfRows // by the number of samples
}

// chunksOfRows are the pieces of work of a layer: {class, first in order, nodes, number among those of the class}.
type chunksOfRows struct {
	list  address
	count int
}

// chunkRows and the rows of a tile are those of linear_pna_degree.cu.
const chunkRows, tileRows = 768, 32

// waveRows is how many rows a block of tensorForward takes at a time.
const waveRows = 12 * 32

// degreeFactors is how many factors of 512 bytes the weights of one degree are.
const degreeFactors = 80

// byDegree sorts the nodes by degree, and counts those of each: {first, nodes}.
func byDegree(topology *kernel.Graph) (order []int32, classes [][2]int32) {
	nodes := make([]keyedNode, topology.Nodes)
	for v := range nodes {
		nodes[v] = keyedNode{uint64(topology.ScaleDegree(v)), int32(v)}
	}
	order = sortNodes(nodes)
	for k, v := range order {
		if k == 0 || topology.ScaleDegree(int(v)) != topology.ScaleDegree(int(order[k-1])) {
			classes = append(classes, [2]int32{int32(k), 0})
		}
		classes[len(classes)-1][1]++
	}
	return order, classes
}

func (f *frame) degrees(g *graph, a *ahead) *degrees {
	return &degrees{order: keep(f, &g.owned, a.order), classes: keep(f, &g.owned, a.classes), counts: a.classes, chunks: map[int]chunksOfRows{}}
}

// fill tells whether so many samples fill the tiles of the classes: what is computed for nothing is a quarter at most.
func (d *degrees) fill(samples int) bool {
	rows, taken := 0, 0
	for _, c := range d.counts {
		rows, taken = rows+int(c[1])*samples, taken+align(int(c[1])*samples, tileRows)
	}
	return 4*taken <= 5*rows
}

// chunksOf are the pieces of work for a number of samples, made when it is first met.
func (r *layerRun) chunksOf(samples int) chunksOfRows {
	d := r.g.degrees
	if made, there := d.chunks[samples]; there {
		return made
	}
	var list []quad
	for class, c := range d.counts {
		for i := range blocks(int(c[1])*samples, chunkRows) {
			list = append(list, quad{int32(class), c[0], c[1], int32(i)})
		}
	}
	made := chunksOfRows{keep(r.frame, &r.g.owned, list), len(list)}
	d.chunks[samples] = made
	return made
}

// isByDegree tells whether the Linear of this pass goes by degrees: not where a wave of blocks of tensorForward takes all rows at
// once, which is 12 µs faster on a small graph.
func (r *layerRun) isByDegree() bool {
	return r.isTensor() && r.g.degrees != nil && r.isMany() && r.g.degrees.fill(r.samples)
}

// isMany tells whether the rows of this pass are more than fill the GPU once.
func (r *layerRun) isMany() bool { return r.rows() >= r.device.capacity.multiprocessors*waveRows }

// degreesForward is tensorForward by degrees.
func (r *layerRun) degreesForward(out, linear, stats address) {
	d, n := r.g.degrees, r.rows()*32
	if r.packed.degrees == 0 {
		r.packed.degrees = r.own(&r.lasting, 512*degreeFactors*len(d.counts))
		for from := 0; from < len(d.counts); from += maxRows {
			r.launch("pna32_pack_degrees", grid{x: degreeFactors / 8, y: min(maxRows, len(d.counts)-from), threads: 256}, 0,
				r.packed.degrees.plus(512*degreeFactors*from), at(r.w.Weight), r.g.scale, d.order, d.classes.plus(8*from))
		}
	}
	aligned := r.aligned(stats, 4*n)
	to, z := r.alignedOutput(out, n), r.alignedOutput(linear, n)
	chunks := r.chunksOf(r.samples)
	if r.moved = r.rowBytes(7 * 32); r.marks != 0 {
		r.moved = r.rowBytes(2 * 32)
	}
	r.launch("pna32_degrees", grid{x: chunks.count, threads: 256}, 0, record{to, z, r.hidden, aligned, r.packed.degrees,
		at(r.w.Bias), at(r.w.NormScale), at(r.w.Shift), r.marks, d.order, chunks.list, int32(r.g.nodes), int32(r.samples)})
	r.putBack(out, to, n)
	r.putBack(linear, z, n)
}
