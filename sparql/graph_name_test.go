package sparql

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/sparql/sparqltest"
)

// TestFrom takes FROM for what it is where it names the graph that is asked, and tells where not.
func TestFrom(t *testing.T) {
	path, err := filepath.Abs("data/my films.ttl")
	if err != nil {
		t.Fatal(err)
	}
	data := Dataset{Graph: sparqltest.Read(t, "@prefix : <http://x/> . :a :p :b .", read.Turtle), Name: "data/my films.ttl"}
	for query, want := range map[string]string{
		"SELECT ?x FROM <my%20films.ttl> { ?x ?p ?y }":                                                        "",
		"SELECT ?x FROM <data/my%20films.ttl> FROM <urn:x-rdflib:default> { ?x ?p ?y }":                       "",
		"SELECT ?x FROM <file://" + filepath.ToSlash(strings.ReplaceAll(path, " ", "%20")) + "> { ?x ?p ?y }": "",
		"CONSTRUCT FROM <my%20films.ttl> WHERE { ?x ?p ?y }":                                                  "",
		"ASK FROM <http://x/my%20films.ttl> { ?x ?p ?y }":                                                     "sparql:1:5: FROM <http://x/my%20films.ttl>: there is one graph here, called my films.ttl; leave it out",
		"ASK FROM <file:///my%20films.ttl> { ?x ?p ?y }":                                                      "FROM <file:///my%20films.ttl>: there is one graph here",
		"ASK FROM NAMED <my%20films.ttl> { ?x ?p ?y }":                                                        "FROM NAMED",
	} {
		found, err := Run(t.Context(), query, data, Options{})
		if want != "" && err == nil {
			if told := strings.Join(found.Warned(), "; "); !strings.Contains(told, want) {
				t.Errorf("%s: %q, want %s", query, told, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", query, err)
		} else if lines := sparqltest.Lines(t, found); len(lines) != 1 {
			t.Errorf("%s: %q", query, lines)
		}
	}
}
