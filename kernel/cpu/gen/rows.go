package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The kernels in this file and the next run over whole rows, whose width is a multiple
// of the lanes. A tile is a number of consecutive rows of scratch; the nodes they stand
// for are listed beside it.

// columns emits body for every vector of a row; c is the column in bytes.
func columns(name string, set vectors, width Register, body func(c Register)) {
	c := GP64()
	XORQ(c, c)
	Label(name)
	body(c)
	ADDQ(U32(uint32(set.bytes())), c)
	CMPQ(c, width)
	JL(LabelRef(name))
}

// row is a vector of the row at base.
func row(base, c Register) Mem { return Mem{Base: base, Index: c, Scale: 1} }

// nodeRow is the address of the row of the next listed node; the list moves on.
func nodeRow(rows, nodes, width Register) Register {
	r := GP64()
	MOVLQSX(Mem{Base: nodes}, r)
	IMULQ(width, r)
	ADDQ(rows, r)
	return r
}

// truth broadcasts the set's value at the next listed node.
func truth(set vectors, values, nodes Register) VecVirtual {
	v, x := GP64(), set.reg()
	MOVLQSX(Mem{Base: nodes}, v)
	VBROADCASTSS(Mem{Base: values, Index: v, Scale: 4}, x)
	return x
}

// touch asks for the rows of listed nodes, which lie anywhere, before they are needed.
func touch(set vectors) {
	function(set, "touch", "(table []float32, nodes []int32, width int)",
		"brings the rows of nodes into the cache.")
	table, nodes, rows, width := base("table"), base("nodes"), length("nodes"), stride("width")
	loop("row", rows, 1, func() {
		line, left := nodeRow(table, nodes, width), copyOf(width)
		Label("line")
		PREFETCHT0(Mem{Base: line})
		ADDQ(Imm(64), line)
		SUBQ(Imm(64), left)
		JG(LabelRef("line"))
		ADDQ(Imm(4), nodes)
	})
	RET()
}

// startKernels: a row of the tile is the node's state, then its statistics, which begin
// with the boundary as first message.
func startKernels(set vectors) {
	for _, aggregate := range []string{"One", "PNA"} {
		function(set, "start"+aggregate, "(x, hidden, values, query []float32, nodes []int32, width int)",
			"begins the features of listed nodes: their state, and the boundary as first message.")
		x, hidden, values, query := base("x"), base("hidden"), base("values"), base("query")
		nodes, rows, width := base("nodes"), length("nodes"), stride("width")
		triple := GP64()
		LEAQ(Mem{Base: width, Index: width, Scale: 2}, triple)
		loop("row", rows, 1, func() {
			from, weight := nodeRow(hidden, nodes, width), truth(set, values, nodes)
			columns("column", set, width, func(c Register) {
				h, b := set.reg(), set.reg()
				to := copyOf(x)
				ADDQ(c, to)
				VMOVUPS(row(from, c), h)
				VMOVUPS(h, Mem{Base: to})
				VMULPS(row(query, c), weight, b)
				VMOVUPS(b, Mem{Base: to, Index: width, Scale: 1})
				if aggregate == "PNA" {
					VMOVUPS(b, Mem{Base: to, Index: width, Scale: 2})
					VMOVUPS(b, Mem{Base: to, Index: triple, Scale: 1})
					VMULPS(b, b, b)
					VMOVUPS(b, Mem{Base: to, Index: width, Scale: 4})
				}
			})
			ADDQ(Imm(4), nodes)
			LEAQ(Mem{Base: x, Index: width, Scale: 2}, x)
			if aggregate == "PNA" {
				ADDQ(triple, x)
			}
		})
		finish()
	}
}

// finishKernels turn running statistics into those the Linear reads.
func finishKernels(set vectors) {
	finishPNA(set)
	function(set, "finishMean", "(x []float32, rows, width int, share float32)",
		"multiplies the second half of each row, a sum, by share.")
	x, rows, width, share := base("x"), number("rows"), stride("width"), set.broadcast("share")
	loop("row", rows, 1, func() {
		ADDQ(width, x)
		columns("column", set, width, func(c Register) {
			v := set.reg()
			VMULPS(row(x, c), share, v)
			VMOVUPS(v, row(x, c))
		})
		ADDQ(width, x)
	})
	finish()
}

// finishPNA: mean and std of sum and Σm², rounded as the plain definition rounds.
func finishPNA(set vectors) {
	function(set, "finishPNA", "(x []float32, rows, width int, share float32)",
		"turns the sums of each row into mean and std.")
	x, rows, width, share := base("x"), number("rows"), stride("width"), set.broadcast("share")
	floor := set.constant("stdFloor", 1e-6)
	loop("row", rows, 1, func() {
		ADDQ(width, x)
		squares := GP64()
		LEAQ(Mem{Base: x, Index: width, Scale: 2}, squares)
		ADDQ(width, squares)
		columns("column", set, width, func(c Register) {
			mean, variance, t := set.reg(), set.reg(), set.reg()
			VMULPS(row(x, c), share, mean)
			VMOVUPS(mean, row(x, c))
			VMULPS(row(squares, c), share, variance)
			VMULPS(mean, mean, t)
			VSUBPS(t, variance, variance)
			VMAXPS(floor, variance, variance)
			VSQRTPS(variance, variance)
			VMOVUPS(variance, row(squares, c))
		})
		MOVQ(squares, x)
		ADDQ(width, x)
	})
	finish()
}

// moments leaves mean and 1/√(variance + ε) of the row at z, broadcast. inverse is 1/D.
func moments(set vectors, z, width Register, inverse VecVirtual) (mean, inverseStd VecVirtual) {
	mean, inverseStd = set.reg(), set.reg()
	set.zero(mean)
	columns("mean", set, width, func(c Register) { VADDPS(row(z, c), mean, mean) })
	set.sum(mean)
	VMULPS(inverse, mean, mean)
	variance := set.reg()
	set.zero(variance)
	columns("variance", set, width, func(c Register) {
		t := set.reg()
		VMOVUPS(row(z, c), t)
		VSUBPS(mean, t, t)
		VFMADD231PS(t, t, variance)
	})
	set.sum(variance)
	x, one := XMM(), XMM()
	VMULSS(inverse.AsX(), variance.AsX(), x)
	VADDSS(constants("normEpsilon", 1e-5), x, x)
	VSQRTSS(x, x, x)
	VMOVSS(constants("one", 1), one)
	VDIVSS(x, one, x)
	VBROADCASTSS(x, inverseStd)
	return mean, inverseStd
}

// inverseOf broadcasts 1/D, from D in bytes of float32.
func inverseOf(set vectors, width Register) VecVirtual {
	n, v, x, one := copyOf(width), set.reg(), XMM(), XMM()
	SHRQ(Imm(2), n)
	VXORPS(x, x, x)
	VCVTSI2SSQ(n, x, x)
	VMOVSS(constants("one", 1), one)
	VDIVSS(x, one, x)
	VBROADCASTSS(x, v)
	return v
}

// normRows is how many rows normForward takes together: their sums then share operations, a third of those of a row alone.
const normRows = 4

// normForward: out = ReLU(LayerNorm(z)) + before, the short cut, at the rows of nodes.
func normForward(set vectors) {
	function(set, "normForward", "(out, before, z, scale, shift []float32, nodes []int32, width int)",
		"sets the rows of nodes to ReLU(LayerNorm(z)) and adds the short cut.")
	out, before, z, scale, shift := base("out"), base("before"), base("z"), base("scale"), base("shift")
	nodes, rows, width := base("nodes"), length("nodes"), stride("width")
	inverse, zero := inverseOf(set, width), set.reg()
	set.zero(zero)
	means, inverses := AllocLocal(4*normRows), AllocLocal(4*normRows)
	for _, n := range []int{normRows, 1} {
		loop(fmt.Sprintf("rows%d", n), rows, n, func() {
			momentsOf(set, n, z, width, inverse, means, inverses)
			for k := range n {
				to, from := nodeRow(out, nodes, width), nodeRow(before, nodes, width)
				mean, inverseStd := set.reg(), set.reg()
				VBROADCASTSS(means.Offset(4*k), mean)
				VBROADCASTSS(inverses.Offset(4*k), inverseStd)
				columns(fmt.Sprintf("column%d_%d", n, k), set, width, func(c Register) {
					y := set.reg()
					VMOVUPS(row(z, c), y)
					VSUBPS(mean, y, y)
					VMULPS(inverseStd, y, y)
					VMULPS(row(scale, c), y, y)
					VADDPS(row(shift, c), y, y)
					VMAXPS(zero, y, y)
					VADDPS(row(from, c), y, y)
					VMOVUPS(y, row(to, c))
				})
				ADDQ(Imm(4), nodes)
				ADDQ(width, z)
			}
		})
	}
	finish()
}

// momentsOf leaves mean and 1/√(variance + ε) of n rows from z on in memory. Sums of one row are taken in the order of those of
// four, so that bits do not depend on what a row stands beside.
func momentsOf(set vectors, n int, z, width Register, inverse VecVirtual, means, inverses Mem) {
	at := make([]Register, n)
	for k := range at {
		if at[k] = z; k > 0 {
			at[k] = GP64()
			LEAQ(Mem{Base: at[k-1], Index: width, Scale: 1}, at[k])
		}
	}
	sums := set.zeros(n)
	columns(fmt.Sprintf("mean%d", n), set, width, func(c Register) {
		for k, sum := range sums {
			VADDPS(row(at[k], c), sum, sum)
		}
	})
	x := set.sumFour(sums)
	VMULPS(inverse.AsX(), x, x)
	VMOVUPS(x, means)
	mean, squares := set.regs(n), set.zeros(n)
	for k := range mean {
		VBROADCASTSS(means.Offset(4*k), mean[k])
	}
	columns(fmt.Sprintf("variance%d", n), set, width, func(c Register) {
		for k, sum := range squares {
			t := set.reg()
			VMOVUPS(row(at[k], c), t)
			VSUBPS(mean[k], t, t)
			VFMADD231PS(t, t, sum)
		}
	})
	x = set.sumFour(squares)
	VMULPS(inverse.AsX(), x, x)
	epsilon, one := XMM(), XMM()
	VBROADCASTSS(constants("normEpsilon", 1e-5), epsilon)
	VBROADCASTSS(constants("one", 1), one)
	VADDPS(epsilon, x, x)
	VSQRTPS(x, x)
	VDIVPS(x, one, x)
	VMOVUPS(x, inverses)
}
