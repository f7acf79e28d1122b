package cpu

import (
	"math"
	"slices"

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
	g         *graph
	use       *instructions
	d, n      int       // D, F'
	columns   [][]int32 // per part, the column in the checkpoint of each compact feature; −1 none
	weight    scaled    // (F', D)
	transpose scaled    // (D, F'), only for backward
}

// scaled is a matrix in parts: Wₕ and W₀, then for PNA W₁ and W₂.
type scaled struct {
	parts [][]float32
	made  []float32 // for every degree of the graph, or nil
}

// madeBytes bounds the matrices that are made for all degrees before a call: they
// should stay in the L2 cache, where small graphs' do.
const madeBytes = 1 << 20

// newPacked lists the columns; for PNA they run ((d·4 + stat)·3 + scaler) behind the state.
func newPacked(l kernel.Layer, g *graph, use *instructions) *packed {
	p := &packed{g: g, use: use, d: l.Width, n: (1 + l.Stats()) * l.Width}
	parts, stats := 1, l.Stats()
	if l.Aggregate == kernel.PNA {
		parts = 3
	}
	for k := range parts {
		columns := make([]int32, p.n)
		for f := range columns {
			stat, i := f/p.d-1, f%p.d
			switch {
			case stat >= 0:
				columns[f] = int32(p.d + (i*stats+stat)*parts + k)
			case k == 0:
				columns[f] = int32(i)
			default:
				columns[f] = -1
			}
		}
		p.columns = append(p.columns, columns)
	}
	return p
}

// pack reorders a layer's weight (D, F) for so many samples.
func (d *Device) pack(p *packed, weight []float32, samples int, backward bool) {
	p.weight = d.reorder("weight", p, weight, p.d, 1)
	if backward {
		p.transpose = d.reorder("transpose", p, weight, 1, p.n)
	}
	if samples > 1 && len(p.columns) > 1 && 4*len(p.g.degrees)*p.n*p.d <= madeBytes {
		d.makeAll("weights", p, &p.weight)
		if backward {
			d.makeAll("transposes", p, &p.transpose)
		}
	}
}

// reorder gives the parts of a matrix whose entries for a feature and an output lie at
// feature·featureStep + output·outStep.
func (d *Device) reorder(name string, p *packed, weight []float32, featureStep, outStep int) (m scaled) {
	whole, features := d.scratch.zeros(name, len(p.columns)*p.n*p.d), len(weight)/p.d
	for k, columns := range p.columns {
		part := row(whole, k, p.n*p.d)
		for out := range p.d {
			from, to := row(weight, out, features), part[out*outStep:]
			for f, column := range columns {
				if column >= 0 {
					to[f*featureStep] = from[column]
				}
			}
		}
		m.parts = append(m.parts, part)
	}
	return m
}

// makeAll makes a matrix for every degree of the graph.
func (d *Device) makeAll(name string, p *packed, m *scaled) {
	size := p.n * p.d
	m.made = d.scratch.floats(name, len(p.g.degrees)*size)
	d.parallel(len(p.g.degrees), func(_ *worker, i int) {
		p.combine(row(m.made, i, size), m, int(p.g.degrees[i]))
	})
}

// scalers are PNA's second and third for a degree, METHOD "Relation projection" 4.
func (p *packed) scalers(degree int) (s, t float32) {
	s = 1
	if p.g.mean != 0 {
		s = float32(math.Log(float64(degree+1)) / p.g.mean)
	}
	return s, 1 / max(s, scaleFloor)
}

// of is the matrix for nodes of a degree: found, or made in the tile, which holds the
// last one made.
func (m *scaled) of(p *packed, scratch []float32, held *int, degree int) []float32 {
	switch {
	case len(m.parts) == 1:
		return m.parts[0]
	case m.made != nil:
		i, _ := slices.BinarySearchFunc(p.g.degrees, int32(degree), func(a, b int32) int { return int(b - a) })
		return row(m.made, i, p.n*p.d)
	}
	if *held != degree {
		p.combine(scratch, m, degree)
		*held = degree
	}
	return scratch
}

func (p *packed) combine(out []float32, m *scaled, degree int) {
	s, t := p.scalers(degree)
	p.use.combine(out, m.parts[0], m.parts[1], m.parts[2], s, t)
}

// addTo adds gradients of the parts, each (D, F'), to the checkpoint's order.
func (p *packed) addTo(dweight, parts []float32) {
	features := len(dweight) / p.d
	for k, columns := range p.columns {
		for out := range p.d {
			to, from := row(dweight, out, features), row(parts, k*p.d+out, p.n)
			for f, column := range columns {
				if column >= 0 {
					to[column] += from[f]
				}
			}
		}
	}
}
