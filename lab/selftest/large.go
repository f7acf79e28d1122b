package selftest

import (
	"context"
	"fmt"
	"time"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
)

// LargeReport is what a graph of many entities did to a device.
type LargeReport struct {
	Entities, Edges, Pairs int // edges with their inverses; pairs of an entity and a relation that it is a head of
	Drawn, Opened          time.Duration
	Samples                int
	Row                    time.Duration // of one of them, without checks
	Rows                   []Row         // of operations, in a run that was checked
}

// Large draws a graph of so many entities with four facts each, and runs the network that updates relations and entities
// in turn on it, some rows at once. Nothing else could compute these rows as a whole, so every operation is checked where it can
// be: a layer and the head on some entities, what relations hear on some relations, by the plain
// definition on what they are computed from. Numbers that do not fit 32 bits would show there. Each takes a while on a large
// graph: tell is told what is done.
func Large(ctx context.Context, device kernel.Device, entities, samples int, tell func(done string, took time.Duration)) (report LargeReport, err error) {
	if entities < leastEntities {
		return report, fmt.Errorf("a large graph of %d entities, expected at least %d", entities, leastEntities)
	}
	start := time.Now()
	topology := drawGraph(ctx, entities, largeRelations, 4*entities, device.Memory() == 0)
	report = LargeReport{Entities: entities, Edges: topology.Edges(), Drawn: time.Since(start), Samples: samples}
	tell("the graph is drawn", report.Drawn)
	w := &witness{Device: device, topology: topology, meanLog: topology.MeanLog()}
	start = time.Now()
	m, err := gnn.New(w, gnn.DefaultAlternating(), topology.Relations, 1)
	if err != nil {
		return report, err
	}
	defer m.Close()
	g, err := m.NewGraph(ctx, topology)
	if err == nil {
		err = device.Sync()
	}
	if err != nil {
		return report, err
	}
	defer g.Free()
	report.Opened, report.Pairs = time.Since(start), len(w.incidence.Relation)
	tell("it is on the device", report.Opened)
	w.choose()
	report.Row, err = runLarge(ctx, w, m, g, samples, tell)
	report.Rows = w.rows
	return report, err
}

const leastEntities, largeRelations = 1000, 500

// runLarge runs the rows twice, first with checks; its time is that of the second.
func runLarge(ctx context.Context, w *witness, m *gnn.Model, g *gnn.Graph, samples int, tell func(string, time.Duration)) (row time.Duration, err error) {
	run := &work{device: w, model: m, graph: g, grads: m.NewSlab()}
	defer func() {
		for _, b := range []kernel.Buffer{run.in, run.out, run.grads.Values} {
			w.Free(b)
		}
	}()
	run.fill(w.topology, samples)
	for _, w.isChecking = range []bool{true, false} {
		start := time.Now()
		if err := run.project(ctx); err != nil {
			return 0, err
		}
		took := time.Since(start)
		if w.isChecking {
			tell("rows are computed and checked", took)
		}
		row = took / time.Duration(samples)
	}
	return row, nil
}
