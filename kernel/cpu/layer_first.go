package cpu

import "github.com/lacuna-kg/lacuna/kernel"

// A first layer reads the boundary, and most sets that are asked for are one entity: on FB15k-237 it reaches one
// node in 60. The others hear zeros alone, whatever their edges, so that those of one degree come out the same: one of
// them is computed, without its edges, and the rest are copies. TransE's messages alone are no products: zeros send something.

// fewMembers is how many members of a set are looked after. More reach most of a graph.
const fewMembers = 64

// markTouched finds, for each sample of a first layer that keeps nothing for backward, the nodes that its set touches.
func (c *layer) markTouched(samples int) {
	if !c.in.FromBoundary || c.Message == kernel.TransE || c.stats != nil || c.linear != nil {
		return
	}
	set := c.d.floats(c.in.Set)
	c.touched = make([][]bool, samples)
	c.d.parallel(samples, func(_ *worker, b int) { c.touched[b] = c.g.touchedBy(row(set, b, c.g.Nodes())) })
}

// touchedBy marks the members of a set and the nodes that an edge from one of them reaches; nil where there are many.
func (g *graph) touchedBy(set []float32) []bool {
	out, marks, members := g.topology.Out, make([]bool, len(set)), 0
	for u, x := range set {
		if x == 0 {
			continue
		}
		if members++; members > fewMembers {
			return nil
		}
		marks[u] = true
		for _, v := range out.Node[out.At[u]:out.At[u+1]] {
			marks[v] = true
		}
	}
	return marks
}

// isQuiet tells whether the set touches none of some nodes.
func (s sample) isQuiet(nodes []int32) bool {
	if s.touched == nil {
		return false
	}
	for _, v := range nodes {
		if s.touched[v] {
			return false
		}
	}
	return true
}

// quiet writes the state of a tile that the set does not touch.
func (c *layer) quiet(t *tile, s sample, out []float32, r rows) {
	nodes := c.g.order[r.from:r.to]
	if degree := c.g.scaleDegree(r.from); t.quietOf != degree {
		c.start(t.x, s, nodes[:1])
		c.finish(t.x, 1, c.g.degree(r.from))
		c.multiply(t, rows{r.from, r.from + 1})
		c.rows.normForward(out, s.hidden, t.z, c.scale, c.shift, nodes[:1], c.Width)
		t.quiet, t.quietOf = row(out, int(nodes[0]), c.Width), degree
		nodes = nodes[1:]
	}
	for _, v := range nodes {
		copy(row(out, int(v), c.Width), t.quiet)
	}
}
