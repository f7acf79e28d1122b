package server

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"strings"
	"time"
	"unicode"

	"github.com/lacuna-kg/lacuna/journal"
	"github.com/lacuna-kg/lacuna/kg"
)

// FactsRequest is a change of facts.
type FactsRequest struct {
	Add    []kg.Fact `json:"add,omitempty" doc:"facts to state; names that the graph lacks become new entities and relations"`
	Remove []kg.Fact `json:"remove,omitempty" doc:"facts to state no more"`
	Key    string    `json:"key,omitempty" doc:"a name for this request, chosen at random: sent again under it, to servers that share their facts, it is made once and answered as before"`
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
	if err := s.writable(ctx); err != nil {
		return nil, err
	}
	switch n := len(request.Add) + len(request.Remove); {
	case n == 0:
		return nil, invalid("no fact to add or to remove: expected {\"add\": [{\"head\": …, \"relation\": …, \"tail\": …}]}")
	case n > s.limits.Facts:
		return nil, tooLarge("%d facts in one request, the limit is %d", n, s.limits.Facts)
	case len(request.Key) > maxKey:
		return nil, tooLarge("a key of %d bytes, the limit is %d", len(request.Key), maxKey)
	case strings.ContainsFunc(request.Key, func(r rune) bool { return !unicode.IsPrint(r) }):
		return nil, invalid("key: expected characters that print")
	}
	return s.writer.change(ctx, changeOf(request))
}

// maxKey bounds the bytes of a request's key.
const maxKey = 200

// writer makes all changes, a group at a time.
type writer struct {
	service *Service
	queue   *queue[change, *FactsResponse]
}

// post is a change on its way.
type post struct {
	*turn[change, *FactsResponse]
	response *FactsResponse
	made     bool  // it changed something
	twin     *post // of the same key, before it in the group; nil for none
	err      error
}

// checkNames bounds the names of facts that are added: each is kept for good, and shown wherever it answers.
func (l Limits) checkNames(facts []kg.Fact) error {
	for _, f := range facts {
		for _, name := range [...]string{f.Head, f.Relation, f.Tail, f.Graph, string(f.Said)} {
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
	request.key = cmp.Or(request.key, rand.Text())
	return w.queue.ask(ctx, request, request.weight())
}

// close waits until all that was accepted is done.
func (w *writer) close() { w.queue.close() }

// serve commits all that waits and tells each client what became of its change.
func (w *writer) serve() {
	var group []*post
	begun, facts := time.Now(), 0
	for _, t := range w.queue.take(w.fits()) {
		group = append(group, &post{turn: t})
		facts += t.request.facts()
	}
	if errors.Is(w.safely(group), errPanicked) && len(group) > 1 {
		for _, p := range group { // the failure stays with the change that has it
			_ = w.safely([]*post{p})
		}
	}
	for _, p := range group {
		p.finish(p.response, p.err)
	}
	if facts >= bulk {
		w.service.cores.others.rest(context.Background(), group[0].client, time.Since(begun))
	}
}

// bulk are the facts of a group after which the writer rests.
const bulk = 100

// fits tells which changes go together: few facts at a time, or one request that has more, so that nobody waits for much of others.
func (w *writer) fits() func(*turn[change, *FactsResponse]) bool {
	facts := 0
	return func(t *turn[change, *FactsResponse]) bool {
		n := t.request.facts()
		if facts > 0 && facts+n > min(factsTogether, w.service.limits.Facts/4) {
			return false
		}
		facts += n
		return true
	}
}

// factsTogether are the most facts of changes that are made together: some milliseconds, beside what each group takes.
const factsTogether = 500

// safely commits a group. Where that panics all of it is refused, and others' changes go on.
func (w *writer) safely(group []*post) error {
	err := w.service.safely("a change of facts", func() error { w.commit(group); return nil })
	if err != nil {
		for _, p := range group {
			p.response, p.err = nil, err
		}
	}
	return err
}

// commit makes the changes of a group and notes at each what became of it. Where the log was lost while it was
// written to, what became of them is found out by the keys of the requests.
func (w *writer) commit(group []*post) {
	w.service.writing.Lock()
	defer w.service.writing.Unlock()
	err := w.attempt(group)
	for pause, waited := firstPause, time.Duration(0); inDoubt(err) && waited < mostDoubt; pause *= 2 {
		time.Sleep(pause)
		waited += pause
		if again := w.attempt(group); again == nil || !unavailable(again) {
			err = again
		}
	}
	if err == nil {
		w.compact()
		return
	}
	w.service.log.Error("a change of facts failed", "error", err)
	for _, p := range group {
		if p.err == nil {
			p.response, p.err = nil, w.service.refusal(err, p.request.key)
		}
	}
}

// How long to ask for what became of changes after the log was lost.
const (
	firstPause = 50 * time.Millisecond
	mostDoubt  = 5 * time.Second
)

// attempt makes the changes of a group in one turn.
func (w *writer) attempt(group []*post) error {
	s := w.service
	at, done := s.snapshots.use()
	defer done()
	ctx, cancel := s.turn()
	defer cancel()
	turn, err := s.journal.Begin(ctx, at.at, keys(group))
	if err != nil {
		return err
	}
	defer turn.End()
	draft := newDraft(s, at)
	defer draft.discard()
	if err := draft.follow(ctx, turn.Missed()); err != nil {
		return err
	}
	draft.applyAll(ctx, unanswered(group, turn))
	answerTwins(group)
	if len(draft.changes) == 0 {
		turn.End()
		return draft.show()
	}
	return draft.commit(ctx, turn, receipts(group))
}

// turn bounds the time for which others who share the log wait. With a log of one's own nobody does, and a change that was begun is finished.
func (s *Service) turn() (context.Context, context.CancelFunc) {
	if s.shared == nil {
		return context.WithCancel(context.Background())
	}
	return context.WithTimeout(context.Background(), s.limits.Turn)
}

// keys are the names of the requests of a group.
func keys(group []*post) []string {
	list := make([]string, len(group))
	for i, p := range group {
		list[i] = p.request.key
	}
	return list
}

// unanswered are the posts of a group that are still to be made: not those that were made before, under the same key, nor those whose clients have left.
func unanswered(group []*post, turn journal.Turn) (list []*post) {
	first := map[string]*post{}
	for _, p := range group {
		p.response, p.made, p.err, p.twin = nil, false, nil, first[p.request.key]
		if p.twin != nil {
			continue
		}
		first[p.request.key] = p
		if answer, ok := turn.Answered(p.request.key); ok {
			p.response = new(FactsResponse)
			p.err = json.Unmarshal(answer, p.response)
			continue
		}
		if p.ctx.Err() != nil {
			p.err = ended(p.ctx)
			continue
		}
		list = append(list, p)
	}
	return list
}

// answerTwins gives the answer to a request to who sent it again meanwhile.
func answerTwins(group []*post) {
	for _, p := range group {
		if p.twin != nil {
			p.response, p.err = p.twin.response, p.twin.err
		}
	}
}

// receipts are the answers to the posts that changed something, to be kept under their keys.
func receipts(group []*post) (list []journal.Receipt) {
	for _, p := range group {
		if p.err == nil && p.made {
			answer, _ := json.Marshal(p.response)
			list = append(list, journal.Receipt{Key: p.request.key, Answer: answer})
		}
	}
	return list
}

// compact shortens the log when it has grown. A failure loses nothing: the log goes on as it is.
func (w *writer) compact() {
	s := w.service
	if s.journal.Head().Bytes < s.limits.Compact {
		return
	}
	if s.shared != nil {
		s.follower.compact()
		return
	}
	at, done := s.snapshots.use()
	defer done()
	if err := s.journal.Compact(context.Background(), at.engine.Graph); err != nil {
		s.log.Error("the journal of facts was not compacted", "error", err)
	}
}
