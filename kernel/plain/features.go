package plain

import (
	"math"

	"github.com/lacuna-kg/lacuna/kernel"
)

// scaleFloor bounds PNA's scaler from below before it divides.
const scaleFloor = 1e-2

// features writes the Linear's input (F) for node v.
func (r *layerRun[F]) features(out, stats []F, v int) {
	d := r.l.Width
	h := row(r.hidden, v, d)
	switch r.l.Aggregate {
	case kernel.PNA:
		copy(out, h)
		r.scaled(out[d:], stats, v)
	case kernel.Directed:
		copy(out, stats)
		message(r.l.Message, out[2*d:], h, r.w.loop)
	default:
		copy(out, h)
		copy(out[d:], stats)
	}
}

// featuresBackward overwrites dstats and adds to dhidden, the gradient of v's own state, and dloop.
func (r *layerRun[F]) featuresBackward(dhidden, dstats, dloop, dout []F, v int) {
	d := r.l.Width
	switch r.l.Aggregate {
	case kernel.PNA:
		addTo(dhidden, dout[:d])
		r.scaledBackward(dstats, dout[d:], v)
	case kernel.Directed:
		copy(dstats, dout[:2*d])
		messageBackward(r.l.Message, dhidden, dloop, dout[2*d:], row(r.hidden, v, d), r.w.loop)
	default:
		addTo(dhidden, dout[:d])
		copy(dstats, dout[d:])
	}
}

// scalers are PNA's three: identity, amplification, attenuation.
func (r *layerRun[F]) scalers(v int) [3]F {
	s := r.g.scale[v]
	return [3]F{1, s, 1 / max(s, F(scaleFloor))}
}

// scaled writes PNA's 12·D features in the order ((d·4 + stat)·3 + scaler).
func (r *layerRun[F]) scaled(out, stats []F, v int) {
	scalers := r.scalers(v)
	for stat := range 4 {
		for i, x := range row(stats, stat, r.l.Width) {
			for k, s := range scalers {
				out[(i*4+stat)*3+k] = x * s
			}
		}
	}
}

func (r *layerRun[F]) scaledBackward(dstats, dout []F, v int) {
	scalers := r.scalers(v)
	for stat := range 4 {
		dstat := row(dstats, stat, r.l.Width)
		for i := range dstat {
			dstat[i] = 0
			for k, s := range scalers {
				dstat[i] += F(s * dout[(i*4+stat)*3+k])
			}
		}
	}
}

// scales gives PNA's degree scaler of every node, s_v = log(deg_v) / mean of log(deg),
// where the boundary counts as one more message. Without any edge it is 1.
func scales(g *kernel.Graph) []float64 {
	scale := make([]float64, g.Nodes)
	mean := g.MeanLog()
	for v := range scale {
		scale[v] = 1
		if mean != 0 {
			scale[v] = math.Log(float64(g.ScaleDegree(v)+1)) / mean
		}
	}
	return scale
}
