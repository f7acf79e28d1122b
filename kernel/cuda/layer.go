package cuda

import (
	"github.com/lacuna-kg/lacuna/kernel"
)

// layerRun is one call of LayerForward or LayerBackward, opened, for the samples from first on.
type layerRun struct {
	*frame
	layerKind
	g       *graph
	w       kernel.LayerWeights
	in      kernel.LayerInput
	of      address // (B) RelationOf
	tables  address // Relations
	hidden  address // of this pass
	marks   address // of this pass, in a first layer: the nodes that its sets touch
	sparse  bool    // of this pass: nobody will read the statistics of nodes without a mark
	first   int     // first sample of this pass
	samples int     // of this pass
	packed  packedWeights
}

// packedWeights are a layer's weights as the tensor cores want them; nowhere until asked for.
type packedWeights struct{ forward, backward, degrees address }

func (d *device) newLayerRun(l kernel.Layer, g kernel.DeviceGraph, in kernel.LayerInput, w kernel.LayerWeights) *layerRun {
	if err := l.Check(); err != nil {
		panic(err)
	}
	checkLayer(l, g, in, w)
	r := &layerRun{layerKind: d.kindOf(l), g: g.(*graph), w: w, in: in}
	if r.frame = d.frame(); r.frame == nil {
		return nil
	}
	r.of, r.tables = send(r.frame, in.RelationOf), at(in.Relations)
	if r.isVector() {
		r.tables = r.aligned(r.tables, in.Relations.Len())
	}
	return r
}

// checkLayer holds the caller to the shapes of LayerInput and LayerWeights.
func checkLayer(l kernel.Layer, g kernel.DeviceGraph, in kernel.LayerInput, w kernel.LayerWeights) {
	samples, d := len(in.RelationOf), l.Width
	want(in.Hidden.Len() == samples*g.Nodes()*d, "hidden", in.Hidden.Len(), []int{samples, g.Nodes(), d})
	table := g.Relations() * l.RelationWidth()
	for _, u := range in.RelationOf {
		want(u >= 0 && (int(u)+1)*table <= in.Relations.Len(), "relations", in.Relations.Len(), []int{int(u), g.Relations(), l.RelationWidth()})
	}
	want(w.Weight.Len() == d*l.Features(), "weight", w.Weight.Len(), []int{d, l.Features()})
	want(w.Bias.Len() == d && w.NormScale.Len() == d && w.Shift.Len() == d, "bias and norm", w.Bias.Len(), d)
	if hasBoundary(l) {
		want(in.Set.Len() == samples*g.Nodes(), "set", in.Set.Len(), []int{samples, g.Nodes()})
		want(in.Query.Len() == samples*d, "query", in.Query.Len(), []int{samples, d})
	}
}

// inPasses goes over the samples in passes of as many as the scratch memory holds, each needing so many bytes.
func (r *layerRun) inPasses(bytes int, pass func()) {
	all := len(r.in.RelationOf)
	step := min(all, maxRows, max(1, int(r.device.scratch)/max(bytes, 1)))
	step = blocks(all, blocks(all, step)) // passes of equal size
	for r.first = 0; r.first < all; r.first += step {
		r.samples = min(step, all-r.first)
		mark := r.mark()
		if r.hidden = r.states(r.in.Hidden); r.isVector() || r.isTensor() || r.isWide() {
			r.hidden = r.aligned(r.hidden, r.rows()*r.l.Width)
		}
		r.marks = r.touched()
		pass()
		r.release(mark)
	}
}

// rows is the number of states of this pass; state, at and so on are this pass's part of a buffer.
func (r *layerRun) rows() int { return r.samples * r.g.nodes }

func (r *layerRun) part(b kernel.Buffer, perSample int) address {
	return at(b).row(r.first, perSample)
}

func (r *layerRun) states(b kernel.Buffer) address { return r.part(b, r.g.nodes*r.l.Width) }

// call is the structure Call of graph.cuh.
func (r *layerRun) call() record {
	var set, query address
	if hasBoundary(r.l) {
		set, query = r.part(r.in.Set, r.g.nodes), r.part(r.in.Query, r.l.Width)
	}
	return record{r.hidden, set, query, r.tables, r.of.plus(4 * r.first), r.g.scale,
		int32(r.g.nodes), int32(r.g.relations), int32(r.l.Width), truth(r.l.Aggregate == kernel.Mean)}
}

// rest is the structure Rest of any.cu.
func (r *layerRun) rest(coefficients, stats address) record {
	return record{r.g.shape.inverse, r.g.inDegree, r.g.outDegree, coefficients, stats,
		int32(r.l.Message), int32(r.l.Aggregate), int32(r.l.Bases), int32(0)}
}

// warps is a grid with a warp for each of n, times samples, times tiles of 32 columns.
func (r *layerRun) warps(n int) grid {
	return grid{x: blocks(n, 8), y: r.samples, z: blocks(r.l.Width, 32), threads: 256}
}

// overSegments is the grid of a kernel over the segments of a side.
func (r *layerRun) overSegments(s side) grid {
	g := r.warps(s.count)
	if r.isVector() {
		g.x, g.threads = blocks(s.count, 4), 128
	}
	return g
}

// edgeBytes is what a pass over the edges moves when it gathers so many numbers per edge and column.
func (r *layerRun) edgeBytes(numbers int) int64 {
	return int64(r.samples) * int64(r.g.edges) * int64(4*numbers*r.l.Width)
}

// rowBytes is what a pass over the nodes moves, numbers per row.
func (r *layerRun) rowBytes(numbers int) int64 { return 4 * int64(r.rows()) * int64(numbers) }
