package plain

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lacuna-kg/lacuna/internal/gradcheck"
	"github.com/lacuna-kg/lacuna/kernel"
)

// differences holds an operation on the float64 device, for finite differences: inputs
// filled at random, gradients beside them, and an output weighed at random.
type differences struct {
	*Device[float64]
	draw   *rand.Rand
	names  []string
	inputs [][]float64
	grads  []kernel.Buffer
}

func newDifferences(seed uint64) *differences {
	return &differences{Device: New64(), draw: rand.New(rand.NewPCG(seed, 1))}
}

// random is a buffer of values in (low, high).
func (d *differences) random(n int, low, high float64) kernel.Buffer {
	b := d.NewBuffer(n)
	for i := range d.Values(b) {
		d.Values(b)[i] = low + (high-low)*d.draw.Float64()
	}
	return b
}

// input is a random buffer whose gradient, the second result, will be checked. The
// gradient does not start at zero, since backward adds.
func (d *differences) input(name string, n int, low, high float64) (x, dx kernel.Buffer) {
	x, dx = d.random(n, low, high), d.NewBuffer(n)
	d.names = append(d.names, name)
	d.inputs = append(d.inputs, d.Values(x))
	d.grads = append(d.grads, dx)
	d.Fill(dx, 1)
	return x, dx
}

// check runs forward, weighs out by dout, and compares all gradients, which backward has added to.
func (d *differences) check(t *testing.T, out, dout kernel.Buffer, forward, backward func()) {
	t.Helper()
	forward()
	backward()
	objective := func() float64 {
		forward()
		return dot(d.Values(out), d.Values(dout))
	}
	for i, name := range d.names {
		dx := append([]float64(nil), d.Values(d.grads[i])...)
		for k := range dx {
			dx[k]-- // what Fill began with
		}
		if err := gradcheck.Check(name, objective, d.inputs[i], dx); err != nil {
			t.Error(err)
		}
	}
}

// smallGraph has a hub (node 0), a node without incoming edges (1), one without any (2).
func smallGraph(t testing.TB, nodes, relations int) *kernel.Graph {
	draw := rand.New(rand.NewPCG(7, 7))
	var edges []kernel.Edge
	for u := int32(3); u < int32(nodes); u++ {
		edges = append(edges, kernel.Edge{Head: u, Relation: draw.Int32N(int32(relations)), Tail: 0})
		edges = append(edges, kernel.Edge{Head: u, Relation: draw.Int32N(int32(relations)), Tail: 3 + draw.Int32N(int32(nodes-3))})
	}
	edges = append(edges, kernel.Edge{Head: 1, Relation: 0, Tail: 3})
	inverse := make([]bool, relations)
	for r := range inverse {
		inverse[r] = r%2 == 1
	}
	g, err := kernel.NewGraph(nodes, relations, edges, inverse)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// layers are all kinds of layer at a width.
func layers(width int) (all []kernel.Layer) {
	for _, m := range []kernel.Message{kernel.DistMult, kernel.TransE, kernel.RotatE} {
		for _, a := range []kernel.Aggregate{kernel.Sum, kernel.Mean, kernel.Max, kernel.PNA} {
			all = append(all, kernel.Layer{Message: m, Aggregate: a, Width: width})
		}
	}
	for _, m := range []kernel.Message{kernel.DistMult, kernel.Sub, kernel.Corr} {
		all = append(all, kernel.Layer{Message: m, Aggregate: kernel.Directed, Width: width})
	}
	return append(all, kernel.Layer{Aggregate: kernel.Bases, Width: width, Bases: 3})
}

func TestLayerGradient(t *testing.T) {
	for _, l := range layers(4) {
		for _, keep := range []bool{false, true} {
			t.Run(fmt.Sprintf("%v-%v-kept=%v", l.Message, l.Aggregate, keep), func(t *testing.T) { checkLayerGradient(t, l, keep) })
		}
	}
}

func checkLayerGradient(t *testing.T, l kernel.Layer, keep bool) {
	const samples, nodes, relations, tables = 3, 8, 3, 2
	d := newDifferences(3)
	g := d.NewGraph(smallGraph(t, nodes, relations))
	in, din := kernel.LayerInput{RelationOf: []int32{1, 0, 1}, Set: d.random(samples*nodes, 0, 1)}, kernel.LayerGradient{}
	w, dw := kernel.LayerWeights{}, kernel.LayerWeights{}
	in.Hidden, din.Hidden = d.input("hidden", samples*nodes*l.Width, -1, 1)
	in.Query, din.Query = d.input("query", samples*l.Width, -1, 1)
	in.Relations, din.Relations = d.input("relations", tables*relations*l.RelationWidth(), -1, 1)
	w.Weight, dw.Weight = d.input("weight", l.Width*l.Features(), -1, 1)
	w.Bias, dw.Bias = d.input("bias", l.Width, -1, 1)
	w.NormScale, dw.NormScale = d.input("scale", l.Width, -2, 2)
	w.Shift, dw.Shift = d.input("shift", l.Width, -1, 1)
	w.Loop, dw.Loop = d.input("loop", l.Width, -1, 1)
	out, dout := d.NewBuffer(in.Hidden.Len()), d.random(in.Hidden.Len(), -1, 1)
	var kept kernel.Kept
	if keep {
		kept = kernel.Kept{Stats: d.NewBuffer(out.Len() * l.Stats()), Linear: d.NewBuffer(out.Len())}
	}
	d.check(t, out, dout,
		func() { d.LayerForward(l, g, out, kept, in, w) },
		func() { d.LayerBackward(l, g, din, dw, dout, kept, in, w) })
}

func TestBoundaryGradient(t *testing.T) {
	d := newDifferences(4)
	query, dquery := d.input("query", 2*3, -1, 1)
	set, out, dout := d.random(2*5, 0, 1), d.NewBuffer(2*5*3), d.random(2*5*3, -1, 1)
	d.check(t, out, dout,
		func() { d.Boundary(out, set, query) },
		func() { d.BoundaryBackward(dquery, dout, set) })
}

func TestLinearGradient(t *testing.T) {
	for _, act := range []kernel.Activation{kernel.Identity, kernel.ReLU} {
		d := newDifferences(5)
		x, dx := d.input("x", 4*3, -1, 1)
		w, dw := d.input("weight", 5*3, -1, 1)
		b, db := d.input("bias", 5, -1, 1)
		out, dout := d.NewBuffer(4*5), d.random(4*5, -1, 1)
		d.check(t, out, dout,
			func() { d.LinearForward(out, x, w, b, act) },
			func() { d.LinearBackward(dx, dw, db, dout, out, x, w, act) })
	}
}

func TestHeadGradient(t *testing.T) {
	const samples, nodes, width = 2, 4, 3
	for states := 1; states <= 3; states++ {
		d := newDifferences(6)
		var in, din kernel.HeadInput
		var w, dw kernel.HeadWeights
		for range states {
			h, dh := d.input("hidden", samples*nodes*width, -1, 1)
			in.Hidden, din.Hidden = append(in.Hidden, h), append(din.Hidden, dh)
		}
		f := (states + 1) * width
		in.Query, din.Query = d.input("query", samples*width, -1, 1)
		w.Weight0, dw.Weight0 = d.input("weight0", f*f, -1, 1)
		w.Bias0, dw.Bias0 = d.input("bias0", f, -1, 1)
		w.Weight2, dw.Weight2 = d.input("weight2", f, -1, 1)
		w.Bias2, dw.Bias2 = d.input("bias2", 1, -1, 1)
		prob, dprob := d.NewBuffer(samples*nodes), d.random(samples*nodes, -1, 1)
		d.check(t, prob, dprob,
			func() { d.HeadForward(prob, in, w) },
			func() { d.HeadBackward(din, dw, dprob, prob, in, w) })
	}
}

// A chain of steps in which one slot is read twice.
func TestLogicGradient(t *testing.T) {
	const nodes = 6
	steps := []kernel.LogicStep{{Op: kernel.And, Out: 3, X: 0, Y: 1}, {Op: kernel.Not, Out: 4, X: 2, Lambda: -0.75}, {Op: kernel.Or, Out: 5, X: 3, Y: 4}, {Op: kernel.And, Out: 6, X: 5, Y: 0}}
	for l := range kernel.Logic(len(kernel.Logics)) {
		d := newDifferences(8)
		inputs, dinputs := d.input("inputs", 3*nodes, 0.2, 0.9)
		sets, dsets := d.NewBuffer(7*nodes), d.NewBuffer(7*nodes)
		out, dout := sets.Slice(6*nodes, 7*nodes), d.random(nodes, -1, 1)
		forward := func() {
			d.Copy(sets.Slice(0, 3*nodes), inputs)
			d.Logic(l, sets, nodes, steps)
		}
		d.check(t, out, dout, forward, func() {
			d.Copy(dsets.Slice(6*nodes, 7*nodes), dout)
			d.LogicBackward(l, dsets, sets, nodes, steps)
			addTo(d.Values(dinputs), d.Values(dsets)[:3*nodes])
		})
	}
}

// Temperature 0, since the adversarial weights pass no gradient and the loss depends on them.
func TestLossGradient(t *testing.T) {
	var objective kernel.Objective
	for _, known := range []kernel.Known{{}, {Answers: kernel.NewLists([][]int32{{3}, {6}}), Weight: 0}, {Answers: kernel.NewLists([][]int32{{0}, {}}), Weight: 0.25}} {
		const nodes = 7
		answers := kernel.NewLists([][]int32{{0, 3}, {6}})
		d := newDifferences(9)
		prob, dprob := d.input("prob", 2*nodes, 0.05, 0.95)
		losses, weights := d.NewBuffer(2), []float32{0.25, 0.75}
		dout := d.NewBuffer(2)
		d.Upload(dout, weights)
		d.check(t, losses, dout,
			func() { d.Loss(losses, nil, prob, answers, known, objective, weights) },
			func() {
				written := d.NewBuffer(2 * nodes)
				d.Loss(losses, written, prob, answers, known, objective, weights)
				addTo(d.Values(dprob), d.Values(written))
			})
	}
}
