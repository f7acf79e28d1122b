package server

import (
	"context"
	"sync"

	"github.com/lacuna-kg/lacuna/kg"
)

// indexing says how names are indexed. The zero value is how it is done but in tests.
type indexing struct {
	atOnce int                                        // how many entities a graph has at most whose names are indexed before it is served; 0: indexedAtOnce
	begins func()                                     // what happens before an index is made beside the requests; nil: nothing
	safely func(what string, work func() error) error // does work, a panic of which ends nothing else; nil: as it is
}

// indexedAtOnce is indexing.atOnce. To sort the names of 25 million entities takes a minute, for which nobody who asks a question
// or changes a fact need wait.
const indexedAtOnce = 1 << 20

// indexer makes the indexes of names. Those that take long are made beside the requests, one at a time: first that of the graph a
// server begins with, then that of the graph as it is by then. Graphs between the two never get one, as nobody asks them any more.
type indexer struct {
	indexing
	context context.Context
	end     context.CancelFunc

	mutex   sync.Mutex
	wanted  *snapshot // the next one to be indexed, nil for none
	stays   *kg.Graph // its graph, whoever closes the snapshot meanwhile
	working bool
}

func newIndexer(how indexing) *indexer {
	set(&how.atOnce, indexedAtOnce)
	if how.safely == nil {
		how.safely = func(_ string, work func() error) error { return work() }
	}
	n := &indexer{indexing: how}
	n.context, n.end = context.WithCancel(context.Background())
	return n
}

// index gives a snapshot its index of names, which is still to be made where that takes long.
func (n *indexer) index(ctx context.Context, s, before *snapshot) error {
	s.names = &nameIndex{made: make(chan struct{})}
	if before != nil {
		s.names.after = before.names
	}
	if !n.isQuick(s) {
		return nil
	}
	return s.names.make(ctx, s)
}

// isQuick tells that a snapshot can be indexed while somebody waits: its graph is small, or has only new names beyond those that are indexed.
func (n *indexer) isQuick(s *snapshot) bool {
	g, before := s.engine.Graph, s.names.after
	if before != nil && !before.isMade() {
		return false
	}
	return g.NumEntities() <= n.atOnce || before != nil && before.vocabulary.Entities.Labels == g.Entities.Labels
}

// want has the snapshot that is served from now on indexed if it is not, and no other that waited for it. Nil is for none.
func (n *indexer) want(s *snapshot) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if n.wanted != nil {
		n.stays.Close()
		n.wanted, n.stays = nil, nil
	}
	if s == nil || s.names.isMade() {
		return
	}
	n.wanted, n.stays = s, s.engine.Graph.Share()
	if !n.working {
		n.working = true
		go n.work()
	}
}

// work makes indexes while one is wanted.
func (n *indexer) work() {
	for s, stays := n.next(); s != nil; s, stays = n.next() {
		_ = n.safely("the index of names", func() error { // without one names are found to the letter
			defer stays.Close()
			if n.begins != nil {
				n.begins()
			}
			return s.names.make(n.context, s)
		})
	}
}

func (n *indexer) next() (s *snapshot, stays *kg.Graph) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	s, stays = n.wanted, n.stays
	n.wanted, n.stays = nil, nil
	n.working = s != nil
	return s, stays
}
