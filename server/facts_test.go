package server

import (
	"context"
	"errors"
	"github.com/lacuna-kg/lacuna/internal/laureates"
	"sync"
	"testing"

	"github.com/lacuna-kg/lacuna/journal"
	"github.com/lacuna-kg/lacuna/kg"
)

func fact(head, relation, tail string) kg.Fact {
	return kg.Fact{Head: head, Relation: relation, Tail: tail}
}

// TestFactsHoldAtOnce adds and removes facts and asks after each step; predictions
// that were remembered from before must not come back.
func TestFactsHoldAtOnce(t *testing.T) {
	s := demo(t, Limits{})
	linked := AskRequest{Question: "?u : University(Yann LeCun, u)"}
	first, err := s.Ask(t.Context(), linked)
	if err != nil {
		t.Fatal(err)
	}
	if a := answerOf(first, "Stanford University"); a != nil && a.Known || first.Version != 1 {
		t.Fatalf("%+v at version %d to begin with", a, first.Version)
	}
	for _, step := range []struct {
		request FactsRequest
		want    FactsResponse
		known   bool
	}{
		{FactsRequest{Add: []kg.Fact{fact("Yann LeCun", "University", "Stanford University"), fact("Yann LeCun", "Win", "Turing Award")}},
			FactsResponse{Added: 1, AlreadyKnown: 1, Version: 2}, true},
		{FactsRequest{Remove: []kg.Fact{fact("Yann LeCun", "University", "Stanford University"), fact("Yann LeCun", "University", "Nowhere")}},
			FactsResponse{Removed: 1, Unknown: 1, Version: 3}, false},
		{FactsRequest{Remove: []kg.Fact{fact("Yann LeCun", "University", "Stanford University")}},
			FactsResponse{Unknown: 1, Version: 3}, false},
		{FactsRequest{Add: []kg.Fact{fact("Yann LeCun", "University", "Lacuna College")}},
			FactsResponse{Added: 1, NewEntities: 1, Version: 4}, false},
	} {
		got, err := s.Change(t.Context(), step.request)
		if err != nil || *got != step.want {
			t.Fatalf("%+v: %+v, %v; want %+v", step.request, got, err, step.want)
		}
		answer, err := s.Ask(t.Context(), linked)
		if err != nil || answer.Version != step.want.Version {
			t.Fatalf("%+v, %v", answer, err)
		}
		if answer.Stats.Recalled > 0 && step.want.Added+step.want.Removed > 0 {
			t.Errorf("%d projections of the graph before were recalled", answer.Stats.Recalled)
		}
		if a := answerOf(answer, "Stanford University"); (a != nil && a.Known) != step.known {
			t.Errorf("after %+v: %+v, known should be %v", step.request, a, step.known)
		}
	}
	// The truth follows, new entities included.
	answer, err := s.Ask(t.Context(), AskRequest{Question: "?p : University(p, Lacuna College)"})
	if a := answerOf(answer, "Yann LeCun"); err != nil || a == nil || !a.Known || !*a.Right {
		t.Errorf("%+v, %v", a, err)
	}
	if found, err := s.Complete(KindEntity, "lacuna col", 3); err != nil || len(found.Matches) != 1 {
		t.Errorf("completion does not know the new entity: %+v, %v", found, err)
	}
}

// memoryJournal remembers what it was given, and fails on demand.
type memoryJournal struct {
	mutex   sync.Mutex
	groups  [][]journal.Change
	failure error
	graph   *kg.Graph
	size    int64
}

func (j *memoryJournal) Begin(context.Context, journal.Position, []string) (journal.Turn, error) {
	return memoryTurn{j}, nil
}

// memoryTurn is the turn to append to one.
type memoryTurn struct{ *memoryJournal }

func (memoryTurn) Missed() []journal.Entry        { return nil }
func (memoryTurn) Answered(string) ([]byte, bool) { return nil, false }
func (memoryTurn) End()                           {}
func (j memoryTurn) Append(_ context.Context, changes []journal.Change, _ []journal.Receipt) (at journal.Position, err error) {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	if j.failure != nil {
		return at, j.failure
	}
	j.groups = append(j.groups, changes)
	j.size += int64(len(changes))
	return journal.Position{Version: uint64(len(j.groups))}, nil
}

func (j *memoryJournal) Head() journal.Head {
	return journal.Head{Version: uint64(len(j.groups)), Bytes: j.size}
}

func (j *memoryJournal) Close() error { return nil }

func (j *memoryJournal) Compact(_ context.Context, g *kg.Graph) error {
	j.graph, j.size = g, 0
	return nil
}

// TestFactsNotWrittenDoNotHold checks the order: the disk first, then the graph.
func TestFactsNotWrittenDoNotHold(t *testing.T) {
	j := &memoryJournal{failure: errors.New("disk full")}
	s := small(t, Limits{}, func(o *Options) { o.Facts = &journal.Opened{Log: j} })
	change := FactsRequest{Add: []kg.Fact{fact("Bergen", "in", "Norway")}}
	if _, err := s.Change(t.Context(), change); err == nil {
		t.Fatal("a fact that was not written was confirmed")
	}
	exact := AskRequest{Question: "?c : in(c, Norway)"}
	if r, err := s.Ask(t.Context(), exact); err != nil || answerOf(r, "Bergen") != nil || r.Version != 1 {
		t.Errorf("a fact that was not written holds: %+v, %v", r, err)
	}
	j.failure = nil
	response, err := s.Change(t.Context(), change)
	if err != nil || !response.Durable || response.Version != 2 {
		t.Errorf("%+v, %v", response, err)
	}
	if r, err := s.Ask(t.Context(), exact); err != nil || answerOf(r, "Bergen") == nil {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestConcurrentChanges posts at once: every good change holds, every bad one is refused alone.
func TestConcurrentChanges(t *testing.T) {
	j := &memoryJournal{}
	s := small(t, Limits{Compact: 20}, func(o *Options) { o.Facts = &journal.Opened{Log: j} })
	var wait sync.WaitGroup
	errs := make([]error, 60)
	for i := range errs {
		wait.Go(func() {
			f := fact("city"+string(rune('a'+i%50)), "in", "Norway")
			if i >= 50 {
				f.Head = ""
			}
			_, errs[i] = s.Change(context.Background(), FactsRequest{Add: []kg.Fact{f}})
		})
	}
	wait.Wait()
	for i, err := range errs {
		if bad := i >= 50; (err != nil) != bad {
			t.Errorf("change %d: %v", i, err)
		}
	}
	r, err := s.Ask(t.Context(), AskRequest{Question: "?c : in(c, Norway)", Limit: -1})
	if err != nil || r.Total != 51 {
		t.Fatalf("%d cities, %v; want 51", r.Total, err)
	}
	written := 0
	for _, g := range j.groups {
		written += len(g)
	}
	if written != 50 || len(j.groups) >= 50 && j.graph == nil {
		t.Errorf("%d changes written in %d groups, want 50", written, len(j.groups))
	}
	if j.graph == nil {
		t.Error("the journal was never compacted")
	}
}

// TestJournalHoldsIdentifiers checks that labels do not go into the journal.
func TestJournalHoldsIdentifiers(t *testing.T) {
	var entities, relations kg.Interner
	entities.Intern([]byte("Q1"))
	entities.Intern([]byte("Q2"))
	relations.Intern([]byte("P1"))
	v := &kg.Vocabulary{
		Entities:  kg.Dictionary{Names: entities.Names(), Labels: kg.NewLabels([]string{"Rome", "Italy"})},
		Relations: kg.Dictionary{Names: relations.Names(), Labels: kg.NewLabels([]string{"in"})},
	}
	j := &memoryJournal{}
	s := small(t, Limits{}, func(o *Options) { o.Engine, o.Facts = laureates.Exact(t, kg.Build(v, nil)), &journal.Opened{Log: j} })
	if _, err := s.Change(t.Context(), FactsRequest{Add: []kg.Fact{fact("Rome", "in", "Italy"), fact("rome", "in", "Italy")}}); err != nil {
		t.Fatal(err)
	}
	got := j.groups[0][0].Add
	if got[0] != fact("Q1", "P1", "Q2") || got[1] != fact("rome", "P1", "Q2") {
		t.Errorf("the journal got %v", got)
	}
}

// TestGroupsOfChangesAreBounded fills the queue of the writer: a group has a quarter of the facts that one request may bring.
func TestGroupsOfChangesAreBounded(t *testing.T) {
	w := &writer{service: &Service{limits: Limits{Facts: 40}}}
	of := func(facts int) *turn[change, *FactsResponse] {
		return &turn[change, *FactsResponse]{request: changeOf(FactsRequest{Add: make([]kg.Fact, facts)})}
	}
	fits := w.fits()
	for i, c := range []struct {
		facts int
		want  bool
	}{{6, true}, {5, false}, {4, true}, {1, false}} {
		if got := fits(of(c.facts)); got != c.want {
			t.Errorf("change %d of %d facts: %v", i, c.facts, got)
		}
	}
	if !w.fits()(of(100)) {
		t.Error("a file's facts never get their turn")
	}
}

// TestDenialsHoldAtOnce denies a stated fact and takes the denial back.
func TestDenialsHoldAtOnce(t *testing.T) {
	s := demo(t, Limits{})
	ask := AskRequest{Question: "?a : Win(Yann LeCun, a)"}
	for _, step := range []struct {
		request FactsRequest
		want    FactsResponse
		known   bool
	}{
		{FactsRequest{Add: []kg.Fact{fact("Yann LeCun", "!Win", "Turing Award")}}, FactsResponse{Added: 1, Removed: 1, Version: 2}, false},
		{FactsRequest{Add: []kg.Fact{fact("Yann LeCun", "!Win", "Turing Award")}}, FactsResponse{AlreadyKnown: 1, Version: 2}, false},
		{FactsRequest{Remove: []kg.Fact{fact("Yann LeCun", "!Win", "Turing Award")}}, FactsResponse{Removed: 1, Version: 3}, false},
		{FactsRequest{Add: []kg.Fact{fact("Yann LeCun", "Win", "Turing Award")}}, FactsResponse{Added: 1, Version: 4}, true},
	} {
		got, err := s.Change(t.Context(), step.request)
		if err != nil || *got != step.want {
			t.Fatalf("%+v: %+v, %v; want %+v", step.request, got, err, step.want)
		}
		answer, err := s.Ask(t.Context(), ask)
		if err != nil {
			t.Fatal(err)
		}
		a := answerOf(answer, "Turing Award")
		if (a != nil && a.Known) != step.known || step.want.Version == 2 && a != nil {
			t.Errorf("after %+v: %+v", step.request, a)
		}
	}
}

// What is said of a fact is kept with it, and goes alone or with it.
func TestFactsWithAnnotations(t *testing.T) {
	s := demo(t, Limits{})
	f := fact("Yann LeCun", "University", "Stanford University")
	f.Said = kg.NewSaid([]kg.Annotation{{Relation: "from", Value: "1835"}})
	for _, c := range []struct {
		request        FactsRequest
		added, removed int
		want           int // statements that say something
	}{
		{FactsRequest{Add: []kg.Fact{f}}, 1, 0, 1},
		{FactsRequest{Add: []kg.Fact{f}}, 0, 0, 1},
		{FactsRequest{Remove: []kg.Fact{f}}, 0, 1, 0},
		{FactsRequest{Add: []kg.Fact{f}}, 1, 0, 1},
		{FactsRequest{Remove: []kg.Fact{fact("Yann LeCun", "University", "Stanford University")}}, 0, 1, 0},
	} {
		response, err := s.Change(t.Context(), c.request)
		if err != nil {
			t.Fatal(err)
		}
		at, done := s.snapshots.use()
		if n := at.engine.Graph.Annotations().Len(); response.Added != c.added || response.Removed != c.removed || n != c.want {
			t.Errorf("%+v: got %+v and %d statements, want %d added, %d removed and %d", c.request, response, n, c.added, c.removed, c.want)
		}
		done()
	}
}
