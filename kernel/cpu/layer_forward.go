package cpu

import "github.com/lacuna-kg/lacuna/kernel"

// layer is one call of LayerForward or LayerBackward, opened.
type layer struct {
	kernel.Layer
	g         *graph
	d         *Device
	use       *instructions
	rows      *kernels // for rows of D
	aggregate int
	halves    int    // 2 for RotatE
	spans     []span // columns of messages
	messages  []accumulateFunc
	features  []featuresFunc // PNA's, where every span has one; else nil
	weights   *packed
	in        kernel.LayerInput

	bias, scale, shift []float32
	out                []float32 // (B,V,D)
	stats, linear      []float32 // kept, or nil
	touched            [][]bool  // (B,V) of a first layer, the nodes that its sets touch; nil of others
}

// sample is one sample of a layer's input.
type sample struct {
	b         int
	hidden    []float32 // (V,D)
	set       []float32 // (V)
	query     []float32 // (D)
	relations []float32 // (R,D)
	touched   []bool    // (V) of a first layer, or nil
}

// FallsBack tells whether a kind of layer has no vector kernels: those of the ablation.
func (d *Device) FallsBack(l kernel.Layer) bool {
	return l.Message > kernel.RotatE || l.Aggregate > kernel.PNA
}

func (d *Device) newLayer(l kernel.Layer, g *graph, kept kernel.Kept, in kernel.LayerInput, w kernel.LayerWeights) *layer {
	if err := l.Check(); err != nil {
		panic(err)
	}
	c := &layer{Layer: l, g: g, d: d, use: d.use, rows: d.use.rows(l.Width), aggregate: aggregateOf(l.Aggregate), halves: 1, in: in}
	c.check(w)
	if l.Message == kernel.RotatE {
		c.halves = 2
	}
	c.spans = d.use.spans(l.Width/c.halves, c.halves)
	for _, s := range c.spans {
		f := plainAccumulate(c.aggregate, l.Message, s.columns)
		if s.block != nil {
			f = s.block.accumulate[c.aggregate][l.Message]
		}
		c.messages = append(c.messages, f)
	}
	c.features = c.featuresOf()
	c.weights = newPacked(l, g, d.use)
	c.bias, c.scale, c.shift = d.floats(w.Bias), d.floats(w.NormScale), d.floats(w.Shift)
	c.stats, c.linear = d.floats(kept.Stats), d.floats(kept.Linear)
	return c
}

// featuresOf are the kernels of all spans that fill features in one go, or nil where one lacks it.
func (c *layer) featuresOf() (list []featuresFunc) {
	for _, s := range c.spans {
		if c.aggregate != pna || s.block == nil {
			return nil
		}
		list = append(list, s.block.features[c.Message])
	}
	return list
}

// check holds the caller to the shapes in kernel.LayerInput and kernel.LayerWeights.
func (c *layer) check(w kernel.LayerWeights) {
	samples, nodes, d := len(c.in.RelationOf), c.g.Nodes(), c.Width
	want(c.in.Hidden.Len() == samples*nodes*d, "hidden", c.in.Hidden.Len(), []int{samples, nodes, d})
	want(c.in.Set.Len() == samples*nodes, "set", c.in.Set.Len(), []int{samples, nodes})
	want(c.in.Query.Len() == samples*d, "query", c.in.Query.Len(), []int{samples, d})
	for _, u := range c.in.RelationOf {
		want(u >= 0 && (int(u)+1)*c.g.Relations()*d <= c.in.Relations.Len(), "relations", c.in.Relations.Len(), []int{int(u), c.g.Relations(), d})
	}
	want(w.Weight.Len() == d*c.Features(), "weight", w.Weight.Len(), []int{d, c.Features()})
	want(w.Bias.Len() == d && w.NormScale.Len() == d && w.Shift.Len() == d, "bias and norm", w.Bias.Len(), d)
}

// sample opens sample b.
func (c *layer) sample(b int) sample {
	nodes, table := c.g.Nodes(), c.g.Relations()*c.Width
	s := sample{
		b: b, hidden: row(c.d.floats(c.in.Hidden), b, nodes*c.Width), set: row(c.d.floats(c.in.Set), b, nodes),
		query: row(c.d.floats(c.in.Query), b, c.Width), relations: row(c.d.floats(c.in.Relations), int(c.in.RelationOf[b]), table),
	}
	if c.touched != nil {
		s.touched = c.touched[b]
	}
	return s
}

func (d *Device) LayerForward(l kernel.Layer, dg kernel.DeviceGraph, out kernel.Buffer, kept kernel.Kept, in kernel.LayerInput, w kernel.LayerWeights) {
	g := dg.(*graph)
	if d.FallsBack(l) {
		d.slowLayerForward(l, g, out, kept, in, w)
		return
	}
	c := d.newLayer(l, g, kept, in, w)
	d.pack(c.weights, d.floats(w.Weight), len(in.RelationOf), false)
	c.out = d.floats(out)
	want(len(c.out) == in.Hidden.Len(), "layer output", len(c.out), in.Hidden.Len())
	c.shapeTiles()
	samples := len(in.RelationOf)
	c.markTouched(samples)
	if samples >= len(d.workers) {
		d.perSample(samples, len(g.tasks), func(w *worker, b, task int) { c.forward(w, c.sample(b), nil, g.tasks[task]) })
		return
	}
	for b := range samples {
		s := c.sample(b)
		hubs := c.hubPartials(s)
		d.parallel(len(g.tasks), func(w *worker, task int) { c.forward(w, s, hubs, g.tasks[task]) })
	}
}

// shapeTiles readies every worker for this call.
func (c *layer) shapeTiles() {
	for _, w := range c.d.workers {
		w.tile.shape(c.Width, c.weights.n)
	}
}

// forward runs a task: tile by tile, from messages to the new state.
func (c *layer) forward(w *worker, s sample, hubs []float32, task rows) {
	t := &w.tile
	t.quietOf = -1 // of another sample; weights are those of all
	out := row(c.out, s.b, len(s.hidden))
	for r := task; r.from < task.to; r.from = r.to {
		r.to = c.mixedEnd(r.from, task.to)
		if s.touched != nil && !c.isMixed(r.from) {
			c.firstTile(t, s, out, r)
			continue
		}
		c.gather(t, s, hubs, r)
		c.keep(c.stats, t.x[c.Width:], c.weights.n, s, r)
		c.multiply(t, r)
		c.keep(c.linear, t.z, c.Width, s, r)
		c.rows.normForward(out, s.hidden, t.z, c.scale, c.shift, c.g.order[r.from:r.to], c.Width)
	}
}

// tileEnd ends the tile that begins at a row: nodes of one degree and the same scalers, or one hub alone.
func (c *layer) tileEnd(from, end int) int {
	if from < c.g.hubs {
		return from + 1
	}
	return min(end, from+tileRows, int(c.g.alike[from]))
}

// mixedEnd ends the tile likewise, but that nodes of rare degrees share one.
func (c *layer) mixedEnd(from, end int) int {
	if !c.isMixed(from) || from < c.g.hubs {
		return c.tileEnd(from, end)
	}
	to := from + 1
	for to < min(end, from+tileRows) && c.g.isRare[to] {
		to++
	}
	return to
}

// gather fills the compact features of a tile, state and statistics, degree by degree.
func (c *layer) gather(t *tile, s sample, hubs []float32, r rows) {
	for run := r; run.from < r.to; run.from = run.to {
		run.to = c.tileEnd(run.from, r.to)
		x, nodes, degree := t.x[(run.from-r.from)*c.weights.n:], c.g.order[run.from:run.to], c.g.degree(run.from)
		isQuiet := s.isQuiet(nodes)
		if c.features != nil && !isQuiet && run.from >= c.g.hubs {
			c.fill(x, s, run, degree)
			continue
		}
		c.start(x, s, nodes)
		switch {
		case isQuiet:
		case run.from < c.g.hubs:
			c.gatherHub(x[c.Width:], t, s, hubs, run.from)
		default:
			c.accumulate(x[c.Width:], s, c.g.edges[c.g.at[run.from]:c.g.at[run.to]], run.to-run.from, degree, c.weights.n)
		}
		c.finish(x, run.to-run.from, degree)
	}
}

// fill computes the features of nodes of one degree in one go, span by span of columns.
func (c *layer) fill(x []float32, s sample, r rows, degree int) {
	nodes, edges := c.g.order[r.from:r.to], c.g.edges[c.g.at[r.from]:c.g.at[r.to]]
	for i, f := range c.features {
		from := c.spans[i].from
		f(x[from:], s.hidden[from:], s.relations[from:], s.set, s.query[from:], nodes, edges, degree, c.Width, c.share(degree))
	}
}

// start begins features with the state and the boundary of nodes.
func (c *layer) start(x []float32, s sample, nodes []int32) {
	start := c.rows.startOne
	if c.aggregate == pna {
		start = c.rows.startPNA
	}
	start(x, s.hidden, s.set, s.query, nodes, c.Width)
}

// accumulate adds messages to statistics, span by span of columns.
func (c *layer) accumulate(acc []float32, s sample, edges [][2]int32, rows, degree, accRow int) {
	for i, f := range c.messages {
		from := c.spans[i].from
		f(acc[from:], s.hidden[from:], s.relations[from:], edges, rows, degree, accRow, c.Width)
	}
}

// share is what one message weighs in a mean over the messages of a node.
func (c *layer) share(degree int) float32 {
	if c.Aggregate == kernel.Sum {
		return 1
	}
	return 1 / float32(degree+1)
}

func (c *layer) finish(x []float32, rows, degree int) {
	switch c.Aggregate {
	case kernel.PNA:
		c.rows.finishPNA(x, rows, c.Width, c.share(degree))
	case kernel.Mean:
		c.rows.finishMean(x, rows, c.Width, c.share(degree))
	}
}

// multiply is the Linear of a tile.
func (c *layer) multiply(t *tile, r rows) {
	if c.isMixed(r.from) {
		c.multiplyMixed(t, r)
		return
	}
	weight := c.weights.weight.of(c.weights, t.weight, &t.weightOf, c.g.scaleDegree(r.from))
	n, d := c.weights.n, c.Width
	c.use.gemm(matrix{t.z, d, 1}, matrix{c.bias, 0, 1}, matrix{t.x, n, 1}, matrix{weight, d, 1}, r.to-r.from, n, d)
}

// keep copies rows of a tile to where backward finds them, if it is to find them.
func (c *layer) keep(kept, tile []float32, tileRow int, s sample, r rows) {
	if kept == nil {
		return
	}
	width := len(kept) / len(c.in.RelationOf) / c.g.Nodes()
	for i, v := range c.g.order[r.from:r.to] {
		copy(row(kept, s.b*c.g.Nodes()+int(v), width), tile[i*tileRow:])
	}
}
