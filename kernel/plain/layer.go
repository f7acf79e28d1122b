package plain

import "github.com/lacuna-kg/lacuna/kernel"

// The plain layer: features of a node, Linear, norm, ReLU, short cut. Sample by sample
// and node by node, so that its memory is a handful of rows whatever the batch.

func (p *Device[F]) Boundary(out, set, query kernel.Buffer) {
	o, x, q := p.Values(out), p.Values(set), p.Values(query)
	d := boundaryWidth(len(o), len(x), len(q))
	nodes := len(x) * d / len(q)
	for i, xi := range x {
		clear(row(o, i, d))
		addScaled(row(o, i, d), xi, row(q, i/nodes, d))
	}
}

func (p *Device[F]) BoundaryBackward(dquery, dout, set kernel.Buffer) {
	dq, do, x := p.Values(dquery), p.Values(dout), p.Values(set)
	d := boundaryWidth(len(do), len(x), len(dq))
	nodes := len(x) * d / len(dq)
	for i, xi := range x {
		addScaled(row(dq, i/nodes, d), xi, row(do, i, d))
	}
}

// boundaryWidth derives D from the sizes of (B,V,D), (B,V) and (B,D).
func boundaryWidth(hidden, set, query int) int {
	want(set > 0 && hidden%set == 0, "boundary", hidden, set)
	d := hidden / set
	want(query%d == 0 && query > 0 && set%(query/d) == 0, "boundary", hidden, query)
	return d
}

// layerRun is one call of LayerForward or LayerBackward, opened.
type layerRun[F Float] struct {
	sample[F]
	batch         int
	w             layerWeights[F]
	stats, linear []F // kept for the whole batch, or nil
	row, feature  []F // scratch: (S·D), (F)
	z             []F // scratch: (D)
}

type layerWeights[F Float] struct{ weight, bias, scale, shift, loop []F }

func (p *Device[F]) open(w kernel.LayerWeights) layerWeights[F] {
	return layerWeights[F]{p.Values(w.Weight), p.Values(w.Bias), p.Values(w.NormScale), p.Values(w.Shift), p.Values(w.Loop)}
}

func (p *Device[F]) newLayerRun(l kernel.Layer, g kernel.DeviceGraph, kept kernel.Kept, in kernel.LayerInput, w kernel.LayerWeights) *layerRun[F] {
	if err := l.Check(); err != nil {
		panic(err)
	}
	checkLayer(l, g, in, w)
	r := &layerRun[F]{batch: len(in.RelationOf), w: p.open(w), stats: p.Values(kept.Stats), linear: p.Values(kept.Linear)}
	r.l, r.g = l, g.(graph[F])
	r.message = p.temporary("message", l.Width)
	r.dm = p.temporary("dmessage", l.Width)
	r.row = p.temporary("stats", l.Stats()*l.Width)
	r.feature = p.temporary("feature", l.Features())
	r.z = p.temporary("linear", l.Width)
	return r
}

// checkLayer holds the caller to the shapes in LayerInput and LayerWeights.
func checkLayer(l kernel.Layer, g kernel.DeviceGraph, in kernel.LayerInput, w kernel.LayerWeights) {
	samples, d := len(in.RelationOf), l.Width
	want(in.Hidden.Len() == samples*g.Nodes()*d, "hidden", in.Hidden.Len(), []int{samples, g.Nodes(), d})
	table := g.Relations() * l.RelationWidth()
	for _, u := range in.RelationOf {
		want(u >= 0 && (int(u)+1)*table <= in.Relations.Len(), "relations", in.Relations.Len(), []int{int(u), g.Relations(), l.RelationWidth()})
	}
	want(w.Weight.Len() == d*l.Features(), "weight", w.Weight.Len(), []int{d, l.Features()})
	want(w.Bias.Len() == d && w.NormScale.Len() == d && w.Shift.Len() == d, "bias and norm", w.Bias.Len(), d)
	if l.Aggregate == kernel.Directed || l.Aggregate == kernel.Bases {
		return
	}
	want(in.Set.Len() == samples*g.Nodes(), "set", in.Set.Len(), []int{samples, g.Nodes()})
	want(in.Query.Len() == samples*d, "query", in.Query.Len(), []int{samples, d})
}

// at moves to sample b.
func (r *layerRun[F]) at(p *Device[F], b int, in kernel.LayerInput) {
	nodes := r.g.Nodes()
	r.hidden = row(p.Values(in.Hidden), b, nodes*r.l.Width)
	r.relations = row(p.Values(in.Relations), int(in.RelationOf[b]), r.g.Relations()*r.l.RelationWidth())
	if r.l.Aggregate != kernel.Directed && r.l.Aggregate != kernel.Bases {
		r.set = row(p.Values(in.Set), b, nodes)
		r.query = row(p.Values(in.Query), b, r.l.Width)
	}
}

func (p *Device[F]) LayerForward(l kernel.Layer, g kernel.DeviceGraph, out kernel.Buffer, kept kernel.Kept, in kernel.LayerInput, w kernel.LayerWeights) {
	r := p.newLayerRun(l, g, kept, in, w)
	o := p.Values(out)
	want(len(o) == in.Hidden.Len(), "layer output", len(o), in.Hidden.Len())
	for b := range r.batch {
		r.at(p, b, in)
		for v := range g.Nodes() {
			i := b*g.Nodes() + v
			z := r.linearOf(r.statsOf(i, v, true), i, v, true)
			normForward(row(o, i, l.Width), z, r.w.scale, r.w.shift, row(r.hidden, v, l.Width))
		}
	}
}

// statsOf gives the statistics of row i = (b,v): computed when fresh, else those kept, if any were.
func (r *layerRun[F]) statsOf(i, v int, fresh bool) []F {
	stats := r.row
	if r.stats != nil {
		stats = row(r.stats, i, len(r.row))
	}
	if fresh || r.stats == nil {
		r.aggregate(stats, v)
	}
	return stats
}

// linearOf leaves the features of (b,v) in r.feature and gives the Linear's output.
func (r *layerRun[F]) linearOf(stats []F, i, v int, fresh bool) []F {
	r.features(r.feature, stats, v)
	z := r.z
	if r.linear != nil {
		z = row(r.linear, i, r.l.Width)
	}
	if fresh || r.linear == nil {
		linearForward(z, r.feature, r.w.weight, r.w.bias)
	}
	return z
}

func (p *Device[F]) LayerBackward(l kernel.Layer, g kernel.DeviceGraph, din kernel.LayerGradient, dw kernel.LayerWeights, dout kernel.Buffer, kept kernel.Kept, in kernel.LayerInput, w kernel.LayerWeights) {
	r := p.newLayerRun(l, g, kept, in, w)
	if din.Fresh {
		clear(p.Values(din.Hidden))
	}
	do, dWeights := p.Values(dout), p.open(dw)
	dfeature := p.temporary("dfeature", l.Features())
	dstats := p.temporary("dstats", l.Stats()*l.Width)
	dz := p.temporary("dlinear", l.Width)
	for b := range r.batch {
		r.at(p, b, in)
		d := r.gradientAt(p, b, din, in)
		for v := range g.Nodes() {
			i := b*g.Nodes() + v
			stats := r.statsOf(i, v, false)
			z := r.linearOf(stats, i, v, false)
			dv := row(do, i, l.Width)
			addTo(row(d.hidden, v, l.Width), dv) // the short cut
			normBackward(dz, dWeights.scale, dWeights.shift, dv, z, r.w.scale, r.w.shift)
			clear(dfeature)
			linearBackward(dfeature, dWeights.weight, dWeights.bias, dz, r.feature, r.w.weight)
			r.featuresBackward(row(d.hidden, v, l.Width), dstats, dWeights.loop, dfeature, v)
			r.aggregateBackward(d, dstats, stats, v)
		}
	}
}

func (r *layerRun[F]) gradientAt(p *Device[F], b int, din kernel.LayerGradient, in kernel.LayerInput) sampleGradient[F] {
	d := sampleGradient[F]{
		hidden:    row(p.Values(din.Hidden), b, r.g.Nodes()*r.l.Width),
		relations: row(p.Values(din.Relations), int(in.RelationOf[b]), r.g.Relations()*r.l.RelationWidth()),
	}
	if din.Query != nil {
		d.query = row(p.Values(din.Query), b, r.l.Width)
	}
	return d
}
