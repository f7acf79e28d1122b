package cpu

import "github.com/lacuna-kg/lacuna/kernel"

// headGradient is what a task of the head's backward adds up.
type headGradient struct {
	dstates []float32 // (F, n·D) of the weight's columns for the states
	dbias   []float32 // (F) the sum of the middle layer's gradient
	dweight []float32 // (F) of the second Linear
	dbias2  []float32 // (1)
}

func (h *head) gradientSize() int {
	return h.features*len(h.hidden)*h.width + 2*h.features + 1
}

// gradient opens a task's sums.
func (h *head) gradient(sums []float32, task int) headGradient {
	s := row(sums, task, h.gradientSize())
	n := h.features * len(h.hidden) * h.width
	return headGradient{s[:n], s[n : n+h.features], s[n+h.features : n+2*h.features], s[n+2*h.features:]}
}

func (d *Device) HeadBackward(din kernel.HeadInput, dw kernel.HeadWeights, dprob, prob kernel.Buffer, in kernel.HeadInput, w kernel.HeadWeights) {
	p, dp := d.floats(prob), d.floats(dprob)
	h := d.newHead(in, w, len(p))
	want(len(dp) == len(p), "head gradient", len(dp), len(p))
	var dhidden [][]float32
	for _, b := range din.Hidden {
		dhidden = append(dhidden, d.floats(b))
	}
	sums := d.scratch.zeros("headSums", h.samples*h.tasksPerSample*h.gradientSize())
	h.tiles(func(w *worker, task int, t headTile) {
		h.backward(w, h.gradient(sums, task), dhidden, dp, p, t)
	})
	for b := range h.samples {
		h.collect(d.floats(din.Query), dw, sums, b)
	}
}

// negligible is a gradient too small for any sum of them to show. A network that is sure has many, and down the layers
// they would become denormal numbers, which a CPU is slow at.
const negligible = 1e-20

// backward runs a tile: the middle layer again, its gradient, and on to states and weights.
func (h *head) backward(w *worker, g headGradient, dhidden [][]float32, dp, p []float32, t headTile) {
	f, d, rows := h.features, h.width, t.to-t.from
	n := len(h.hidden) * d
	dlogits := w.tile.floats("dlogits", tileRows)[:rows]
	for i := range dlogits {
		x := p[t.from+i]
		if dlogits[i] = dp[t.from+i] * x * (1 - x); max(dlogits[i], -dlogits[i]) < negligible {
			dlogits[i] = 0
		}
		g.dbias2[0] += dlogits[i]
	}
	middle := h.middle(w, t)
	h.rows.headBackward(middle, g.dweight, g.dbias, dlogits, h.weight2)
	for k, x := range h.hidden {
		dx := matrix{dhidden[k][t.from*d:], d, 1}
		h.d.use.gemm(dx, dx, matrix{middle, f, 1}, matrix{h.weight[k*d:], f, 1}, rows, f, d)
		sum := matrix{g.dstates[k*d:], n, 1}
		h.d.use.gemm(sum, sum, matrix{middle, 1, f}, matrix{x[t.from*d:], d, 1}, f, rows, d)
	}
}

// collect adds up the tasks of a sample, in order. Since the query is the same for all
// nodes, its columns of the weight get (Σ dmiddle) ⊗ query, and it gets Wᵀ · Σ dmiddle.
func (h *head) collect(dquery []float32, dw kernel.HeadWeights, sums []float32, b int) {
	f, n := h.features, len(h.hidden)*h.width
	first := h.gradient(sums, b*h.tasksPerSample)
	whole := row(sums, b*h.tasksPerSample, h.gradientSize())
	for task := 1; task < h.tasksPerSample; task++ {
		h.d.use.add(whole, row(sums, b*h.tasksPerSample+task, h.gradientSize()), 1)
	}
	dweight0, query := h.d.floats(dw.Weight0), row(h.query, b, h.width)
	for out := range f {
		h.d.use.add(dweight0[out*f:out*f+n], row(first.dstates, out, n), 1)
		h.d.use.add(dweight0[out*f+n:(out+1)*f], query, first.dbias[out])
		h.d.use.add(row(dquery, b, h.width), h.weight[out*f+n:(out+1)*f], first.dbias[out])
	}
	h.d.use.add(h.d.floats(dw.Bias0), first.dbias, 1)
	h.d.use.add(h.d.floats(dw.Weight2), first.dweight, 1)
	h.d.floats(dw.Bias2)[0] += first.dbias2[0]
}
