package plain

import (
	"math"

	"github.com/lacuna-kg/lacuna/kernel"
)

// normEpsilon is LayerNorm's.
const normEpsilon = 1e-5

// linearForward sets out (O) = weight (O,I) · x (I) + bias (O).
func linearForward[F Float](out, x, weight, bias []F) {
	for o := range out {
		out[o] = bias[o] + dot(row(weight, o, len(x)), x)
	}
}

// linearBackward adds to all three gradients; dx may be nil.
func linearBackward[F Float](dx, dweight, dbias, dout, x, weight []F) {
	for o, d := range dout {
		if d == 0 {
			continue
		}
		dbias[o] += d
		addScaled(row(dweight, o, len(x)), d, x)
		if dx != nil {
			addScaled(dx, d, row(weight, o, len(x)))
		}
	}
}

// moments gives mean and 1/√(variance + ε) of x.
func moments[F Float](x []F) (mean, inverseStd F) {
	for _, v := range x {
		mean += v
	}
	mean /= F(len(x))
	var variance F
	for _, v := range x {
		variance += F((v - mean) * (v - mean))
	}
	variance /= F(len(x))
	return mean, F(1 / math.Sqrt(float64(variance)+normEpsilon))
}

// normForward sets out = ReLU(LayerNorm(z)) + before, the short cut last; all (D).
func normForward[F Float](out, z, scale, shift, before []F) {
	mean, inverseStd := moments(z)
	for i, x := range z {
		out[i] = max(F((x-mean)*inverseStd*scale[i])+shift[i], 0) + before[i]
	}
}

// normBackward overwrites dz and adds to dscale and dshift. The short cut is the
// caller's: its gradient is dout itself.
func normBackward[F Float](dz, dscale, dshift, dout, z, scale, shift []F) {
	mean, inverseStd := moments(z)
	var sum, sumNorm F // Σ dn and Σ dn·n over the row, n the normalised z
	for i, x := range z {
		n := (x - mean) * inverseStd
		d := dout[i]
		if F(n*scale[i])+shift[i] <= 0 {
			d = 0
		}
		dscale[i] += F(d * n)
		dshift[i] += d
		dz[i] = d * scale[i]
		sum += dz[i]
		sumNorm += F(dz[i] * n)
	}
	for i, x := range z {
		n := (x - mean) * inverseStd
		dz[i] = inverseStd * (dz[i] - (sum+F(n*sumNorm))/F(len(z)))
	}
}

func (p *Device[F]) LinearForward(out, x, weight, bias kernel.Buffer, act kernel.Activation) {
	o, in, w, c := p.Values(out), p.Values(x), p.Values(weight), p.Values(bias)
	outs, ins := len(c), len(w)/len(c)
	want(len(o)/outs == len(in)/ins && len(o)%outs == 0 && len(in)%ins == 0, "linear", []int{len(o), len(in)}, []int{outs, ins})
	for i := range len(o) / outs {
		y := row(o, i, outs)
		linearForward(y, row(in, i, ins), w, c)
		if act == kernel.ReLU {
			for k := range y {
				y[k] = max(y[k], 0)
			}
		}
	}
}

func (p *Device[F]) LinearBackward(dx, dweight, dbias, dout, out, x, weight kernel.Buffer, act kernel.Activation) {
	din, dw, db := p.Values(dx), p.Values(dweight), p.Values(dbias)
	do, o, in, w := p.Values(dout), p.Values(out), p.Values(x), p.Values(weight)
	outs, ins := len(db), len(w)/len(db)
	want(len(do) == len(o) && len(o)/outs == len(in)/ins, "linear backward", []int{len(o), len(in)}, []int{outs, ins})
	dy := p.temporary("dlinear", outs)
	for i := range len(o) / outs {
		copy(dy, row(do, i, outs))
		if act == kernel.ReLU {
			for k, y := range row(o, i, outs) {
				if y <= 0 {
					dy[k] = 0
				}
			}
		}
		var dxi []F
		if din != nil {
			dxi = row(din, i, ins)
		}
		linearBackward(dxi, dw, db, dy, row(in, i, ins), w)
	}
}
