package selftest

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/conformance"
	"github.com/lacuna-kg/lacuna/kernel/plain"
)

// broken is the plain device with a wrong head.
type broken struct{ *plain.Device[float32] }

func (b broken) HeadForward(prob kernel.Buffer, in kernel.HeadInput, w kernel.HeadWeights) {
	b.Device.HeadForward(prob, in, w)
	for i := range b.Values(prob) {
		b.Values(prob)[i] *= 0.999
	}
}

func TestPlainPasses(t *testing.T) {
	rows, err := Conformance(context.Background(), plain.New(), conformance.Float32())
	if err != nil || len(Errors(rows)) > 0 {
		t.Error(err, Errors(rows))
	}
	names := map[string]bool{}
	for _, r := range rows {
		names[r.Name] = true
	}
	for _, want := range []string{"rows", "linear", "layer/distmult/pna", "logic/godel", "adam"} {
		if !names[want] {
			t.Errorf("no row %s among %v", want, names)
		}
	}
}

func TestBrokenDeviceIsFound(t *testing.T) {
	rows, err := Models(context.Background(), broken{plain.New()}, gnn.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	if len(Errors(rows)) != len(rows) {
		t.Errorf("%d of %d models with a wrong head failed", len(Errors(rows)), len(rows))
	}
	var out bytes.Buffer
	if err := WriteRows(&out, rows); err != nil || !strings.Contains(out.String(), "1 FAILED") {
		t.Errorf("%v: the table does not tell:\n%s", err, out.String())
	}
}

func TestMeasure(t *testing.T) {
	g, err := modelGraph()
	if err != nil {
		t.Fatal(err)
	}
	s, err := Measure(context.Background(), plain.New(), g, gnn.Config{Kind: gnn.NBFNet, Message: "distmult", Aggregate: "sum", Width: 4, Layers: 1}, gnn.DefaultLimits(), 2, 1)
	if err != nil || s.Forward <= 0 || s.Training <= 0 || s.Samples != 2 {
		t.Errorf("%v: %+v", err, s)
	}
}
