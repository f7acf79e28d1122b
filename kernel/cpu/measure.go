package cpu

import (
	"time"

	"github.com/lacuna-kg/lacuna/kernel"
)

// Rates are what one core reaches in the two inner loops that nearly all time goes to.
type Rates struct {
	EdgeNanoseconds float64 // to make one message and take it into its node's statistics
	Gigaflops       float64 // in the Linear's matrix product
}

// measureRounds is how often a loop is timed; the best counts, since others use the machine too.
const measureRounds = 7

// Measure times the inner loops of a kind of layer on a graph of this device, on one
// core: the messages of all its edges, and the product for as many nodes. The layer must be
// of the fast kinds.
func (d *Device) Measure(l kernel.Layer, dg kernel.DeviceGraph) Rates {
	want(!d.FallsBack(l), "measure", l, "a layer with vector kernels")
	g, width := dg.(*graph), l.Width
	in := kernel.LayerInput{
		Hidden: d.NewBuffer(g.Nodes() * width), Set: d.NewBuffer(g.Nodes()), Query: d.NewBuffer(width),
		Relations: d.NewBuffer(g.Relations() * width), RelationOf: []int32{0},
	}
	d.Fill(in.Hidden, 0.5)
	d.Fill(in.Relations, 0.5)
	w := kernel.LayerWeights{Weight: d.NewBuffer(width * l.Features()), Bias: d.NewBuffer(width), NormScale: d.NewBuffer(width), Shift: d.NewBuffer(width)}
	c := d.newLayer(l, g, kernel.Kept{}, in, w)
	d.pack(c.weights, d.floats(w.Weight), 1, false)
	c.shapeTiles()
	t, s := &d.workers[0].tile, c.sample(0)
	clear(t.x)
	edges := best(func() { c.eachTile(func(r rows) { c.messagesOf(t, s, r) }) })
	product := best(func() { c.eachTile(func(r rows) { c.multiply(t, r) }) })
	return Rates{
		EdgeNanoseconds: float64(edges.Nanoseconds()) / float64(max(1, g.Edges())),
		Gigaflops:       flops(l, g.Nodes()) / float64(max(1, product.Nanoseconds())),
	}
}

func best(run func()) time.Duration {
	var least time.Duration
	for i := range measureRounds {
		begin := time.Now()
		run()
		if took := time.Since(begin); i == 0 || took < least {
			least = took
		}
	}
	return least
}

func (c *layer) eachTile(run func(r rows)) {
	for r := (rows{}); r.from < c.g.Nodes(); r.from = r.to {
		r.to = c.tileEnd(r.from, c.g.Nodes())
		run(r)
	}
}

// messagesOf is the gathering of a tile without what precedes and follows it.
func (c *layer) messagesOf(t *tile, s sample, r rows) {
	edges := c.g.edges[c.g.at[r.from]:c.g.at[r.to]]
	c.accumulate(t.x[c.Width:], s, edges, r.to-r.from, c.g.degree(r.from), c.weights.n)
}

// flops counts the operations of a layer's Linear for one sample, in its compact features.
func flops(l kernel.Layer, nodes int) float64 {
	return 2 * float64(nodes) * float64(1+l.Stats()) * float64(l.Width) * float64(l.Width)
}

// Floor is the time that a sample's layers would take if these loops were all there is,
// on all threads. Backward gathers once more, scatters once (counted as a gathering), and
// has two products for forward's one.
func (r Rates) Floor(l kernel.Layer, g kernel.DeviceGraph, layers, threads int, backward bool) time.Duration {
	passes := 1.0
	if backward {
		passes = 3
	}
	one := float64(g.Edges())*r.EdgeNanoseconds + flops(l, g.Nodes())/r.Gigaflops
	return time.Duration(passes * float64(layers) * one / float64(threads))
}
