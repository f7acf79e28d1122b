package gnn_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/internal/gradcheck"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
)

const (
	nodes     = 7
	relations = 4
)

func toyGraph(t testing.TB) *kernel.Graph {
	draw := rand.New(rand.NewPCG(5, 5))
	edges := map[kernel.Edge]bool{}
	for range 9 {
		h, r, tail := draw.Int32N(nodes), 2*draw.Int32N(relations/2), draw.Int32N(nodes)
		edges[kernel.Edge{Head: h, Relation: r, Tail: tail}] = true
		edges[kernel.Edge{Head: tail, Relation: r + 1, Tail: h}] = true
	}
	var list []kernel.Edge
	for e := range edges {
		list = append(list, e)
	}
	g, err := kernel.NewGraph(nodes, relations, list, []bool{false, true, false, true})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// configs are one of each kind, with an odd width where the kind allows it.
func configs() []gnn.Spec {
	some := gnn.Adjustments{Threshold: 0.4}
	return []gnn.Spec{
		{Config: gnn.Config{Kind: gnn.RGCN, Width: 5, Layers: 2, Bases: 2}},
		{Config: gnn.Config{Kind: gnn.RGCN, Width: 4, Layers: 3, Bases: 3, ConcatHidden: true}},
		{Config: gnn.Config{Kind: gnn.CompGCN, Message: "corr", Width: 3, Layers: 2}},
		{Config: gnn.Config{Kind: gnn.NBFNet, Message: "distmult", Aggregate: "pna", Width: 3, Layers: 2, Dependent: true}},
		{Config: gnn.Config{Kind: gnn.NBFNet, Message: "rotate", Aggregate: "sum", Width: 4, Layers: 1, Dependent: true}},
		{Config: gnn.Config{Kind: gnn.NBFNet, Message: "transe", Aggregate: "max", Width: 3, Layers: 2}},
		{Config: gnn.Config{Kind: gnn.NBFNet, Message: "distmult", Aggregate: "mean", Width: 3, Layers: 2, Dependent: true}, Adjustments: some},
		{Config: gnn.Config{Kind: gnn.Ultra, Message: "distmult", Aggregate: "sum", Width: 4, Layers: 3, Direction: gnn.HeadToTail}},
		{Config: gnn.Config{Kind: gnn.Ultra, Message: "distmult", Aggregate: "sum", Width: 5, Layers: 2, Direction: gnn.TailToHead}, Adjustments: some},
		{Config: gnn.Config{Kind: gnn.Ultra, Message: "rotate", Aggregate: "mean", Width: 4, Layers: 2, Direction: gnn.TailToHead, ConcatHidden: true}},
		{Config: gnn.Config{Kind: gnn.Alternating, Message: "distmult", Aggregate: "pna", Width: 4, Layers: 3}},
		{Config: gnn.Config{Kind: gnn.Alternating, Message: "distmult", Aggregate: "sum", Width: 5, Layers: 1}, Adjustments: some},
		{Config: gnn.Config{Kind: gnn.Alternating, Message: "distmult", Aggregate: "pna", Width: 4, Layers: 2, RelationRounds: 3}},
		{Config: gnn.Config{Kind: gnn.Alternating, Message: "transe", Aggregate: "mean", Width: 3, Layers: 4, ConcatHidden: true}},
	}
}

func name(c gnn.Spec) string {
	return fmt.Sprintf("%s-%s-%s-%d", c.Kind, c.Message, c.Aggregate, c.Layers)
}

func newGraph(t testing.TB, m *gnn.Model, topology *kernel.Graph) *gnn.Graph {
	t.Helper()
	g, err := m.NewGraph(context.Background(), topology)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

var batch = []int32{2, 0, 2} // relations of a batch, one repeated

func uploadSets(d kernel.Device, samples int) kernel.Buffer {
	draw := rand.New(rand.NewPCG(6, 6))
	x := make([]float32, samples*nodes)
	for i := range x {
		x[i] = draw.Float32()
	}
	b := d.NewBuffer(len(x))
	d.Upload(b, x)
	return b
}

// The whole projection against finite differences in float64: the proof for RGCN, which has no golden file.
func TestProjectionGradient(t *testing.T) {
	for _, c := range configs() {
		t.Run(name(c), func(t *testing.T) {
			d := plain.New64()
			m, err := c.New(d, relations, 11)
			if err != nil {
				t.Fatal(err)
			}
			g, in := newGraph(t, m, toyGraph(t)), uploadSets(d, len(batch))
			out, dout := d.NewBuffer(in.Len()), uploadSets(d, len(batch))
			activations, err := g.Forward(context.Background(), out, in, batch)
			if err != nil {
				t.Fatal(err)
			}
			grads := m.NewSlab()
			if err := m.Backward(context.Background(), grads, activations, dout); err != nil {
				t.Fatal(err)
			}
			objective := func() (sum float64) {
				m.Changed()
				if err := g.Project(context.Background(), out, in, batch); err != nil {
					t.Fatal(err)
				}
				for i, p := range d.Values(out) {
					sum += p * d.Values(dout)[i]
				}
				return sum
			}
			for _, tensor := range m.Parameters.Tensors {
				if err := gradcheck.Check(tensor.Name, objective, d.Values(m.Parameters.Of(tensor.Name)), d.Values(grads.Of(tensor.Name))); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// Samples do not see each other: a batch gives what its samples give alone, to the bit,
// however memory is bounded, and Forward gives what Project gives.
func TestBatchEqualsSamples(t *testing.T) {
	for _, c := range configs() {
		t.Run(name(c), func(t *testing.T) {
			d := plain.New()
			m, err := c.New(d, relations, 11)
			if err != nil {
				t.Fatal(err)
			}
			g, in := newGraph(t, m, toyGraph(t)), uploadSets(d, len(batch))
			want := d.NewBuffer(in.Len())
			for i := range batch {
				project(t, m, g, want.Slice(i*nodes, (i+1)*nodes), in.Slice(i*nodes, (i+1)*nodes), batch[i:i+1])
			}
			out := d.NewBuffer(in.Len())
			project(t, m, g, out, in, batch)
			equal(t, "batch", d.Values(out), d.Values(want))
			for _, workspace := range []int64{1, 3000, 1 << 20} {
				m.Limits = gnn.Limits{Workspace: workspace, Kept: 5000}
				project(t, m, g, out, in, batch)
				equal(t, "chunked batch", d.Values(out), d.Values(want))
				d.Fill(out, 0)
				activations, err := g.Forward(context.Background(), out, in, batch)
				if err != nil {
					t.Fatal(err)
				}
				m.Release(activations)
				equal(t, "forward", d.Values(out), d.Values(want))
			}
		})
	}
}

func project(t *testing.T, m *gnn.Model, g *gnn.Graph, out, in kernel.Buffer, relations []int32) {
	t.Helper()
	if err := g.Project(context.Background(), out, in, relations); err != nil {
		t.Fatal(err)
	}
}

func equal(t *testing.T, what string, got, want []float32) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %v, expected %v", what, got, want)
	}
}

// Gradients agree whatever is kept and however the batch is cut, and a second batch
// that reuses the memory of the first gives the same.
func TestGradientsWhateverIsKept(t *testing.T) {
	for _, c := range configs() {
		t.Run(name(c), func(t *testing.T) {
			d := plain.New64()
			m, err := c.New(d, relations, 11)
			if err != nil {
				t.Fatal(err)
			}
			g := newGraph(t, m, toyGraph(t))
			want := gradients(t, d, m, g)
			for _, limits := range []gnn.Limits{gnn.DefaultLimits(), {Workspace: 1}, {Workspace: 1, Kept: 2000}, {Workspace: 1 << 20, Kept: 1 << 20, KeepStats: true}} {
				m.Limits = limits
				for i, got := range gradients(t, d, m, g) {
					if !(math.Abs(got-want[i]) <= 1e-12*max(1, math.Abs(want[i]))) {
						t.Fatalf("limits %+v: gradient %d is %v, expected %v", limits, i, got, want[i])
					}
				}
			}
		})
	}
}

func gradients(t *testing.T, d *plain.Device[float64], m *gnn.Model, g *gnn.Graph) []float64 {
	t.Helper()
	in := uploadSets(d, len(batch))
	activations, err := g.Forward(context.Background(), d.NewBuffer(in.Len()), in, batch)
	if err != nil {
		t.Fatal(err)
	}
	grads := m.NewSlab()
	if err := m.Backward(context.Background(), grads, activations, in); err != nil {
		t.Fatal(err)
	}
	return d.Values(grads.Values)
}

func TestConfigRefuses(t *testing.T) {
	for want, change := range map[string]func(*gnn.Spec){
		`unknown gnn "gat"`:      func(c *gnn.Spec) { c.Kind = "gat" },
		`unknown message "mult"`: func(c *gnn.Spec) { c.Message = "mult" },
		`unknown aggregate ""`:   func(c *gnn.Spec) { c.Aggregate = "" },
		"0 layers":               func(c *gnn.Spec) { c.Layers = 0 },
		"width -1":               func(c *gnn.Spec) { c.Width = -1 },
		"even width":             func(c *gnn.Spec) { c.Message, c.Width = "rotate", 7 },
		"0 bases":                func(c *gnn.Spec) { c.Kind = gnn.RGCN },
		`unknown direction ""`:   func(c *gnn.Spec) { c.Kind = gnn.Ultra },
		"only ultra has one":     func(c *gnn.Spec) { c.Direction = gnn.HeadToTail },
		"threshold 1":            func(c *gnn.Spec) { c.Threshold = 1 },
		"input_odds 1001":        func(c *gnn.Spec) { c.InputOdds = 1001 },
		"negation -1":            func(c *gnn.Spec) { c.Negation = -1 },
	} {
		c := gnn.Spec{Config: gnn.Default()}
		change(&c)
		if _, err := c.New(plain.New(), relations, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, expected %s", err, want)
		}
	}
}

func TestProjectRefuses(t *testing.T) {
	d := plain.New()
	m, err := configs()[0].New(d, relations, 1)
	if err != nil {
		t.Fatal(err)
	}
	g, in := newGraph(t, m, toyGraph(t)), uploadSets(d, 1)
	ctx, cancel := context.WithCancel(context.Background())
	if g.Project(ctx, d.NewBuffer(nodes), in, []int32{relations}) == nil {
		t.Error("a relation out of range was accepted")
	}
	if g.Project(ctx, d.NewBuffer(nodes), in, []int32{0, 1}) == nil {
		t.Error("a batch of the wrong size was accepted")
	}
	other, err := kernel.NewGraph(nodes, relations+1, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if newGraph(t, m, other).Project(ctx, d.NewBuffer(nodes), in, []int32{0}) == nil {
		t.Error("a graph with other relations was accepted")
	}
	cancel()
	if err := g.Project(ctx, d.NewBuffer(nodes), in, []int32{0}); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancel: %v", err)
	}
}
