package cpu

import (
	"math"

	"github.com/lacuna-kg/lacuna/kernel"
)

// packed is a layer's Linear in the order that its compact features have: the state,
// then the statistics, F' = (1+S)·D. PNA's 12·D scaled features never exist: nodes of one
// degree have the same scalers 1, s and t, so that for them the Linear is one matrix
//
//	[Wₕ, W₀ + s·W₁ + t·W₂]  of D × 5·D
//
// made once per degree: 2.6 times fewer multiplications than with 13·D features.
type packed struct {
	d, n      int          // D, F'
	weight    [3][]float32 // (F', D): with Wₕ and W₀; W₁; W₂ (PNA only, zero at the state)
	transpose [3][]float32 // (D, F')
	parts     int
	mean      float64 // of log(deg) over nodes: what PNA's scaler divides by
}

// pack reorders a layer's weight, (D, 13·D) with columns ((d·4 + stat)·3 + scaler) behind the state for PNA.
func (d *Device) pack(l kernel.Layer, g *graph, weight []float32) *packed {
	p := &packed{d: l.Width, n: (1 + l.Stats()) * l.Width, parts: 1, mean: g.mean}
	if l.Aggregate == kernel.PNA {
		p.parts = 3
	}
	names := [3][2]string{{"weight0", "transpose0"}, {"weight1", "transpose1"}, {"weight2", "transpose2"}}
	for k := range p.parts {
		p.weight[k] = d.scratch.zeros(names[k][0], p.n*p.d)
		p.transpose[k] = d.scratch.zeros(names[k][1], p.n*p.d)
	}
	p.each(func(part, compact, out, column int) {
		x := weight[out*l.Features()+column]
		p.weight[part][compact*p.d+out] = x
		p.transpose[part][out*p.n+compact] = x
	})
	return p
}

// each visits every entry of the weight: which part and compact feature it is of, the
// output, and its column in the checkpoint's order.
func (p *packed) each(visit func(part, compact, out, column int)) {
	for out := range p.d {
		for i := range p.d {
			visit(0, i, out, i)
		}
		for f := p.d; f < p.n; f++ {
			if p.parts == 1 {
				visit(0, f, out, f)
				continue
			}
			stat, i := f/p.d-1, f%p.d
			for k := range p.parts {
				visit(k, f, out, p.d+(i*4+stat)*3+k)
			}
		}
	}
}

// scalers are PNA's second and third for a degree, METHOD "Relation projection" 4.
func (p *packed) scalers(degree int) (s, t float32) {
	s = 1
	if p.mean != 0 {
		s = float32(math.Log(float64(degree+1)) / p.mean)
	}
	return s, 1 / max(s, scaleFloor)
}

// weightOf is the weight (F', D) for nodes of a degree.
func (p *packed) weightOf(t *tile, use *instructions, degree int) []float32 {
	if p.parts == 1 {
		return p.weight[0]
	}
	if t.weightOf != degree {
		p.combine(t.weight, use, p.weight, degree)
		t.weightOf = degree
	}
	return t.weight
}

// transposeOf is the same matrix as (D, F').
func (p *packed) transposeOf(t *tile, use *instructions, degree int) []float32 {
	if p.parts == 1 {
		return p.transpose[0]
	}
	if t.transposeOf != degree {
		p.combine(t.transpose, use, p.transpose, degree)
		t.transposeOf = degree
	}
	return t.transpose
}

func (p *packed) combine(out []float32, use *instructions, parts [3][]float32, degree int) {
	s, t := p.scalers(degree)
	use.combine(out, parts[0], parts[1], parts[2], s, t)
}
