package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// gemm is the one matrix product of the package:
//
//	out[m] = start[m] + Σ_k x[m,k] · w[k]
//
// for a block of columns of out and w, with free strides (in floats): xRow and xStep
// exchanged give the transposed product, startRow 0 a bias, start = out a sum.
func gemm(set vectors, vecs int) {
	function(set, fmt.Sprintf("gemm%d", vecs*set.lanes),
		"(out, start, x, w []float32, rows, depth, outRow, startRow, xRow, xStep, wStep int)",
		"sets out[m] = start[m] + Σ_k x[m,k] · w[k] for a block of columns.")
	g := &product{set: set, vecs: vecs}
	g.out, g.start, g.x = base("out"), base("start"), base("x")
	g.outRow, g.startRow, g.xRow = stride("outRow"), stride("startRow"), stride("xRow")
	rows := number("rows")
	// As many rows at a time as registers hold, so that every load of w serves them all.
	sizes := []int{8, 4, 2, 1}
	if set.lanes == 8 {
		sizes = []int{6, 2, 1}
	}
	for _, n := range sizes {
		loop(fmt.Sprintf("rows%d", n), rows, n, func() { g.tile(n) })
	}
	finish()
}

type product struct {
	set                                   vectors
	vecs                                  int
	out, start, x, outRow, startRow, xRow Register
}

// tile computes n rows and moves on.
func (g *product) tile(n int) {
	sums := make([][]VecVirtual, n)
	for m := range sums {
		sums[m] = g.set.regs(g.vecs)
		for j, v := range sums[m] {
			VMOVUPS(Mem{Base: g.start, Disp: j * g.set.bytes()}, v)
		}
		ADDQ(g.startRow, g.start)
	}
	g.depth(sums)
	for m := range sums {
		for j, v := range sums[m] {
			VMOVUPS(v, Mem{Base: g.out, Disp: j * g.set.bytes()})
		}
		ADDQ(g.outRow, g.out)
		ADDQ(g.xRow, g.x)
	}
}

// depth runs along k. Parameters are read again per tile: registers are dear.
func (g *product) depth(sums [][]VecVirtual) {
	n := len(sums)
	w, wStep, xStep, left := base("w"), stride("wStep"), stride("xStep"), number("depth")
	rows := g.rowAddresses(n)
	weights := g.set.regs(g.vecs)
	loop(fmt.Sprintf("depth%d", n), left, 1, func() {
		for j, v := range weights {
			VMOVUPS(Mem{Base: w, Disp: j * g.set.bytes()}, v)
		}
		for m := range sums {
			x := g.set.reg()
			VBROADCASTSS(rows[m], x)
			for j, v := range weights {
				VFMADD231PS(v, x, sums[m][j])
			}
		}
		ADDQ(wStep, w)
		for _, r := range g.bases(rows) {
			ADDQ(xStep, r)
		}
	})
}

// rowAddresses are the addresses of n rows of x from one base per four rows.
func (g *product) rowAddresses(n int) []Mem {
	var rows []Mem
	triple := GP64()
	if n > 3 {
		LEAQ(Mem{Base: g.xRow, Index: g.xRow, Scale: 2}, triple)
	}
	base := copyOf(g.x)
	for m := range n {
		if m == 4 {
			next := GP64()
			LEAQ(Mem{Base: base, Index: g.xRow, Scale: 4}, next)
			base = next
		}
		switch m % 4 {
		case 0:
			rows = append(rows, Mem{Base: base})
		case 3:
			rows = append(rows, Mem{Base: base, Index: triple, Scale: 1})
		default:
			rows = append(rows, Mem{Base: base, Index: g.xRow, Scale: uint8(m % 4)})
		}
	}
	return rows
}

// bases are the distinct base registers of the rows.
func (g *product) bases(rows []Mem) (bases []Register) {
	for m := 0; m < len(rows); m += 4 {
		bases = append(bases, rows[m].Base)
	}
	return bases
}
