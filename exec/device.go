package exec

import (
	"context"

	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

// DeviceProjector computes projections of sets that live on a device; package gnn's models do.
type DeviceProjector interface {
	// Project sets out (B,V) to the projection of each set of in (B,V) along its relation.
	Project(ctx context.Context, g kernel.DeviceGraph, out, in kernel.Buffer, relations []int32) error
}

// OnDevice executes with sets that stay on a device.
type OnDevice struct {
	Device    kernel.Device
	Graph     kernel.DeviceGraph
	Projector DeviceProjector
	// KeepKnown takes, at every projection, the maximum with what traversal of the
	// graph finds, so that a fact the graph states is never doubted.
	KeepKnown bool
}

// Topology is a graph as the kernels take it: every edge with its inverse twin.
func Topology(g *kg.Graph) (*kernel.Graph, error) {
	edges := make([]kernel.Edge, 0, g.NumEdges())
	for h := range kg.Entity(g.NumEntities()) {
		relations, tails := g.Edges(h)
		for i, r := range relations {
			edges = append(edges, kernel.Edge{Head: int32(h), Relation: int32(r), Tail: int32(tails[i])})
		}
	}
	inverse := make([]bool, g.NumRelations())
	for r := range inverse {
		inverse[r] = kg.Relation(r).IsInverse()
	}
	return kernel.NewGraph(g.NumEntities(), g.NumRelations(), edges, inverse)
}

// NewPool implements Executor.
func (d OnDevice) NewPool(slots int, logic fuzzy.Logic) (Pool, error) {
	nodes := d.Graph.Nodes()
	return &devicePool{on: d, logic: logic, nodes: nodes, sets: d.Device.NewBuffer(slots * nodes)}, nil
}

type devicePool struct {
	on    OnDevice
	logic kernel.Logic
	nodes int
	sets  kernel.Buffer // (S,V), slot i is row i
}

func (p *devicePool) row(slot int) kernel.Buffer {
	return p.sets.Slice(slot*p.nodes, (slot+1)*p.nodes)
}

func (p *devicePool) Singletons(sets []Singleton) {
	slots, entities := make([]int32, len(sets)), make([]int32, len(sets))
	for i, s := range sets {
		slots[i], entities[i] = int32(s.Slot), int32(s.Entity)
	}
	p.on.Device.Singletons(p.sets, p.nodes, slots, entities)
}

func (p *devicePool) Everything(slots []int) {
	for _, slot := range slots {
		p.on.Device.Fill(p.row(slot), 1)
	}
}

func (p *devicePool) Combine(steps []Combination) {
	p.on.Device.Logic(p.logic, p.sets, p.nodes, LogicSteps(steps, p.on.Negation()))
}

// LogicSteps are combinations as the kernels take them, with λ for the complements.
func LogicSteps(steps []Combination, negation float32) []kernel.LogicStep {
	logic := make([]kernel.LogicStep, len(steps))
	for i, s := range steps {
		logic[i] = kernel.LogicStep{Op: s.Op, Out: int32(s.Out), X: int32(s.X), Y: int32(s.Y), Lambda: negation}
	}
	return logic
}

// Negation is λ of plain.Complement: a model may bring the one that suits its probabilities.
func (d OnDevice) Negation() float32 {
	if own, ok := d.Projector.(interface{ Negation() float32 }); ok {
		return own.Negation()
	}
	return 0
}

// Project gathers the inputs, runs them together and puts the results in their slots.
func (p *devicePool) Project(ctx context.Context, batch []Projection) error {
	d, n := p.on.Device, len(batch)*p.nodes
	work := d.NewBuffer(3 * n) // inputs, projections, and what traversal finds
	defer d.Free(work)
	in, out, known := work.Slice(0, n), work.Slice(n, 2*n), work.Slice(2*n, 3*n)
	from, to, relations := make([]int32, len(batch)), make([]int32, len(batch)), make([]int32, len(batch))
	for i, b := range batch {
		from[i], to[i], relations[i] = int32(b.In), int32(b.Out), int32(b.Relation)
	}
	d.Gather(in, p.sets, from, p.nodes)
	if err := p.on.Projector.Project(ctx, p.on.Graph, out, in, relations); err != nil {
		if ctx.Err() != nil {
			return kg.Stopped(ctx)
		}
		return err
	}
	if p.on.KeepKnown {
		d.Traverse(facts(p.on.Graph), known, in, relations)
		d.Logic(kernel.Godel, work, p.nodes, maximumOf(len(batch)))
		out = in
	}
	d.Scatter(p.sets, out, to, p.nodes)
	return d.Sync()
}

// facts is the graph to traverse: a model may run on one that it derived from it.
func facts(g kernel.DeviceGraph) kernel.DeviceGraph {
	if derived, ok := g.(interface{ Facts() kernel.DeviceGraph }); ok {
		return derived.Facts()
	}
	return g
}

// maximumOf sets the first n rows of three times n to the maximum of the second and the third.
func maximumOf(n int) []kernel.LogicStep {
	steps := make([]kernel.LogicStep, n)
	for i := range steps {
		steps[i] = kernel.LogicStep{Op: kernel.Or, Out: int32(i), X: int32(n + i), Y: int32(2*n + i)}
	}
	return steps
}

// Write implements Writer.
func (p *devicePool) Write(slot int, set fuzzy.Set) { p.on.Device.Upload(p.row(slot), set) }

func (p *devicePool) Read(slot int) fuzzy.Set {
	set := make(fuzzy.Set, p.nodes)
	p.on.Device.Download(set, p.row(slot))
	return set
}

// Rows copies the sets of slots, one after the other, into a new buffer (S,V) of
// the device, for operations on several sets at once. The caller frees it.
func (p *devicePool) Rows(slots []int) kernel.Buffer {
	at := make([]int32, len(slots))
	for i, slot := range slots {
		at[i] = int32(slot)
	}
	rows := p.on.Device.NewBuffer(len(slots) * p.nodes)
	p.on.Device.Gather(rows, p.sets, at, p.nodes)
	return rows
}

func (p *devicePool) Release() { p.on.Device.Free(p.sets) }
