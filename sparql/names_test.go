package sparql

import (
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/sparql/sparqltest"
)

// A graph of a table: plain names, looked for in all the ways that mean them.
func TestPlainNames(t *testing.T) {
	g := sparqltest.ReadTable(t, "Alan Turing\tknown for\tTuring machine\nAlan Turing\tborn in\tLondon (UK)\n")
	for _, query := range []string{
		`SELECT ?x { ?x :born%20in :London%20\(UK\) }`,
		`SELECT ?x { ?x <born%20in> <London%20(UK)> }`,
		`SELECT ?x { ?x <urn:lacuna:born%20in> <urn:lacuna:London%20%28UK%29> }`,
		`PREFIX l: <urn:lacuna:London> SELECT ?x { ?x :born%20in l:%20%28UK%29 }`,
		`BASE <urn:lacuna:> SELECT ?x { ?x <born%20in> <London%20(UK)> }`,
		`SELECT ?x { :London%20%28UK%29 ^:born%20in ?x }`,
	} {
		r, err := Run(t.Context(), query, Dataset{Graph: g}, Options{})
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		if got := strings.Join(sparqltest.Lines(t, r), ";"); got != "x=<urn:lacuna:Alan%20Turing>" {
			t.Errorf("%s gives %s", query, got)
		}
	}
}
