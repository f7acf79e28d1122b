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

// firstTile computes the nodes of a tile of one degree that the set touches, and has the others alike.
func (c *layer) firstTile(t *tile, s sample, out []float32, r rows) {
	touched, quiet, n := t.touchedNodes[:0], t.quietNodes[:0], c.weights.n
	for at := r.from; at < r.to; at++ {
		v := c.g.order[at]
		if !s.touched[v] {
			quiet = append(quiet, v)
			continue
		}
		x := t.x[len(touched)*n:]
		c.start(x, s, c.g.order[at:at+1])
		c.accumulate(x[c.Width:], s, c.g.edges[c.g.at[at]:c.g.at[at+1]], 1, c.g.degree(at), n)
		touched = append(touched, v)
	}
	if len(touched) > 0 {
		c.first(t, s, out, r.from, touched)
	}
	c.quiet(t, s, out, r.from, quiet)
}

// first takes nodes of the degree of a row, whose messages are gathered, to their new state.
func (c *layer) first(t *tile, s sample, out []float32, at int, nodes []int32) {
	c.finish(t.x, len(nodes), c.g.degree(at))
	c.multiply(t, rows{at, at + len(nodes)})
	c.rows.normForward(out, s.hidden, t.z, c.scale, c.shift, nodes, c.Width)
}

// quiet writes the state of nodes of the degree of a row that the set does not touch.
func (c *layer) quiet(t *tile, s sample, out []float32, at int, nodes []int32) {
	if degree := c.g.scaleDegree(at); len(nodes) > 0 && t.quietOf != degree {
		c.start(t.x, s, nodes[:1])
		c.first(t, s, out, at, nodes[:1])
		t.quiet, t.quietOf = row(out, int(nodes[0]), c.Width), degree
		nodes = nodes[1:]
	}
	for _, v := range nodes {
		copy(row(out, int(v), c.Width), t.quiet)
	}
}
