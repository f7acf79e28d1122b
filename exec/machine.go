// Package exec runs programs in batches: every program advances to its next
// projection, the waiting projections run together, and so on until all have
// ended (the batched execution of the paper's appendix). NewSchedule fixes that
// order, Machine follows it. Where sets live and how a projection is computed, by
// traversal in Go memory or by a neural network on a device, is the Pool's business.
package exec

import (
	"context"
	"time"

	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/plan"
)

// Pool holds the fuzzy sets of one run, numbered by slots, and computes on them.
// Every operation overwrites the slots it puts results into and takes effect in the order of the calls.
type Pool interface {
	Singletons(sets []Singleton)
	Everything(slots []int)
	Combine(steps []Combination)
	// Project computes the projections of one round, each from its own input only.
	Project(ctx context.Context, batch []Projection) error
	// Read gives the set in a slot; the caller must not change it.
	Read(slot int) fuzzy.Set
	// Release gives the pool's memory back. No set of it may be used afterwards.
	Release()
}

// Executor makes the pools that programs run in.
type Executor interface {
	NewPool(slots int, logic fuzzy.Logic) (Pool, error)
}

// Machine runs batches of programs. It holds no state of a run.
type Machine struct {
	Executor Executor
	Logic    fuzzy.Logic
	// AnswersOnly reuses memory within a run, which then keeps the answers alone.
	AnswersOnly bool
	// Share computes a set that several programs need once. Not with AnswersOnly.
	Share bool
	// Memory keeps projections from run to run; nil for none. It implies Share.
	Memory Memory
}

// Run is the outcome of a batch: the sets of every program, and what it took. Release ends it.
type Run struct {
	*Schedule
	Pool  Pool
	Stats Stats
}

// Stats says what a run did and where its time went.
type Stats struct {
	Programs    int
	Projections int
	Recalled    int   // projections that the memory knew
	Shared      int   // projections that another program of the batch computed
	Batches     []int // how many projections each round ran together
	Projecting  time.Duration
	Combining   time.Duration
}

// Run executes the programs as one batch.
func (m *Machine) Run(ctx context.Context, programs []*plan.Program) (*Run, error) {
	schedule := m.schedule(programs)
	pool, err := m.Executor.NewPool(schedule.Slots, m.Logic)
	if err != nil {
		return nil, err
	}
	run := &Run{Schedule: schedule, Pool: pool}
	run.Stats = Stats{Programs: len(programs), Recalled: schedule.Recalled, Shared: schedule.Shared}
	for _, round := range schedule.Rounds {
		if err := run.round(ctx, round); err != nil {
			pool.Release()
			return nil, err
		}
		if m.Memory != nil {
			run.remember(m.Memory, round.Projections)
		}
	}
	return run, nil
}

func (m *Machine) schedule(programs []*plan.Program) *Schedule {
	if m.AnswersOnly || !m.Share && m.Memory == nil {
		return NewSchedule(programs, m.AnswersOnly)
	}
	return NewSharedSchedule(programs, m.Memory)
}

func (r *Run) round(ctx context.Context, round Round) error {
	start := time.Now()
	for _, given := range round.Given {
		r.Pool.(Writer).Write(given.Slot, given.Set)
	}
	r.Pool.Singletons(round.Singletons)
	r.Pool.Everything(round.Everything)
	r.Pool.Combine(round.Combinations)
	combined := time.Now()
	r.Stats.Combining += combined.Sub(start)
	if len(round.Projections) == 0 {
		return nil
	}
	if err := kg.Stopped(ctx); err != nil {
		return err
	}
	if err := r.Pool.Project(ctx, round.Projections); err != nil {
		return err
	}
	r.Stats.Projecting += time.Since(combined)
	r.Stats.Projections += len(round.Projections)
	r.Stats.Batches = append(r.Stats.Batches, len(round.Projections))
	return nil
}

// Set is the set after an instruction of a program: the trace. With AnswersOnly only the answer is there.
func (r *Run) Set(program, instruction int) fuzzy.Set {
	return r.Pool.Read(r.Slot(program, instruction))
}

// Answers is the set that a program computed.
func (r *Run) Answers(program int) fuzzy.Set { return r.Pool.Read(r.Answer(program)) }

// Release gives the memory of the run back.
func (r *Run) Release() { r.Pool.Release() }
