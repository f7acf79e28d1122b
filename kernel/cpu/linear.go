package cpu

import "github.com/lacuna-kg/lacuna/kernel"

// A Linear has few rows and many outputs (the relation vectors, R·D per query) or many
// rows and few outputs (ULTRA's relations); work is cut into rectangles of both.
const (
	linearRows    = 64
	linearOutputs = 512
	linearWork    = 1 << 21 // products of a task of a small weight: some 20 µs, what it takes to wake another core
)

// rectangles cuts rows × columns into tasks.
func (d *Device) rectangles(rows, columns int, run func(row0, row1, column0, column1 int)) {
	across := (columns + linearOutputs - 1) / linearOutputs
	down := (rows + linearRows - 1) / linearRows
	d.parallel(across*down, func(_ *worker, task int) {
		r, c := task/across*linearRows, task%across*linearOutputs
		run(r, min(r+linearRows, rows), c, min(c+linearOutputs, columns))
	})
}

// smallWeight is the weights of a Linear that is turned over, so that a product of matrices takes many rows at once:
// the relation's own in every round of the network in turn. A larger one has few rows, mostly.
const smallWeight = 1 << 13

func (d *Device) LinearForward(out, x, weight, bias kernel.Buffer, act kernel.Activation) {
	o, in, w, c := d.floats(out), d.floats(x), d.floats(weight), d.floats(bias)
	outs, ins := len(c), len(w)/len(c)
	want(len(o)/outs == len(in)/ins && len(o)%outs == 0 && len(in)%ins == 0, "linear", []int{len(o), len(in)}, []int{outs, ins})
	if len(w) <= smallWeight {
		d.smallLinear(o, in, w, c, act)
		return
	}
	dots := d.use.rows(ins).dots
	d.rectangles(len(o)/outs, outs, func(row0, row1, first, end int) {
		for i := row0; i < row1; i++ {
			y := row(o, i, outs)[first:end]
			dots(y, c[first:end], w[first*ins:end*ins], row(in, i, ins))
			activate(y, act)
		}
	})
}

// smallLinear is LinearForward of a small weight.
func (d *Device) smallLinear(o, in, w, bias []float32, act kernel.Activation) {
	outs, ins := len(bias), len(w)/len(bias)
	turned := d.scratch.floats("turned", len(w)) // (ins, outs)
	for out := range outs {
		for i, x := range row(w, out, ins) {
			turned[i*outs+out] = x
		}
	}
	d.ranges(len(o)/outs, linearWork/len(w)+1, func(_ *worker, from, to int) {
		y := o[from*outs : to*outs]
		d.use.gemm(matrix{y, outs, 1}, matrix{bias, 0, 1}, matrix{in[from*ins:], ins, 1}, matrix{turned, outs, 1}, to-from, ins, outs)
		activate(y, act)
	})
}

func activate(y []float32, act kernel.Activation) {
	if act != kernel.ReLU {
		return
	}
	for i := range y {
		y[i] = max(y[i], 0)
	}
}

func (d *Device) LinearBackward(dx, dweight, dbias, dout, out, x, weight kernel.Buffer, act kernel.Activation) {
	din, dw, db := d.floats(dx), d.floats(dweight), d.floats(dbias)
	do, o, in, w := d.floats(dout), d.floats(out), d.floats(x), d.floats(weight)
	outs, ins := len(db), len(w)/len(db)
	want(len(do) == len(o) && len(o)/outs == len(in)/ins, "linear backward", []int{len(o), len(in)}, []int{outs, ins})
	n := len(o) / outs
	dy := do
	if act == kernel.ReLU {
		dy = d.scratch.floats("dlinear", len(do))
		d.rectangles(n, outs, func(row0, row1, first, end int) {
			for i := row0; i < row1; i++ {
				passActive(row(dy, i, outs)[first:end], row(do, i, outs)[first:end], row(o, i, outs)[first:end])
			}
		})
	}
	d.linearWeights(dw, db, dy, in, n, outs, ins)
	if din != nil {
		d.linearInput(din, dy, w, n, outs, ins)
	}
}

// passActive is the gradient that a ReLU lets through.
func passActive(dy, dout, out []float32) {
	for i, y := range out {
		dy[i] = 0
		if y > 0 {
			dy[i] = dout[i]
		}
	}
}

// linearWeights: dweight += dyᵀ · x and dbias += the sum of dy, an output's row at a time.
func (d *Device) linearWeights(dw, db, dy, x []float32, n, outs, ins int) {
	d.ranges(outs, linearOutputs, func(_ *worker, first, end int) {
		part := matrix{dw[first*ins:], ins, 1}
		d.use.gemm(part, part, matrix{dy[first:], 1, outs}, matrix{x, ins, 1}, end-first, n, ins)
		for i := range n {
			d.use.add(db[first:end], row(dy, i, outs)[first:end], 1)
		}
	})
}

// linearInput: dx += dy · weight. Few rows have many outputs, so the outputs are cut into
// parts, whose sums are then added in order.
func (d *Device) linearInput(dx, dy, w []float32, n, outs, ins int) {
	parts := (outs + linearOutputs - 1) / linearOutputs
	if parts == 1 {
		d.ranges(n, linearRows, func(_ *worker, from, to int) {
			sum := matrix{dx[from*ins:], ins, 1}
			d.use.gemm(sum, sum, matrix{dy[from*outs:], outs, 1}, matrix{w, ins, 1}, to-from, outs, ins)
		})
		return
	}
	sums := d.scratch.zeros("parts", parts*n*ins)
	d.parallel(parts, func(_ *worker, k int) {
		first, end := k*linearOutputs, min((k+1)*linearOutputs, outs)
		sum := matrix{row(sums, k, n*ins), ins, 1}
		d.use.gemm(sum, sum, matrix{dy[first:], outs, 1}, matrix{w[first*ins:], ins, 1}, n, end-first, ins)
	})
	for k := range parts {
		d.use.add(dx, row(sums, k, n*ins), 1)
	}
}
