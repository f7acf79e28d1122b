package factor

import "math"

// multiply sets out = x · y, complex number by complex number.
func multiply(out, x, y []float32) {
	n := len(out) / 2
	xr, xi, yr, yi := x[:n], x[n:2*n], y[:n], y[n:2*n]
	re, im := out[:n], out[n:2*n]
	for i := range re {
		a, b, c, d := xr[i], xi[i], yr[i], yi[i]
		re[i], im[i] = a*c-b*d, a*d+b*c
	}
}

// multiplyBackward adds to dx and dy: with out = x · y, dx = dout · conj(y) and dy = dout · conj(x).
func multiplyBackward(dx, dy, dout, x, y []float32) {
	addConjugate(dx, dout, y)
	addConjugate(dy, dout, x)
}

// between sets out = conj(h) · t: its product with a relation's vector is the logit of the link from h to t, as the product with
// a tail's is of a question. So relations are predicted as tails are.
func between(out, h, t []float32) {
	clear(out)
	addConjugate(out, t, h)
}

// betweenBackward adds to dh and dt: dh = conj(dout) · t, dt = dout · h.
func betweenBackward(dh, dt, dout, h, t []float32) {
	addConjugate(dh, t, dout)
	n := len(dt) / 2
	for i := range n {
		a, b, c, d := dout[i], dout[n+i], h[i], h[n+i]
		dt[i] += a*c - b*d
		dt[n+i] += a*d + b*c
	}
}

// addConjugate adds x · conj(y) to out.
func addConjugate(out, x, y []float32) {
	n := len(out) / 2
	xr, xi, yr, yi := x[:n], x[n:2*n], y[:n], y[n:2*n]
	re, im := out[:n], out[n:2*n]
	for i := range re {
		a, b, c, d := xr[i], xi[i], yr[i], yi[i]
		re[i] += a*c + b*d
		im[i] += b*c - a*d
	}
}

// cubes is Σ |x_k|³, the N3 norm of a vector, and adds weight times its gradient, 3·|x_k|·x_k, to dx.
func cubes(dx, x []float32, weight float32) (sum float64) {
	n := len(x) / 2
	for i := range n {
		a, b := x[i], x[n+i]
		length := float32(math.Sqrt(float64(a*a + b*b)))
		sum += float64(length * length * length)
		dx[i] += 3 * weight * length * a
		dx[n+i] += 3 * weight * length * b
	}
	return sum
}
