package exec

import (
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/plan"
)

// Schedule is the order in which a batch of programs runs, fixed before anything
// is computed: every program advances to its next projection, the waiting
// projections run together, and so on. Sets are numbered by slots of a pool. It
// is plain data, the same for every executor.
type Schedule struct {
	Programs []*plan.Program
	Rounds   []Round
	Slots    int // the size of the pool
	Recalled int // projections whose sets were given
	Shared   int // projections that another program of the batch computes

	slots [][]int // of the result of each instruction of each program
}

// Round is a stretch of the batch: first what makes and combines sets, in order, then the projections.
type Round struct {
	Given        []Given
	Singletons   []Singleton
	Everything   []int // slots to be filled with the set of all entities
	Combinations []Combination
	Projections  []Projection
}

// Given puts a set that is known beforehand into a slot.
type Given struct {
	Slot int
	Set  fuzzy.Set
}

// Singleton puts the set of one entity into a slot.
type Singleton struct {
	Slot   int
	Entity kg.Entity
}

// Combination computes slot Out from X and, but for Not, Y. Out differs from both.
type Combination struct {
	Op        kernel.LogicOp
	Out, X, Y int
}

// Projection computes slot Out from slot In. A final one reaches its program's
// answer without another projection: these are the ones that training follows back.
type Projection struct {
	Out, In  int
	Relation kg.Relation
	Program  int
	Final    bool
	Digest   Digest // of a shared schedule
}

// NewSchedule arranges programs into rounds. With reuse a slot serves again after
// the last use of its set, so that a large batch takes little memory; without,
// the set after every instruction stays.
func NewSchedule(programs []*plan.Program, reuse bool) *Schedule {
	s := &scheduler{Schedule: Schedule{Programs: programs}, reuse: reuse}
	return s.schedule()
}

// schedule runs through all programs, round by round.
func (s *scheduler) schedule() *Schedule {
	s.slots = make([][]int, len(s.Programs))
	next := make([]int, len(s.Programs)) // instruction of each program
	for i, p := range s.Programs {
		s.slots[i] = make([]int, len(p.Code))
	}
	for more := true; more; {
		more = false
		var round Round
		for i, p := range s.Programs {
			next[i] = s.advance(&round, i, next[i])
			more = more || next[i] < len(p.Code)
		}
		s.Rounds = append(s.Rounds, round)
		s.free = append(s.free, s.freed...)
		s.freed = s.freed[:0]
	}
	return &s.Schedule
}

// Slot is where the set after an instruction lies. With reuse only the answer's is still there after a run.
func (s *Schedule) Slot(program, instruction int) int { return s.slots[program][instruction] }

// Answer is the slot of a program's answer.
func (s *Schedule) Answer(program int) int {
	return s.Slot(program, s.Programs[program].Result())
}

type scheduler struct {
	Schedule
	reuse bool
	share *sharing // nil: every program computes for itself
	free  []int    // slots whose sets nothing needs any more
	freed []int    // the same, but used in this round: singletons are made before combinations, so they must wait for the next
}

// advance schedules a program from instruction i up to and including its next projection.
func (s *scheduler) advance(round *Round, program, i int) int {
	code := s.Programs[program].Code
	for ; i < len(code); i++ {
		if s.share != nil {
			if done, wait := s.recall(round, program, i); done && wait {
				return i + 1
			} else if done {
				continue
			}
		}
		s.instruction(round, program, i)
		if code[i].Op == plan.Project {
			return i + 1
		}
	}
	return i
}

func (s *scheduler) instruction(round *Round, program, i int) {
	p, slots := s.Programs[program], s.slots[program]
	in := p.Code[i]
	if in.Op == plan.Load {
		slots[i] = slots[in.From]
		return
	}
	out := s.newSlot()
	slots[i] = out
	s.made(program, i, out)
	operand := func(k int) int { return slots[p.Inputs[i][k]] }
	switch in.Op {
	case plan.Entity:
		round.Singletons = append(round.Singletons, Singleton{out, in.Entity})
	case plan.Everything:
		round.Everything = append(round.Everything, out)
	case plan.Project:
		round.Projections = append(round.Projections, Projection{
			Out: out, In: operand(0), Relation: in.Relation, Program: program, Final: p.Final(i), Digest: s.digest(program, i)})
	case plan.Not:
		round.Combinations = append(round.Combinations, Combination{kernel.Not, out, operand(0), operand(0)})
	case plan.And:
		round.Combinations = append(round.Combinations, Combination{kernel.And, out, operand(0), operand(1)})
	case plan.Or:
		round.Combinations = append(round.Combinations, Combination{kernel.Or, out, operand(0), operand(1)})
	}
	s.release(program, i)
}

// release gives back the slots of operands that instruction i was the last to use.
func (s *scheduler) release(program, i int) {
	if !s.reuse {
		return
	}
	p := s.Programs[program]
	for k, input := range p.Inputs[i] {
		if twice := k == 1 && p.Inputs[i][0] == input; p.LastUse[input] == i && !twice {
			s.freed = append(s.freed, s.slots[program][input])
		}
	}
}

func (s *scheduler) newSlot() int {
	if last := len(s.free) - 1; last >= 0 {
		slot := s.free[last]
		s.free = s.free[:last]
		return slot
	}
	s.Slots++
	return s.Slots - 1
}
