package sparql

import (
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/sparql/sparqltest"
)

// TestMatches finds entities by words of their names, beside all other patterns.
func TestMatches(t *testing.T) {
	const text = `@prefix : <http://x/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
		:q1 rdfs:label "Geoffrey Hinton" ; :field :ai . :q2 rdfs:label "Martin Hinton" ; :field :law . :q3 rdfs:label "Yann LeCun" ; :field :ai .
		:ai rdfs:label "artificial intelligence" . :law rdfs:label "law" .`
	data := Dataset{Graph: sparqltest.Read(t, text, read.Turtle)}
	const search = "PREFIX fn: <urn:lacuna:fn/> "
	for query, want := range map[string]string{
		"SELECT ?x { ?x fn:matches 'hinton' }":                                       "q1 q2",
		"SELECT ?x { ?x fn:matches 'HINT' ; :field :ai }":                            "q1",
		"SELECT ?x { ?x :field ?f . ?f fn:matches 'intelligence' }":                  "q1 q3",
		"SELECT ?x { ?x :field ?f FILTER NOT EXISTS { ?x fn:matches 'hinton' } }":    "q3",
		"SELECT ?x { ?x :field ?f MINUS { ?x fn:matches 'hinton' } }":                "q3",
		"SELECT ?x { { ?x fn:matches 'lecun' } UNION { ?x fn:matches 'martin' } }":   "q2 q3",
		"SELECT ?x { { SELECT ?x { ?x fn:matches 'hinton' } } ?x :field :law }":      "q2",
		"SELECT ?x { ?x :field ?f OPTIONAL { ?f fn:matches 'law' } FILTER(?f=:law)}": "q2",
		"SELECT ?x { ?x fn:matches 'nobody' }":                                       "",
	} {
		found, err := Run(t.Context(), search+query, data, Options{})
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		var got []string
		for _, line := range sparqltest.Lines(t, found) {
			got = append(got, strings.TrimSuffix(strings.TrimPrefix(line, "x=<http://x/"), ">"))
		}
		if slices.Sort(got); strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %s", query, got, want)
		}
	}
	for _, query := range []string{"ASK { ?x fn:matches ?y }", "ASK { :q1 fn:matches 'x' }", "ASK { ?x fn:matches :q1 }"} {
		if _, err := Run(t.Context(), search+query, data, Options{}); err == nil || !strings.Contains(err.Error(), "expected a variable before it and a text behind it") {
			t.Errorf("%s: %v", query, err)
		}
	}
}
