package selftest

import (
	"context"
	"fmt"
	"time"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/cuda"
)

// Speed is how long a model takes on a graph, per sample.
type Speed struct {
	Model    string
	Samples  int
	Forward  time.Duration // projection of a batch, nothing kept
	Training time.Duration // forward that keeps, and backward
	Kernels  []cuda.Timing // of one such pass forward and backward; empty but on a GPU
}

// Measure times a model. It warms up first, and takes the fastest of several runs: on a shared machine the
// others measure its neighbours.
func Measure(ctx context.Context, device kernel.Device, topology *kernel.Graph, c gnn.Config, limits gnn.Limits, samples, runs int) (Speed, error) {
	s := Speed{Model: fmt.Sprintf("%s %s %s, width %d, %d layers", c.Kind, c.Message, c.Aggregate, c.Width, c.Layers), Samples: samples}
	m, err := gnn.New(device, c, topology.Relations, 1)
	if err != nil {
		return s, err
	}
	defer m.Close()
	m.Limits = limits
	graph, err := m.NewGraph(ctx, topology)
	if err != nil {
		return s, err
	}
	w := &work{device: device, model: m, graph: graph, grads: m.NewSlab()}
	defer w.close()
	w.fill(topology, samples)
	if s.Forward, err = fastest(runs, samples, func() error { return w.project(ctx) }); err != nil {
		return s, err
	}
	if s.Training, err = fastest(runs, samples, func() error { return w.train(ctx) }); err != nil {
		return s, err
	}
	s.Kernels, err = cuda.Profile(device, func() error { return w.train(ctx) })
	return s, err
}

// work is a batch that can be run again and again.
type work struct {
	device    kernel.Device
	model     *gnn.Model
	graph     *gnn.Graph
	grads     gnn.Slab
	in, out   kernel.Buffer
	relations []int32
}

// fill asks for samples along many relations, each from an entity that has some edge.
func (w *work) fill(topology *kernel.Graph, samples int) {
	n := topology.Nodes
	w.in, w.out = w.device.NewBuffer(samples*n), w.device.NewBuffer(samples*n)
	slots, entities := make([]int32, samples), make([]int32, samples)
	w.relations = make([]int32, samples)
	for i := range slots {
		edge := i * (topology.Edges() / samples)
		slots[i], entities[i], w.relations[i] = int32(i), topology.In.Node[edge], topology.In.Relation[edge]
	}
	w.device.Singletons(w.in, n, slots, entities)
}

func (w *work) project(ctx context.Context) error {
	if err := w.graph.Project(ctx, w.out, w.in, w.relations); err != nil {
		return err
	}
	return w.device.Sync()
}

// train takes the result itself for the gradient of the result: any numbers do.
func (w *work) train(ctx context.Context) error {
	activations, err := w.graph.Forward(ctx, w.out, w.in, w.relations)
	if err != nil {
		return err
	}
	if err := w.model.Backward(ctx, w.grads, activations, w.out); err != nil {
		return err
	}
	return w.device.Sync()
}

func (w *work) close() {
	for _, b := range []kernel.Buffer{w.in, w.out, w.grads.Values} {
		w.device.Free(b)
	}
	w.graph.Free()
}

// fastest gives the time per sample.
func fastest(runs, samples int, run func() error) (time.Duration, error) {
	if err := run(); err != nil { // warm up: kernels are loaded, memory is allocated
		return 0, err
	}
	best := time.Duration(1<<63 - 1)
	for range runs {
		start := time.Now()
		if err := run(); err != nil {
			return 0, err
		}
		best = min(best, time.Since(start))
	}
	return best / time.Duration(samples), nil
}
