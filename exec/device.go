package exec

import (
	"context"

	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

// DeviceProjector computes projections on a graph, of sets that live on a device; the
// graphs of package gnn's models do.
type DeviceProjector interface {
	Device() kernel.Device
	// Nodes is the number of entities, V.
	Nodes() int
	// Project sets out (B,V) to the projection of each set of in (B,V) along its relation.
	Project(ctx context.Context, out, in kernel.Buffer, relations []int32) error
	// Facts is the graph itself, which traversal follows: a model may run on one that it derived from it.
	Facts() kernel.DeviceGraph
}

// OnDevice executes with sets that stay on a device.
type OnDevice struct {
	Projector DeviceProjector
	// KeepKnown takes, at every projection, the maximum with what traversal of the
	// graph finds, so that a fact the graph states is never doubted.
	KeepKnown bool
	// Admits, if given, is 1 for the entities that a relation can be predicted to lead to and 0 for the others, nil where these are all. What
	// the graph states stays: numbers and dates, which are no entities to a model, are found by traversal alone.
	Admits func(kg.Relation) fuzzy.Set
	// Denied, if given, are the entities that one is known not to reach by a relation: a projection of it alone does not lead there. Of a
	// larger set nobody knows which member a projection comes from.
	Denied func(kg.Entity, kg.Relation) []kg.Entity
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
func (d OnDevice) NewPool(slots int, logic fuzzy.Logic) Pool { return d.NewDevicePool(slots, logic) }

// NewDevicePool is NewPool for those who work on with the sets where they lie.
func (d OnDevice) NewDevicePool(slots int, logic fuzzy.Logic) *DevicePool {
	device, nodes := d.Projector.Device(), d.Projector.Nodes()
	return &DevicePool{DeviceSets{device, nodes, logic, device.NewBuffer(slots * nodes)}, d}
}

// DevicePool is a pool whose projections are those of a DeviceProjector.
type DevicePool struct {
	DeviceSets
	on OnDevice
}

// Project gathers the inputs, runs them together and puts the results in their slots.
func (p *DevicePool) Project(ctx context.Context, batch []Projection) error {
	d, n := p.Device, len(batch)*p.Nodes
	work := d.NewBuffer(3 * n) // inputs, projections, and what traversal finds
	defer d.Free(work)
	in, out, known := work.Slice(0, n), work.Slice(n, 2*n), work.Slice(2*n, 3*n)
	err := p.Gathered(batch, in, func(relations []int32) (kernel.Buffer, error) {
		err := p.on.Projector.Project(ctx, out, in, relations)
		if err != nil {
			return out, err
		}
		if !p.on.KeepKnown && p.on.Admits == nil && p.on.Denied == nil {
			return out, nil
		}
		d.Traverse(p.on.Projector.Facts(), known, in, relations)
		p.on.admit(out, known, p.Nodes, batch)
		p.on.deny(out, in, p.Nodes, batch)
		if !p.on.KeepKnown {
			return out, nil
		}
		d.Logic(kernel.Godel, work, p.Nodes, maximumOf(len(batch)))
		return in, nil
	})
	switch {
	case err == nil:
		return d.Sync()
	case ctx.Err() != nil:
		return kg.Stopped(ctx)
	}
	return err
}

// admit takes out of projections what their relations cannot be predicted to lead to and traversal does not find.
func (d OnDevice) admit(projections, known kernel.Buffer, nodes int, batch []Projection) {
	if d.Admits == nil {
		return
	}
	for i, b := range batch {
		admitted := d.Admits(b.Relation)
		if admitted == nil {
			continue
		}
		device, at := d.Projector.Device(), func(b kernel.Buffer, row int) kernel.Buffer { return b.Slice(row*nodes, (row+1)*nodes) }
		work := device.NewBuffer(5 * nodes)
		device.Copy(at(work, 0), at(projections, i))
		device.Copy(at(work, 1), at(known, i))
		device.Upload(at(work, 2), admitted)
		device.Logic(kernel.Godel, work, nodes, []kernel.LogicStep{{Op: kernel.Or, Out: 3, X: 1, Y: 2}, {Op: kernel.And, Out: 4, X: 0, Y: 3}})
		device.Copy(at(projections, i), at(work, 4))
		device.Free(work)
	}
}

// deny takes out of the projections of single entities what these are known not to lead to.
func (d OnDevice) deny(projections, in kernel.Buffer, nodes int, batch []Projection) {
	if d.Denied == nil {
		return
	}
	device, row := d.Projector.Device(), make([]float32, nodes)
	for i, b := range batch {
		device.Download(row, in.Slice(i*nodes, (i+1)*nodes))
		head, members := kg.Entity(0), 0
		for e, degree := range row {
			if degree > 0 {
				head, members = kg.Entity(e), members+1
			}
		}
		var denied []kg.Entity
		if members == 1 {
			denied = d.Denied(head, b.Relation)
		}
		for _, e := range denied {
			device.Fill(projections.Slice(i*nodes+int(e), i*nodes+int(e)+1), 0)
		}
	}
}

// maximumOf sets the first n rows of three times n to the maximum of the second and the third.
func maximumOf(n int) []kernel.LogicStep {
	steps := make([]kernel.LogicStep, n)
	for i := range steps {
		steps[i] = kernel.LogicStep{Op: kernel.Or, Out: int32(i), X: int32(n + i), Y: int32(2*n + i)}
	}
	return steps
}
