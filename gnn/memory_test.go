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
func (l *ledger) Free(b kernel.Buffer)                                            { l.live -= b.Len() }
func (l *ledger) Upload(kernel.Buffer, []float32)                                 {}
func (l *ledger) Fill(kernel.Buffer, float32)                                     {}
func (l *ledger) Copy(_, _ kernel.Buffer)                                         {}
func (l *ledger) Gather(_, _ kernel.Buffer, _ []int32, _ int)                     {}
func (l *ledger) ScatterAdd(_, _ kernel.Buffer, _ []int32, _ int)                 {}
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
func trainingStep(t *testing.T, m *gnn.Model, g kernel.DeviceGraph, samples int) {
	t.Helper()
	relations := make([]int32, samples)
	for i := range relations {
		relations[i] = int32(i % g.Relations())
	}
	sets := account(samples * g.Nodes())
	var traces []*gnn.Trace
	for range 3 {
		trace, err := m.Forward(context.Background(), g, sets, sets, relations)
		if err != nil {
			t.Fatal(err)
		}
		traces = append(traces, trace)
	}
	for _, trace := range traces {
		if err := m.Backward(context.Background(), m.NewSlab(), trace, sets); err != nil {
			t.Fatal(err)
		}
	}
}

// FB15k-237 at the paper's size: what a step allocates for states hardly grows with the
// batch, and stays below what DefaultLimits promises.
func TestTrainingMemoryIsBounded(t *testing.T) {
	for _, config := range []gnn.Config{gnn.Default(), {Kind: gnn.NBFNet, Message: "distmult", Aggregate: "pna", Width: 32, Layers: 4, Dependent: true, ConcatHidden: true}} {
		for _, samples := range []int{1, 32, 192, 500} {
			l := &ledger{}
			g := size{14505, 474}
			m, err := gnn.New(l, config, g.relations, 1)
			if err != nil {
				t.Fatal(err)
			}
			trainingStep(t, m, g, samples)
			states := 4 * (l.peak - 3*2*samples*g.nodes) // less the sets a trace holds, (B,V) in and out
			t.Logf("concat %v, 3 × %d projections: peak %d MB", config.ConcatHidden, samples, 4*l.peak>>20)
			if states > 1600<<20 {
				t.Errorf("%d samples: %d MB", samples, states>>20)
			}
		}
	}
}

// A second step, and many more, allocate nothing that the first did not; Close gives all back.
func TestMemoryIsReused(t *testing.T) {
	l := &ledger{}
	g := size{1000, 20}
	m, err := gnn.New(l, gnn.Default(), g.relations, 1)
	if err != nil {
		t.Fatal(err)
	}
	m.Limits.Kept = 10 << 20
	slabs := 0
	step := func() int {
		before := l.live
		trainingStep(t, m, g, 40)
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
	m.Close()
	if l.live != slabs {
		t.Errorf("%d floats live after Close, %d of them gradient slabs", l.live, slabs)
	}
}
