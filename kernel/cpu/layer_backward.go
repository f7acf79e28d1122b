package cpu

import "github.com/lacuna-kg/lacuna/kernel"

// layerGradient is where one call of LayerBackward adds to.
type layerGradient struct {
	*layer
	dhidden, dquery, drelations []float32
	dout                        []float32
	partials                    []float32 // (tasks, size) gradients of the weights
	queries                     []float32 // (tasks, D) of the query, for one sample
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

// flight bounds what is in flight in backward: so many samples, of so many rows, in
// so many blocks of heads. They depend on the batch, never on the number of threads.
const (
	flightSamples = 4
	flightTasks   = 8
	windowRows    = 1 << 15
)

func (d *Device) LayerBackward(l kernel.Layer, dg kernel.DeviceGraph, din kernel.LayerGradient, dw kernel.LayerWeights, dout kernel.Buffer, kept kernel.Kept, in kernel.LayerInput, w kernel.LayerWeights) {
	g := dg.(*graph)
	if !isFast(l) {
		d.slowLayerBackward(l, g, din, dw, dout, kept, in, w)
		return
	}
	c := d.newLayerGradient(l, g, din, dout, kept, in, w)
	samples := len(in.RelationOf)
	flight := min(samples, flightSamples)
	blocks := g.headBlocks(max(2, flightTasks/flight))
	for from := 0; from < samples; from += flight {
		c.samples(from, min(from+flight, samples), blocks)
	}
	c.collect(dw)
}

func (d *Device) newLayerGradient(l kernel.Layer, g *graph, din kernel.LayerGradient, dout kernel.Buffer, kept kernel.Kept, in kernel.LayerInput, w kernel.LayerWeights) *layerGradient {
	c := &layerGradient{layer: d.newLayer(l, g, kept, in, w)}
	c.dhidden, c.dquery, c.drelations = d.floats(din.Hidden), d.floats(din.Query), d.floats(din.Relations)
	c.dout = d.floats(dout)
	want(len(c.dout) == in.Hidden.Len() && len(c.dhidden) == len(c.dout), "layer gradient", len(c.dout), in.Hidden.Len())
	want(len(c.dquery) == in.Query.Len() && len(c.drelations) == in.Relations.Len(), "layer gradient", len(c.drelations), in.Relations.Len())
	c.shapeTiles()
	c.partials = d.scratch.zeros("partials", len(g.tasks)*c.partialSize())
	c.queries = d.scratch.floats("queries", len(g.tasks)*l.Width)
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
	return c.weights.parts*c.weights.n*c.Width + 3*c.Width
}

// samples runs backward for some samples, window by window of rows: first from the state
// to the messages' coefficients, task by task, then along the edges, block by block.
func (c *layerGradient) samples(from, to int, blocks []headBlock) {
	flight, size := to-from, coefficientsOf(c.aggregate)*c.Width
	window := min(windowRows, c.g.Nodes())
	coef := c.d.scratch.floats("coefficients", flight*window*size)
	table := c.g.Relations() * c.Width
	drel := c.d.scratch.zeros("drelations", flight*len(blocks)*table)
	done := make([]int, len(blocks)) // edges of each block before the window
	for first := 0; first < c.g.Nodes(); first += window {
		end := min(first+window, c.g.Nodes())
		for b := from; b < to; b++ {
			s := c.sample(b)
			c.nodes(s, row(coef, b-from, window*size), rows{first, end})
		}
		c.d.parallel(flight*len(blocks), func(_ *worker, i int) {
			s, block := c.sample(from+i/len(blocks)), i%len(blocks)
			c.scatter(row(drel, i, table), s, row(coef, i/len(blocks), window*size), &blocks[block], done[block], rows{first, end})
		})
		for i := range blocks {
			for _, n := range blocks[i].counts[first:end] {
				done[i] += int(n)
			}
		}
	}
	for i := range flight * len(blocks) {
		s := from + i/len(blocks)
		c.use.add(row(c.drelations, int(c.in.RelationOf[s]), table), row(drel, i, table), 1)
	}
}

// nodes takes the gradient of a window's states to the coefficients of their messages.
func (c *layerGradient) nodes(s *sample, coef []float32, window rows) {
	var hubs []float32
	if c.stats == nil && window.from < c.g.hubs {
		hubs = c.hubPartials(s)
	}
	clear(c.queries)
	c.d.parallel(len(c.g.tasks), func(w *worker, task int) {
		part := c.g.tasks[task]
		part.from, part.to = max(part.from, window.from), min(part.to, window.to)
		c.nodesTask(w, task, s, hubs, coef, part, window.from)
	})
	dquery := row(c.dquery, s.b, c.Width)
	for task := range c.g.tasks {
		c.use.add(dquery, row(c.queries, task, c.Width), 1)
	}
}

func (c *layerGradient) nodesTask(w *worker, task int, s *sample, hubs, coef []float32, part rows, first int) {
	t := &w.tile
	t.forget()
	partial := row(c.partials, task, c.partialSize())
	sums := partial[len(partial)-3*c.Width:]
	degree := -1
	for r := part; r.from < part.to; r.from = r.to {
		r.to = c.tileEnd(r.from, part.to)
		if next := c.g.degree(r.from); next != degree {
			c.flush(partial, t, degree)
			degree = next
		}
		c.recall(t, s, hubs, r)
		nodes := c.g.order[r.from:r.to]
		c.rows.normBackward(t.dz, sums, row(c.dout, s.b, len(s.hidden)), t.z, c.scale, c.shift, nodes, c.Width)
		c.multiplyBackward(t, r)
		c.rows.addRows(row(c.dhidden, s.b, len(s.hidden)), row(c.dout, s.b, len(s.hidden)), t.dx, nodes, c.weights.n, c.Width)
		c.prepare(coef[(r.from-first)*coefficientsOf(c.aggregate)*c.Width:], row(c.queries, task, c.Width), t, s, r)
	}
	c.flush(partial, t, degree)
}

// recall brings back features and output of the Linear: kept, or computed again.
func (c *layerGradient) recall(t *tile, s *sample, hubs []float32, r rows) {
	n, d := c.weights.n, c.Width
	if c.stats == nil {
		c.gather(t.x, s, hubs, r)
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
	transpose := c.weights.transposeOf(t, c.use, c.g.degree(r.from))
	c.use.gemm(matrix{t.dx, n, 1}, matrix{c.zero, 0, 1}, matrix{t.dz, d, 1}, matrix{transpose, n, 1}, count, d, n)
	dweight := matrix{t.dweight, n, 1}
	c.use.gemm(dweight, dweight, matrix{t.dz, 1, d}, matrix{t.x, n, 1}, d, count, n)
}

// flush adds the gradient that nodes of one degree gave to their weight to the three
// parts it was made of, and begins anew.
func (c *layerGradient) flush(partial []float32, t *tile, degree int) {
	if degree >= 0 {
		s, a := c.weights.scalers(degree)
		size := c.weights.n * c.Width
		for k, scaler := range []float32{1, s, a}[:c.weights.parts] {
			c.use.add(row(partial, k, size), t.dweight, scaler)
		}
	}
	clear(t.dweight)
}

// prepare writes the coefficients of a tile's messages and passes the boundary's gradient on.
func (c *layerGradient) prepare(coef, dquery []float32, t *tile, s *sample, r rows) {
	nodes, share := c.g.order[r.from:r.to], c.share(c.g.degree(r.from))
	for _, p := range c.coefficients {
		p.f(coef[p.at:], dquery[p.from:], t.dx[p.from:], t.x[p.from:], s.set, s.query[p.from:], nodes, share, p.columns, p.step, c.Width)
	}
}

// scatter takes the gradient of a window's messages along a block's edges.
func (c *layerGradient) scatter(drel []float32, s *sample, coef []float32, block *headBlock, done int, window rows) {
	n := coefficientsOf(c.aggregate)
	dhidden := row(c.dhidden, s.b, len(s.hidden))
	for i, f := range c.scatters {
		from := c.spans[i].from
		f(dhidden[from:], drel[from:], s.hidden[from:], s.relations[from:], block.edges[done:], block.counts[window.from:window.to], coef[n*c.halves*from:], c.Width)
	}
}

// collect adds the tasks' gradients up, in their order, and to the caller's.
func (c *layerGradient) collect(dw kernel.LayerWeights) {
	size, d := c.partialSize(), c.Width
	c.d.ranges(size, 4096, func(_ *worker, from, to int) {
		for task := 1; task < len(c.g.tasks); task++ {
			c.use.add(c.partials[from:to], c.partials[task*size+from:task*size+to], 1)
		}
	})
	dweight := c.d.floats(dw.Weight)
	c.weights.each(func(part, compact, out, column int) {
		dweight[out*c.Features()+column] += c.partials[(part*d+out)*c.weights.n+compact]
	})
	sums := c.partials[size-3*d : size]
	c.use.add(c.d.floats(dw.NormScale), sums[:d], 1)
	c.use.add(c.d.floats(dw.Shift), sums[d:2*d], 1)
	c.use.add(c.d.floats(dw.Bias), sums[2*d:], 1)
}
