package cpu

import "github.com/lacuna-kg/lacuna/kernel"

// flightSamples bounds the samples whose gradients of shared things are held apart.
const flightSamples = 16

// bySamples gives every worker whole samples. It goes through the rows once: a tile's
// messages are gathered, and their gradients scattered while the heads' states are still
// in the cache. No other worker writes to the sample.
func (c *layerGradient) bySamples(dw kernel.LayerWeights) {
	samples, table := len(c.in.RelationOf), c.g.Relations()*c.Width
	flight := min(samples, flightSamples)
	partials := c.d.scratch.zeros("partials", flight*c.partialSize())
	for from := 0; from < samples; from += flight {
		n := min(flight, samples-from)
		drel := c.d.scratch.zeros("drelations", n*table)
		c.d.parallel(n, func(w *worker, i int) {
			c.wholeSample(&w.tile, row(drel, i, table), row(partials, i, c.partialSize()), c.sample(from+i))
		})
		for i := range n {
			c.use.add(row(c.drelations, int(c.in.RelationOf[from+i]), table), row(drel, i, table), 1)
		}
	}
	c.collect(dw, partials)
}

func (c *layerGradient) wholeSample(t *tile, drel, partial []float32, s sample) {
	t.forget()
	coef := t.floats("coefficients", tileRows*coefficientsOf(c.aggregate)*c.Width)
	dquery := row(c.dquery, s.b, c.Width)
	for r := (rows{0, 0}); r.from < c.g.Nodes(); r.from = r.to {
		r.to = c.tileEnd(r.from, c.g.Nodes())
		c.tile(t, coef, dquery, partial, s, nil, r)
		c.scatter(drel, s, coef, c.g.edges[c.g.at[r.from]:c.g.at[r.to]], t.counts(r.to-r.from, c.g.degree(r.from)))
	}
	c.flush(partial, t)
}

// counts is the number of edges of each row of a tile, which is the same.
func (t *tile) counts(rows, degree int) []int32 {
	counts := t.edgeCounts[:rows]
	for i := range counts {
		counts[i] = int32(degree)
	}
	return counts
}
