package server

import (
	"context"
	"sync"

	"github.com/lacuna-kg/lacuna/journal"
	"github.com/lacuna-kg/lacuna/kg"
)

// Journal keeps changes of facts beyond the life of the server; *journal.Journal does.
type Journal interface {
	// Append makes changes last, in their order, before it returns.
	Append(changes []journal.Change) error
	// Bytes is what has been appended since the journal was last compacted.
	Bytes() int64
	// Compact puts the graph that the changes led to in place of them.
	Compact(ctx context.Context, g *kg.Graph) error
}

// FactsRequest is a change of facts.
type FactsRequest struct {
	Add    []kg.Fact `json:"add,omitempty" doc:"facts to state; names that the graph lacks become new entities and relations"`
	Remove []kg.Fact `json:"remove,omitempty" doc:"facts to state no more"`
}

// FactsResponse says what a change came to.
type FactsResponse struct {
	Added        int    `json:"added"`
	Removed      int    `json:"removed"`
	AlreadyKnown int    `json:"already_known"` // to be added, but stated before
	Unknown      int    `json:"unknown"`       // to be removed, but not stated
	NewEntities  int    `json:"new_entities"`
	NewRelations int    `json:"new_relations"`
	Version      uint64 `json:"version"` // of the graph from which on it holds
	Durable      bool   `json:"durable"` // it outlives the server
}

// Change adds and removes facts. When it returns they hold for every later
// question and, with a journal, outlive the server. Changes that come together are made together.
func (s *Service) Change(ctx context.Context, request FactsRequest) (*FactsResponse, error) {
	switch n := len(request.Add) + len(request.Remove); {
	case n == 0:
		return nil, invalid("no fact to add or to remove: expected {\"add\": [{\"head\": …, \"relation\": …, \"tail\": …}]}")
	case n > s.limits.Facts:
		return nil, tooLarge("%d facts in one request, the limit is %d", n, s.limits.Facts)
	}
	return s.writer.change(ctx, request)
}

// writer makes all changes, a group at a time.
type writer struct {
	service *Service

	mutex   sync.Mutex
	waiting []*post
	closed  bool
	wake    chan struct{} // holds a token when a post may be waiting
	ended   chan struct{}
}

// post is a change on its way.
type post struct {
	ctx      context.Context
	request  FactsRequest
	response *FactsResponse
	err      error
	done     chan struct{}
}

func newWriter(s *Service) *writer {
	w := &writer{service: s, wake: make(chan struct{}, 1), ended: make(chan struct{})}
	go w.loop()
	return w
}

// change waits for its turn and its outcome. A change that was begun is finished even if the client leaves.
func (w *writer) change(ctx context.Context, request FactsRequest) (*FactsResponse, error) {
	p := &post{ctx: ctx, request: request, done: make(chan struct{})}
	if err := w.enqueue(p); err != nil {
		return nil, err
	}
	select {
	case <-p.done:
		return p.response, p.err
	case <-ctx.Done():
		return nil, ended(ctx)
	}
}

func (w *writer) enqueue(p *post) error {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.closed {
		return busy(1, "the server is stopping")
	}
	if len(w.waiting) >= w.service.limits.Queue {
		return busy(1, "too many changes are waiting already")
	}
	w.waiting = append(w.waiting, p)
	w.signal()
	return nil
}

func (w *writer) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// close waits until all that was accepted is done.
func (w *writer) close() {
	w.mutex.Lock()
	w.closed = true
	w.mutex.Unlock()
	w.signal()
	<-w.ended
}

func (w *writer) loop() {
	defer close(w.ended)
	for {
		w.mutex.Lock()
		group, closed := w.waiting, w.closed
		w.waiting = nil
		w.mutex.Unlock()
		switch {
		case len(group) > 0:
			w.commit(group)
		case closed:
			return
		default:
			<-w.wake
		}
	}
}

// commit makes the changes of a group and tells each client what became of its own.
func (w *writer) commit(group []*post) {
	defer func() {
		for _, p := range group {
			close(p.done)
		}
	}()
	at, done := w.service.snapshots.use()
	defer done()
	draft := newDraft(w.service, at)
	defer draft.discard()
	for _, p := range group {
		if p.ctx.Err() != nil {
			p.err = ended(p.ctx)
			continue
		}
		p.response, p.err = draft.apply(p.request)
	}
	if len(draft.changes) == 0 {
		return
	}
	if err := draft.publish(); err != nil {
		w.service.log.Error("a change of facts failed", "error", err)
		for _, p := range group {
			if p.err == nil {
				p.response, p.err = nil, err
			}
		}
		return
	}
	w.compact()
}

// compact shortens the journal when it has grown. A failure loses nothing: the journal goes on as it is.
func (w *writer) compact() {
	s := w.service
	if s.options.Journal == nil || s.options.Journal.Bytes() < s.limits.Compact {
		return
	}
	at, done := s.snapshots.use()
	defer done()
	if err := s.options.Journal.Compact(context.Background(), at.engine.Graph); err != nil {
		s.log.Error("the journal of facts was not compacted", "error", err)
	}
}
