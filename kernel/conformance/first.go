package conformance

import "github.com/lacuna-kg/lacuna/kernel"

// firstCases run a kind of layer as the first, whose input is the boundary of sets that are mostly zero:
// a device that passes over what is zero must not pass over more.
func firstCases(l kernel.Layer, name string) []Case {
	hub := topology(23, 5, 250, 90)
	var cases []Case
	if l.Width == 8 || l.Width == 32 || l.Width == 64 {
		cases = append(cases,
			Case{name + "first", func(s *stage) { playFirst(s, l, s.graph(hub), nothing, false) }},
			Case{name + "first-tied", func(s *stage) { playFirst(s, l, s.graph(hub), everything, true) }})
	}
	if l.Width == 32 && l.Message == kernel.DistMult { // nodes of several segments, most of them out of reach
		wide := topology(260, 40, 1100, 300)
		cases = append(cases,
			Case{name + "first-wide", func(s *stage) { playFirst(s, l, s.graph(wide), linearOnly, false) }},
			Case{name + "first-quiet", func(s *stage) { playFirst(s, l, s.graph(wide), nothing, false) }},
			Case{name + "first-part", func(s *stage) { playFirst(s, l, s.graph(partOfLarger(wide)), nothing, false) }},
			Case{name + "first-thinned", func(s *stage) { playFirst(s, l, thinned(s, wide), everything, false) }})
	}
	return cases
}

// sparse draws the sets of a first layer: one entity that sends much, none, one, two by halves, and all.
func (s *stage) sparse(nodes int) kernel.Buffer {
	sets := make([]float32, 5*nodes)
	sets[0] = 1 // the hub
	sets[2*nodes+5] = 1
	sets[3*nodes+nodes-2], sets[3*nodes+3] = 0.5, 0.25
	copy(sets[4*nodes:], s.random(nodes, 0, 1))
	return s.place("set", input, sets)
}

// playFirst leaves the gradient of the states to BoundaryBackward: where the set is zero it means nothing.
func playFirst(s *stage, l kernel.Layer, g kernel.DeviceGraph, keep keeping, tied bool) {
	const samples, tables = 5, 2
	states, table := samples*g.Nodes()*l.Width, tables*g.Relations()*l.RelationWidth()
	values := func(name string, n int) kernel.Buffer {
		if tied {
			return s.tied(name, n)
		}
		return s.input(name, n, -1, 1)
	}
	in := kernel.LayerInput{
		Hidden: s.output("boundary", states), Set: s.sparse(g.Nodes()), Query: values("query", samples*l.Width),
		Relations: values("relations", table), RelationOf: []int32{1, 0, 1, 1, 0}, FromBoundary: true,
	}
	s.Boundary(in.Hidden, in.Set, in.Query)
	din := kernel.LayerGradient{Hidden: s.scratch("dhidden", states), Query: s.gradient("dquery", samples*l.Width), Relations: s.gradient("drelations", table)}
	w, dw := layerWeights(s, l)
	kept := keptBuffers(s, l, keep, states)
	s.LayerForward(l, g, s.output("out", states), kept, in, w)
	s.LayerBackward(l, g, din, dw, s.input("dout", states, -1, 1), kept, in, w)
	s.BoundaryBackward(din.Query, din.Hidden, in.Set)
}
