package plain

import (
	"math"

	"github.com/lacuna-kg/lacuna/kernel"
)

func (p *Device[F]) CrossEntropy(losses, z kernel.Buffer, targets kernel.Lists, weights []float32) {
	out, logits, rows := p.Values(losses), p.Values(z), targets.Len()
	want(rows > 0 && len(out) == rows && len(weights) == rows && len(logits)%rows == 0, "cross entropy", len(logits), rows)
	for b := range rows {
		out[b] = F(crossEntropyRow(row(logits, b, len(logits)/rows), targets.Row(b), float64(weights[b])))
	}
}

func crossEntropyRow[F Float](z []F, targets []int32, weight float64) float64 {
	highest, hit, sum := math.Inf(-1), 0.0, 0.0
	for _, x := range z {
		highest = max(highest, float64(x))
	}
	for _, t := range targets {
		hit += float64(z[t]) - highest
	}
	for _, x := range z {
		sum += math.Exp(float64(x) - highest)
	}
	n := float64(len(targets))
	for v, x := range z {
		z[v] = F(weight * n / sum * math.Exp(float64(x)-highest))
	}
	for _, t := range targets {
		z[t] -= F(weight)
	}
	return n*math.Log(sum) - hit
}

// adagradEpsilon keeps a number without a gradient so far where it is.
const adagradEpsilon = 1e-10

func (p *Device[F]) Adagrad(param, grad, squares kernel.Buffer, rate float32) {
	x, g, s := p.Values(param), p.Values(grad), p.Values(squares)
	want(len(x) == len(g) && len(x) == len(s), "adagrad", len(x), len(g))
	for i := range x {
		s[i] += F(g[i] * g[i])
		x[i] -= F(rate) * g[i] / (F(math.Sqrt(float64(s[i]))) + adagradEpsilon)
	}
}
