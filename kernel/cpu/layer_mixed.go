package cpu

// On FB15k-237 two thirds of the degrees are those of eight nodes or fewer, 515 of its 14,505. To make a matrix for
// each of these takes longer than all of their products. So they share tiles, and PNA's three parts are
// multiplied apart, 2.6 times the products, and put together by each node's own scalers.

// isMixed tells whether the tile that begins at a row has nodes of several degrees.
func (c *layer) isMixed(row int) bool { return c.aggregate == pna && c.g.isRare[row] }

// multiplyMixed is the Linear of a tile whose nodes have scalers each of their own:
//
//	z = bias + [h, x] · [Wₕ, W₀] + s · (x · W₁) + t · (x · W₂)
func (c *layer) multiplyMixed(t *tile, r rows) {
	n, d, count := c.weights.n, c.Width, r.to-r.from
	parts := c.weights.weight.parts
	c.use.gemm(matrix{t.z, d, 1}, matrix{c.bias, 0, 1}, matrix{t.x, n, 1}, matrix{parts[0], d, 1}, count, n, d)
	z1, z2, zero := t.floats("mixed s", tileRows*d), t.floats("mixed t", tileRows*d), t.floats("zero", d) // never written
	for part, z := range [][]float32{z1, z2} {
		c.use.gemm(matrix{z, d, 1}, matrix{zero, 0, 1}, matrix{t.x[d:], n, 1}, matrix{parts[part+1][d*d:], d, 1}, count, n-d, d)
	}
	for i := range count {
		s, a := c.weights.scalers(c.g.scaleDegree(r.from + i))
		c.use.combine(row(t.z, i, d), row(t.z, i, d), row(z1, i, d), row(z2, i, d), s, a)
	}
}
