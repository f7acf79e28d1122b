package gnn_test

import (
	"context"
	"testing"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
)

// ledger is a device that computes nothing and counts the floats it has lent.
type ledger struct {
	kernel.Device
	live, peak int
}

type account int

func (a account) Len() int                         { return int(a) }
func (a account) Slice(from, to int) kernel.Buffer { return account(to - from) }

type size struct{ nodes, relations int }

func (s size) Nodes() int     { return s.nodes }
func (s size) Relations() int { return s.relations }
func (s size) Edges() int     { return 0 }

func (l *ledger) NewBuffer(n int) kernel.Buffer {
	l.live += n
	l.peak = max(l.peak, l.live)
	return account(n)
}
func (l *ledger) Memory() int64                                         { return 0 }
func (l *ledger) FallsBack(kernel.Layer) bool                           { return false }
func (l *ledger) Free(b kernel.Buffer)                                  { l.live -= b.Len() }
func (l *ledger) Upload(kernel.Buffer, []float32)                       {}
func (l *ledger) Fill(kernel.Buffer, float32)                           {}
func (l *ledger) Copy(_, _ kernel.Buffer)                               {}
func (l *ledger) Gather(_, _ kernel.Buffer, _ []int32, _ int)           {}
func (l *ledger) ScatterAdd(_, _ kernel.Buffer, _ []int32, _ int)       {}
func (l *ledger) Scatter(_, _ kernel.Buffer, _ []int32, _ int)          {}
func (l *ledger) Singletons(kernel.Buffer, int, []int32, []int32)       {}
func (l *ledger) NewGraph(g *kernel.Graph) kernel.DeviceGraph           { return size{g.Nodes, g.Relations} }
func (l *ledger) FreeGraph(kernel.DeviceGraph)                          {}
func (l *ledger) NewIncidence(*kernel.Incidence) kernel.DeviceIncidence { return nil }
func (l *ledger) MeetForward(kernel.DeviceIncidence, kernel.Buffer, kernel.MeetInput) {
}
func (l *ledger) MeetBackward(kernel.DeviceIncidence, kernel.MeetInput, kernel.Buffer, kernel.MeetInput) {
}
func (l *ledger) NormForward(_, _, _, _, _ kernel.Buffer)                         {}
func (l *ledger) NormBackward(_, _, _, _, _, _, _, _ kernel.Buffer)               {}
func (l *ledger) Boundary(_, _, _ kernel.Buffer)                                  {}
func (l *ledger) BoundaryBackward(_, _, _ kernel.Buffer)                          {}
func (l *ledger) LinearForward(_, _, _, _ kernel.Buffer, _ kernel.Activation)     {}
func (l *ledger) HeadForward(kernel.Buffer, kernel.HeadInput, kernel.HeadWeights) {}
func (l *ledger) LinearBackward(_, _, _, _, _, _, _ kernel.Buffer, _ kernel.Activation) {
}
func (l *ledger) HeadBackward(kernel.HeadInput, kernel.HeadWeights, kernel.Buffer, kernel.Buffer, kernel.HeadInput, kernel.HeadWeights) {
}
func (l *ledger) LayerForward(kernel.Layer, kernel.DeviceGraph, kernel.Buffer, kernel.Kept, kernel.LayerInput, kernel.LayerWeights) {
}
func (l *ledger) LayerBackward(kernel.Layer, kernel.DeviceGraph, kernel.LayerGradient, kernel.LayerWeights, kernel.Buffer, kernel.Kept, kernel.LayerInput, kernel.LayerWeights) {
}

// trainingStep runs three rounds of projections forward, then all of them backward, as
// a batch of queries does.
func trainingStep(t *testing.T, m *gnn.Model, g *gnn.Graph, samples int) {
	t.Helper()
	relations := make([]int32, samples)
	for i := range relations {
		relations[i] = int32(i % g.Relations())
	}
	sets := account(samples * g.Nodes())
	var traces []*gnn.Activations
	for range 3 {
		activations, err := g.Forward(context.Background(), sets, sets, relations)
		if err != nil {
			t.Fatal(err)
		}
		traces = append(traces, activations)
	}
	for _, activations := range traces {
		if err := m.Backward(context.Background(), m.NewSlab(), activations, sets); err != nil {
			t.Fatal(err)
		}
	}
}

func emptyGraph(t *testing.T, m *gnn.Model, nodes, relations int) *gnn.Graph {
	t.Helper()
	topology, err := kernel.NewGraph(nodes, relations, nil, everySecond(relations))
	if err != nil {
		t.Fatal(err)
	}
	return newGraph(t, m, topology)
}

// FB15k-237 at the paper's size: what a step allocates for states hardly grows with the
// batch, and stays below what DefaultLimits promises.
func TestTrainingMemoryIsBounded(t *testing.T) {
	concat := gnn.Default()
	concat.ConcatHidden = true
	for _, config := range []gnn.Config{gnn.Default(), concat, gnn.DefaultUltra(), gnn.DefaultAlternating()} {
		for _, samples := range []int{1, 32, 192, 500} {
			l := &ledger{}
			m, err := gnn.New(l, config, 474, 1)
			if err != nil {
				t.Fatal(err)
			}
			g := emptyGraph(t, m, 14505, 474)
			trainingStep(t, m, g, samples)
			states := 4 * (l.peak - 3*2*samples*g.Nodes()) // less the sets a activations holds, (B,V) in and out
			t.Logf("%s, concat %v, 3 × %d projections: peak %d MB", config.Kind, config.ConcatHidden, samples, 4*l.peak>>20)
			if states > 1600<<20 {
				t.Errorf("%s, %d samples: %d MB", config.Kind, samples, states>>20)
			}
		}
	}
}

// A second step, and many more, allocate nothing that the first did not; Close gives all back.
func TestMemoryIsReused(t *testing.T) {
	for _, config := range []gnn.Config{gnn.Default(), gnn.DefaultUltra(), gnn.DefaultAlternating()} {
		t.Run(config.Kind, func(t *testing.T) { checkMemoryReuse(t, config) })
	}
}

func checkMemoryReuse(t *testing.T, config gnn.Config) {
	l := &ledger{}
	m, err := gnn.New(l, config, 20, 1)
	if err != nil {
		t.Fatal(err)
	}
	g := emptyGraph(t, m, 1000, 20)
	m.Limits.Kept = 10 << 20
	slabs := 0
	step := func() int {
		before := l.live
		trainingStep(t, m, g, 40)
		sets := account(40 * g.Nodes())
		if err := g.Project(context.Background(), sets, sets, make([]int32, 40)); err != nil {
			t.Fatal(err)
		}
		slabs += 3 * m.Parameters.Len
		return l.live - before - 3*m.Parameters.Len
	}
	if step() == 0 {
		t.Error("the first step allocated nothing")
	}
	for range 5 {
		if grown := step(); grown != 0 {
			t.Errorf("a later step allocated %d floats", grown)
		}
	}
	g.Free()
	m.Close()
	if l.live != slabs {
		t.Errorf("%d floats live after Close, %d of them gradient slabs", l.live, slabs)
	}
}
