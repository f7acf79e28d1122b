package cpu

import "github.com/lacuna-kg/lacuna/kernel"

// With few samples all workers share one, in two passes: from the states to the
// coefficients of messages, tasks of rows side by side; then along the edges, blocks of
// heads side by side. A block owns the gradients of its heads.
const blocksInFlight = 16 // of all samples together

func (c *layerGradient) byBlocks(dw kernel.LayerWeights) {
	samples := len(c.in.RelationOf)
	p := &blockPass{layerGradient: c, blocks: c.g.headBlocks(max(2, blocksInFlight/samples))}
	p.window = min(c.d.window, c.g.Nodes())
	p.size = coefficientsOf(c.aggregate) * c.Width
	p.coef = c.d.scratch.floats("coefficients", samples*p.window*p.size)
	p.partials = c.d.scratch.zeros("partials", len(c.g.tasks)*c.partialSize())
	p.queries = c.d.scratch.floats("queries", len(c.g.tasks)*c.Width)
	p.drel = c.d.scratch.zeros("drelations", samples*len(p.blocks)*c.g.Relations()*c.Width)
	p.done = make([]int, len(p.blocks))
	for first := 0; first < c.g.Nodes(); first += p.window {
		p.run(rows{first, min(first+p.window, c.g.Nodes())})
	}
	p.collectRelations()
	c.collect(dw, p.partials)
}

type blockPass struct {
	*layerGradient
	blocks       []headBlock
	window, size int       // rows held at a time, coefficients of one
	coef         []float32 // (B, window, size)
	partials     []float32 // (tasks, …) gradients of the weights
	queries      []float32 // (tasks, D) of one sample's query
	drel         []float32 // (B, blocks, R, D)
	done         []int     // edges of each block before the window
}

// run takes a window of rows through both passes.
func (p *blockPass) run(window rows) {
	for b := range p.in.RelationOf {
		p.nodes(p.sample(b), row(p.coef, b, p.window*p.size), window)
	}
	table := p.g.Relations() * p.Width
	p.d.parallel(len(p.in.RelationOf)*len(p.blocks), func(_ *worker, i int) {
		b, block := i/len(p.blocks), i%len(p.blocks)
		p.scatter(row(p.drel, i, table), p.sample(b), row(p.coef, b, p.window*p.size),
			p.blocks[block].edges[p.done[block]:], p.blocks[block].counts[window.from:window.to])
	})
	for i := range p.blocks {
		for _, n := range p.blocks[i].counts[window.from:window.to] {
			p.done[i] += int(n)
		}
	}
}

// nodes is the first pass for a sample.
func (p *blockPass) nodes(s sample, coef []float32, window rows) {
	var hubs []float32
	if p.stats == nil && window.from < p.g.hubs {
		hubs = p.hubPartials(s)
	}
	clear(p.queries)
	p.d.parallel(len(p.g.tasks), func(w *worker, task int) {
		part := p.g.tasks[task]
		part.from, part.to = max(part.from, window.from), min(part.to, window.to)
		t, partial := &w.tile, row(p.partials, task, p.partialSize())
		t.forget()
		for r := part; r.from < part.to; r.from = r.to {
			r.to = p.tileEnd(r.from, part.to)
			p.tile(t, coef[(r.from-window.from)*p.size:], row(p.queries, task, p.Width), partial, s, hubs, r)
		}
		p.flush(partial, t)
	})
	for task := range p.g.tasks {
		p.use.add(row(p.dquery, s.b, p.Width), row(p.queries, task, p.Width), 1)
	}
}

func (p *blockPass) collectRelations() {
	table := p.g.Relations() * p.Width
	for i := range len(p.in.RelationOf) * len(p.blocks) {
		u := int(p.in.RelationOf[i/len(p.blocks)])
		p.use.add(row(p.drelations, u, table), row(p.drel, i, table), 1)
	}
}
