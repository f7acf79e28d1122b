package predict_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/sparql"
	"github.com/lacuna-kg/lacuna/sparql/predict"
	"github.com/lacuna-kg/lacuna/sparql/results"
	"github.com/lacuna-kg/lacuna/sparql/sparqltest"
)

// fading predicts every entity of a graph, whatever the question: the first is known, the next is likely, and so on to the last.
type fading struct{ graph *kg.Graph }

func (f fading) Predict(_ context.Context, q *query.Query, w predict.Wanted) (tuples []predict.Tuple, _ *results.Cut, _ error) {
	for e := range f.graph.NumEntities() {
		t := predict.Tuple{Probability: float32(int(1)<<(10-e)) / 1024, Known: e == 0}
		for range q.Answers {
			t.Entities = append(t.Entities, kg.Entity(e))
		}
		if t.Probability >= w.Least && (w.Most < 0 || len(tuples) < w.Most) && !(t.Known && w.Predicted) {
			tuples = append(tuples, t)
		}
		if len(q.Answers) == 0 {
			break
		}
	}
	return tuples, nil, nil
}

// Filters, BIND, ORDER BY, HAVING and SELECT look at probabilities, and at whether answers are known.
func TestProbabilityInExpressions(t *testing.T) {
	g := sparqltest.Read(t, `@prefix : <x:> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
		:a :knows :b . :b :knows :c . :c :knows :d . :d :knows :a . :b rdfs:label "Bee"@en, "Biene"@de .`, read.Turtle)
	for text, want := range map[string]string{
		"SELECT ?x { ?x :knows :a }":                                                                  "a 1 true|b 0.5 false|c 0.25 false|d 0.125 false",
		"SELECT ?x { ?x :knows :a FILTER(!?known) }":                                                  "b 0.5 false|c 0.25 false|d 0.125 false",
		"SELECT ?x { ?x :knows :a FILTER(?known = false) } LIMIT 1":                                   "b 0.5 false",
		"SELECT ?x { ?x :knows :a FILTER(!?known && ?probability < 0.3) } LIMIT 1":                    "c 0.25 false",
		"SELECT ?x { ?x :knows :a FILTER(?known) }":                                                   "a 1 true",
		"SELECT ?x { ?x :knows :a FILTER(?probability >= 0.25) }":                                     "a 1 true|b 0.5 false|c 0.25 false",
		"SELECT ?x { ?x :knows :a FILTER(0.25 < ?probability) }":                                      "a 1 true|b 0.5 false",
		"SELECT ?x { ?x :knows :a FILTER(?probability > 0.2 || ?x = :d) FILTER(?known || ?x != :b) }": "a 1 true|c 0.25 false|d 0.125 false",
		"SELECT ?x { ?x :knows :a } ORDER BY ABS(?probability - 0.3) LIMIT 2":                         "c 0.25 false|d 0.125 false",
		"SELECT ?x { ?x :knows :a } ORDER BY ?known DESC(STR(?x)) LIMIT 2":                            "d 0.125 false|c 0.25 false",
		"SELECT ?x ?p { ?x :knows :a BIND(?probability * 8 AS ?p) FILTER(?p > 1) } OFFSET 1":          "b 4.0E0 0.5 false|c 2.0E0 0.25 false",
		"SELECT ?s { ?x :knows :a BIND(IF(?x = :c, 'c', 'others') AS ?s) FILTER(!?known) }":           "others 0.5 false|c 0.25 false",
		"SELECT ?x (1 - ?probability AS ?q) { ?x :knows :a FILTER(?probability < 0.2) }":              "d 8.75E-1 0.125 false",
		"SELECT ?x (STRLEN(STR(?x)) AS ?n) (?n + 1 AS ?m) { ?x :knows :a } LIMIT 1":                   "a 3 4 1 true",
		"SELECT * { ?x :knows :a BIND(?known AS ?k) } LIMIT 1":                                        "a true 1 true",
		"SELECT ?x { BIND(:a AS ?y) ?x :knows ?y FILTER(?probability = 0.25) }":                       "c 0.25 false",
		"SELECT ?x { ?x :knows :a ; rdfs:label ?l FILTER(LANG(?l) = 'de') }":                          "b 0.5 false",
		"SELECT ?l { ?x :knows :a ; rdfs:label ?l FILTER(STRLEN(?l) > 3 && !?known) }":                "Biene 0.5 false",
		"SELECT (COUNT(?x) AS ?n) { ?x :knows :a FILTER(!?known) }":                                   "1 0.875",
		"SELECT (COUNT(?x) AS ?n) { ?x :knows :a FILTER(?probability > 0.2) }":                        "3 1.75",
		"SELECT ?known (COUNT(?x) AS ?n) { ?x :knows :a } GROUP BY ?known HAVING(?expected < 1)":      "false 1 0.875",
	} {
		r, err := sparql.Run(t.Context(), "PREFIX : <x:> "+text, sparql.Dataset{Graph: g, Predictor: fading{g}}, sparql.Options{Mode: sparql.Predict})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := table(t, r); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
	r, err := sparql.Run(t.Context(), "SELECT ?x { ?x <x:knows> <x:a> } LIMIT 2", sparql.Dataset{Graph: g, Predictor: fading{g}}, sparql.Options{Mode: sparql.Predict, Predicted: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := table(t, r); got != "b 0.5 false|c 0.25 false" {
		t.Errorf("without what is known: %s", got)
	}
}

// table writes rows in their order.
func table(t *testing.T, r *results.Results) string {
	var rows []string
	for row, err := range r.Rows {
		if err != nil {
			t.Fatal(err)
		}
		var cells []string
		for _, c := range row {
			cells = append(cells, strings.TrimPrefix(c.Value, "x:"))
		}
		rows = append(rows, strings.Join(cells, " "))
	}
	return strings.Join(rows, "|")
}

// ASK with a condition on its probability, which is that of the whole.
func TestAskOfProbability(t *testing.T) {
	g := sparqltest.ReadNTriples(t, "<x:a> <x:knows> <x:b> .\n")
	for text, want := range map[string]bool{
		"ASK { <x:a> <x:knows> <x:b> FILTER(?probability > 0.9) }":                               true,
		"ASK { <x:a> <x:knows> <x:b> FILTER(?known) }":                                           true,
		"ASK { <x:a> <x:knows> <x:b> FILTER(!?known) }":                                          false,
		"ASK { ?x <x:knows> <x:b> FILTER(?probability < 0.9) }":                                  false,
		"ASK { ?x <x:knows> ?y BIND(STRLEN(STR(?x)) AS ?n) FILTER(?n = 3) }":                     true,
		"ASK { ?x <x:knows> ?y BIND(STRLEN(STR(?x)) AS ?n) FILTER(?n = 3 && ?probability < 1) }": false,
	} {
		r, err := run(t, g, text, predict.Limits{})
		if err != nil || r.Truth != want || (*r.Probability > 0) != want {
			t.Errorf("%s: %+v, %v, want %v", text, r, err, want)
		}
	}
}

// CONSTRUCT states what reaches the threshold.
func TestConstructPredicts(t *testing.T) {
	g := sparqltest.ReadNTriples(t, "<x:a> <x:knows> <x:b> .\n<x:b> <x:knows> <x:c> .\n")
	for text, want := range map[string]string{
		"CONSTRUCT { ?x <x:knows> <x:a> } { ?x <x:knows> <x:a> }":                                                     "a knows a|b knows a",
		"CONSTRUCT { ?x <x:knows> <x:a> } { ?x <x:knows> <x:a> FILTER(!?known) }":                                     "b knows a",
		"CONSTRUCT { ?x <x:p> ?probability } { ?x <x:knows> <x:a> FILTER(?probability < 0.6 && ?probability > 0.1) }": "b p 0.5|c p 0.25",
		"CONSTRUCT WHERE { ?x <x:knows> <x:a> } LIMIT 1":                                                              "a knows a",
		"CONSTRUCT { ?x <x:is> ?k ; ?unbound <x:a> } { ?x <x:knows> <x:a> BIND(?known AS ?k) } ORDER BY ?x LIMIT 1":   "a is true",
	} {
		r, err := sparql.Run(t.Context(), text, sparql.Dataset{Graph: g, Predictor: fading{g}}, sparql.Options{Mode: sparql.Predict})
		if err != nil || !r.Graph {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := strings.Split(strings.ReplaceAll(table(t, r), " x:", " "), "|")
		slices.Sort(got)
		if strings.Join(got, "|") != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}

func TestExpressionsRefused(t *testing.T) {
	g := sparqltest.ReadNTriples(t, "<x:a> <x:knows> <x:b> .\n")
	for text, want := range map[string]string{
		"SELECT ?x { ?x <x:knows> ?y BIND(?y AS ?z) ?z <x:knows> ?w }":                       "?z is computed by BIND and asked of elsewhere",
		"SELECT ?x { BIND(STR(?x) AS ?z) ?x <x:knows> ?y }":                                  "sparql:1:13: ?x has a value only after BIND",
		"SELECT ?x { ?x <x:knows> ?y BIND(1 AS ?probability) }":                              "adds ?probability to the results",
		"SELECT ?x { ?x <x:knows> ?y FILTER(?probability > 0.5 || EXISTS { ?y ?p ?q }) }":    "EXISTS in an expression of probabilities",
		"SELECT ?x { { ?x <x:knows> ?y BIND(STR(?x) AS ?z) } }":                              "BIND within another part",
		"SELECT ?x { GRAPH ?g { ?x <x:knows> ?y } }":                                         "GRAPH cannot be predicted: facts are predicted from all graphs together",
		"SELECT ?x { SERVICE <x:s> { ?x <x:knows> ?y } }":                                    "SERVICE cannot be predicted: other servers give no probabilities",
		"DESCRIBE ?x { ?x <x:knows> ?y }":                                                    "DESCRIBE gives what the graph states",
		"SELECT ?x { ?x <x:knows> ?y } ORDER BY STR(?y)":                                     "ORDER BY ?y, which is not selected",
		"SELECT ?x { { ?x <x:knows> ?y FILTER(?probability > 0.5) } UNION { ?x <x:p> ?y } }": "adds ?probability to the results",
	} {
		_, err := run(t, g, text, predict.Limits{})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(text, "GRAPH") && strings.Contains(err.Error(), "exact") {
			t.Errorf("%s\n got %v\nwant %s", text, err, want)
		}
	}
}
