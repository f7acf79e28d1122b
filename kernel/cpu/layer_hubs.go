package cpu

import "math"

// Rows of hubs are cut into segments, so that one node's edges are shared among cores.
// A segment leaves partial statistics, which are merged in order of the segments.

// segments is the number of segments of a hub's row.
func (c *layer) segments(row int) int { return (c.g.degree(row) + c.d.hub - 1) / c.d.hub }

// hubPartials gathers the statistics of all segments of all hubs, without the boundary.
func (c *layer) hubPartials(s sample) []float32 {
	if c.g.hubs == 0 {
		return nil
	}
	size := c.Stats() * c.Width
	var list []rows // runs of edges
	for hub := range c.g.hubs {
		for from := int(c.g.at[hub]); from < int(c.g.at[hub+1]); from += c.d.hub {
			list = append(list, rows{from, min(from+c.d.hub, int(c.g.at[hub+1]))})
		}
	}
	partials := c.d.scratch.floats("hubs", len(list)*size)
	c.d.parallel(len(list), func(_ *worker, i int) {
		c.segment(row(partials, i, size), s, list[i])
	})
	return partials
}

// neutral begins statistics of no messages.
func (c *layer) neutral(acc []float32) {
	clear(acc)
	low := float32(math.Inf(-1))
	for i := range c.Width {
		switch c.aggregate {
		case maximum:
			acc[i] = low
		case pna:
			acc[c.Width+i], acc[2*c.Width+i] = low, -low
		}
	}
}

// gatherHub adds the partial statistics of a hub's segments to those of its boundary, in
// their order; nil partials are gathered now, by this worker alone.
func (c *layer) gatherHub(acc []float32, t *tile, s sample, partials []float32, hub int) {
	first, size := 0, c.Stats()*c.Width
	for before := range hub {
		first += c.segments(before)
	}
	for i := range c.segments(hub) {
		if partials != nil {
			c.merge(acc, row(partials, first+i, size))
			continue
		}
		part := t.floats("segment", size)
		from := int(c.g.at[hub]) + i*c.d.hub
		c.segment(part, s, rows{from, min(from+c.d.hub, int(c.g.at[hub+1]))})
		c.merge(acc, part)
	}
}

// segment gathers a run of edges.
func (c *layer) segment(acc []float32, s sample, edges rows) {
	c.neutral(acc)
	n := edges.to - edges.from
	c.accumulate(acc, s, c.g.edges[edges.from:edges.to], 1, n, len(acc))
}

func (c *layer) merge(acc, part []float32) {
	d := c.Width
	for i := range d {
		switch c.aggregate {
		case sum:
			acc[i] += part[i]
		case maximum:
			acc[i] = max(acc[i], part[i])
		case pna:
			acc[i] += part[i]
			acc[d+i] = max(acc[d+i], part[d+i])
			acc[2*d+i] = min(acc[2*d+i], part[2*d+i])
			acc[3*d+i] += part[3*d+i]
		}
	}
}
