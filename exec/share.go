package exec

import (
	"slices"

	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/plan"
)

// Memory keeps the sets of projections from one run to the next. It serves one
// executor and one logic: a digest says nothing of these.
type Memory interface {
	// Recall gives a set that was remembered, while there is room for it. Nobody changes it.
	Recall(Digest) (fuzzy.Set, bool)
	// Remember is given a set that nobody changes any more.
	Remember(Digest, fuzzy.Set)
}

// Writer is a Pool that takes sets which are known beforehand. It may keep them, but not change them.
type Writer interface {
	Write(slot int, set fuzzy.Set)
}

// NewSharedSchedule arranges programs into rounds in which every set is computed
// once, whichever programs need it, and projections that the memory (nil for none)
// knows not at all. The set after every instruction stays.
func NewSharedSchedule(programs []*plan.Program, memory Memory) *Schedule {
	s := &scheduler{Schedule: Schedule{Programs: programs}}
	s.share = &sharing{memory: memory, made: map[Digest]place{}}
	for _, p := range programs {
		s.share.digests = append(s.share.digests, Digests(p))
	}
	return s.schedule()
}

// sharing is what a scheduler knows of sets across programs.
type sharing struct {
	memory  Memory
	digests [][]Digest // of each instruction of each program
	made    map[Digest]place
}

// place is where a set lies, from the given round on.
type place struct{ slot, round int }

func (s *scheduler) digest(program, i int) Digest {
	if s.share == nil {
		return Digest{}
	}
	return s.share.digests[program][i]
}

// made notes that the set after an instruction is being computed. The result of a
// projection is there only after its round.
func (s *scheduler) made(program, i, slot int) {
	if s.share == nil {
		return
	}
	round := len(s.Rounds)
	if s.Programs[program].Code[i].Op == plan.Project {
		round++
	}
	s.share.made[s.digest(program, i)] = place{slot, round}
}

// recall tells whether the set after an instruction needs no computing, and
// whether the program must wait for it, as it is another's projection of this very round.
func (s *scheduler) recall(round *Round, program, i int) (done, wait bool) {
	in := s.Programs[program].Code[i]
	if in.Op == plan.Load {
		return false, false
	}
	digest := s.digest(program, i)
	if at, found := s.share.made[digest]; found {
		s.slots[program][i] = at.slot
		if in.Op == plan.Project {
			s.Shared++
		}
		return true, at.round > len(s.Rounds)
	}
	if in.Op != plan.Project || s.share.memory == nil {
		return false, false
	}
	set, found := s.share.memory.Recall(digest)
	if found {
		slot := s.newSlot()
		s.slots[program][i] = slot
		s.share.made[digest] = place{slot, len(s.Rounds)}
		round.Given = append(round.Given, Given{slot, set})
		s.Recalled++
	}
	return found, false
}

// remember hands the projections of a round to the memory, each as a copy of its own.
func (r *Run) remember(memory Memory, projections []Projection) {
	for _, p := range projections {
		memory.Remember(p.Digest, slices.Clone(r.Pool.Read(p.Out)))
	}
}
