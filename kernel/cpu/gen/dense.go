package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// denseKernels are those of weights: combination, sums, products with one vector.
func denseKernels(set vectors) {
	combine(set)
	addScaled(set)
	addRows(set)
	dots(set)
}

// elements emits body for every whole vector of a slice; the rest is the caller's.
func elements(set vectors, of string, body func(c Register)) {
	n, c := length(of), GP64()
	SHLQ(Imm(2), n)
	ANDQ(I32(int32(-set.bytes())), n)
	XORQ(c, c)
	Label("vector")
	CMPQ(c, n)
	JGE(LabelRef("vector_end"))
	body(c)
	ADDQ(U32(uint32(set.bytes())), c)
	JMP(LabelRef("vector"))
	Label("vector_end")
}

// combine makes the weight that nodes of one degree share: PNA's three scalers are
// numbers for them, so that W₀ + s·W₁ + t·W₂ is one matrix.
func combine(set vectors) {
	function(set, "combine", "(out, w0, w1, w2 []float32, s, t float32)",
		"sets out = w0 + s·w1 + t·w2.")
	out, w0, w1, w2 := base("out"), base("w0"), base("w1"), base("w2")
	s, t := set.broadcast("s"), set.broadcast("t")
	elements(set, "out", func(c Register) {
		v := set.reg()
		VMOVUPS(row(w0, c), v)
		VFMADD231PS(row(w1, c), s, v)
		VFMADD231PS(row(w2, c), t, v)
		VMOVUPS(v, row(out, c))
	})
	finish()
}

func addScaled(set vectors) {
	function(set, "addScaled", "(y, x []float32, a float32)",
		"adds a·x to y.")
	y, x, a := base("y"), base("x"), set.broadcast("a")
	elements(set, "y", func(c Register) {
		v := set.reg()
		VMOVUPS(row(y, c), v)
		VFMADD231PS(row(x, c), a, v)
		VMOVUPS(v, row(y, c))
	})
	finish()
}

// addRows is the gradient of a node's own state: the short cut and the Linear's first columns.
func addRows(set vectors) {
	function(set, "addRows", "(dhidden, dout, dx []float32, nodes []int32, dxRow, width int)",
		"adds the rows of nodes of dout, and those of dx, to dhidden.")
	dhidden, dout, dx := base("dhidden"), base("dout"), base("dx")
	nodes, rows, dxRow, width := base("nodes"), length("nodes"), stride("dxRow"), stride("width")
	loop("row", rows, 1, func() {
		to, from := nodeRow(dhidden, nodes, width), nodeRow(dout, nodes, width)
		columns("column", set, width, func(c Register) {
			v := set.reg()
			VMOVUPS(row(from, c), v)
			VADDPS(row(dx, c), v, v)
			addTo(set, row(to, c), v)
		})
		ADDQ(Imm(4), nodes)
		ADDQ(dxRow, dx)
	})
	finish()
}

// dots is a Linear of one row: its weight is read once, in its own order.
func dots(set vectors) {
	function(set, "dots", "(out, bias, weight, x []float32)",
		"sets out = bias + weight · x.")
	out, bias, weight, x := base("out"), base("bias"), base("weight"), base("x")
	rows, width := length("out"), length("x")
	SHLQ(Imm(2), width)
	loop("row", rows, 1, func() {
		sum := set.reg()
		set.zero(sum)
		columns("column", set, width, func(c Register) {
			v := set.reg()
			VMOVUPS(row(weight, c), v)
			VFMADD231PS(row(x, c), v, sum)
		})
		set.sum(sum)
		VADDSS(Mem{Base: bias}, sum.AsX(), sum.AsX())
		VMOVSS(sum.AsX(), Mem{Base: out})
		ADDQ(Imm(4), bias)
		ADDQ(Imm(4), out)
		ADDQ(width, weight)
	})
	finish()
}

// headKernels are the second layer of the head, a row of weights.
func headKernels(set vectors) {
	headLogits(set)
	headBackward(set)
	boundaryKernels(set)
}

func headLogits(set vectors) {
	function(set, "headLogits", "(out, middle, weight []float32)",
		"sets out[i] = Σ ReLU(middle[i]) · weight.")
	out, middle, weight := base("out"), base("middle"), base("weight")
	rows, width, zero := length("out"), length("weight"), set.reg()
	SHLQ(Imm(2), width)
	set.zero(zero)
	loop("row", rows, 1, func() {
		sum := set.reg()
		set.zero(sum)
		columns("column", set, width, func(c Register) {
			v := set.reg()
			VMAXPS(row(middle, c), zero, v)
			VFMADD231PS(row(weight, c), v, sum)
		})
		set.sum(sum)
		VMOVSS(sum.AsX(), Mem{Base: out})
		ADDQ(Imm(4), out)
		ADDQ(width, middle)
	})
	finish()
}

// headBackward replaces the middle layer by its gradient.
func headBackward(set vectors) {
	function(set, "headBackward", "(middle, dweight, dbias, dlogits, weight []float32)",
		"turns middle into its gradient, adds its sum to dbias, and to dweight.")
	middle, dweight, dbias := base("middle"), base("dweight"), base("dbias")
	dlogits, weight := base("dlogits"), base("weight")
	rows, width, zero := length("dlogits"), length("weight"), set.reg()
	SHLQ(Imm(2), width)
	set.zero(zero)
	loop("row", rows, 1, func() {
		d := set.reg()
		VBROADCASTSS(Mem{Base: dlogits}, d)
		columns("column", set, width, func(c Register) {
			m, v, dm := set.reg(), set.reg(), set.reg()
			VMOVUPS(row(middle, c), m)
			VMAXPS(m, zero, v)
			VMULPS(d, v, v)
			addTo(set, row(dweight, c), v)
			VMULPS(row(weight, c), d, dm)
			keepWhere(set, dm, greater, m, zero)
			VMOVUPS(dm, row(middle, c))
			addTo(set, row(dbias, c), dm)
		})
		ADDQ(Imm(4), dlogits)
		ADDQ(width, middle)
	})
	finish()
}

func boundaryKernels(set vectors) {
	function(set, "boundary", "(out, values, query []float32)",
		"sets out[i] = values[i] · query.")
	out, values, query := base("out"), base("values"), base("query")
	rows, width := length("values"), length("query")
	SHLQ(Imm(2), width)
	loop("row", rows, 1, func() {
		x := set.reg()
		VBROADCASTSS(Mem{Base: values}, x)
		columns("column", set, width, func(c Register) {
			v := set.reg()
			VMULPS(row(query, c), x, v)
			VMOVUPS(v, row(out, c))
		})
		ADDQ(Imm(4), values)
		ADDQ(width, out)
	})
	finish()

	function(set, "boundaryBackward", "(dquery, dout, values []float32)",
		"adds Σ values[i] · dout[i] to dquery.")
	dquery, dout := base("dquery"), base("dout")
	values, rows, width = base("values"), length("values"), length("dquery")
	SHLQ(Imm(2), width)
	loop("row", rows, 1, func() {
		x := set.reg()
		VBROADCASTSS(Mem{Base: values}, x)
		columns("column", set, width, func(c Register) {
			v := set.reg()
			VMULPS(row(dout, c), x, v)
			addTo(set, row(dquery, c), v)
		})
		ADDQ(Imm(4), values)
		ADDQ(width, dout)
	})
	finish()
}
