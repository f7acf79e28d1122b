package sparql

import (
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/sparql/sparqltest"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
)

const labelledGraph = `@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix : <http://x.org/> .
:a rdfs:label "Ada" ; :knows :b, :c . :b rdfs:label "Bo" ; :knows :d . :c :knows :a . :d rdfs:label "Bo" ; :likes :a . :e rdfs:label "Eve"@en ; :knows :d .`

const labelPrefixes = "PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> PREFIX : <http://x.org/> "

// TestPredictLabels holds labels in the predict mode to those of the exact one.
func TestPredictLabels(t *testing.T) {
	data := Dataset{Graph: sparqltest.Read(t, labelledGraph, read.Turtle)}
	data.Predictor = sparqltest.Traversal{Graph: data.Graph}
	for _, text := range []string{
		`SELECT ?y { ?x rdfs:label "Ada" ; :knows ?y }`,
		`SELECT ?y { ?x rdfs:label "Bo" . ?x :knows|:likes ?y }`,
		`SELECT ?x ?l { ?x :knows ?y . ?x rdfs:label ?l }`,
		`SELECT DISTINCT ?l { ?x :knows ?y . ?y rdfs:label ?l } ORDER BY DESC(?l)`,
		`SELECT ?x ?l { ?x :knows ?y . ?y rdfs:label ?l FILTER(?l != "Ada") }`,
		`SELECT ?x ?l { ?x :knows ?y . ?y rdfs:label ?l FILTER(LANG(?l) = "") }`,
		`SELECT * { ?x :knows :d . ?x rdfs:label ?l }`,
		`SELECT ?x ?k ?y ?l { ?x :knows ?y . ?x rdfs:label ?k . ?y rdfs:label ?l }`,
		`SELECT ?x { { ?x rdfs:label "Ada" } UNION { ?x :knows :a } }`,
		`SELECT ?x { ?x :knows ?y MINUS { ?y rdfs:label "Bo" } }`,
		`SELECT ?x { ?x :knows ?y FILTER NOT EXISTS { ?x rdfs:label "Ada" } }`,
		`SELECT ?x { ?x :knows :d . :d rdfs:label "Bo" }`,
		`SELECT ?x { ?x :knows :d . :d rdfs:label "Ada" }`,
		`ASK { ?x rdfs:label "Ada" ; :knows ?y . ?y rdfs:label "Bo" }`,
		`ASK { ?x rdfs:label "Eve"@EN ; :likes ?y }`,
		`SELECT (COUNT(DISTINCT ?x) AS ?n) { ?x :knows ?y . ?y rdfs:label "Bo" }`,
	} {
		q, err := syntax.Parse(labelPrefixes + text)
		if err != nil {
			t.Fatal(err)
		}
		q.Distinct = q.Form == syntax.SelectForm && !q.Grouped()
		var lines [2][]string
		for i, mode := range []Mode{Predict, Exact} {
			results, err := RunQuery(t.Context(), q, data, Options{Mode: mode})
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			lines[i] = withoutAdded(sparqltest.Lines(t, results))
			slices.Sort(lines[i])
		}
		// ?l alone stands for several entities of one label, each with a probability of its own.
		if got := slices.Compact(lines[0]); !slices.Equal(got, lines[1]) {
			t.Errorf("%s\npredict %q\nexact   %q", text, got, lines[1])
		}
	}
}

func TestPredictRefusesLabels(t *testing.T) {
	data := Dataset{Graph: sparqltest.Read(t, labelledGraph, read.Turtle)}
	data.Predictor = sparqltest.Traversal{Graph: data.Graph}
	for text, want := range map[string]string{
		`SELECT ?x { ?x :knows ?y . ?y rdfs:label "Ad" }`:                                     `no entity has the label "Ad"`,
		`SELECT ?x { ?x :knows ?y . ?y rdfs:label "ada" }`:                                    `no entity has the label "ada" (did you mean "Ada"?)`,
		`SELECT ?x { ?x :knows ?y . ?y rdfs:label "Ada"@en }`:                                 `no entity has the label "Ada"@en (did you mean "Ada"?)`,
		`SELECT ?x { ?x :knows ?y . ?y rdfs:label "eve" }`:                                    `no entity has the label "eve" (did you mean "Eve"@en?)`,
		`SELECT ?x { ?x :knows ?y . ?y rdfs:label ?l }`:                                       "the label ?l is not selected",
		`ASK { ?x :knows ?y . ?y rdfs:label ?l }`:                                             "the label ?l is not selected",
		`SELECT ?x ?l { ?x :knows ?y . ?x rdfs:label ?l . ?y rdfs:label ?l }`:                 "expected one variable that ?l is the label of",
		`SELECT ?x ?l { ?x :knows ?y . :a rdfs:label ?l }`:                                    "expected one variable that ?l is the label of",
		`SELECT ?x ?l { { ?x :knows ?y . ?x rdfs:label ?l } UNION { ?x :likes ?y } }`:         "the label ?l can only be selected",
		`SELECT ?l { ?x :knows/rdfs:label ?l }`:                                               "rdfs:label within a longer path",
		`SELECT ?x ?l { ?x rdfs:label ?l }`:                                                   "?x is not bound by every solution",
		`SELECT ?x ?l { ?x :knows ?y . ?x rdfs:label ?l FILTER NOT EXISTS { ?x :likes ?l } }`: "?l is a label",
	} {
		q, err := syntax.Parse(labelPrefixes + text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = RunQuery(t.Context(), q, data, Options{Mode: Predict}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s gave %v, expected %q in it", text, err, want)
		}
	}
}
