package sparql

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/sparqltest"
)

// grid is a graph in which every one of n entities is linked to every other.
func grid(t *testing.T, n int) Dataset {
	var b strings.Builder
	for i := range n {
		for j := range n {
			fmt.Fprintf(&b, "<x:%d> <x:p> <x:%d> .\n", i, j)
		}
	}
	g := sparqltest.ReadNTriples(t, b.String())
	return Dataset{Graph: g, Predictor: traversal{g}}
}

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

func TestLimits(t *testing.T) {
	data := grid(t, 30)
	const cross = "?a <x:p> ?b . ?c <x:p> ?d . ?e <x:p> ?f"
	for _, c := range []struct {
		query string
		mode  Mode
		limit Limits
		want  string
	}{
		{"SELECT * { " + cross + " }", Exact, Limits{Solutions: 1000}, "limit of 1000 solutions"},
		{"SELECT * { " + cross + " FILTER(?a = ?nothing) }", Exact, Limits{Work: 100000}, "limit of 100000 steps"},
		{"SELECT (COUNT(*) AS ?n) { " + cross + " }", Exact, Limits{Work: 100000}, "limit of 100000 steps"},
		{"SELECT DISTINCT * { " + cross + " }", Exact, Limits{Memory: 10000}, "limit of 10000 values in memory"},
		{"SELECT * { " + cross + " } ORDER BY ?a LIMIT 1", Exact, Limits{Memory: 10000}, "limit of 10000 values in memory"},
		{"SELECT (COUNT(DISTINCT *) AS ?n) { " + cross + " }", Exact, Limits{Memory: 10000}, "limit of 10000 values in memory"},
		{"ASK { ?a <x:p> ?b { " + cross + " MINUS { ?z <x:p> ?z } } FILTER(?a = ?nothing) }", Exact, Limits{Memory: 10000}, "limit of 10000 values in memory"},
		{"ASK { ?a <x:p> ?b FILTER NOT EXISTS { " + cross + " FILTER(?a = ?nothing) } }", Exact, Limits{Work: 100000}, "limit of 100000 steps"},
		{"SELECT ?a ?b { ?a <x:p> ?b }", Predict, Limits{Assignments: 10}, "30 values up to ?a would have to be combined"},
		{"SELECT ?a { ?a <x:p> ?b }", Predict, Limits{Solutions: 10}, "limit of 10 solutions"},
	} {
		err := lastError(t, t.Context(), c.query, data, Options{Mode: c.mode, Limits: c.limit})
		if kg.KindOf(err) != kg.TooLarge || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.query, err, c.want)
		}
	}
}

// With LIMIT the best combinations are enough, and within the limits nothing is refused.
func TestPredictBest(t *testing.T) {
	data := grid(t, 30)
	r, err := Run(t.Context(), "SELECT ?a ?b { ?a <x:p> ?b } LIMIT 7", data, Options{Mode: Predict, Limits: Limits{Assignments: 10}})
	if err != nil {
		t.Fatal(err)
	}
	if got := len(sparqltest.Lines(t, r)); got != 7 {
		t.Errorf("%d solutions, want 7", got)
	}
}

// A context that ends stops an evaluation that would go on for very long.
func TestCancel(t *testing.T) {
	data := grid(t, 40)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	r, err := Run(ctx, "SELECT * { ?a <x:p> ?b . ?c <x:p> ?d . ?e <x:p> ?f . ?g <x:p> ?h }", data, Options{Limits: Limits{Solutions: math.MaxInt, Work: math.MaxInt}})
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
	if _, err := Run(ctx, "ASK {}", data, Options{}); kg.KindOf(err) != kg.Cancelled {
		t.Errorf("error %v after the end of the context", err)
	}
}

// Names that the graph lacks: nothing in exact mode, an error with a suggestion in predict mode.
func TestPredictRefuses(t *testing.T) {
	g := sparqltest.ReadTable(t, "Ada\tWin\tPrize\nAda\tField\tLogic\n")
	for query, want := range map[string]string{
		"SELECT ?x { ?x :Winn :Prize }":                                          "sparql:1:16: no relation <urn:lacuna:Winn> in the graph (did you mean <urn:lacuna:Win>?)",
		"SELECT ?x { ?x :Win :Price }":                                           "sparql:1:21: no entity <urn:lacuna:Price> in the graph (did you mean <urn:lacuna:Prize>?)",
		"SELECT ?x { ?x ?p :Prize }":                                             "the variable ?p as a predicate cannot be predicted",
		"SELECT ?x { ?x :Win ?y ; :Field ?y }":                                   "a cycle: only variables that form a tree can be answered; mode=exact has no such limit",
		"SELECT ?x { { ?x :Win ?y } UNION { ?z :Win ?y } }":                      "?x is not bound by every solution",
		"SELECT ?x { ?x :Win ?y FILTER(?x = ?y) }":                               "compares a variable with a term",
		"SELECT ?x { ?x :Win ?y FILTER(?y != 1) }":                               "compares with literals only",
		"SELECT ?x { ?x :Win ?y { ?x :Win ?y FILTER(?z = :Ada) } }":              "?z is not bound by every solution of the group around the filter",
		"SELECT ?x { ?x :Win ?y . ?z :Field ?w }":                                "is not connected to the answer variable x",
		"SELECT ?probability { ?probability :Win ?y }":                           "adds ?probability to the results",
		"SELECT ?x { ?x :Win ?y } ORDER BY ?y":                                   "ORDER BY ?y, which is not selected",
		"SELECT (COUNT(*) AS ?n) { ?x :Win ?y }":                                 "expected COUNT(DISTINCT ?x)",
		"SELECT ?x { ?x :Win ?p MINUS { { ?x :Win ?p } UNION { ?x :Win ?q } } }": "?p is not bound by every solution on both sides of MINUS",
	} {
		_, err := Run(t.Context(), query, Dataset{Graph: g, Predictor: traversal{g}}, Options{Mode: Predict})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", query, err, want)
		}
	}
	if _, err := Run(t.Context(), "ASK {}", Dataset{Graph: g}, Options{Mode: Predict}); kg.KindOf(err) != kg.Invalid {
		t.Errorf("without a predictor: %v", err)
	}
}

func TestPredictForms(t *testing.T) {
	g := sparqltest.ReadTable(t, "Ada\tWin\tPrize\nBo\tWin\tPrize\nAda\tField\tLogic\n")
	for query, want := range map[string]string{
		"ASK { :Ada :Win :Prize }":                                      "true",
		"ASK { :Ada :Field :Logic ; :Win :Prize }":                      "true",
		"ASK { :Bo :Field :Logic }":                                     "false",
		"ASK { :Bo :Win/^:Win/:Field ?x }":                              "true",
		"SELECT (COUNT(?x) AS ?n) { ?x :Win :Prize }":                   `expected="2"^^<http://www.w3.org/2001/XMLSchema#double> n="2"^^<http://www.w3.org/2001/XMLSchema#integer>`,
		"SELECT ?known ?x { ?x :Win :Prize } ORDER BY DESC(?x) LIMIT 1": `known="true"^^<http://www.w3.org/2001/XMLSchema#boolean> probability="1"^^<http://www.w3.org/2001/XMLSchema#double> x=<urn:lacuna:Bo>`,
		"SELECT ?x ?y { ?x :Win ?p ; :Field ?y }":                       `known="true"^^<http://www.w3.org/2001/XMLSchema#boolean> probability="1"^^<http://www.w3.org/2001/XMLSchema#double> x=<urn:lacuna:Ada> y=<urn:lacuna:Logic>`,
	} {
		r, err := Run(t.Context(), query, Dataset{Graph: g, Predictor: traversal{g}}, Options{Mode: Predict})
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		if got := strings.Join(sparqltest.Lines(t, r), ";"); got != want {
			t.Errorf("%s\n got %s\nwant %s", query, got, want)
		}
	}
}

// Queries as large as the text may be must not take time that grows with its square.
func TestLargeQueries(t *testing.T) {
	data := grid(t, 3)
	for name, text := range map[string]string{
		"chain":    "SELECT ?v0 { " + repeat(4000, func(i int) string { return fmt.Sprintf("?v%d <x:p> ?v%d . ", i, i+1) }) + "}",
		"minus":    "SELECT ?v { ?v <x:p> ?w " + repeat(2500, func(int) string { return "MINUS { <x:q> <x:p> ?v } " }) + "}",
		"filters":  "SELECT ?v { ?v <x:p> ?w " + repeat(2500, func(i int) string { return fmt.Sprintf("FILTER(?v != <x:%d>) ", i) }) + "}",
		"unions":   "SELECT ?v { {}" + repeat(3000, func(int) string { return "UNION { ?v <x:p> ?v }" }) + "}",
		"brackets": "ASK { " + repeat(4000, func(int) string { return "[] <x:p> [] . " }) + "}",
		"groups":   "ASK { " + repeat(4000, func(int) string { return "{ ?v <x:p> ?w } " }) + "}",
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

func repeat(n int, part func(int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(part(i))
	}
	return b.String()
}
