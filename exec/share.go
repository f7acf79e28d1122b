package exec

import (
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/plan"
)

// Cache keeps the sets of projections from one run to the next. It serves one
// executor and one logic: a digest says nothing of these.
type Cache interface {
	// Recall gives a set that was kept, while there is room for it. Nobody changes it.
	Recall(Digest) (fuzzy.Set, bool)
	// Keep is given a set that nobody changes any more.
	Keep(Digest, fuzzy.Set)
}

// newSharedSchedule arranges programs into rounds in which every set is computed
// once, whichever programs need it, and projections that the cache (nil for none)
// knows not at all. The set after every instruction stays.
func newSharedSchedule(programs []*plan.Program, cache Cache) *Schedule {
	s := &scheduler{Schedule: Schedule{Programs: programs}}
	s.share = &sharing{cache: cache, made: map[Digest]place{}}
	for _, p := range programs {
		s.share.digests = append(s.share.digests, digestsOf(p))
	}
	return s.schedule()
}

// sharing is what a scheduler knows of sets across programs.
type sharing struct {
	cache   Cache
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
	if in.Op != plan.Project || s.share.cache == nil {
		return false, false
	}
	set, found := s.share.cache.Recall(digest)
	if found {
		slot := s.newSlot()
		s.slots[program][i] = slot
		s.share.made[digest] = place{slot, len(s.Rounds)}
		round.Given = append(round.Given, Given{slot, set})
		s.Recalled++
	}
	return found, false
}
