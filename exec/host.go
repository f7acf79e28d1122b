package exec

import (
	"context"

	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kg"
)

// Projector computes relation projections on sets in Go memory.
type Projector interface {
	// Project writes into out[i] the degrees with which entities are reached from
	// the set in[i] by relations[i]. The three slices are of one length and every
	// set is as long as the graph has entities. Each out[i] is overwritten
	// whatever it held, depends on in[i] and relations[i] only, and never aliases an input.
	Project(ctx context.Context, out, in []fuzzy.Set, relations []kg.Relation) error
}

// Host executes with sets in Go memory: exact answers, on graphs of any size.
type Host struct {
	Projector Projector
	Entities  int // length of a set
}

// NewPool implements Executor.
func (h Host) NewPool(slots int, logic fuzzy.Logic) Pool {
	return &hostPool{host: h, logic: logic, sets: make([]fuzzy.Set, slots)}
}

// hostPool makes a set when its slot is first used: sets of large graphs are large.
type hostPool struct {
	host  Host
	logic fuzzy.Logic
	sets  []fuzzy.Set
}

func (p *hostPool) at(slot int) fuzzy.Set {
	if p.sets[slot] == nil {
		p.sets[slot] = make(fuzzy.Set, p.host.Entities)
	}
	return p.sets[slot]
}

func (p *hostPool) Singletons(sets []Singleton) {
	for _, s := range sets {
		set := p.at(s.Slot)
		clear(set)
		set[s.Entity] = 1
	}
}

func (p *hostPool) Everything(slots []int) {
	for _, slot := range slots {
		set := p.at(slot)
		for i := range set {
			set[i] = 1
		}
	}
}

func (p *hostPool) Combine(steps []Combination) {
	for _, s := range steps {
		p.logic.Combine(s.Op, p.at(s.Out), p.at(s.X), p.at(s.Y))
	}
}

func (p *hostPool) Project(ctx context.Context, batch []Projection) error {
	out, in := make([]fuzzy.Set, len(batch)), make([]fuzzy.Set, len(batch))
	relations := make([]kg.Relation, len(batch))
	for i, b := range batch {
		out[i], in[i], relations[i] = p.at(b.Out), p.at(b.In), b.Relation
	}
	return p.host.Projector.Project(ctx, out, in, relations)
}

// Write implements Pool. The set is not copied: no slot of a run with given sets is written twice.
func (p *hostPool) Write(slot int, set fuzzy.Set) { p.sets[slot] = set }

func (p *hostPool) Read(slot int) fuzzy.Set { return p.at(slot) }

func (p *hostPool) View(slot int) fuzzy.View { return fuzzy.ViewOf(p.at(slot)) }

func (p *hostPool) Cut(int) Cut { return Cut{} }

func (p *hostPool) Release() { p.sets = nil }
