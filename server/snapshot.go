package server

import (
	"context"
	"sync"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/browse"
	"github.com/lacuna-kg/lacuna/gaps"
	"github.com/lacuna-kg/lacuna/journal"
	"github.com/lacuna-kg/lacuna/kg"
)

// snapshot is the graph at one moment with all that is derived from it. Requests
// that began before a change of facts end on the snapshot they began on.
type snapshot struct {
	engine    *lacuna.Engine
	at        journal.Position // in the log of changes
	version   uint64           // of the graph: one more than the entry's
	names     *nameIndex
	facts     func() []int // of each base relation
	gaps      func() (*gaps.Finder, error)
	prepared  []Prepared        // questions to begin with, nil for examples
	examples  func() []Prepared // of the graph's own
	described func() []browse.Relation
	kinds     func() []browse.Kind

	users   int
	retired bool
}

// derive makes a snapshot with what is needed; before is the one whose indexes are extended, or nil.
func (all *snapshots) derive(ctx context.Context, engine *lacuna.Engine, at journal.Position, before *snapshot) (*snapshot, error) {
	g := engine.Graph
	s := &snapshot{engine: engine, gaps: sync.OnceValues(func() (*gaps.Finder, error) {
		return engine.Gaps(context.Background()) // for all who ask, whoever leaves meanwhile
	})}
	s.place(at)
	s.examples = sync.OnceValue(func() []Prepared { return examples(g) })
	s.described = sync.OnceValue(func() []browse.Relation { return browse.Relations(g) })
	s.kinds = sync.OnceValue(func() []browse.Kind { return browse.Kinds(g, mostKinds) })
	s.facts = sync.OnceValue(func() []int { return factsByRelation(g) })
	if before != nil {
		s.prepared = before.prepared
	}
	return s, all.names.index(ctx, s, before)
}

// place says which entry of the log a snapshot stands at.
func (s *snapshot) place(at journal.Position) { s.at, s.version = at, at.Version+1 }

// questions are some to begin with.
func (s *snapshot) questions() []Prepared {
	if s.prepared != nil {
		return s.prepared
	}
	return s.examples()
}

func examples(g *kg.Graph) []Prepared {
	questions := []Prepared{}
	for _, e := range browse.Examples(g) {
		questions = append(questions, Prepared(e))
	}
	return questions
}

// snapshots hands out the current snapshot and closes an older one after its last user.
type snapshots struct {
	mutex   sync.Mutex
	current *snapshot
	changed chan struct{} // closed when another becomes the current one
	names   *indexer
}

// use gives the current snapshot; it stays open until done is called.
func (s *snapshots) use() (at *snapshot, done func()) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	at = s.current
	at.users++
	return at, sync.OnceFunc(func() { s.leave(at) })
}

func (s *snapshots) leave(at *snapshot) {
	s.mutex.Lock()
	at.users--
	last := at.retired && at.users == 0
	s.mutex.Unlock()
	if last {
		at.engine.Close()
	}
}

// replace makes another snapshot the current one.
func (s *snapshots) replace(next *snapshot) {
	s.mutex.Lock()
	before := s.current
	s.current = next
	if s.changed != nil {
		close(s.changed)
	}
	s.changed = make(chan struct{})
	unused := false
	if before != nil {
		before.retired = true
		unused = before.users == 0
	}
	s.mutex.Unlock()
	s.names.want(next)
	if unused {
		before.engine.Close()
	}
}
