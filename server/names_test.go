package server

import (
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/internal/synth"
	"github.com/lacuna-kg/lacuna/journal"
)

// A large graph is served before its names are indexed: until then a name is completed by itself, and a change waits for the index.
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
	s, err := newSnapshot(t.Context(), engine, journal.Position{}, nil)
	if err != nil {
		t.Fatal(err)
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
	changed, err := newSnapshot(t.Context(), engine, journal.Position{}, s)
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-s.names.made:
	case <-time.After(time.Minute):
		t.Fatal("the names are not indexed")
	}
	for _, at := range []*snapshot{s, changed} {
		if found := at.names.ofEntities(at, "q7777", 3); len(found) != 3 {
			t.Errorf("found %v", found)
		}
	}
}
