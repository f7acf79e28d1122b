package cpu

import "math"

// plainGemm is the matrix product for a span of so many columns, four steps of k at a
// time: a sum is loaded and stored once for them.
func plainGemm(columns int, out, start, x, w []float32, rows, depth, outRow, startRow, xRow, xStep, wStep int) {
	for m := range rows {
		to := out[m*outRow : m*outRow+columns]
		copy(to, start[m*startRow:])
		k, xm := 0, x[m*xRow:]
		for ; k+4 <= depth; k += 4 {
			w0, w1, w2, w3 := w[k*wStep:][:len(to)], w[(k+1)*wStep:][:len(to)], w[(k+2)*wStep:][:len(to)], w[(k+3)*wStep:][:len(to)]
			x0, x1, x2, x3 := xm[k*xStep], xm[(k+1)*xStep], xm[(k+2)*xStep], xm[(k+3)*xStep]
			for i := range to {
				to[i] += x0*w0[i] + x1*w1[i] + x2*w2[i] + x3*w3[i]
			}
		}
		for ; k < depth; k++ {
			plainAddScaled(to, w[k*wStep:k*wStep+columns], xm[k*xStep])
		}
	}
}

func plainAddScaled(y, x []float32, a float32) {
	x = x[:len(y)]
	for i := range y {
		y[i] += a * x[i]
	}
}

func plainCombine(out, w0, w1, w2 []float32, s, t float32) {
	for i := range out {
		out[i] = w0[i] + s*w1[i] + t*w2[i]
	}
}

func plainDots(out, bias, weight, x []float32) {
	for o := range out {
		out[o] = bias[o] + plainDot(row(weight, o, len(x)), x)
	}
}

func plainDot(x, y []float32) (sum float32) {
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}

func plainHeadLogits(out, middle, weight []float32) {
	for r := range out {
		out[r] = 0
		for i, m := range row(middle, r, len(weight)) {
			out[r] += max(m, 0) * weight[i]
		}
	}
}

func plainHeadBackward(middle, dweight, dbias, dlogits, weight []float32) {
	for r, d := range dlogits {
		for i, m := range row(middle, r, len(weight)) {
			dm := float32(0)
			if m > 0 {
				dweight[i] += d * m
				dm = d * weight[i]
			}
			middle[r*len(weight)+i] = dm
			dbias[i] += dm
		}
	}
}

func plainBoundary(out, values, query []float32) {
	for r, x := range values {
		for i, q := range query {
			out[r*len(query)+i] = x * q
		}
	}
}

func plainBoundaryBackward(dquery, dout, values []float32) {
	for r, x := range values {
		plainAddScaled(dquery, row(dout, r, len(dquery)), x)
	}
}

func plainCount(scores []float32, score float32) (above, equal int) {
	for _, x := range scores {
		if x == score {
			equal++
		}
		if !(x <= score) { // NaN makes a rank worse, never better
			above++
		}
	}
	return above, equal
}

func plainAdam(param, grad, first, second []float32, b1, b2, c1, c2, rate, root, epsilon float32) {
	for i, g := range grad[:len(param)] {
		first[i] = float32(b1*first[i]) + float32(c1*g)
		second[i] = float32(b2*second[i]) + float32(c2*g*g)
		param[i] -= rate * first[i] / (float32(float32(math.Sqrt(float64(second[i])))*root) + epsilon)
	}
}
