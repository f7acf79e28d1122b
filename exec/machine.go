// Package exec runs programs in batches: every program advances to its next
// projection, the waiting projections run together, and so on until all have
// ended (the batched execution of the paper's appendix). NewSchedule fixes that
// order, Machine runs it through a pool. Where sets live and how a projection is computed, by
// traversal in Go memory or by a neural network on a device, is the Pool's business.
package exec

import (
	"context"
	"slices"
	"time"

	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/internal/pace"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/plan"
)

// Executor makes the pools that programs run in.
type Executor interface {
	NewPool(slots int, logic fuzzy.Logic) Pool
}

// Machine runs batches of programs. It holds no state of a run.
type Machine struct {
	Executor Executor
	Logic    fuzzy.Logic
	// AnswersOnly reuses memory within a run, which then keeps the answers alone.
	AnswersOnly bool
	// Share computes a set that several programs need once. Not with AnswersOnly.
	Share bool
	// Cache keeps projections from run to run; nil for none. It implies Share.
	Cache Cache
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
	Recalled    int   // projections that the cache knew
	Shared      int   // projections that another program of the batch computed
	Batches     []int // how many projections each round ran together
	Projecting  time.Duration
	Combining   time.Duration
}

// Run executes the programs as one batch.
func (m *Machine) Run(ctx context.Context, programs []*plan.Program) (*Run, error) {
	schedule := m.schedule(programs)
	pool := m.Executor.NewPool(schedule.Slots, m.Logic)
	stats, err := schedule.Follow(ctx, pool, m.Cache)
	if err != nil {
		pool.Release()
		return nil, err
	}
	return &Run{schedule, pool, stats}, nil
}

func (m *Machine) schedule(programs []*plan.Program) *Schedule {
	if m.AnswersOnly || !m.Share && m.Cache == nil {
		return NewSchedule(programs, m.AnswersOnly)
	}
	return newSharedSchedule(programs, m.Cache)
}

// Follow runs through the schedule in a pool of its number of slots. A cache (nil for
// none) is given the projections, each as a copy of its own.
func (s *Schedule) Follow(ctx context.Context, pool Pool, cache Cache) (Stats, error) {
	stats := Stats{Programs: len(s.Programs), Recalled: s.Recalled, Shared: s.Shared}
	for _, round := range s.Rounds {
		if err := stats.round(ctx, pool, round); err != nil {
			return stats, err
		}
		pace.Rest(ctx)
		if cache == nil {
			continue
		}
		for _, p := range round.Projections {
			cache.Keep(p.Digest, slices.Clone(pool.Read(p.Out)))
		}
	}
	return stats, nil
}

// round runs one round and counts it.
func (s *Stats) round(ctx context.Context, pool Pool, round Round) error {
	start := time.Now()
	for _, given := range round.Given {
		pool.Write(given.Slot, given.Set)
	}
	pool.Singletons(round.Singletons)
	pool.Everything(round.Everything)
	pool.Combine(round.Combinations)
	combined := time.Now()
	s.Combining += combined.Sub(start)
	if len(round.Projections) == 0 {
		return nil
	}
	if err := kg.Stopped(ctx); err != nil {
		return err
	}
	if err := pool.Project(ctx, round.Projections); err != nil {
		return err
	}
	s.Projecting += time.Since(combined)
	s.Projections += len(round.Projections)
	s.Batches = append(s.Batches, len(round.Projections))
	return nil
}

// Set is the set after an instruction of a program: the trace. With AnswersOnly only the answer is there.
func (r *Run) Set(program, instruction int) fuzzy.Set {
	return r.Pool.Read(r.Slot(program, instruction))
}

// View is the same set, not written out over all entities where the executor did not.
func (r *Run) View(program, instruction int) fuzzy.View {
	return r.Pool.View(r.Slot(program, instruction))
}

// Cut is what was left out of the set after an instruction, where it is a projection.
func (r *Run) Cut(program, instruction int) Cut {
	return r.Pool.Cut(r.Slot(program, instruction))
}

// Answers is the set that a program computed.
func (r *Run) Answers(program int) fuzzy.Set { return r.Pool.Read(r.Answer(program)) }

// AnswersView is the same set, not written out over all entities where the executor did not.
func (r *Run) AnswersView(program int) fuzzy.View { return r.Pool.View(r.Answer(program)) }

// Release gives the memory of the run back.
func (r *Run) Release() { r.Pool.Release() }
