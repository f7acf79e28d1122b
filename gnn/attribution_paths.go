package gnn

import (
	"cmp"
	"slices"

	"github.com/lacuna-kg/lacuna/kernel"
)

// Path is a walk from a source to the target along which evidence reached it.
type Path struct {
	Weight float32 // the sum of its steps' weights
	Steps  []PathStep
}

// Mean is the weight of a step, on average: what paths of different lengths are compared by.
func (p Path) Mean() float32 { return p.Weight / float32(len(p.Steps)) }

// PathStep is an edge of a path and what its message contributed in the layer that the path passes it in.
type PathStep struct {
	From, To int32
	Edge     kernel.Edge // as the topology has it: From is its head, or its tail where messages run from tail to head
	Layer    int
	Weight   float32
}

// beamWidth is how many partial paths of one length every node keeps at every level: more
// than are asked for, as some of them turn back on themselves further on.
const beamWidth = 8

// Paths gives the k best paths, each once, by the mean weight of their steps as NBFNet
// compares them: by the sum a detour that adds ever so little would beat the direct way.
// A path enters each of its nodes once. It takes at most one step a layer and may wait at
// a node, whose state the short cut carries on; of the ways to spread its steps over the
// layers the weightiest counts. The search keeps a beam for each node, level and length.
func (a *Attribution) Paths(k int) []Path {
	search := pathSearch{a, max(beamWidth, k)}
	at := [][][]*walk{make([][]*walk, a.graph.Nodes)} // by length and node
	for _, v := range a.sources {
		at[0][v] = []*walk{{node: v}}
	}
	for t := range a.weights {
		at = search.advance(at, t)
	}
	var paths []Path
	for _, walks := range at[1:] {
		for _, w := range walks[a.target] {
			paths = append(paths, a.path(w))
		}
	}
	slices.SortStableFunc(paths, func(p, q Path) int { return cmp.Compare(q.Mean(), p.Mean()) })
	return paths[:min(k, len(paths))]
}

// walk is a partial path that ends at a node: the last step, and the walk before it.
type walk struct {
	before *walk // nil at a source
	node   int32
	edge   int32 // of the message graph
	layer  int
	total  float32
}

// visits tells whether the walk has been at a node.
func (w *walk) visits(node int32) bool {
	for ; w != nil; w = w.before {
		if w.node == node {
			return true
		}
	}
	return false
}

// sameEdges tells whether two walks of one length take the same edges, in whichever layers.
func (w *walk) sameEdges(o *walk) bool {
	for ; w != o && w.before != nil; w, o = w.before, o.before {
		if w.edge != o.edge {
			return false
		}
	}
	return w.node == o.node
}

type pathSearch struct {
	*Attribution
	beam int
}

// advance takes the walks of every length through layer t: they wait, or step along an edge.
func (s pathSearch) advance(at [][][]*walk, t int) [][][]*walk {
	next := make([][][]*walk, len(at)+1)
	for length := range next {
		next[length] = make([][]*walk, s.graph.Nodes)
		for _, v := range s.levels[t+1] {
			if length < len(at) {
				next[length][v] = slices.Clone(at[length][v])
			}
			if length > 0 {
				next[length][v] = s.arrive(next[length][v], v, at[length-1], t)
			}
		}
	}
	return next
}

// arrive adds to the walks at v those that step there in layer t.
func (s pathSearch) arrive(walks []*walk, v int32, at [][]*walk, t int) []*walk {
	in := s.graph.In
	for e := in.At[v]; e < in.At[v+1]; e++ {
		for _, w := range at[in.Node[e]] {
			total := w.total + s.weights[t][e]
			if len(walks) == s.beam && total <= walks[s.beam-1].total {
				break // the walks of a node stand in order: none of the others will do
			}
			if !w.visits(v) {
				walks = s.insert(walks, &walk{w, v, e, t, total})
			}
		}
	}
	return walks
}

// insert keeps the best of the walks to a node, the same edges once, in descending order.
func (s pathSearch) insert(walks []*walk, w *walk) []*walk {
	for i, other := range walks {
		if !w.sameEdges(other) {
			continue
		}
		if other.total >= w.total {
			return walks
		}
		walks = slices.Delete(walks, i, i+1)
		break
	}
	i, _ := slices.BinarySearchFunc(walks, w, func(a, b *walk) int {
		if a.total >= b.total {
			return -1
		}
		return cmp.Compare(b.total, a.total)
	})
	walks = slices.Insert(walks, i, w)
	return walks[:min(len(walks), s.beam)]
}

func (a *Attribution) path(w *walk) Path {
	p := Path{Weight: w.total}
	for ; w.before != nil; w = w.before {
		step := PathStep{From: w.before.node, To: w.node, Layer: w.layer, Weight: a.weights[w.layer][w.edge]}
		step.Edge = kernel.Edge{Head: step.From, Relation: a.graph.In.Relation[w.edge], Tail: step.To}
		if a.reversed {
			step.Edge.Head, step.Edge.Tail = step.To, step.From
		}
		p.Steps = append(p.Steps, step)
	}
	slices.Reverse(p.Steps)
	return p
}
