package cpu

import "github.com/lacuna-kg/lacuna/kernel"

// relationIndex lists the edges of each relation: exact projection reads only those.
type relationIndex struct {
	at    []int32    // (R+1)
	edges [][2]int32 // (E) head, tail; in order of tails within a relation
}

// relationEdges builds the index once per graph.
func (g *graph) relationEdges() *relationIndex {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.byRelation != nil {
		return g.byRelation
	}
	in := g.topology.In
	index := &relationIndex{make([]int32, g.Relations()+1), make([][2]int32, len(in.Node))}
	for _, r := range in.Relation {
		index.at[r+1]++
	}
	for r := range g.Relations() {
		index.at[r+1] += index.at[r]
	}
	next := append([]int32(nil), index.at...)
	for v := range g.Nodes() {
		for e := in.At[v]; e < in.At[v+1]; e++ {
			place := &next[in.Relation[e]]
			index.edges[*place] = [2]int32{in.Node[e], int32(v)}
			*place++
		}
	}
	g.byRelation = index
	return index
}

func (d *Device) Traverse(dg kernel.DeviceGraph, out, in kernel.Buffer, relations []int32) {
	g, o, x := dg.(*graph), d.floats(out), d.floats(in)
	want(len(o) == len(x) && len(x) == len(relations)*g.Nodes(), "traverse", len(x), []int{len(relations), g.Nodes()})
	index := g.relationEdges()
	d.parallel(len(relations), func(_ *worker, b int) {
		from, to := row(x, b, g.Nodes()), row(o, b, g.Nodes())
		clear(to)
		r := relations[b]
		for _, e := range index.edges[index.at[r]:index.at[r+1]] {
			to[e[1]] = max(to[e[1]], from[e[0]])
		}
	})
}
