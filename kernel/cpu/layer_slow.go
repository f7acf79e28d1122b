package cpu

import "github.com/lacuna-kg/lacuna/kernel"

// Layers of the paper's ablation (CompGCN, RGCN) have no vector kernels: the plain
// definition runs them, one sample per core.

// sampleInput is sample b's part of a layer's input.
func sampleInput(in kernel.LayerInput, b, nodes, d int) kernel.LayerInput {
	one := in
	one.Hidden = rowOf(in.Hidden, b, nodes*d)
	one.Set, one.Query = rowOf(in.Set, b, nodes), rowOf(in.Query, b, d)
	one.RelationOf = in.RelationOf[b : b+1]
	return one
}

// rowOf is row b of a buffer that may be nil.
func rowOf(x kernel.Buffer, b, n int) kernel.Buffer {
	if x == nil {
		return nil
	}
	return x.Slice(b*n, (b+1)*n)
}

func sampleKept(l kernel.Layer, kept kernel.Kept, b, nodes int) kernel.Kept {
	return kernel.Kept{
		Stats:  rowOf(kept.Stats, b, nodes*l.Stats()*l.Width),
		Linear: rowOf(kept.Linear, b, nodes*l.Width),
	}
}

func (d *Device) slowLayerForward(l kernel.Layer, g *graph, out kernel.Buffer, kept kernel.Kept, in kernel.LayerInput, w kernel.LayerWeights) {
	size := g.Nodes() * l.Width
	d.parallel(len(in.RelationOf), func(worker *worker, b int) {
		one := sampleInput(in, b, g.Nodes(), l.Width)
		worker.plain.LayerForward(l, g.plain, out.Slice(b*size, (b+1)*size), sampleKept(l, kept, b, g.Nodes()), one, w)
	})
}

// slowLayerBackward gives every sample in flight gradients of its own and adds them up in order.
func (d *Device) slowLayerBackward(l kernel.Layer, g *graph, din kernel.LayerGradient, dw kernel.LayerWeights, dout kernel.Buffer, kept kernel.Kept, in kernel.LayerInput, w kernel.LayerWeights) {
	samples, size := len(in.RelationOf), g.Nodes()*l.Width
	for from := 0; from < samples; from += flightSamples {
		flight := min(flightSamples, samples-from)
		shared := make([]sharedGradient, flight)
		for i := range shared {
			shared[i] = d.newSharedGradient(g.Relations()*l.RelationWidth(), dw)
		}
		d.parallel(flight, func(worker *worker, i int) {
			b := from + i
			one := sampleInput(in, b, g.Nodes(), l.Width)
			gradient := kernel.LayerGradient{Hidden: rowOf(din.Hidden, b, size), Query: rowOf(din.Query, b, l.Width), Relations: shared[i].relations}
			one.Relations = rowOf(in.Relations, int(in.RelationOf[b]), g.Relations()*l.RelationWidth())
			one.RelationOf = []int32{0}
			worker.plain.LayerBackward(l, g.plain, gradient, shared[i].weights, dout.Slice(b*size, (b+1)*size), sampleKept(l, kept, b, g.Nodes()), one, w)
		})
		for i := range shared {
			d.collectShared(din, dw, shared[i], int(in.RelationOf[from+i]))
		}
	}
}

// sharedGradient is one sample's part of gradients that samples share.
type sharedGradient struct {
	relations kernel.Buffer
	weights   kernel.LayerWeights
}

func (d *Device) newSharedGradient(table int, dw kernel.LayerWeights) sharedGradient {
	like := func(b kernel.Buffer) kernel.Buffer {
		if b == nil {
			return nil
		}
		return d.NewBuffer(b.Len())
	}
	return sharedGradient{d.NewBuffer(table), kernel.LayerWeights{
		Weight: like(dw.Weight), Bias: like(dw.Bias), NormScale: like(dw.NormScale), Shift: like(dw.Shift), Loop: like(dw.Loop),
	}}
}

func (d *Device) collectShared(din kernel.LayerGradient, dw kernel.LayerWeights, part sharedGradient, table int) {
	add := func(to, from kernel.Buffer) {
		if to != nil {
			d.use.add(d.floats(to), d.floats(from), 1)
		}
	}
	n := part.relations.Len()
	add(din.Relations.Slice(table*n, (table+1)*n), part.relations)
	add(dw.Weight, part.weights.Weight)
	add(dw.Bias, part.weights.Bias)
	add(dw.NormScale, part.weights.NormScale)
	add(dw.Shift, part.weights.Shift)
	add(dw.Loop, part.weights.Loop)
}
