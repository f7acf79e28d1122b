package selftest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
)

// Models runs whole models of the usual widths on the device and on the plain one, forward and
// backward: buffers of a model are aligned, as those of the conformance cases are not, so fast
// paths run here that do not run there.
func Models(ctx context.Context, device kernel.Device, limits gnn.Limits) ([]Row, error) {
	var rows []Row
	for _, c := range modelConfigs() {
		row := Row{Name: fmt.Sprintf("model/%s-%s-%s-%d", c.Kind, c.Message, c.Aggregate, c.Width)}
		if c.ConcatHidden {
			row.Name += "-concat"
		}
		forward, backward, err := compareModel(ctx, device, c, limits)
		if err == nil && !(forward <= ModelForward && backward <= ModelBackward) {
			err = fmt.Errorf("results off by %.1e, gradients by %.1e", forward, backward)
		}
		row.add(forward, backward, err)
		rows = append(rows, row)
		if err := device.Sync(); err != nil {
			return rows, err
		}
	}
	return rows, nil
}

// ModelForward and ModelBackward bound what rounding may do over several layers. A value at the
// kink of a ReLU falls on either side, and its gradient with it, so the second is wide.
const ModelForward, ModelBackward = 1e-4, 1e-2

func modelConfigs() []gnn.Config {
	pna := gnn.Default()
	concat := gnn.Default()
	concat.ConcatHidden = true
	wide := gnn.Config{Kind: gnn.NBFNet, Message: "distmult", Aggregate: "sum", Width: 64, Layers: 3}
	transe := gnn.Config{Kind: gnn.NBFNet, Message: "transe", Aggregate: "pna", Width: 32, Layers: 2, Dependent: true}
	return []gnn.Config{pna, concat, wide, transe, gnn.DefaultUltra(), gnn.DefaultAlternating()}
}

const modelNodes, modelRelations, modelSamples = 400, 12, 5

func compareModel(ctx context.Context, device kernel.Device, c gnn.Config, limits gnn.Limits) (forward, backward float64, err error) {
	wantProb, wantGrads, err := runModel(ctx, plain.New(), c, gnn.DefaultLimits())
	if err != nil {
		return 0, 0, err
	}
	for _, keep := range []bool{false, true} { // statistics gathered again, and kept
		limits.KeepStats = keep
		prob, grads, err := runModel(ctx, device, c, limits)
		if err != nil {
			return 0, 0, err
		}
		forward, backward = max(forward, relative(prob, wantProb)), max(backward, relative(grads, wantGrads))
	}
	return forward, backward, nil
}

func runModel(ctx context.Context, device kernel.Device, c gnn.Config, limits gnn.Limits) (prob, grads []float32, err error) {
	m, err := gnn.New(device, c, modelRelations, 7)
	if err != nil {
		return nil, nil, err
	}
	defer m.Close()
	m.Limits = limits
	topology, err := modelGraph()
	if err != nil {
		return nil, nil, err
	}
	g, err := m.NewGraph(ctx, topology)
	if err != nil {
		return nil, nil, err
	}
	defer g.Free()
	draw := rand.New(rand.NewPCG(3, 3))
	relations, sets, dout := make([]int32, modelSamples), make([]float32, modelSamples*modelNodes), make([]float32, modelSamples*modelNodes)
	for i := range relations {
		relations[i] = draw.Int32N(modelRelations)
	}
	for i := range sets {
		dout[i] = draw.Float32() - 0.5
		if draw.IntN(4) == 0 {
			sets[i] = draw.Float32()
		}
	}
	in, out, slab := device.NewBuffer(len(sets)), device.NewBuffer(len(sets)), m.NewSlab()
	defer device.Free(in)
	defer device.Free(out)
	defer device.Free(slab.Values)
	device.Upload(in, sets)
	activations, err := g.Forward(ctx, out, in, relations)
	if err != nil {
		return nil, nil, err
	}
	prob = download(device, out)
	device.Upload(out, dout)
	if err := m.Backward(ctx, slab, activations, out); err != nil {
		return nil, nil, err
	}
	return prob, download(device, slab.Values), device.Sync()
}

// modelGraph has a hub of three hundred edges.
func modelGraph() (*kernel.Graph, error) {
	draw := rand.New(rand.NewPCG(5, 5))
	used := map[kernel.Edge]bool{}
	var edges []kernel.Edge
	add := func(e kernel.Edge) {
		if !used[e] {
			used[e] = true
			edges = append(edges, e)
		}
	}
	for len(edges) < 4000 {
		head, tail, r := draw.Int32N(modelNodes), draw.Int32N(modelNodes), draw.Int32N(modelRelations)
		if len(edges) < 300 {
			tail = 0
		}
		add(kernel.Edge{Head: head, Relation: r, Tail: tail})
		add(kernel.Edge{Head: tail, Relation: r ^ 1, Tail: head})
	}
	inverse := make([]bool, modelRelations)
	for r := range inverse {
		inverse[r] = r%2 == 1
	}
	return kernel.NewGraph(modelNodes, modelRelations, edges, inverse)
}

func download(device kernel.Device, b kernel.Buffer) []float32 {
	x := make([]float32, b.Len())
	device.Download(x, b)
	return x
}

func relative(got, want []float32) float64 {
	var difference, norm float64
	for i := range want {
		d := float64(got[i]) - float64(want[i])
		difference += d * d
		norm += float64(want[i]) * float64(want[i])
	}
	if difference == 0 {
		return 0
	}
	return math.Sqrt(difference / norm)
}
