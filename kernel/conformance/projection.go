package conformance

import (
	"fmt"

	"github.com/lacuna-kg/lacuna/kernel"
)

func denseCases() []Case {
	var cases []Case
	for _, w := range widths() {
		cases = append(cases, Case{fmt.Sprintf("boundary/width=%d", w), func(s *stage) {
			set, query := s.input("set", 3*11, 0, 1), s.input("query", 3*w, -1, 1)
			s.Boundary(s.output("boundary", 3*11*w), set, query)
			s.BoundaryBackward(s.gradient("dquery", 3*w), s.input("dout", 3*11*w, -1, 1), set)
		}})
		for _, act := range []kernel.Activation{kernel.Identity, kernel.ReLU} {
			for _, outs := range []int{1, w, 5*w + 3} {
				cases = append(cases, Case{fmt.Sprintf("linear/%d-%d/act=%d", w, outs, act), func(s *stage) { playLinear(s, 6, w, outs, act) }})
			}
		}
		for _, states := range []int{1, 3, 4} {
			cases = append(cases, Case{fmt.Sprintf("head/width=%d/states=%d", w, states), func(s *stage) { playHead(s, 2, 37, w, states) }})
		}
	}
	for _, shape := range [][2]int{{32, 32}, {32, 64}, {96, 32}} { // rows beyond a tile of 16
		for _, act := range []kernel.Activation{kernel.Identity, kernel.ReLU} {
			cases = append(cases, Case{fmt.Sprintf("linear/%d-%d/act=%d/many rows", shape[0], shape[1], act), func(s *stage) { playLinear(s, 301, shape[0], shape[1], act) }})
		}
	}
	return append(cases, Case{"head/width=32/states=4/many nodes", func(s *stage) { playHead(s, 2, 1100, 32, 4) }})
}

func playLinear(s *stage, rows, ins, outs int, act kernel.Activation) {
	x, weight, bias := s.input("x", rows*ins, -1, 1), s.input("weight", outs*ins, -1, 1), s.input("bias", outs, -1, 1)
	out, dout := s.output("out", rows*outs), s.input("dout", rows*outs, -1, 1)
	s.LinearForward(out, x, weight, bias, act)
	s.LinearBackward(s.gradient("dx", rows*ins), s.gradient("dweight", outs*ins), s.gradient("dbias", outs), dout, out, x, weight, act)
	s.LinearBackward(nil, s.gradient("dweight without dx", outs*ins), s.gradient("dbias without dx", outs), dout, out, x, weight, act)
}

func playHead(s *stage, samples, nodes, width, states int) {
	f := (states + 1) * width
	in, din := kernel.HeadInput{Query: s.input("query", samples*width, -1, 1)}, kernel.HeadInput{Query: s.gradient("dquery", samples*width)}
	for range states {
		in.Hidden = append(in.Hidden, s.input("hidden", samples*nodes*width, -1, 1))
		din.Hidden = append(din.Hidden, s.gradient("dhidden", samples*nodes*width))
	}
	w := kernel.HeadWeights{
		Weight0: s.input("weight0", f*f, -0.3, 0.3), Bias0: s.input("bias0", f, -1, 1),
		Weight2: s.input("weight2", f, -0.3, 0.3), Bias2: s.input("bias2", 1, -1, 1),
	}
	dw := kernel.HeadWeights{
		Weight0: s.gradient("dweight0", f*f), Bias0: s.gradient("dbias0", f),
		Weight2: s.gradient("dweight2", f), Bias2: s.gradient("dbias2", 1),
	}
	prob := s.output("prob", samples*nodes)
	s.HeadForward(prob, in, w)
	s.HeadBackward(din, dw, s.input("dprob", samples*nodes, -1, 1), prob, in, w)
}

// layerKinds are all kinds of layer at a width.
func layerKinds(width int) (kinds []kernel.Layer) {
	for _, m := range []kernel.Message{kernel.DistMult, kernel.TransE, kernel.RotatE} {
		for _, a := range []kernel.Aggregate{kernel.Sum, kernel.Mean, kernel.Max, kernel.PNA} {
			kinds = append(kinds, kernel.Layer{Message: m, Aggregate: a, Width: width})
		}
	}
	for _, m := range []kernel.Message{kernel.DistMult, kernel.Sub, kernel.Corr} {
		kinds = append(kinds, kernel.Layer{Message: m, Aggregate: kernel.Directed, Width: width})
	}
	return append(kinds, kernel.Layer{Aggregate: kernel.Bases, Width: width, Bases: 3})
}

func layerCases() []Case {
	var cases []Case
	for _, w := range widths() {
		for _, l := range layerKinds(w) {
			if l.Check() == nil { // RotatE has no odd widths
				cases = append(cases, casesOf(l)...)
			}
		}
	}
	return cases
}

// casesOf runs a kind of layer at every width on two sorts of input, and at some widths
// in all situations. The large graph has few nodes: among many values that pass a ReLU
// one lies at its kink, and falls on either side by rounding alone.
func casesOf(l kernel.Layer) []Case {
	hub := topology(23, 5, 250, 90)
	name := fmt.Sprintf("layer/%v/%v/width=%d/", l.Message, l.Aggregate, l.Width)
	cases := []Case{
		{name + "recomputed", func(s *stage) { playLayer(s, l, s.graph(hub), nothing, false) }},
		{name + "tied", func(s *stage) { playLayer(s, l, s.graph(hub), linearOnly, true) }},
	}
	isFoundation := l == kernel.Layer{Message: kernel.DistMult, Aggregate: kernel.Sum, Width: 64}
	if l.Width == 8 || l.Width == 33 || l.Width == 34 || isFoundation {
		bare := topology(9, 5, 0, 0)
		cases = append(cases,
			Case{name + "kept", func(s *stage) { playLayer(s, l, s.graph(hub), everything, false) }},
			Case{name + "no-edges", func(s *stage) { playLayer(s, l, s.graph(bare), nothing, false) }},
			Case{name + "thinned", func(s *stage) { playLayer(s, l, thinned(s, hub), nothing, false) }})
	}
	if l.Width == 32 || isFoundation {
		large := topology(300, 40, 12000, 3000)
		cases = append(cases, Case{name + "large", func(s *stage) { playLayer(s, l, s.graph(large), linearOnly, false) }})
	}
	if l.Width == 7 || l.Width == 32 || l.Width == 64 {
		cases = append(cases, Case{name + "fresh", func(s *stage) { playOnto(s, l, s.graph(hub), linearOnly, false, true) }})
	}
	if l.Aggregate == kernel.PNA && (l.Width == 8 || l.Width == 32) {
		part, even := partOfLarger(hub), evenTopology(160, 5)
		cases = append(cases,
			Case{name + "even", func(s *stage) { playLayer(s, l, s.graph(even), linearOnly, false) }},
			Case{name + "even-first", func(s *stage) { playFirst(s, l, s.graph(even), nothing, false) }},
			Case{name + "part", func(s *stage) { playLayer(s, l, s.graph(part), linearOnly, false) }},
			Case{name + "part-thinned", func(s *stage) { playLayer(s, l, thinned(s, part), nothing, false) }})
	}
	if l == (kernel.Layer{Message: kernel.DistMult, Aggregate: kernel.PNA, Width: 32}) {
		even, uneven := evenTopology(160, 5), topology(150, 7, 1500, 200)
		cases = append(cases,
			Case{name + "even-many", func(s *stage) { playMany(s, l, s.graph(even), 375) }},
			Case{name + "uneven-many", func(s *stage) { playMany(s, l, s.graph(uneven), 340) }})
	}
	return append(cases, firstCases(l, name)...)
}

// playMany runs a layer forward on so many samples that they fill a GPU, which may take another way then.
func playMany(s *stage, l kernel.Layer, g kernel.DeviceGraph, samples int) {
	states := samples * g.Nodes() * l.Width
	in := kernel.LayerInput{
		Hidden: s.input("hidden", states, -1, 1), Set: s.input("set", samples*g.Nodes(), 0, 1), Query: s.input("query", samples*l.Width, -1, 1),
		Relations: s.input("relations", g.Relations()*l.Width, -1, 1), RelationOf: make([]int32, samples),
	}
	w, _ := layerWeights(s, l)
	s.LayerForward(l, g, s.output("out", states), kernel.Kept{}, in, w)
}

// keeping is how much forward leaves for backward.
type keeping uint8

const (
	nothing keeping = iota
	linearOnly
	everything
)

// partOfLarger gives the nodes of a graph degrees of a larger one that it might be a part of.
func partOfLarger(g *kernel.Graph) *kernel.Graph {
	part, degrees := *g, make([]int32, g.Nodes)
	for v := range degrees {
		degrees[v] = int32(g.In.Degree(v) + v%3*40)
	}
	part.Whole = &kernel.Degrees{Of: degrees, MeanLog: 1.75}
	return &part
}

// thinned drops every third edge on the device.
func thinned(s *stage, g *kernel.Graph) kernel.DeviceGraph {
	var dropped []int32
	for id := int32(0); id < int32(g.Edges()); id += 3 {
		dropped = append(dropped, id)
	}
	thin := s.Thin(s.graph(g), dropped)
	s.graphs = append(s.graphs, thin)
	return thin
}

// playLayer runs three samples, two of which share a table of relations.
func playLayer(s *stage, l kernel.Layer, g kernel.DeviceGraph, keep keeping, tied bool) {
	playOnto(s, l, g, keep, tied, false)
}

// playOnto is playLayer whose gradient of the states is added to what is there, or is fresh.
func playOnto(s *stage, l kernel.Layer, g kernel.DeviceGraph, keep keeping, tied, fresh bool) {
	const samples, tables = 3, 2
	states, table := samples*g.Nodes()*l.Width, tables*g.Relations()*l.RelationWidth()
	values := func(name string, n int) kernel.Buffer {
		if tied {
			return s.tied(name, n)
		}
		return s.input(name, n, -1, 1)
	}
	in := kernel.LayerInput{
		Hidden: values("hidden", states), Set: s.input("set", samples*g.Nodes(), 0, 1), Query: values("query", samples*l.Width),
		Relations: values("relations", table), RelationOf: []int32{1, 0, 1},
	}
	din := kernel.LayerGradient{Hidden: s.gradient("dhidden", states), Query: s.gradient("dquery", samples*l.Width), Relations: s.gradient("drelations", table), Fresh: fresh}
	w, dw := layerWeights(s, l)
	kept := keptBuffers(s, l, keep, states)
	s.LayerForward(l, g, s.output("out", states), kept, in, w)
	s.LayerBackward(l, g, din, dw, s.input("dout", states, -1, 1), kept, in, w)
}

func layerWeights(s *stage, l kernel.Layer) (w, dw kernel.LayerWeights) {
	f := l.Features()
	w = kernel.LayerWeights{
		Weight: s.input("weight", l.Width*f, -0.2, 0.2), Bias: s.input("bias", l.Width, -1, 1),
		NormScale: s.input("scale", l.Width, 0.5, 2), Shift: s.input("shift", l.Width, -0.5, 0.5), Loop: s.input("loop", l.Width, -1, 1),
	}
	dw = kernel.LayerWeights{
		Weight: s.gradient("dweight", l.Width*f), Bias: s.gradient("dbias", l.Width),
		NormScale: s.gradient("dscale", l.Width), Shift: s.gradient("dshift", l.Width), Loop: s.gradient("dloop", l.Width),
	}
	return w, dw
}

func keptBuffers(s *stage, l kernel.Layer, keep keeping, states int) (kept kernel.Kept) {
	if keep >= linearOnly {
		kept.Linear = s.output("kept linear", states)
	}
	if keep == everything {
		kept.Stats = s.output("kept stats", states*l.Stats())
	}
	return kept
}
