// Package bench measures a learned projection on a device and holds it against the
// floor that its inner loops give: edges visited and products done at the rates that
// they reach alone on the same machine.
package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"time"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
)

// Work is something to measure: a batch, forward or forward and backward; or a query of one
// projection, until its ten best answers are known.
type Work struct {
	Backward bool
	Batch    int
	Query    bool
}

// Works are those that `lacuna-lab bench` prints of a graph; of a large one, Query alone.
var (
	Works = []Work{{Batch: 1}, {Batch: 16}, {Backward: true, Batch: 8}}
	Query = []Work{{Batch: 1, Query: true}}
)

func (w Work) String() string {
	switch {
	case w.Query:
		return "1p query"
	case w.Backward:
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
	FloorMS     float64 `json:"floor_ms,omitempty"`
	NSPerEdge   float64 `json:"ns_per_edge"` // the time over the edges of all layers
	GFLOPS      float64 `json:"gflops"`      // operations of the layers' products over the time
	Runs        int     `json:"runs"`
}

// Options says what to measure.
type Options struct {
	Device kernel.Device
	Name   string // the device's kind in the report: cpu or cuda
	Graph  *kernel.Graph
	Config gnn.Config
	Floor  func(backward bool) time.Duration // of a sample; nil where nobody knows
	Time   time.Duration                     // to spend on each work, at least three runs
}

// Run measures the works; each figure is the fastest of its runs.
func Run(ctx context.Context, o Options, works []Work) ([]Row, error) {
	model, err := gnn.New(o.Device, o.Config, o.Graph.Relations, 1)
	if err != nil {
		return nil, err
	}
	defer model.Close()
	model.Limits = gnn.LimitsOf(o.Device)
	graph, err := model.NewGraph(ctx, o.Graph)
	if err != nil {
		return nil, err
	}
	defer graph.Free()
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
	graph     *gnn.Graph
	in, out   kernel.Buffer
	gradients gnn.Slab
	relations []int32
	answers   []float32 // of a query, on the host
}

func newMeasurement(model *gnn.Model, graph *gnn.Graph, w Work) *measurement {
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
	if w.Query {
		m.answers = make([]float32, nodes)
	}
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
		if err := m.graph.Project(ctx, m.out, m.in, m.relations); err != nil {
			return err
		}
		if m.work.Query {
			m.model.Device().Download(m.answers, m.out)
			best(m.answers, 10)
		}
		return m.model.Device().Sync()
	}
	activations, err := m.graph.Forward(ctx, m.out, m.in, m.relations)
	if err != nil {
		return err
	}
	if err := m.model.Backward(ctx, m.gradients, activations, m.out); err != nil {
		return err
	}
	return m.model.Device().Sync()
}

// best gives the entities of the highest probabilities, the best first.
func best(probability []float32, n int) []int {
	list := make([]int, 0, n+1)
	for v, p := range probability {
		if len(list) == n && p <= probability[list[n-1]] {
			continue
		}
		at := sort.Search(len(list), func(i int) bool { return probability[list[i]] < p })
		list = slices.Insert(list, at, v)
		list = list[:min(len(list), n)]
	}
	return list
}

func (m *measurement) row(ctx context.Context, o Options) (Row, error) {
	fastest, runs := time.Duration(0), 0
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
		if took := time.Since(begin); fastest == 0 || took < fastest {
			fastest = took
		}
	}
	perSample := fastest.Seconds() / float64(m.work.Batch)
	edges, flops := float64(o.Graph.Edges()*o.Config.Layers), products(o.Config, o.Graph, m.work)
	row := Row{
		Work: m.work.String(), Batch: m.work.Batch, Device: o.Name, Runs: runs,
		MSPerSample: 1e3 * perSample,
		NSPerEdge:   1e9 * perSample / edges,
		GFLOPS:      flops / perSample / 1e9,
	}
	if o.Floor != nil {
		row.FloorMS = 1e3 * o.Floor(m.work.Backward).Seconds()
	}
	return row, nil
}

// products counts the operations of the layers' Linears for one sample. PNA's scaled
// statistics need not be made: a node's scalers fold into the weights, which leaves its
// state and four statistics. Backward has two products for forward's one.
func products(c gnn.Config, g *kernel.Graph, w Work) float64 {
	width, inputs := float64(c.Width), 2.0
	if c.Aggregate == "pna" {
		inputs = 5
	}
	flops := 2 * float64(g.Nodes) * inputs * width * width * float64(c.Layers)
	if w.Backward {
		return 3 * flops
	}
	return flops
}
