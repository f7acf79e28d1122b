package cpu

import (
	"math"

	"github.com/lacuna-kg/lacuna/kernel"
)

// headTask is the number of nodes of a task of the head.
const headTask = 1024

// head is one call of the head, opened. The query is the same for all nodes of a
// sample, so that its half of the first Linear is computed once: a bias of the sample.
type head struct {
	d               *Device
	hidden          [][]float32 // n states (B,V,D)
	query           []float32   // (B,D)
	samples, nodes  int
	width, features int       // D, F
	weight          []float32 // (F,F) as the checkpoint has it, output by input
	states          []float32 // (n·D, F) the states' part, input by output
	bias            []float32 // (B,F)
	weight2         []float32 // (F)
	bias2           float32
	rows            *kernels // for rows of F
	tasksPerSample  int
}

func (d *Device) newHead(in kernel.HeadInput, w kernel.HeadWeights, entities int) *head {
	h := &head{d: d, query: d.floats(in.Query), weight: d.floats(w.Weight0), weight2: d.floats(w.Weight2), bias2: d.floats(w.Bias2)[0]}
	for _, b := range in.Hidden {
		h.hidden = append(h.hidden, d.floats(b))
	}
	h.features = w.Bias0.Len()
	h.width = h.features / (len(h.hidden) + 1)
	want(len(h.weight) == h.features*h.features && len(h.weight2) == h.features && w.Bias2.Len() == 1, "head weights", len(h.weight), h.features)
	want(len(h.query)%h.width == 0 && len(h.query) > 0, "head query", len(h.query), h.width)
	h.samples = len(h.query) / h.width
	want(entities%h.samples == 0, "head query", len(h.query), entities)
	h.nodes = entities / h.samples
	for _, x := range h.hidden {
		want(len(x) == entities*h.width, "head input", len(x), entities*h.width)
	}
	h.rows = d.use.rows(h.features)
	h.tasksPerSample = (h.nodes + headTask - 1) / headTask
	h.prepare(d.floats(w.Bias0))
	return h
}

// prepare transposes the states' columns of the weight and takes in the query's.
func (h *head) prepare(bias []float32) {
	f, n := h.features, len(h.hidden)*h.width
	h.states = h.d.scratch.floats("headStates", n*f)
	h.bias = h.d.scratch.floats("headBias", h.samples*f)
	for out := range f {
		for i := range n {
			h.states[i*f+out] = h.weight[out*f+i]
		}
		for b := range h.samples {
			h.bias[b*f+out] = bias[out] + plainDot(h.weight[out*f+n:(out+1)*f], row(h.query, b, h.width))
		}
	}
}

// headTile is a run of nodes of one sample.
type headTile struct {
	sample   int
	from, to int // rows of (B,V)
}

// tiles runs over all nodes: tasks in parallel, their tiles one after the other.
func (h *head) tiles(run func(w *worker, task int, t headTile)) {
	h.d.parallel(h.samples*h.tasksPerSample, func(w *worker, task int) {
		b := task / h.tasksPerSample
		first := task % h.tasksPerSample * headTask
		end := min(first+headTask, h.nodes)
		for ; first < end; first += tileRows {
			run(w, task, headTile{b, b*h.nodes + first, b*h.nodes + min(first+tileRows, end)})
		}
	})
}

// middle is the first Linear of a tile, before its ReLU.
func (h *head) middle(w *worker, t headTile) []float32 {
	f, d := h.features, h.width
	middle := w.tile.floats("middle", tileRows*f)
	start := matrix{row(h.bias, t.sample, f), 0, 1}
	for k, x := range h.hidden {
		h.d.use.gemm(matrix{middle, f, 1}, start, matrix{x[t.from*d:], d, 1}, matrix{h.states[k*d*f:], f, 1}, t.to-t.from, d, f)
		start = matrix{middle, f, 1}
	}
	return middle
}

func (d *Device) HeadForward(prob kernel.Buffer, in kernel.HeadInput, w kernel.HeadWeights) {
	out := d.floats(prob)
	h := d.newHead(in, w, len(out))
	h.tiles(func(w *worker, _ int, t headTile) {
		logits := out[t.from:t.to]
		h.rows.headLogits(logits, h.middle(w, t), h.weight2)
		for i, x := range logits {
			logits[i] = float32(1 / (1 + math.Exp(-float64(x+h.bias2))))
		}
	})
}
