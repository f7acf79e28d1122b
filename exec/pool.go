package exec

import (
	"context"

	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kernel"
)

// Pool holds the fuzzy sets of one run, numbered by slots, and computes on them.
// Every operation overwrites the slots it puts results into and takes effect in the order of the calls.
type Pool interface {
	Singletons(sets []Singleton)
	Everything(slots []int)
	Combine(steps []Combination)
	// Project computes the projections of one round, each from its own input only.
	Project(ctx context.Context, batch []Projection) error
	// Write puts a set into a slot that was known before the run. The pool may keep it, but not change it.
	Write(slot int, set fuzzy.Set)
	// Read gives the set in a slot; the caller must not change it.
	Read(slot int) fuzzy.Set
	// View is Read where the pool holds it: it need not be written out over all entities.
	View(slot int) fuzzy.View
	// Cut says what the projection that made the set in a slot left out; pools that project sets whole leave out nothing.
	Cut(slot int) Cut
	// Release gives the pool's memory back. No set of it may be used afterwards.
	Release()
}

// Cut is what a projection left out of its input.
type Cut struct {
	LeftOut   int     // members of the set that were not followed
	Likeliest float32 // the highest degree among them: no derivation that is missing exceeds it
	By        Bound   // why that one was not followed
}

// Bound is why a member of a set is not followed.
type Bound uint8

// The bounds.
const (
	Unbound   Bound = iota
	ByNumber        // others are likelier, and as many as may be
	ByDegree        // it is too unlikely
	ByLacking       // it has to be computed, as a file lacks it
)

// DeviceSets are the sets of a pool on a device: all of a Pool but how it projects, which
// differs between answering (OnDevice) and training (package train).
type DeviceSets struct {
	Device kernel.Device
	Nodes  int // V, the length of a set
	Logic  fuzzy.Logic
	Values kernel.Buffer // (S,V), slot i is row i
}

func (p *DeviceSets) row(slot int) kernel.Buffer {
	return p.Values.Slice(slot*p.Nodes, (slot+1)*p.Nodes)
}

// Singletons implements Pool.
func (p *DeviceSets) Singletons(sets []Singleton) {
	slots, entities := make([]int32, len(sets)), make([]int32, len(sets))
	for i, s := range sets {
		slots[i], entities[i] = int32(s.Slot), int32(s.Entity)
	}
	p.Device.Singletons(p.Values, p.Nodes, slots, entities)
}

// Everything implements Pool.
func (p *DeviceSets) Everything(slots []int) {
	for _, slot := range slots {
		p.Device.Fill(p.row(slot), 1)
	}
}

// Combine implements Pool.
func (p *DeviceSets) Combine(steps []Combination) {
	p.Device.Logic(p.Logic.Norm, p.Values, p.Nodes, p.steps(steps))
}

// CombineBackward takes the gradient of the sets, dsets (S,V), back through combinations.
func (p *DeviceSets) CombineBackward(dsets kernel.Buffer, steps []Combination) {
	p.Device.LogicBackward(p.Logic.Norm, dsets, p.Values, p.Nodes, p.steps(steps))
}

// steps are combinations as the kernels take them, with λ for the complements.
func (p *DeviceSets) steps(combinations []Combination) []kernel.LogicStep {
	steps := make([]kernel.LogicStep, len(combinations))
	for i, c := range combinations {
		steps[i] = kernel.LogicStep{Op: c.Op, Out: int32(c.Out), X: int32(c.X), Y: int32(c.Y), Lambda: p.Logic.Negation}
	}
	return steps
}

// Gathered projects some sets: in (B,V) gets the inputs of the batch, and what project
// gives for them goes into the slots of the outputs.
func (p *DeviceSets) Gathered(batch []Projection, in kernel.Buffer, project func(relations []int32) (kernel.Buffer, error)) error {
	from, to, relations := make([]int32, len(batch)), make([]int32, len(batch)), make([]int32, len(batch))
	for i, b := range batch {
		from[i], to[i], relations[i] = int32(b.In), int32(b.Out), int32(b.Relation)
	}
	p.Device.Gather(in, p.Values, from, p.Nodes)
	out, err := project(relations)
	if err == nil {
		p.Device.Scatter(p.Values, out, to, p.Nodes)
	}
	return err
}

// Write implements Pool.
func (p *DeviceSets) Write(slot int, set fuzzy.Set) { p.Device.Upload(p.row(slot), set) }

// Read implements Pool.
func (p *DeviceSets) Read(slot int) fuzzy.Set {
	set := make(fuzzy.Set, p.Nodes)
	p.Device.Download(set, p.row(slot))
	return set
}

// View implements Pool.
func (p *DeviceSets) View(slot int) fuzzy.View { return fuzzy.ViewOf(p.Read(slot)) }

// Cut implements Pool.
func (p *DeviceSets) Cut(int) Cut { return Cut{} }

// Rows copies the sets of slots, one after the other, into a new buffer (S,V) of
// the device, for operations on several sets at once. The caller frees it.
func (p *DeviceSets) Rows(slots []int) kernel.Buffer {
	at := make([]int32, len(slots))
	for i, slot := range slots {
		at[i] = int32(slot)
	}
	rows := p.Device.NewBuffer(len(slots) * p.Nodes)
	p.Device.Gather(rows, p.Values, at, p.Nodes)
	return rows
}

// Release implements Pool.
func (p *DeviceSets) Release() { p.Device.Free(p.Values) }
