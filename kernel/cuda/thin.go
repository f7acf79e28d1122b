package cuda

import "github.com/lacuna-kg/lacuna/kernel"

// Thin marks the dropped edges and lets every segment close its gaps, on the device: only the list
// of dropped edges travels. A thinned graph keeps its base's places, not its ids, so
// thinning one again goes through the host; so does one that was cut out of a larger graph, whose degrees are the host's.
func (d *device) Thin(g kernel.DeviceGraph, dropped []int32) kernel.DeviceGraph {
	base := g.(*graph)
	for i, id := range dropped {
		want(id >= 0 && int(id) < base.edges && (i == 0 || id > dropped[i-1]), "dropped edges", id, base.edges)
	}
	if base.dropped != 0 || base.topology().Whole != nil {
		return d.NewGraph(base.topology().Thin(dropped))
	}
	ids := append([]int32(nil), dropped...)
	t := &graph{device: d, nodes: base.nodes, relations: base.relations, edges: base.edges - len(dropped), shape: base.shape, base: base,
		topology: func() *kernel.Graph { return base.topology().Thin(ids) }}
	t.shape.users++
	f := d.frame()
	if f == nil {
		return t
	}
	defer f.close()
	f.needGradients(base)
	t.dropped = f.zeros(&t.owned, base.edges)
	t.alive, t.sentAlive = f.zeros(&t.owned, base.shape.reached.count), f.zeros(&t.owned, base.shape.sent.count)
	f.launch("mark", over(len(ids)).by(1), 0, t.dropped, send(f, []int32{0, int32(len(ids))}), send(f, ids), int64(0), int32(1))
	moved := f.bytes(4 * base.edges)
	t.in, t.out = f.sideLike(t, base.in, base.edges), f.sideLike(t, base.out, base.edges)
	f.launch("thin_in", grid{x: blocks(base.in.count, 8), threads: 256}, 0, t.in.segments, t.in.strands, t.in.edges, base.in.record(), t.dropped, moved, t.alive)
	t.sentEdges = f.own(&t.owned, 8*(base.edges+edgesBeyond))
	f.copy(t.sentEdges, base.sentEdges, 2*(base.edges+edgesBeyond))
	f.launch("thin_out", grid{x: blocks(base.out.count, 8), threads: 256}, 0, t.out.segments, t.out.strands, t.out.edges, base.out.record(), t.dropped, moved, t.sentAlive,
		t.sentEdges, base.sentEdges)
	f.measure(t)
	return t
}

// zeros owns cleared bytes.
func (f *frame) zeros(owned *[]lent, bytes int) address {
	at := f.own(owned, bytes)
	f.do("cuMemsetD8Async", uintptr(at), 0, uintptr(max(bytes, 1)), 0)
	return at
}

// sideLike has room for what is left of a side; its nodes and their parts stay. The records are copied: what lies behind
// the end of a strand is read, though not used, and must be some record.
func (f *frame) sideLike(t *graph, base side, edges int) side {
	thin := base
	thin.segments, thin.strands = f.own(&t.owned, 16*base.count), f.own(&t.owned, 8*strands*base.count)
	thin.edges = f.own(&t.owned, 16*(edges+edgesBeyond))
	f.copy(thin.edges, base.edges, 4*(edges+edgesBeyond))
	return thin
}
