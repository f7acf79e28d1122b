package selftest

import (
	"context"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/cpu"
	"github.com/lacuna-kg/lacuna/kernel/plain"
)

// A graph that is large only in name: all operations of a run are compared, and agree.
func TestLarge(t *testing.T) {
	device, err := cpu.New(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	var told []string
	report, err := Large(context.Background(), device, 3000, 2, func(done string, _ time.Duration) { told = append(told, done) })
	if err != nil {
		t.Fatal(err)
	}
	if len(told) != 3 {
		t.Errorf("told %q, expected what is drawn, opened and checked", told)
	}
	seen := map[string]int{}
	for _, r := range report.Rows {
		seen[r.Name] = r.Cases
		if len(r.Failed) > 0 {
			t.Error(r.Failed[0])
		}
	}
	if layers := gnn.DefaultAlternating().Layers; seen["layer"] != layers || seen["head"] != 1 || seen["meet, heads"] == 0 || seen["meet, heads"] != seen["meet, tails"] {
		t.Errorf("comparisons %v, expected those of %d layers, their meetings and a head", seen, layers)
	}
}

// wrong is a device that forgets the last entity in a layer.
type wrong struct{ *plain.Device[float32] }

func (w wrong) LayerForward(l kernel.Layer, g kernel.DeviceGraph, out kernel.Buffer, kept kernel.Kept, in kernel.LayerInput, weights kernel.LayerWeights) {
	w.Device.LayerForward(l, g, out, kept, in, weights)
	values := w.Values(out)
	clear(values[len(values)-l.Width:])
}

func TestLargeFindsFaults(t *testing.T) {
	report, err := Large(context.Background(), wrong{plain.New()}, leastEntities, 1, func(string, time.Duration) {})
	if err != nil {
		t.Fatal(err)
	}
	if failed := Errors(report.Rows); len(failed) == 0 {
		t.Error("an entity that was forgotten went unnoticed")
	}
}

// The graph that is drawn is one that kernel.NewGraph would make of the same edges.
func TestDrawGraph(t *testing.T) {
	g := drawGraph(context.Background(), 500, 7, 3000, true)
	var edges []kernel.Edge
	for u := range g.Nodes {
		for k := g.Out.At[u]; k < g.Out.At[u+1]; k++ {
			edges = append(edges, kernel.Edge{Head: int32(u), Relation: g.Out.Relation[k], Tail: g.Out.Node[k]})
		}
	}
	want, err := kernel.NewGraph(g.Nodes, g.Relations, edges, g.Inverse)
	if err != nil {
		t.Fatal(err)
	}
	for name, pair := range map[string][2][]int32{
		"rows of In": {g.In.At, want.In.At}, "relations of In": {g.In.Relation, want.In.Relation}, "heads": {g.In.Node, want.In.Node},
		"rows of Out": {g.Out.At, want.Out.At}, "relations of Out": {g.Out.Relation, want.Out.Relation}, "places": {g.OutID, want.OutID},
	} {
		if len(pair[0]) != len(pair[1]) {
			t.Fatalf("%s: %d, expected %d", name, len(pair[0]), len(pair[1]))
		}
		for i := range pair[0] {
			if pair[0][i] != pair[1][i] {
				t.Fatalf("%s: %d at %d, expected %d", name, pair[0][i], i, pair[1][i])
			}
		}
	}
}
