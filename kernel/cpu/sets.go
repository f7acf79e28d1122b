package cpu

import (
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
)

// setTask is the number of elements of a task of simple element-wise work.
const setTask = 1 << 14

func (d *Device) Fill(dst kernel.Buffer, value float32) {
	out := d.floats(dst)
	d.ranges(len(out), 1<<18, func(_ *worker, from, to int) {
		if value == 0 {
			clear(out[from:to])
			return
		}
		for i := from; i < to; i++ {
			out[i] = value
		}
	})
}

func (d *Device) Copy(dst, src kernel.Buffer) {
	out, in := d.floats(dst), d.floats(src)
	want(len(out) == len(in), "copy", len(out), len(in))
	d.ranges(len(out), 1<<18, func(_ *worker, from, to int) { copy(out[from:to], in[from:to]) })
}

// boundaryShape derives D from the sizes of (B,V,D), (B,V) and (B,D).
func boundaryShape(hidden, set, query int) (nodes, width int) {
	want(set > 0 && hidden%set == 0, "boundary", hidden, set)
	width = hidden / set
	want(query%width == 0 && query > 0 && set%(query/width) == 0, "boundary", hidden, query)
	return set / (query / width), width
}

func (d *Device) Boundary(out, set, query kernel.Buffer) {
	o, x, q := d.floats(out), d.floats(set), d.floats(query)
	nodes, width := boundaryShape(len(o), len(x), len(q))
	f := d.use.rows(width).boundary
	d.sampleRanges(len(x)/nodes, nodes, func(b, from, to int) {
		f(o[from*width:to*width], x[from:to], row(q, b, width))
	})
}

// sampleRanges cuts the rows of (B,V) into tasks that lie within a sample.
func (d *Device) sampleRanges(samples, nodes int, run func(b, from, to int)) {
	each := (nodes + headTask - 1) / headTask
	d.parallel(samples*each, func(_ *worker, task int) {
		b, first := task/each, task%each*headTask
		run(b, b*nodes+first, b*nodes+min(first+headTask, nodes))
	})
}

func (d *Device) BoundaryBackward(dquery, dout, set kernel.Buffer) {
	dq, do, x := d.floats(dquery), d.floats(dout), d.floats(set)
	nodes, width := boundaryShape(len(do), len(x), len(dq))
	f, each := d.use.rows(width).boundaryBackward, (nodes+headTask-1)/headTask
	sums := d.scratch.zeros("boundary", len(x)/nodes*each*width)
	d.sampleRanges(len(x)/nodes, nodes, func(b, from, to int) {
		f(row(sums, b*each+(from-b*nodes)/headTask, width), do[from*width:to*width], x[from:to])
	})
	for i := range len(sums) / width {
		d.use.add(row(dq, i/each, width), row(sums, i, width), 1)
	}
}

// Logic runs all steps on one range of nodes after the other: steps depend on each
// other, nodes do not.
func (d *Device) Logic(l kernel.Logic, sets kernel.Buffer, nodes int, steps []kernel.LogicStep) {
	pool := d.floats(sets)
	d.ranges(nodes, 4096, func(_ *worker, from, to int) {
		for _, s := range steps {
			part := func(slot int32) []float32 { return row(pool, int(slot), nodes)[from:to] }
			if s.Op == kernel.Not {
				complement(part(s.Out), part(s.X), s.Lambda)
			} else {
				apply(l, s.Op, part(s.Out), part(s.X), part(s.Y))
			}
		}
	})
}

func complement(out, x []float32, lambda float32) {
	for v := range out {
		out[v] = plain.Complement(x[v], lambda)
	}
}

// apply has a loop of its own for the usual logic; the others ask kernel for every element.
func apply(l kernel.Logic, op kernel.LogicOp, out, x, y []float32) {
	switch {
	case l == kernel.Product && op == kernel.And:
		for v := range out {
			out[v] = x[v] * y[v]
		}
	case l == kernel.Product:
		for v := range out {
			out[v] = x[v] + float32(y[v]*(1-x[v]))
		}
	default:
		for v := range out {
			out[v] = plain.Apply(l, op, x[v], y[v])
		}
	}
}

func (d *Device) LogicBackward(l kernel.Logic, dsets, sets kernel.Buffer, nodes int, steps []kernel.LogicStep) {
	pool, dpool := d.floats(sets), d.floats(dsets)
	d.ranges(nodes, 4096, func(_ *worker, from, to int) {
		for i := len(steps) - 1; i >= 0; i-- {
			applyBackward(l, steps[i], dpool, pool, nodes, from, to)
		}
	})
}

func applyBackward(l kernel.Logic, s kernel.LogicStep, dpool, pool []float32, nodes, from, to int) {
	part := func(pool []float32, slot int32) []float32 { return row(pool, int(slot), nodes)[from:to] }
	x, dx := part(pool, s.X), part(dpool, s.X)
	if s.Op == kernel.Not {
		for v, d := range part(dpool, s.Out) {
			dx[v] += float32(d * plain.ComplementBackward(x[v], s.Lambda))
		}
		return
	}
	y, dy := part(pool, s.Y), part(dpool, s.Y)
	for v, d := range part(dpool, s.Out) {
		px, py := plain.ApplyBackward(l, s.Op, x[v], y[v])
		dx[v] += float32(d * px)
		dy[v] += float32(d * py)
	}
}

func (d *Device) Threshold(sets kernel.Buffer, least float32) {
	x := d.floats(sets)
	d.ranges(len(x), setTask, func(_ *worker, from, to int) {
		for i, p := range x[from:to] {
			if !(p > least) {
				x[from+i] = 0
			}
		}
	})
}

func (d *Device) Odds(sets kernel.Buffer, factor float32) {
	x := d.floats(sets)
	d.ranges(len(x), setTask, func(_ *worker, from, to int) {
		for i, p := range x[from:to] {
			x[from+i] = plain.ScaleOdds(p, factor)
		}
	})
}

func (d *Device) Cardinality(out []float64, sets kernel.Buffer, least float32) {
	x := d.floats(sets)
	want(len(out) > 0 && len(x)%len(out) == 0, "cardinality", len(x), len(out))
	d.parallel(len(out), func(_ *worker, b int) {
		total := 0.0
		for _, p := range row(x, b, len(x)/len(out)) {
			if p > least {
				total += float64(p)
			}
		}
		out[b] = total
	})
}
