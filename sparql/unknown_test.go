package sparql

import (
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/sparql/sparqltest"
)

// TestUnknownNames has an empty result say which names the graph lacks; one that is not empty says nothing.
func TestUnknownNames(t *testing.T) {
	const text = `@prefix : <http://x/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
		:hinton :teaches :bengio ; rdfs:label "Hinton"@en . :g { :bengio :teaches :lecun }`
	data := Dataset{Graph: sparqltest.Read(t, text, read.TriG)}
	const hinton = "no entity <http://x/hintom> in the graph (did you mean <http://x/hinton>?)"
	for query, want := range map[string][]string{
		"SELECT * { :hinton :teaches ?x }":                                     nil,
		"SELECT * { :bengio :teaches :hinton }":                                nil, // all of them are there
		"SELECT * { :hintom :teaches ?x }":                                     {hinton},
		"SELECT * { :hintom :teches ?x . :hintom :teches ?y }":                 {hinton, "no relation <http://x/teches> in the graph"},
		"SELECT * { :hinton :teaches/(:of|^:at+) ?x }":                         {"no relation <http://x/of>", "no relation <http://x/at>"},
		"ASK { ?x rdfs:label 'Hinton' }":                                       {`no entity "Hinton" in the graph`},
		"ASK { ?x rdfs:label 'Hinton'@en }":                                    nil,
		"SELECT (COUNT(*) AS ?n) { ?x :teches ?y }":                            {"no relation <http://x/teches>"},
		"SELECT * { ?x :teaches ?y OPTIONAL { ?x :teches ?z } }":               nil,
		"SELECT * { VALUES ?x { :hintom UNDEF } ?x :teaches :hinton }":         {hinton},
		"SELECT * { GRAPH :h { ?x :teaches ?y } }":                             {"GRAPH <http://x/h>: no graph has that name; there are 1 that have one, such as <http://x/g>"},
		"SELECT * FROM NAMED :g { GRAPH :g { ?x :teaches ?y } }":               nil,
		"SELECT * FROM :h { ?x :teaches ?y }":                                  {"FROM <http://x/h>: no graph has that name"},
		"ASK FROM :h {}":                                                       {"FROM <http://x/h>: no graph has that name"},
		"SELECT * { ?x :teaches ?y FILTER NOT EXISTS { ?x :teaches ?y } }":     nil,
		"SELECT * { ?x :teaches ?y FILTER EXISTS { ?x :teches ?y } }":          {"no relation <http://x/teches>"},
		"DESCRIBE :hintom":                                                     {hinton},
		"CONSTRUCT { ?x :new ?y } { ?x :teches ?y }":                           {"no relation <http://x/teches>"},
		"SELECT * { { SELECT ?x { ?x :teches ?y } } }":                         {"no relation <http://x/teches>"},
		"SELECT * { ?x :a ?y ; :b ?y ; :c ?y ; :d ?y ; :e ?y ; :f ?y ; :g ?y}": {":", ":", ":", ":", ":"},
	} {
		found, err := Run(t.Context(), query, data, Options{})
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		if !found.Ask {
			sparqltest.Lines(t, found)
		}
		got := found.Warned()
		for i, text := range got {
			if i >= len(want) || !strings.Contains(text, want[i]) {
				t.Errorf("%s warns %q, want %q", query, got, want)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s warns %q, want %q", query, got, want)
		}
	}
}
