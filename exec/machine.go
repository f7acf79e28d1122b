// Package exec runs programs. Its Machine advances every program of a batch to
// its next projection, runs these projections together, and repeats until all
// have ended: the batched execution of the paper's appendix. How a projection is
// computed, by traversal or by a neural network, is the Projector's business.
package exec

import (
	"context"
	"time"

	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/plan"
)

// Projector computes relation projections.
type Projector interface {
	// Project writes into out[i] the degrees with which entities are reached from
	// the set in[i] by relations[i]. The three slices are of one length and every
	// set is as long as the graph has entities. Each out[i] is overwritten
	// whatever it held, depends on in[i] and relations[i] only, and never aliases an input.
	Project(ctx context.Context, out, in []fuzzy.Set, relations []kg.Relation) error
}

// Machine runs batches of programs on one graph. It holds no state of a run and may be used concurrently.
type Machine struct {
	Projector Projector
	Entities  int         // length of a set
	Logic     fuzzy.Logic // how sets are combined
	// AnswersOnly drops each set of the trace after its last use but the answer's, which bounds memory in large batches.
	AnswersOnly bool
}

// Trace is what the run of one program recorded.
type Trace struct {
	Program *plan.Program
	// Sets[i] is the set that instruction i left on top of the stack; nil where AnswersOnly dropped it.
	Sets []fuzzy.Set
}

// Answers is the set that the program computed.
func (t Trace) Answers() fuzzy.Set { return t.Sets[len(t.Sets)-1] }

// Stats says what a run did and where its time went.
type Stats struct {
	Programs    int           `json:"programs"`
	Projections int           `json:"projections"`
	Batches     []int         `json:"batches"` // how many projections each round ran together
	Projecting  time.Duration `json:"projecting_ns"`
	Combining   time.Duration `json:"combining_ns"`
}

// Run is the outcome of a batch: a trace for each program, in order.
type Run struct {
	Traces []Trace
	Stats  Stats
}

// Run executes the programs as one batch.
func (m *Machine) Run(ctx context.Context, programs []*plan.Program) (*Run, error) {
	b := batch{machine: m, threads: make([]thread, len(programs))}
	for i, p := range programs {
		b.threads[i] = thread{program: p, sets: make([]fuzzy.Set, len(p.Code))}
	}
	for {
		start := time.Now()
		pending := b.advance()
		b.stats.Combining += time.Since(start)
		if len(pending) == 0 {
			return b.finish(), nil
		}
		if err := b.project(ctx, pending); err != nil {
			return nil, err
		}
	}
}

// batch is the whole state of one run.
type batch struct {
	machine *Machine
	threads []thread
	free    []fuzzy.Set // dropped sets, to be used again
	stats   Stats
}

// thread is one program in execution. The stack itself was resolved by the
// compiler: an instruction finds its operands by the numbers in Program.Inputs.
type thread struct {
	program *plan.Program
	next    int // the instruction to run next
	sets    []fuzzy.Set
}

// advance runs every thread up to its next projection and gives the threads that wait for one.
func (b *batch) advance() (pending []*thread) {
	for i := range b.threads {
		t := &b.threads[i]
		for t.next < len(t.program.Code) && t.program.Code[t.next].Op != plan.Project {
			b.combine(t)
			b.done(t)
		}
		if t.next < len(t.program.Code) {
			pending = append(pending, t)
		}
	}
	return pending
}

// project runs the projections that the threads wait for as one batch.
func (b *batch) project(ctx context.Context, pending []*thread) error {
	if err := ctx.Err(); err != nil {
		return kg.Errorf(kg.Cancelled, "", "stopped: %v", context.Cause(ctx))
	}
	start := time.Now()
	out, in := make([]fuzzy.Set, len(pending)), make([]fuzzy.Set, len(pending))
	relations := make([]kg.Relation, len(pending))
	for i, t := range pending {
		out[i], in[i] = b.newSet(), t.operand(0)
		relations[i] = t.program.Code[t.next].Relation
	}
	if err := b.machine.Projector.Project(ctx, out, in, relations); err != nil {
		return err
	}
	for i, t := range pending {
		t.sets[t.next] = out[i]
		b.done(t)
	}
	b.stats.Projecting += time.Since(start)
	b.stats.Projections += len(pending)
	b.stats.Batches = append(b.stats.Batches, len(pending))
	return nil
}

// combine runs one instruction that is not a projection.
func (b *batch) combine(t *thread) {
	in := t.program.Code[t.next]
	if in.Op == plan.Load {
		t.sets[t.next] = t.sets[in.From]
		return
	}
	out := b.newSet()
	switch in.Op {
	case plan.Entity:
		clear(out)
		out[in.Entity] = 1
	case plan.Everything:
		fill(out, 1)
	case plan.Not:
		fuzzy.Not(out, t.operand(0))
	case plan.And:
		b.machine.Logic.AndSets(out, t.operand(0), t.operand(1))
	case plan.Or:
		b.machine.Logic.OrSets(out, t.operand(0), t.operand(1))
	}
	t.sets[t.next] = out
}

// operand is the i-th set that the thread's next instruction takes.
func (t *thread) operand(i int) fuzzy.Set { return t.sets[t.program.Inputs[t.next][i]] }

// done moves the thread on and, where only answers are wanted, gives back the sets that nothing uses any more.
func (b *batch) done(t *thread) {
	if b.machine.AnswersOnly {
		for _, input := range t.program.Inputs[t.next] {
			if t.program.LastUse[input] == t.next && t.sets[input] != nil {
				b.free = append(b.free, t.sets[input])
				t.sets[input] = nil
			}
		}
		if t.program.Code[t.next].Op == plan.Load && t.next != len(t.program.Code)-1 {
			t.sets[t.next] = nil // the loaded set is reached by the number of its maker
		}
	}
	t.next++
}

func (b *batch) newSet() fuzzy.Set {
	if last := len(b.free) - 1; last >= 0 {
		set := b.free[last]
		b.free = b.free[:last]
		return set
	}
	return make(fuzzy.Set, b.machine.Entities)
}

func (b *batch) finish() *Run {
	b.stats.Programs = len(b.threads)
	run := &Run{Traces: make([]Trace, len(b.threads)), Stats: b.stats}
	for i, t := range b.threads {
		run.Traces[i] = Trace{t.program, t.sets}
	}
	return run
}

func fill(s fuzzy.Set, x float32) {
	for i := range s {
		s[i] = x
	}
}
