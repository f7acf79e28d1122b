package eval

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

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
	r, err := Run(t.Context(), parse(t, text), g, limits)
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
		{"SELECT * { " + cross + " FILTER(?a = ?nothing) }", Limits{Work: 100000}, "limit of 100000 steps"},
		{"SELECT (COUNT(*) AS ?n) { " + cross + " }", Limits{Work: 100000}, "limit of 100000 steps"},
		{"SELECT DISTINCT * { " + cross + " }", Limits{Memory: 10000}, "limit of 10000 values in memory"},
		{"SELECT * { " + cross + " } ORDER BY ?a LIMIT 1", Limits{Memory: 10000}, "limit of 10000 values in memory"},
		{"SELECT (COUNT(DISTINCT *) AS ?n) { " + cross + " }", Limits{Memory: 10000}, "limit of 10000 values in memory"},
		{"ASK { ?a <x:p> ?b { " + cross + " MINUS { ?z <x:p> ?z } } FILTER(?a = ?nothing) }", Limits{Memory: 10000}, "limit of 10000 values in memory"},
		{"ASK { ?a <x:p> ?b FILTER NOT EXISTS { " + cross + " FILTER(?a = ?nothing) } }", Limits{Work: 100000}, "limit of 100000 steps"},
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
	r, err := Run(ctx, q, g, Limits{Solutions: math.MaxInt, Work: math.MaxInt})
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
	if _, err := Run(ctx, parse(t, "ASK {}"), g, Limits{}); kg.KindOf(err) != kg.Cancelled {
		t.Errorf("error %v after the end of the context", err)
	}
}
