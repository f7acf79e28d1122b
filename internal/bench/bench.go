// Package bench measures a learned projection on a device and holds it against the
// floor that counting gives: the edges that must be visited and the products of the
// Linear layers, at the rates that the inner loops alone reach on the same machine.
package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
)

// Work is something to measure: a batch, forward or forward and backward.
type Work struct {
	Backward bool
	Batch    int
}

// Works are those that `lacuna bench` prints.
var Works = []Work{{false, 1}, {false, 16}, {true, 8}}

func (w Work) String() string {
	if w.Backward {
		return "forward+backward"
	}
	return "forward"
}

// Row is one measurement.
type Row struct {
	Work        string  `json:"work"`
	Batch       int     `json:"batch"`
	Device      string  `json:"device"`
	MSPerSample float64 `json:"ms_per_sample"`
	FloorMS     float64 `json:"floor_ms"`
	NSPerEdge   float64 `json:"ns_per_edge"` // of one layer, if all the time went into edges
	GFLOPS      float64 `json:"gflops"`      // if all the time went into the Linear layers
	Runs        int     `json:"runs"`
}

// A forward pass visits each edge once a layer. Backward visits them for the
// statistics, the states and the relations, and its products cost twice the forward's.
const (
	edgePassesBackward    = 4
	productPassesBackward = 3
)

// Rates are those of one core of the device, which give the floor.
type Rates struct {
	EdgeNanoseconds float64 // of one visit of an edge
	Gigaflops       float64 // of a matrix product
}

// Options says what to measure.
type Options struct {
	Device  kernel.Device
	Name    string // the device's kind in the report: cpu or cuda
	Graph   *kernel.Graph
	Config  gnn.Config
	Threads int           // cores that the floor is spread over
	Rates   Rates         // of one core
	Time    time.Duration // to spend on each work, at least three runs
}

// Run measures the works; each figure is the fastest of its runs.
func Run(ctx context.Context, o Options, works []Work) ([]Row, error) {
	model, err := gnn.New(o.Device, o.Config, o.Graph.Relations, 1)
	if err != nil {
		return nil, err
	}
	defer model.Close()
	graph := o.Device.NewGraph(o.Graph)
	defer o.Device.FreeGraph(graph)
	var rows []Row
	for _, w := range works {
		m := newMeasurement(model, graph, w)
		row, err := m.row(ctx, o)
		m.release()
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// measurement holds the buffers of one work.
type measurement struct {
	work      Work
	model     *gnn.Model
	graph     kernel.DeviceGraph
	in, out   kernel.Buffer
	gradients gnn.Slab
	relations []int32
}

func newMeasurement(model *gnn.Model, graph kernel.DeviceGraph, w Work) *measurement {
	device, nodes := model.Device(), graph.Nodes()
	m := &measurement{
		work: w, model: model, graph: graph, gradients: model.NewSlab(),
		in: device.NewBuffer(w.Batch * nodes), out: device.NewBuffer(w.Batch * nodes),
	}
	random := rand.New(rand.NewPCG(1, 1))
	slots, entities := make([]int32, w.Batch), make([]int32, w.Batch)
	for i := range w.Batch {
		slots[i], entities[i] = int32(i), int32(random.IntN(nodes))
		m.relations = append(m.relations, int32(random.IntN(graph.Relations())))
	}
	device.Singletons(m.in, nodes, slots, entities)
	return m
}

func (m *measurement) release() {
	device := m.model.Device()
	device.Free(m.in)
	device.Free(m.out)
	device.Free(m.gradients.Values)
}

func (m *measurement) once(ctx context.Context) error {
	if !m.work.Backward {
		if err := m.model.Project(ctx, m.graph, m.out, m.in, m.relations); err != nil {
			return err
		}
		return m.model.Device().Sync()
	}
	trace, err := m.model.Forward(ctx, m.graph, m.out, m.in, m.relations)
	if err != nil {
		return err
	}
	if err := m.model.Backward(ctx, m.gradients, trace, m.out); err != nil {
		return err
	}
	return m.model.Device().Sync()
}

func (m *measurement) row(ctx context.Context, o Options) (Row, error) {
	best, runs := time.Duration(0), 0
	if err := m.once(ctx); err != nil { // the first run allocates
		return Row{}, err
	}
	for start := time.Now(); runs < 3 || time.Since(start) < o.Time; runs++ {
		if ctx.Err() != nil {
			return Row{}, fmt.Errorf("stopped: %w", context.Cause(ctx))
		}
		begin := time.Now()
		if err := m.once(ctx); err != nil {
			return Row{}, err
		}
		if took := time.Since(begin); best == 0 || took < best {
			best = took
		}
	}
	perSample := best.Seconds() / float64(m.work.Batch)
	edges, flops := counts(o.Config, o.Graph, m.work)
	return Row{
		Work: m.work.String(), Batch: m.work.Batch, Device: o.Name, Runs: runs,
		MSPerSample: 1e3 * perSample,
		FloorMS:     (edges*o.Rates.EdgeNanoseconds + flops/o.Rates.Gigaflops) / 1e6 / float64(o.Threads),
		NSPerEdge:   1e9 * perSample / edges,
		GFLOPS:      flops / perSample / 1e9,
	}, nil
}

// counts gives the visits of edges and the operations of the Linear layers of one sample.
func counts(c gnn.Config, g *kernel.Graph, w Work) (edges, flops float64) {
	width, nodes := float64(c.Width), float64(g.Nodes)
	edges = float64(g.Edges() * c.Layers)
	features := 2 * width
	if c.Aggregate == "pna" {
		features = 13 * width
	}
	layer := 2 * nodes * features * width
	if c.Dependent {
		layer += 2 * float64(g.Relations) * width * width
	}
	head := 2 * nodes * (2*width*2*width + 2*width)
	flops = float64(c.Layers)*layer + head
	if w.Backward {
		return edges * edgePassesBackward, flops * productPassesBackward
	}
	return edges, flops
}
