package plain

import (
	"math"

	"github.com/lacuna-kg/lacuna/kernel"
)

func (p *Device[F]) Blend(prob, z kernel.Buffer, own, other []float32) {
	x, logits := p.Values(prob), p.Values(z)
	want(len(x) == len(logits) && len(own) == len(other) && len(own) > 0 && len(x)%len(own) == 0, "blend", len(x), len(own))
	nodes := len(x) / len(own)
	for b := range own {
		BlendRow(row(x, b, nodes), row(logits, b, nodes), F(own[b]), F(other[b]))
	}
}

// BlendRow is Blend of one row.
func BlendRow[F Float](prob, z []F, own, other F) {
	highest := F(math.Inf(-1))
	for _, x := range z {
		highest = max(highest, x)
	}
	for v, x := range prob {
		prob[v] = F(1 / (1 + math.Exp(-float64(own)*logit(float64(x))-float64(other)*float64(z[v]-highest))))
	}
}
