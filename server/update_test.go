package server

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/journal"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/sparql"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
)

// films is a graph of RDF, with a label and a prefix.
func films(t *testing.T) *kg.Graph {
	t.Helper()
	const text = `@prefix : <http://films.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
		:roma :by :fellini ; rdfs:label "Roma"@it . :ran :by :kurosawa .`
	splits, err := read.Stream(t.Context(), strings.NewReader(text), "films.ttl", read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return splits.Train
}

// filmService serves the films, with their facts in a folder where one is given.
func filmService(t *testing.T, folder string, readOnly bool) *Service {
	t.Helper()
	options := Options{ReadOnly: readOnly}
	graph := films(t)
	if folder != "" {
		opened, err := journal.Open(t.Context(), folder, graph)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { opened.Log.Close() })
		graph, options.Facts = opened.Graph, opened
	}
	engine, err := lacuna.New(t.Context(), graph, lacuna.Model(lacuna.Exact))
	if err != nil {
		t.Fatal(err)
	}
	options.Engine = engine
	s, err := New(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func update(t *testing.T, s *Service, text string) (*FactsResponse, error) {
	t.Helper()
	engine, _, done := s.Use()
	defer done()
	u, err := syntax.ParseUpdate(text, sparql.Prefixes(engine.Graph)...)
	if err != nil {
		t.Fatal(err)
	}
	return s.Update(t.Context(), u)
}

func holds(t *testing.T, s *Service, query string) bool {
	t.Helper()
	engine, _, done := s.Use()
	defer done()
	r, err := sparql.Run(t.Context(), query, engine.Dataset(), sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Truth
}

func TestUpdateIsOneTransactionThatLasts(t *testing.T) {
	folder := t.TempDir()
	t.Run("update", func(t *testing.T) {
		s := filmService(t, folder, false)
		got, err := update(t, s, `INSERT DATA { :roma :year 1972 ; rdfs:label "Rom"@de . :new rdfs:label "New" } ;
			INSERT { ?f :of ?p } WHERE { ?p ^:by ?f } ; DELETE WHERE { :ran :by ?x }`)
		want := FactsResponse{Added: 5, Removed: 1, NewEntities: 1, NewRelations: 2, Version: 2, Durable: true}
		if err != nil || *got != want {
			t.Fatalf("%+v, %v; want %+v", got, err, want)
		}
		// The first operation is undone with the second, which is refused.
		if _, err := update(t, s, `INSERT DATA { :x :y :z } ; INSERT DATA { :a <urn:lacuna:p%5E-1> :b }`); kg.KindOf(err) != kg.Invalid {
			t.Errorf("%v", err)
		}
		if got, err := update(t, s, `INSERT DATA { :roma :year 1972 }`); err != nil || got.Version != 2 || got.AlreadyKnown != 1 {
			t.Errorf("%+v, %v", got, err)
		}
	})
	t.Run("again", func(t *testing.T) {
		s := filmService(t, folder, false)
		for query, want := range map[string]bool{
			`ASK { :roma :year 1972 ; :of :fellini ; rdfs:label "Rom"@de, "Roma"@it }`: true,
			`ASK { :new rdfs:label "New" }`:                                            true,
			`ASK { :ran :of :kurosawa }`:                                               true,
			`ASK { :ran :by ?x }`:                                                      false,
			`ASK { :x :y :z }`:                                                         false,
		} {
			if holds(t, s, query) != want {
				t.Errorf("%s is %v after the replay", query, !want)
			}
		}
	})
}

// TestUpdateTakesNamesToTheLetter must not take a new name for the entity of that label.
func TestUpdateTakesNamesToTheLetter(t *testing.T) {
	s := filmService(t, "", false)
	if _, err := update(t, s, `INSERT DATA { <urn:lacuna:Roma> :by :somebody }`); err != nil {
		t.Fatal(err)
	}
	if !holds(t, s, "ASK { <urn:lacuna:Roma> :by :somebody }") || holds(t, s, "ASK { :roma :by :somebody }") {
		t.Error("a label was taken for a name")
	}
}

func TestReadOnly(t *testing.T) {
	s := filmService(t, "", true)
	var refused *Error
	if _, err := update(t, s, "INSERT DATA { :a :b :c }"); !errors.As(err, &refused) || refused.status != 403 {
		t.Errorf("%v", err)
	}
	if _, err := s.Change(t.Context(), FactsRequest{Add: []kg.Fact{fact("a", "b", "c")}}); !errors.As(err, &refused) || refused.status != 403 {
		t.Errorf("%v", err)
	}
	if !s.Info().ReadOnly {
		t.Error("nobody is told")
	}
}

// TestUpdateEndsInTime runs a pattern that would take longer than its client waits.
func TestUpdateEndsInTime(t *testing.T) {
	s := filmService(t, "", false)
	u, err := syntax.ParseUpdate("INSERT { ?a :b ?c } WHERE { " + strings.Repeat("?a ?p ?b . ?c ?q ?b . ?c ?r ?d . ?a ?s ?d . ", 8) + "}")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Update(ctx, u); kg.KindOf(err) != kg.Cancelled {
		t.Errorf("%v", err)
	}
}
