package server

import (
	"context"

	"github.com/lacuna-kg/lacuna/journal"
	"github.com/lacuna-kg/lacuna/kg"
)

// Journal keeps changes of facts beyond the life of the server; *journal.Journal does.
type Journal interface {
	// Append makes changes last, in their order, before it returns.
	Append(changes []journal.Change) error
	// Bytes is what has been appended since the journal was last compacted.
	Bytes() int64
	// Count is how many times changes were appended, ever.
	Count() uint64
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
	if err := s.writable(); err != nil {
		return nil, err
	}
	switch n := len(request.Add) + len(request.Remove); {
	case n == 0:
		return nil, invalid("no fact to add or to remove: expected {\"add\": [{\"head\": …, \"relation\": …, \"tail\": …}]}")
	case n > s.limits.Facts:
		return nil, tooLarge("%d facts in one request, the limit is %d", n, s.limits.Facts)
	}
	return s.writer.change(ctx, changeOf(request))
}

// writer makes all changes, a group at a time.
type writer struct {
	service *Service
	queue   *queue[change, *FactsResponse]
}

// post is a change on its way.
type post struct {
	*turn[change, *FactsResponse]
	response *FactsResponse
	err      error
}

// checkNames bounds the names of facts that are added: each is kept for good, and shown wherever it answers.
func (l Limits) checkNames(facts []kg.Fact) error {
	for _, f := range facts {
		for _, name := range [...]string{f.Head, f.Relation, f.Tail} {
			if len(name) > l.Name {
				return tooLarge("a name of %d bytes, the limit is %d: %.40s…", len(name), l.Name, name)
			}
		}
	}
	return nil
}

func newWriter(s *Service) *writer {
	full := func(int) error { return busy(1, "too many changes are waiting already") }
	w := &writer{s, newQueue[change, *FactsResponse](s.limits.Queue, full)}
	go w.queue.consume(w.serve)
	return w
}

// change waits for its turn and its outcome. A change that was begun is finished even if the client leaves.
func (w *writer) change(ctx context.Context, request change) (*FactsResponse, error) {
	return w.queue.ask(ctx, request)
}

// close waits until all that was accepted is done.
func (w *writer) close() { w.queue.close() }

// serve commits all that waits and tells each client what became of its change.
func (w *writer) serve() {
	var group []*post
	for _, t := range w.queue.take(func(change) bool { return true }) {
		group = append(group, &post{turn: t})
	}
	w.commit(group)
	for _, p := range group {
		p.finish(p.response, p.err)
	}
}

// commit makes the changes of a group and notes at each what became of it.
func (w *writer) commit(group []*post) {
	w.service.writing.Lock()
	defer w.service.writing.Unlock()
	at, done := w.service.snapshots.use()
	defer done()
	draft := newDraft(w.service, at)
	defer draft.discard()
	for _, p := range group {
		if p.ctx.Err() != nil {
			p.err = ended(p.ctx)
			continue
		}
		p.response, p.err = draft.apply(p.ctx, p.request)
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
