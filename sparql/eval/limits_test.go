package eval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/algebra"
	"github.com/lacuna-kg/lacuna/sparql/sparqltest"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
)

func parse(t *testing.T, text string) *algebra.Query {
	t.Helper()
	q, err := syntax.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	letter, err := algebra.Translate(q)
	if err != nil {
		t.Fatal(err)
	}
	return algebra.Optimise(letter, algebra.Passes)
}

func lastError(t *testing.T, g *kg.Graph, text string, limits Limits) error {
	t.Helper()
	r, err := Run(t.Context(), parse(t, text), Dataset{Graph: g}, limits)
	if err != nil || r.Ask {
		return err
	}
	for _, err := range r.Rows {
		if err != nil {
			return err
		}
	}
	return nil
}

func TestLimits(t *testing.T) {
	g := sparqltest.Grid(t, 30)
	const cross = "?a <x:p> ?b . ?c <x:p> ?d . ?e <x:p> ?f"
	for _, c := range []struct {
		query string
		limit Limits
		want  string
	}{
		{"SELECT * { " + cross + " }", Limits{Solutions: 1000}, "limit of 1000 solutions"},
		{"SELECT * { " + cross + " FILTER(COALESCE(?a, ?b, ?c, ?d, ?e, ?f) = ?nothing) }", Limits{Work: 100000}, "limit of 100000 steps"},
		{"SELECT (COUNT(*) AS ?n) { " + cross + " }", Limits{Work: 100000}, "limit of 100000 steps"},
		{"SELECT DISTINCT * { " + cross + " }", Limits{Memory: 1 << 20}, "limit of 1 MiB of memory"},
		{"SELECT * { " + cross + " } ORDER BY ?a LIMIT 1", Limits{Memory: 1 << 18}, "limit of 262144 bytes of memory"},
		{"SELECT (COUNT(DISTINCT *) AS ?n) { " + cross + " }", Limits{Memory: 1 << 20}, "limit of 1 MiB of memory"},
		{"ASK { ?a <x:p> ?b { " + cross + " MINUS { ?z <x:p> ?z } } FILTER(COALESCE(?a, ?b, ?c, ?d, ?e, ?f) = ?nothing) }", Limits{Memory: 1 << 20}, "limit of 1 MiB of memory"},
		{"ASK { ?a <x:p> ?b FILTER NOT EXISTS { " + cross + " FILTER(COALESCE(?a, ?b, ?c, ?d, ?e, ?f) = ?nothing) } }", Limits{Work: 100000}, "limit of 100000 steps"},
	} {
		err := lastError(t, g, c.query, c.limit)
		if kg.KindOf(err) != kg.TooLarge || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.query, err, c.want)
		}
	}
}

// A context that ends stops an evaluation that would go on for very long.
func TestCancel(t *testing.T) {
	g := sparqltest.Grid(t, 40)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	q := parse(t, "SELECT * { ?a <x:p> ?b . ?c <x:p> ?d . ?e <x:p> ?f . ?g <x:p> ?h }")
	r, err := Run(ctx, q, Dataset{Graph: g}, Limits{Solutions: math.MaxInt, Work: math.MaxInt})
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, err = range r.Rows {
		if rows++; rows == 10 {
			cancel(errors.New("enough"))
		}
	}
	if kg.KindOf(err) != kg.Cancelled || !strings.Contains(err.Error(), "enough") {
		t.Errorf("error %v, want the end of the context", err)
	}
	if _, err := Run(ctx, parse(t, "ASK {}"), Dataset{Graph: g}, Limits{}); kg.KindOf(err) != kg.Cancelled {
		t.Errorf("error %v after the end of the context", err)
	}
}

// A text that doubles with every step is refused before it fills the memory.
func TestTextIsBounded(t *testing.T) {
	text := `ASK { BIND("0123456789abcdef" AS ?v0) `
	for i := range 40 {
		text += fmt.Sprintf("BIND(CONCAT(?v%d, ?v%d) AS ?v%d) ", i, i, i+1)
	}
	err := lastError(t, sparqltest.Grid(t, 2), text+"}", Limits{})
	if kg.KindOf(err) != kg.TooLarge || !strings.Contains(err.Error(), "a text of more than the limit") {
		t.Errorf("error %v", err)
	}
}

// Paths that repeat, groups and sorting stop with the context.
func TestNewOperatorsStop(t *testing.T) {
	g := sparqltest.Grid(t, 60)
	for _, text := range []string{
		"SELECT ?a { ?a <x:p>* ?b . ?c <x:p>+ ?d . ?e <x:p>? ?f }",
		"SELECT ?a (COUNT(*) AS ?n) { ?a <x:p> ?b . ?c <x:p> ?d . ?e <x:p> ?f } GROUP BY ?a",
		"SELECT ?a { BIND(REPLACE(STR(<x:a>), \"x\", \"" + strings.Repeat("long", 1<<17) + "\") AS ?long) ?a <x:p> ?b . ?c <x:p> ?d FILTER(REGEX(CONCAT(STR(?a), ?long, STR(?c)), \"(o+n+)+g$l\") || STRLEN(ENCODE_FOR_URI(CONCAT(?long, STR(?d)))) < 3) }",
		"SELECT ?a { ?a <x:p> ?b OPTIONAL { ?c <x:p> ?d . ?e <x:p> ?f FILTER(STR(?c) < STR(?f)) } } ORDER BY STR(?a)",
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		start := time.Now()
		r, err := Run(ctx, parse(t, text), Dataset{Graph: g}, Limits{Work: math.MaxInt, Memory: math.MaxInt, Solutions: math.MaxInt})
		if err == nil {
			for _, err = range r.Rows {
				if err != nil {
					break
				}
			}
		}
		cancel()
		if kg.KindOf(err) != kg.Cancelled {
			t.Errorf("%.200s: error %v", text, err)
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%.200s: stopped after %v", text, took)
		}
	}
}
