package cpu

import "github.com/lacuna-kg/lacuna/kernel"

// layerGradient is where one call of LayerBackward adds to. There are two ways through
// it, chosen by the batch and never by the number of threads: with many samples a worker
// takes a whole one (backward_samples.go), with few all workers share one (backward_blocks.go).
type layerGradient struct {
	*layer
	dhidden, dquery, drelations []float32
	dout                        []float32
	zero                        []float32 // (F') where products begin
	coefficients                []coefficientSpan
	scatters                    []scatterFunc
}

// coefficientSpan is the columns that one set of kernels prepares.
type coefficientSpan struct {
	from, columns int // of a row
	at, step      int // of its coefficients: where they begin, and from vector to vector
	f             coefficientsFunc
}

func (d *Device) LayerBackward(l kernel.Layer, dg kernel.DeviceGraph, din kernel.LayerGradient, dw kernel.LayerWeights, dout kernel.Buffer, kept kernel.Kept, in kernel.LayerInput, w kernel.LayerWeights) {
	g := dg.(*graph)
	if din.Fresh {
		d.Fill(din.Hidden, 0)
		din.Fresh = false
	}
	if d.FallsBack(l) {
		d.slowLayerBackward(l, g, din, dw, dout, kept, in, w)
		return
	}
	c := d.newLayerGradient(l, g, din, dout, kept, in, w)
	if len(in.RelationOf) >= d.samples {
		c.bySamples(dw)
	} else {
		c.byBlocks(dw)
	}
}

func (d *Device) newLayerGradient(l kernel.Layer, g *graph, din kernel.LayerGradient, dout kernel.Buffer, kept kernel.Kept, in kernel.LayerInput, w kernel.LayerWeights) *layerGradient {
	c := &layerGradient{layer: d.newLayer(l, g, kept, in, w)}
	d.pack(c.weights, d.floats(w.Weight), len(in.RelationOf), true)
	c.dhidden, c.dquery, c.drelations = d.floats(din.Hidden), d.floats(din.Query), d.floats(din.Relations)
	c.dout = d.floats(dout)
	want(len(c.dout) == in.Hidden.Len() && len(c.dhidden) == len(c.dout), "layer gradient", len(c.dout), in.Hidden.Len())
	want(len(c.dquery) == in.Query.Len() && len(c.drelations) == in.Relations.Len(), "layer gradient", len(c.drelations), in.Relations.Len())
	c.shapeTiles()
	c.zero = d.scratch.zeros("zero", c.weights.n)
	c.coefficients = c.coefficientSpans()
	for _, s := range c.spans {
		f := plainScatter(c.aggregate, l.Message, s.columns)
		if s.block != nil {
			f = s.block.scatter[c.aggregate][l.Message]
		}
		c.scatters = append(c.scatters, f)
	}
	return c
}

// coefficientSpans lays out the coefficients of a row: those of a vector of columns
// together; for RotatE those of its other half next to them.
func (c *layerGradient) coefficientSpans() (list []coefficientSpan) {
	n := coefficientsOf(c.aggregate)
	half := c.Width / c.halves
	for _, s := range c.spans {
		lanes, f := s.columns, plainKernels.coefficients[c.aggregate]
		if s.block != nil {
			lanes, f = s.block.lanes, c.use.set(s.block.lanes).coefficients[c.aggregate]
		}
		for h := range c.halves {
			list = append(list, coefficientSpan{
				from: h*half + s.from, columns: s.columns,
				at: n * (c.halves*s.from + h*lanes), step: n * c.halves * lanes, f: f,
			})
		}
	}
	return list
}

// partialSize is the gradients a task collects: of the weight's parts, each (D, F'), and
// of scale, shift and bias.
func (c *layerGradient) partialSize() int {
	return len(c.weights.columns)*c.weights.n*c.Width + 3*c.Width
}

// tile takes the gradient of a tile's states to the coefficients of their messages. The
// gradient of the weight stays in the tile until the degree changes.
func (c *layerGradient) tile(t *tile, coef, dquery, partial []float32, s sample, hubs []float32, r rows) {
	nodes := c.g.order[r.from:r.to]
	if degree := c.g.scaleDegree(r.from); degree != t.dweightOf {
		c.flush(partial, t)
		t.dweightOf = degree
	}
	dout, dhidden := row(c.dout, s.b, len(s.hidden)), row(c.dhidden, s.b, len(s.hidden))
	c.rows.touch(dout, nodes, c.Width)
	c.rows.touch(dhidden, nodes, c.Width)
	if c.linear != nil {
		c.rows.touch(row(c.linear, s.b, len(s.hidden)), nodes, c.Width)
	}
	c.recall(t, s, hubs, r)
	c.rows.normBackward(t.dz, partial[len(partial)-3*c.Width:], dout, t.z, c.scale, c.shift, nodes, c.Width)
	c.multiplyBackward(t, r)
	c.rows.addRows(dhidden, dout, t.dx, nodes, c.weights.n, c.Width)
	c.prepare(coef, dquery, t, s, r)
}

// recall brings back features and output of the Linear: kept, or computed again.
func (c *layerGradient) recall(t *tile, s sample, hubs []float32, r rows) {
	n, d := c.weights.n, c.Width
	if c.stats == nil {
		c.gather(t, s, hubs, r)
	} else {
		for i, v := range c.g.order[r.from:r.to] {
			copy(t.x[i*n:], row(s.hidden, int(v), d))
			copy(t.x[i*n+d:], row(c.stats, s.b*c.g.Nodes()+int(v), n-d))
		}
	}
	if c.linear == nil {
		c.multiply(t, r)
		return
	}
	for i, v := range c.g.order[r.from:r.to] {
		copy(row(t.z, i, d), row(c.linear, s.b*c.g.Nodes()+int(v), d))
	}
}

// multiplyBackward: dx = dz · W, and dW += dzᵀ · x for nodes of one degree.
func (c *layerGradient) multiplyBackward(t *tile, r rows) {
	n, d, count := c.weights.n, c.Width, r.to-r.from
	transpose := c.weights.transpose.of(c.weights, t.transpose, &t.transposeOf, c.g.scaleDegree(r.from))
	c.use.gemm(matrix{t.dx, n, 1}, matrix{c.zero, 0, 1}, matrix{t.dz, d, 1}, matrix{transpose, n, 1}, count, d, n)
	dweight := matrix{t.dweight, n, 1}
	c.use.gemm(dweight, dweight, matrix{t.dz, 1, d}, matrix{t.x, n, 1}, d, count, n)
}

// flush adds the gradient that nodes of one degree gave to their weight to the three
// parts it was made of, and begins anew.
func (c *layerGradient) flush(partial []float32, t *tile) {
	if t.dweightOf >= 0 {
		s, a := c.weights.scalers(t.dweightOf)
		size := c.weights.n * c.Width
		for k, scaler := range []float32{1, s, a}[:len(c.weights.columns)] {
			c.use.add(row(partial, k, size), t.dweight, scaler)
		}
	}
	clear(t.dweight)
	t.dweightOf = -1
}

// prepare writes the coefficients of a tile's messages and passes the boundary's gradient on.
func (c *layerGradient) prepare(coef, dquery []float32, t *tile, s sample, r rows) {
	nodes, share := c.g.order[r.from:r.to], c.share(c.g.degree(r.from))
	for _, p := range c.coefficients {
		p.f(coef[p.at:], dquery[p.from:], t.dx[p.from:], t.x[p.from:], s.set, s.query[p.from:], nodes, share, p.columns, p.step, c.Width)
	}
}

// scatter takes the gradient of messages along the edges of rows, counts of them each.
func (c *layerGradient) scatter(drel []float32, s sample, coef []float32, edges [][2]int32, counts []int32) {
	n := coefficientsOf(c.aggregate)
	dhidden := row(c.dhidden, s.b, len(s.hidden))
	for i, f := range c.scatters {
		from := c.spans[i].from
		f(dhidden[from:], drel[from:], s.hidden[from:], s.relations[from:], edges, counts, coef[n*c.halves*from:], c.Width)
	}
}

// collect adds the gradients of the weights up, in order, and to the caller's.
func (c *layerGradient) collect(dw kernel.LayerWeights, partials []float32) {
	size, d := c.partialSize(), c.Width
	c.d.ranges(size, 4096, func(_ *worker, from, to int) {
		for at := size; at < len(partials); at += size {
			c.use.add(partials[from:to], partials[at+from:at+to], 1)
		}
	})
	c.weights.addTo(c.d.floats(dw.Weight), partials)
	sums := partials[size-3*d : size]
	c.use.add(c.d.floats(dw.NormScale), sums[:d], 1)
	c.use.add(c.d.floats(dw.Shift), sums[d:2*d], 1)
	c.use.add(c.d.floats(dw.Bias), sums[2*d:], 1)
}
