package cpu

import "math"

// Constants of the method, as in package kernel.
const (
	stdFloor    = 1e-6 // under PNA's square root
	scaleFloor  = 1e-2 // under PNA's scaler before it divides
	normEpsilon = 1e-5 // LayerNorm's
)

// plainKernels serve every width, and CPUs without vector instructions we know.
var plainKernels = kernels{
	lanes:    1,
	touch:    func([]float32, []int32, int) {},
	startOne: plainStartOne, startPNA: plainStartPNA,
	finishMean: plainFinishMean, finishPNA: plainFinishPNA,
	normForward: plainNormForward, normBackward: plainNormBackward,
	coefficients: [aggregates]coefficientsFunc{sum: plainCoefficientsSum, maximum: plainCoefficientsMax, pna: plainCoefficientsPNA},
	addRows:      plainAddRows,
	dots:         plainDots,
	headLogits:   plainHeadLogits, headBackward: plainHeadBackward,
	boundary: plainBoundary, boundaryBackward: plainBoundaryBackward,
	combine: plainCombine, addScaled: plainAddScaled,
	count: plainCount, adam: plainAdam,
}

// row is row i of x, whose rows are n wide.
func row(x []float32, i, n int) []float32 { return x[i*n : (i+1)*n : (i+1)*n] }

// plainStartOne begins rows of (state, boundary).
func plainStartOne(x, hidden, values, query []float32, nodes []int32, width int) {
	for r, v := range nodes {
		features := row(x, r, 2*width)
		copy(features, row(hidden, int(v), width))
		for i, q := range query[:width] {
			features[width+i] = values[v] * q
		}
	}
}

// plainStartPNA begins rows of (state, sum, max, min, Σm²).
func plainStartPNA(x, hidden, values, query []float32, nodes []int32, width int) {
	for r, v := range nodes {
		features := row(x, r, 5*width)
		copy(features, row(hidden, int(v), width))
		for i, q := range query[:width] {
			b := values[v] * q
			features[width+i], features[2*width+i], features[3*width+i], features[4*width+i] = b, b, b, b*b
		}
	}
}

func plainFinishMean(x []float32, rows, width int, share float32) {
	for r := range rows {
		stat := row(x, r, 2*width)[width:]
		for i := range stat {
			stat[i] *= share
		}
	}
}

func plainFinishPNA(x []float32, rows, width int, share float32) {
	for r := range rows {
		features := row(x, r, 5*width)
		for i := range width {
			mean := features[width+i] * share
			variance := float32(features[4*width+i]*share) - float32(mean*mean)
			features[width+i] = mean
			features[4*width+i] = float32(math.Sqrt(float64(max(variance, stdFloor))))
		}
	}
}

// plainMoments gives mean and 1/√(variance + ε).
func plainMoments(z []float32) (mean, inverseStd float32) {
	for _, x := range z {
		mean += x
	}
	mean /= float32(len(z))
	var variance float32
	for _, x := range z {
		variance += (x - mean) * (x - mean)
	}
	variance /= float32(len(z))
	return mean, float32(1 / math.Sqrt(float64(variance)+normEpsilon))
}

func plainNormForward(out, before, z, scale, shift []float32, nodes []int32, width int) {
	for r, v := range nodes {
		zr, to, from := row(z, r, width), row(out, int(v), width), row(before, int(v), width)
		mean, inverseStd := plainMoments(zr)
		for i, x := range zr {
			to[i] = max((x-mean)*inverseStd*scale[i]+shift[i], 0) + from[i]
		}
	}
}

// plainNormBackward sets dz and adds to sums: the gradients of scale, shift and bias.
func plainNormBackward(dz, sums, dout, z, scale, shift []float32, nodes []int32, width int) {
	dscale, dshift, dbias := sums[:width], sums[width:2*width], sums[2*width:3*width]
	for r, v := range nodes {
		zr, dzr, do := row(z, r, width), row(dz, r, width), row(dout, int(v), width)
		mean, inverseStd := plainMoments(zr)
		var total, totalNorm float32
		for i, x := range zr {
			n, d := (x-mean)*inverseStd, do[i]
			if float32(n*scale[i])+shift[i] <= 0 {
				d = 0
			}
			dscale[i] += d * n
			dshift[i] += d
			dzr[i] = d * scale[i]
			total += dzr[i]
			totalNorm += dzr[i] * n
		}
		for i, x := range zr {
			n := (x - mean) * inverseStd
			dzr[i] = inverseStd * (dzr[i] - (total+n*totalNorm)/float32(width))
			dbias[i] += dzr[i]
		}
	}
}

func plainAddRows(dhidden, dout, dx []float32, nodes []int32, dxRow, width int) {
	for r, v := range nodes {
		to, from := row(dhidden, int(v), width), row(dout, int(v), width)
		for i := range to {
			to[i] += from[i] + dx[r*dxRow+i]
		}
	}
}

func plainCoefficientsSum(coef, dquery, dx, x, values, query []float32, nodes []int32, share float32, columns, _, width int) {
	for r, v := range nodes {
		for i := range columns {
			d := share * dx[2*r*width+width+i]
			coef[r*width+i] = d
			dquery[i] += values[v] * d
		}
	}
}

func plainCoefficientsMax(coef, dquery, dx, x, values, query []float32, nodes []int32, _ float32, columns, _, width int) {
	for r, v := range nodes {
		for i := range columns {
			at := 2*r*width + width + i
			c := coef[2*r*width+i:]
			c[0], c[columns] = x[at], dx[at]
			dquery[i] += values[v] * ifEqual(values[v]*query[i], x[at], dx[at])
		}
	}
}

func plainCoefficientsPNA(coef, dquery, dx, x, values, query []float32, nodes []int32, share float32, columns, _, width int) {
	floor := float32(math.Sqrt(float64(float32(stdFloor))))
	for r, v := range nodes {
		for i := range columns {
			at := 5*r*width + width + i
			mean, high, low, sigma := x[at], x[at+width], x[at+2*width], x[at+3*width]
			var b float32
			if sigma > floor {
				b = share * dx[at+3*width] / sigma
			}
			a := share*dx[at] - b*mean
			c := coef[6*r*width+i:]
			c[0], c[columns], c[2*columns], c[3*columns] = a, b, high, dx[at+width]
			c[4*columns], c[5*columns] = low, dx[at+2*width]
			m := values[v] * query[i]
			dquery[i] += values[v] * (a + b*m + ifEqual(m, high, dx[at+width]) + ifEqual(m, low, dx[at+2*width]))
		}
	}
}
