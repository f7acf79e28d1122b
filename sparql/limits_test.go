package sparql

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/sparqltest"
)

func lastError(t *testing.T, ctx context.Context, query string, data Dataset, opts Options) error {
	t.Helper()
	r, err := Run(ctx, query, data, opts)
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

// The limits of a run are those of the stage that its mode takes.
func TestLimits(t *testing.T) {
	data := grid(t, 30)
	for _, c := range []struct {
		query string
		mode  Mode
		limit Limits
		want  string
	}{
		{"SELECT * { ?a <x:p> ?b }", Exact, Limits{Solutions: 10}, "limit of 10 solutions"},
		{"SELECT (COUNT(*) AS ?n) { ?a <x:p> ?b }", Exact, Limits{Work: 100}, "limit of 100 steps"},
		{"SELECT DISTINCT * { ?a <x:p> ?b }", Exact, Limits{Memory: 1000}, "limit of 1000 bytes of memory"},
		{"SELECT ?a { ?a <x:p> ?b }", Predict, Limits{Solutions: 10}, "limit of 10 solutions"},
		{"SELECT ?a ?b { ?a <x:p> ?b }", Predict, Limits{Solutions: 10}, "limit of 10 solutions"},
		{"SELECT ?a { ?a <x:p> ?b }", Predict, Limits{Memory: 80}, "limit of 80 bytes of memory"},
	} {
		err := lastError(t, t.Context(), c.query, data, Options{Mode: c.mode, Limits: c.limit})
		if kg.KindOf(err) != kg.TooLarge || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.query, err, c.want)
		}
	}
}

// grid is sparqltest.Grid with traversal as its predictor.
func grid(t *testing.T, n int) Dataset {
	g := sparqltest.Grid(t, n)
	return Dataset{Graph: g, Predictor: sparqltest.Traversal{Graph: g}}
}

// Queries as large as the text may be must not take time that grows with its square.
func TestLargeQueries(t *testing.T) {
	data := grid(t, 3)
	for name, text := range map[string]string{
		"chain":      "SELECT ?v0 { " + repeat(4000, func(i int) string { return fmt.Sprintf("?v%d <x:p> ?v%d . ", i, i+1) }) + "}",
		"minus":      "SELECT ?v { ?v <x:p> ?w " + repeat(2500, func(int) string { return "MINUS { <x:q> <x:p> ?v } " }) + "}",
		"filters":    "SELECT ?v { ?v <x:p> ?w " + repeat(2500, func(i int) string { return fmt.Sprintf("FILTER(?v != <x:%d>) ", i) }) + "}",
		"unions":     "SELECT ?v { {}" + repeat(3000, func(int) string { return "UNION { ?v <x:p> ?v }" }) + "}",
		"brackets":   "ASK { " + repeat(4000, func(int) string { return "[] <x:p> [] . " }) + "}",
		"aggregates": "SELECT " + repeat(2000, func(i int) string { return fmt.Sprintf("(COUNT(?v%d) AS ?n%d) ", i, i) }) + "{ ?v <x:p> ?w }",
		"selects":    "SELECT * { " + repeat(1500, func(i int) string { return fmt.Sprintf("{ SELECT ?v%d { ?v%d <x:q> ?w } } ", i, i) }) + "}",
		"optionals":  "SELECT * { " + repeat(1000, func(i int) string { return fmt.Sprintf("OPTIONAL { ?v%d <x:q> ?v%d } ", i, i+1) }) + "}",
		"groups":     "ASK { " + repeat(4000, func(int) string { return "{ ?v <x:p> ?w } " }) + "}",
	} {
		for _, mode := range []Mode{Exact, Predict} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			err := lastError(t, ctx, text, data, Options{Mode: mode, Limits: Limits{Work: 3_000_000}})
			if ctx.Err() != nil {
				t.Errorf("%s, mode %v: not done after a minute", name, mode)
			}
			if err != nil && kg.KindOf(err) == kg.Failure {
				t.Errorf("%s, mode %v: %v", name, mode, err)
			}
			cancel()
		}
	}
}

// A query that is large enough to take its time before it runs is stopped there, too, and one of too many variables refused.
func TestLargeQueriesStop(t *testing.T) {
	data := grid(t, 3)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	text := "SELECT * { " + repeat(2500, func(i int) string { return fmt.Sprintf("OPTIONAL { ?v%d <x:p> ?v%d } ", i, i+1) }) + "}"
	if err := lastError(t, ctx, text, data, Options{}); kg.KindOf(err) != kg.Cancelled {
		t.Errorf("error %v of a query that was stopped", err)
	}
	text = "SELECT * { ?s ?p ?o } ORDER BY " + repeat(6000, func(i int) string { return fmt.Sprintf("?v%d ", i) })
	if err := lastError(t, t.Context(), text, data, Options{}); kg.KindOf(err) != kg.TooLarge || !strings.Contains(err.Error(), "5000 variables") {
		t.Errorf("error %v of a query of 6,000 variables", err)
	}
}

func repeat(n int, part func(int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(part(i))
	}
	return b.String()
}
