package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// keepWhere zeroes the lanes of v where the comparison of y with bound does not hold.
func keepWhere(set vectors, v VecVirtual, predicate uint8, y, bound Op) {
	if set.lanes == 16 {
		mask := K()
		VCMPPS(Imm(uint64(predicate)), bound, y, mask)
		VMOVAPS_Z(v, mask, v)
		return
	}
	mask := set.reg()
	VCMPPS(Imm(uint64(predicate)), bound, y, mask)
	VANDPS(mask, v, v)
}

// Predicates of VCMPPS.
const (
	notLess  = 6  // not ≤, so that NaN passes
	greater  = 14 // >
	equality = 0
)

// addTo adds v to memory.
func addTo(set vectors, m Mem, v VecVirtual) {
	t := set.reg()
	VADDPS(m, v, t)
	VMOVUPS(t, m)
}

// normBackward: dz of a tile, and the sums of its gradients: of scale, shift and of the
// Linear's bias, which is that of z. With n the normalised z and d what passes the ReLU,
//
//	dn = d·scale,  dz = (dn − (Σdn + n·Σ dn·n)/D) / std
func normBackward(set vectors) {
	function(set, "normBackward", "(dz, sums, dout, z, scale, shift []float32, nodes []int32, width int)",
		"sets dz and adds to sums: the gradients of scale, shift and bias.")
	dz, sums, z := base("dz"), base("sums"), base("z")
	dout, scale, shift := base("dout"), base("scale"), base("shift")
	nodes, rows, width := base("nodes"), length("nodes"), stride("width")
	inverse, zero := inverseOf(set, width), set.reg()
	set.zero(zero)
	loop("row", rows, 1, func() {
		from := nodeRow(dout, nodes, width)
		mean, inverseStd := moments(set, z, width, inverse)
		total, totalNorm := set.reg(), set.reg()
		set.zero(total)
		set.zero(totalNorm)
		columns("first", set, width, func(c Register) {
			n, y, d := set.reg(), set.reg(), set.reg()
			VMOVUPS(row(z, c), n)
			VSUBPS(mean, n, n)
			VMULPS(inverseStd, n, n)
			VMULPS(row(scale, c), n, y)
			VADDPS(row(shift, c), y, y)
			VMOVUPS(row(from, c), d)
			keepWhere(set, d, notLess, y, zero)
			sum := copyOf(sums)
			ADDQ(c, sum)
			VMULPS(d, n, y)
			addTo(set, Mem{Base: sum}, y)
			addTo(set, Mem{Base: sum, Index: width, Scale: 1}, d)
			VMULPS(row(scale, c), d, d)
			VMOVUPS(d, row(dz, c))
			VADDPS(d, total, total)
			VFMADD231PS(d, n, totalNorm)
		})
		set.sum(total)
		set.sum(totalNorm)
		columns("second", set, width, func(c Register) {
			n, d := set.reg(), set.reg()
			VMOVUPS(row(z, c), n)
			VSUBPS(mean, n, n)
			VMULPS(inverseStd, n, n)
			VFMADD213PS(total, totalNorm, n)
			VMULPS(inverse, n, n)
			VMOVUPS(row(dz, c), d)
			VSUBPS(n, d, d)
			VMULPS(inverseStd, d, d)
			VMOVUPS(d, row(dz, c))
			sum := copyOf(sums)
			ADDQ(c, sum)
			addTo(set, Mem{Base: sum, Index: width, Scale: 2}, d)
		})
		ADDQ(Imm(4), nodes)
		ADDQ(width, z)
		ADDQ(width, dz)
	})
	finish()
}

// coefficientKernels: what the edges of a row need of the gradient of its statistics,
// and the gradient of the boundary message, which goes to the query. Each vector's
// coefficients lie together, coefStep floats from those of the next.
func coefficientKernels(set vectors) {
	for _, aggregate := range aggregates {
		function(set, "coefficients"+aggregate,
			"(coef, dquery, dx, x, values, query []float32, nodes []int32, share float32, columns, coefStep, width int)",
			"prepares the gradient of messages and adds that of the boundary to dquery.")
		c := &coefficientRow{set: set, aggregate: aggregate}
		c.coef, c.dquery, c.dx, c.x = base("coef"), base("dquery"), base("dx"), base("x")
		values, nodes, rows := base("values"), base("nodes"), length("nodes")
		c.query, c.width = base("query"), stride("width")
		c.share, c.floor = set.broadcast("share"), set.constant("stdLeast", 1e-3)
		loop("row", rows, 1, func() {
			c.weight = truth(set, values, nodes)
			to := copyOf(c.coef)
			count := stride("columns")
			columns("column", set, count, func(column Register) { c.emit(to, column) })
			c.nextRow()
			ADDQ(Imm(4), nodes)
		})
		finish()
	}
}

type coefficientRow struct {
	set                               vectors
	aggregate                         string
	coef, dquery, dx, x, query, width Register
	share, floor, weight              VecVirtual
}

// nextRow moves over 1 + S vectors of features and as many of coefficients as there are.
func (c *coefficientRow) nextRow() {
	advance := func(p Register, widths int) {
		for _, scale := range []int{4, 2, 1} {
			for ; widths >= scale; widths -= scale {
				LEAQ(Mem{Base: p, Index: c.width, Scale: uint8(scale)}, p)
			}
		}
	}
	advance(c.x, 1+statistics(c.aggregate))
	advance(c.dx, 1+statistics(c.aggregate))
	advance(c.coef, coefficients(c.aggregate))
}

// emit writes the coefficients of one vector of columns and takes the boundary's gradient.
func (c *coefficientRow) emit(to, column Register) {
	set := c.set
	values := c.values(column)
	for k, v := range values {
		VMOVUPS(v, Mem{Base: to, Disp: k * set.bytes()})
	}
	m, dm := set.reg(), set.reg()
	VMULPS(row(c.query, column), c.weight, m)
	c.boundary(dm, m, values)
	VMULPS(c.weight, dm, dm)
	addTo(set, row(c.dquery, column), dm)
	step := stride("coefStep")
	ADDQ(step, to)
}

// values are the coefficients: PNA a, b, max, dmax, min, dmin; Max max, dmax; Sum the share.
func (c *coefficientRow) values(column Register) []VecVirtual {
	set := c.set
	stat, dstat := copyOf(c.x), copyOf(c.dx)
	ADDQ(column, stat)
	ADDQ(column, dstat)
	load := func(p Register) VecVirtual {
		v := set.reg()
		ADDQ(c.width, p)
		VMOVUPS(Mem{Base: p}, v)
		return v
	}
	switch c.aggregate {
	case "Sum":
		d := load(dstat)
		VMULPS(c.share, d, d)
		return []VecVirtual{d}
	case "Max":
		return []VecVirtual{load(stat), load(dstat)}
	}
	a, dmax, dmin, b := load(dstat), load(dstat), load(dstat), load(dstat)
	mean, high, low, sigma := load(stat), load(stat), load(stat), load(stat)
	c.smooth(a, b, mean, sigma)
	return []VecVirtual{a, b, high, dmax, low, dmin}
}

// smooth: b = dσ/(n·σ), nothing where the floor under the root acted, and a = dmean/n − b·mean.
func (c *coefficientRow) smooth(a, b, mean, sigma VecVirtual) {
	VMULPS(c.share, b, b)
	VDIVPS(sigma, b, b)
	keepWhere(c.set, b, greater, sigma, c.floor)
	VMULPS(c.share, a, a)
	VFNMADD231PS(b, mean, a)
}

// boundary makes the gradient of the message m, as the scatter kernels do.
func (c *coefficientRow) boundary(dm, m VecVirtual, values []VecVirtual) {
	ifEqual := func(extreme, d VecVirtual) {
		t := c.set.reg()
		VMOVAPS(d, t)
		keepWhere(c.set, t, equality, m, extreme)
		VADDPS(t, dm, dm)
	}
	switch c.aggregate {
	case "Sum":
		VMOVAPS(values[0], dm)
	case "Max":
		c.set.zero(dm)
		ifEqual(values[0], values[1])
	case "PNA":
		VMOVAPS(values[0], dm)
		VFMADD231PS(values[1], m, dm)
		ifEqual(values[2], values[3])
		ifEqual(values[4], values[5])
	}
}
