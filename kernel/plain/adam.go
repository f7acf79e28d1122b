package plain

import (
	"math"

	"github.com/lacuna-kg/lacuna/kernel"
)

func (p *Device[F]) Adam(param, grad, first, second kernel.Buffer, step kernel.AdamStep) {
	x, g, m, v := p.Values(param), p.Values(grad), p.Values(first), p.Values(second)
	want(len(x) == len(g) && len(x) == len(m) && len(x) == len(v), "adam", len(x), len(g))
	rate, root := step.Factors()
	b1, b2 := F(step.Beta1), F(step.Beta2)
	c1, c2 := F(1-step.Beta1), F(1-step.Beta2) // in float64: 1−float32(0.999) is off by 4e-5
	for i := range x {
		m[i] = F(b1*m[i]) + F(c1*g[i])
		v[i] = F(b2*v[i]) + F(c2*g[i]*g[i])
		x[i] -= F(rate) * m[i] / (F(F(math.Sqrt(float64(v[i])))*F(root)) + F(step.Epsilon))
	}
}
