package server

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/internal/synth"
	"github.com/lacuna-kg/lacuna/journal"
	"github.com/lacuna-kg/lacuna/kg"
)

// A large graph is served before its names are indexed: until then a name is completed by itself.
func TestNamesOfALargeGraphAreIndexedMeanwhile(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: makes a graph of a million entities")
	}
	config := synth.Config{Seed: 1, Entities: indexedAtOnce + 1, Relations: 2, Triples: 1000}
	g, err := synth.Generate(config)
	if err != nil {
		t.Fatal(err)
	}
	engine, err := lacuna.New(t.Context(), g, lacuna.Model(lacuna.Exact))
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	all := snapshots{names: newIndexer(indexing{})}
	s, err := all.derive(t.Context(), engine, journal.Position{}, nil)
	if err != nil || s.names.isMade() {
		t.Fatalf("indexed at once: %v, %v", s.names.isMade(), err)
	}
	if found := s.names.ofEntities(s, "Q1234567890", 3); len(found) > 0 {
		t.Errorf("found %v", found)
	}
	if found := s.names.ofEntities(s, "Q77", 3); len(found) == 0 || engine.Graph.Entities.Names.At(found[0].ID) != "Q77" {
		t.Errorf("found %v", found)
	}
	if found := s.names.ofRelations(s, "P1", 3); len(found) != 1 || found[0].Weight != s.facts()[1] {
		t.Errorf("found %v", found)
	}
	all.names.want(s)
	awaitNames(t, s)
	changed, err := all.derive(t.Context(), engine, journal.Position{}, s)
	if err != nil || !changed.names.isMade() {
		t.Fatalf("after a change indexed at once: %v, %v", changed.names.isMade(), err)
	}
	for _, at := range []*snapshot{s, changed} {
		if found := at.names.ofEntities(at, "q7777", 3); len(found) != 3 {
			t.Errorf("found %v", found)
		}
	}
}

func awaitNames(t *testing.T, s *snapshot) {
	t.Helper()
	select {
	case <-s.names.made:
	case <-time.After(time.Minute):
		t.Fatal("the names are not indexed")
	}
}

// held makes every index of a graph wait for the test.
type held struct{ begun, proceed chan struct{} }

// hold is a service whose graph counts as large, with the first of its indexes begun.
func hold(t *testing.T, change ...func(*Options)) (*Service, held) {
	t.Helper()
	h := held{make(chan struct{}), make(chan struct{})}
	how := indexing{atOnce: 1, begins: func() { h.begun <- struct{}{}; <-h.proceed }}
	s := small(t, Limits{}, append(change, func(o *Options) { o.indexing = how })...)
	h.awaitNext(t)
	return s, h
}

// awaitNext waits until the next index is begun.
func (h held) awaitNext(t *testing.T) {
	t.Helper()
	select {
	case <-h.begun:
	case <-time.After(time.Minute):
		t.Fatal("no index is begun")
	}
}

// completed are the names that complete what was typed, by their identifiers.
func completed(t *testing.T, s *Service, kind, typed string) string {
	t.Helper()
	found, err := s.Complete(kind, typed, 10)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range found.Matches {
		names = append(names, m.ID)
	}
	return strings.Join(names, " ")
}

// awaitCurrentNames waits for the index of what is served.
func awaitCurrentNames(t *testing.T, s *Service) {
	t.Helper()
	at, done := s.snapshots.use()
	defer done()
	awaitNames(t, at)
}

// mustChange makes a change that must not wait for an index that waits for the test.
func mustChange(t *testing.T, s *Service, add, remove []kg.Fact) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if _, err := s.Change(ctx, FactsRequest{Add: add, Remove: remove}); err != nil {
		t.Fatal(err)
	}
}

func expectCompleted(t *testing.T, s *Service, kind, typed, want string) {
	t.Helper()
	if got := completed(t, s, kind, typed); got != want {
		t.Errorf("%q finds the %s %q, expected %q", typed, kind, got, want)
	}
}

// Changes do not wait for the index of the graph before them. When that is made the newest graph gets its own, and no graph between.
func TestChangesDoNotWaitForTheIndexOfNames(t *testing.T) {
	s, names := hold(t)
	defer close(names.proceed)
	bergen, label := []kg.Fact{fact("Bergen", "in", "Norway")}, []kg.Fact{fact("Oslo", kg.RDFSLabel, `"Christiania"`)}
	mustChange(t, s, bergen, nil)
	mustChange(t, s, []kg.Fact{fact("Berlin", "capitalOf", "Germany")}, nil)
	mustChange(t, s, label, nil)
	mustChange(t, s, nil, bergen)
	mustChange(t, s, []kg.Fact{fact("Berne", "in", "Switzerland")}, label)
	expectCompleted(t, s, KindEntity, "ber", "")
	expectCompleted(t, s, KindEntity, "Berlin", "Berlin")
	names.proceed <- struct{}{} // with the first graph
	names.awaitNext(t)
	names.proceed <- struct{}{} // with the last one
	awaitCurrentNames(t, s)
	expectCompleted(t, s, KindEntity, "ber", "Berlin Berne Bergen")
	expectCompleted(t, s, KindEntity, "ro", "Rome")
	expectCompleted(t, s, KindEntity, "chris", "")
	expectCompleted(t, s, KindRelation, "cap", "capitalOf")

	// From here on new names are found at once, and a label when the names are indexed anew.
	mustChange(t, s, []kg.Fact{fact("Basel", "in", "Switzerland")}, nil)
	expectCompleted(t, s, KindEntity, "bas", "Basel")
	mustChange(t, s, label, nil)
	names.awaitNext(t)
	mustChange(t, s, []kg.Fact{fact("Bari", "in", "Italy")}, nil)
	expectCompleted(t, s, KindEntity, "chris", "")
	names.proceed <- struct{}{}
	names.awaitNext(t)
	names.proceed <- struct{}{}
	awaitCurrentNames(t, s)
	expectCompleted(t, s, KindEntity, "chris", "Oslo")
	expectCompleted(t, s, KindEntity, "ba", "Basel Bari")
	mustChange(t, s, nil, label)
	names.awaitNext(t)
	names.proceed <- struct{}{}
	awaitCurrentNames(t, s)
	expectCompleted(t, s, KindEntity, "chris", "")
}

// A change that does not come about leaves the graph its index.
func TestNamesAreIndexedAfterAFailedChange(t *testing.T) {
	j := &memoryJournal{failure: errors.New("disk full")}
	s, names := hold(t, func(o *Options) { o.Facts = &journal.Opened{Log: j} })
	if _, err := s.Change(t.Context(), FactsRequest{Add: []kg.Fact{fact("Bergen", "in", "Norway")}}); err == nil {
		t.Fatal("a fact that was not written was confirmed")
	}
	names.proceed <- struct{}{}
	awaitCurrentNames(t, s)
	expectCompleted(t, s, KindEntity, "ro", "Rome")
	expectCompleted(t, s, KindEntity, "berg", "")
}

// An index that is being made when the service ends is given up, and the next is not begun.
func TestIndexingEndsWithTheService(t *testing.T) {
	var names held
	var indexer *indexer
	t.Run("service", func(t *testing.T) {
		var s *Service
		s, names = hold(t)
		indexer = s.snapshots.names
		mustChange(t, s, []kg.Fact{fact("Bergen", "in", "Norway")}, nil)
	})
	names.proceed <- struct{}{}
	eventually(t, func() bool {
		indexer.mutex.Lock()
		defer indexer.mutex.Unlock()
		return !indexer.working
	})
}
