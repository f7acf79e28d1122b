package plain

import (
	"math"

	"github.com/lacuna-kg/lacuna/kernel"
)

// headRun is one call of the head, opened: F features, of which the last D are the query's.
type headRun[F Float] struct {
	hidden  [][]F // n states (B,V,D)
	query   []F   // (B,D)
	w       headWeights[F]
	d       int
	feature []F // scratch (F)
	middle  []F // scratch (F), after the ReLU
}

type headWeights[F Float] struct{ weight0, bias0, weight2, bias2 []F }

func (p *Device[F]) openHead(w kernel.HeadWeights) headWeights[F] {
	return headWeights[F]{p.Values(w.Weight0), p.Values(w.Bias0), p.Values(w.Weight2), p.Values(w.Bias2)}
}

func (p *Device[F]) openStates(in kernel.HeadInput) (hidden [][]F, query []F) {
	for _, h := range in.Hidden {
		hidden = append(hidden, p.Values(h))
	}
	return hidden, p.Values(in.Query)
}

func (p *Device[F]) newHeadRun(in kernel.HeadInput, w kernel.HeadWeights, entities int) *headRun[F] {
	r := &headRun[F]{w: p.openHead(w)}
	r.hidden, r.query = p.openStates(in)
	width := len(r.w.bias0)
	r.d = width / (len(r.hidden) + 1)
	for _, h := range r.hidden {
		want(len(h) == entities*r.d, "head input", len(h), entities*r.d)
	}
	want(len(r.w.weight0) == width*width && len(r.w.weight2) == width && len(r.w.bias2) == 1, "head weights", len(r.w.weight0), width)
	want(len(r.query)%r.d == 0 && entities%(len(r.query)/r.d) == 0, "head query", len(r.query), entities)
	r.feature, r.middle = p.temporary("feature", width), p.temporary("middle", width)
	return r
}

// sampleOf is the sample that row i of (B,V) belongs to.
func (r *headRun[F]) sampleOf(i, entities int) int { return i / (entities / (len(r.query) / r.d)) }

// logit fills feature and middle for row i and gives the MLP's output.
func (r *headRun[F]) logit(i, b int) F {
	for k, h := range r.hidden {
		copy(row(r.feature, k, r.d), row(h, i, r.d))
	}
	copy(row(r.feature, len(r.hidden), r.d), row(r.query, b, r.d))
	linearForward(r.middle, r.feature, r.w.weight0, r.w.bias0)
	for k := range r.middle {
		r.middle[k] = max(r.middle[k], 0)
	}
	return r.w.bias2[0] + dot(r.w.weight2, r.middle)
}

func sigmoid[F Float](x F) F { return F(1 / (1 + math.Exp(-float64(x)))) }

func (p *Device[F]) HeadForward(prob kernel.Buffer, in kernel.HeadInput, w kernel.HeadWeights) {
	out := p.Values(prob)
	r := p.newHeadRun(in, w, len(out))
	for i := range out {
		out[i] = sigmoid(r.logit(i, r.sampleOf(i, len(out))))
	}
}

func (p *Device[F]) HeadBackward(din kernel.HeadInput, dw kernel.HeadWeights, dprob, prob kernel.Buffer, in kernel.HeadInput, w kernel.HeadWeights) {
	dp, pr, dWeights := p.Values(dprob), p.Values(prob), p.openHead(dw)
	r := p.newHeadRun(in, w, len(pr))
	dhidden, dquery := p.openStates(din)
	dfeature, dmiddle := p.temporary("dfeature", len(r.feature)), p.temporary("dmiddle", len(r.middle))
	for i, prob := range pr {
		b := r.sampleOf(i, len(pr))
		r.logit(i, b)
		d := dp[i] * prob * (1 - prob)
		dWeights.bias2[0] += d
		addScaled(dWeights.weight2, d, r.middle)
		for k, m := range r.middle {
			dmiddle[k] = 0
			if m > 0 {
				dmiddle[k] = d * r.w.weight2[k]
			}
		}
		clear(dfeature)
		linearBackward(dfeature, dWeights.weight0, dWeights.bias0, dmiddle, r.feature, r.w.weight0)
		for k := range dhidden {
			addTo(row(dhidden[k], i, r.d), row(dfeature, k, r.d))
		}
		addTo(row(dquery, b, r.d), row(dfeature, len(dhidden), r.d))
	}
}
