package plain

import "github.com/lacuna-kg/lacuna/kernel"

// Attribution: which messages a prediction rests on. Put a weight of 1 on the message
// of an edge in a layer; the derivative of the logit by that weight is ⟨dmessage, message⟩
// (NBFNet's interpretation of a prediction by paths). It is asked for one sample and one
// entity at a time, on the host, so it is no operation of a Device.

// LayerRecord is a layer of one sample after its forward pass, opened in Go memory.
type LayerRecord[F Float] struct {
	Layer     kernel.Layer
	Graph     *kernel.Graph
	Hidden    []F // (V,D) the state before the layer
	Linear    []F // (V,D) the Linear's output
	Set       []F // (V) with Query the boundary; not read by Directed and Bases
	Query     []F // (D)
	Relations []F // (R,W)

	Weight           []F // (D,F)
	NormScale, Shift []F // (D)
	Loop             []F // (D), Directed only
}

// Attribute takes dout, the gradient of the states after the layer, back through the
// messages from heads to tails. It adds to dhidden, and sets weights[e] to what the
// message of edge e contributes. Gradients of nodes in neither list are left out: they
// are exact for the messages between the two wherever the lists hold all that counts.
func (r *LayerRecord[F]) Attribute(weights, dhidden, dout []F, heads, tails []int32) {
	run, d := r.open(), r.Layer.Width
	isHead := make([]bool, r.Graph.Nodes)
	for _, u := range heads {
		isHead[u] = true
	}
	ignored := make([]F, 2*d)
	dz, dfeature := make([]F, d), make([]F, r.Layer.Features())
	dstats := make([]F, r.Layer.Stats()*d)
	for _, tail := range tails {
		v := int(tail)
		dv, dh := row(dout, v, d), row(dhidden, v, d)
		addTo(dh, dv) // the short cut
		normBackward(dz, ignored[:d], ignored[d:], dv, row(r.Linear, v, d), r.NormScale, r.Shift)
		clear(dfeature)
		for o, x := range dz {
			addScaled(dfeature, x, row(r.Weight, o, len(dfeature)))
		}
		run.featuresBackward(dh, dstats, ignored[:d], dfeature, v)
		run.attributeTo(v, weights, dhidden, dstats, isHead)
	}
}

// open makes the plain run that knows messages, aggregations and features.
func (r *LayerRecord[F]) open() *layerRun[F] {
	l := r.Layer
	run := &layerRun[F]{w: layerWeights[F]{loop: r.Loop}, row: make([]F, l.Stats()*l.Width)}
	run.sample = sample[F]{l: l, hidden: r.Hidden, set: r.Set, query: r.Query, relations: r.Relations}
	run.g = (&Device[F]{}).NewGraph(r.Graph).(graph[F])
	run.message, run.dm = make([]F, l.Width), make([]F, l.Width)
	return run
}

// attributeTo follows the gradient of v's statistics to the messages from heads.
func (r *layerRun[F]) attributeTo(v int, weights, dhidden, dstats []F, isHead []bool) {
	if r.l.Aggregate == kernel.Max || r.l.Aggregate == kernel.PNA {
		r.aggregate(r.row, v) // which messages are extreme
	}
	gradient := r.messageGradient(dstats, r.row, v)
	ignored := make([]F, r.l.RelationWidth())
	from, to := r.edges(v)
	for e := from; e < to; e++ {
		u := int(r.g.In.Node[e])
		if !isHead[u] {
			continue
		}
		dhead := row(dhidden, u, r.l.Width)
		switch r.l.Aggregate {
		case kernel.Directed:
			weights[e] = r.attributeDirected(e, v, dhead, ignored, dstats)
		case kernel.Bases:
			weights[e] = r.attributeBases(e, v, dhead, dstats)
		default:
			m := r.along(e)
			gradient(r.dm, m)
			weights[e] = dot(r.dm, m)
			messageBackward(r.l.Message, dhead, ignored, r.dm, r.head(e), r.relation(e))
		}
	}
}

func (r *layerRun[F]) attributeDirected(e int32, v int, dhead, drel, dstats []F) F {
	norm := r.norm(e, v)
	for i, x := range r.side(dstats, e) {
		r.dm[i] = norm * x
	}
	messageBackward(r.l.Message, dhead, drel, r.dm, r.head(e), r.relation(e))
	return dot(r.dm, r.along(e))
}

func (r *layerRun[F]) attributeBases(e int32, v int, dhead, dstats []F) (weight F) {
	share := 1 / F(r.g.In.Degree(v))
	for k, c := range r.relation(e) {
		dbasis := row(dstats, k, r.l.Width)
		addScaled(dhead, c*share, dbasis)
		weight += c * share * dot(dbasis, r.head(e))
	}
	return weight
}

// HeadRecord is the head of one sample at one entity.
type HeadRecord[F Float] struct {
	Hidden [][]F // (D) each: the states that the head reads
	Query  []F   // (D)

	Weight0, Bias0, Weight2, Bias2 []F
}

// Attribute gives the logit, and its gradient by each of the states.
func (r *HeadRecord[F]) Attribute() (logit F, dhidden [][]F) {
	width := len(r.Bias0)
	run := &headRun[F]{hidden: r.Hidden, query: r.Query, d: len(r.Query), feature: make([]F, width), middle: make([]F, width)}
	run.w = headWeights[F]{r.Weight0, r.Bias0, r.Weight2, r.Bias2}
	logit = run.logit(0, 0)
	dfeature := make([]F, width)
	for k, m := range run.middle {
		if m > 0 {
			addScaled(dfeature, r.Weight2[k], row(r.Weight0, k, width))
		}
	}
	for k := range r.Hidden {
		dhidden = append(dhidden, row(dfeature, k, run.d))
	}
	return logit, dhidden
}
