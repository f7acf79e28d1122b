package read_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
)

// The namespaces that the root of RDF/XML declares are known as the prefixes of Turtle are.
func TestRDFXMLPrefixes(t *testing.T) {
	const text = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:f="http://films.org/" xml:base="http://films.org/">
<rdf:Description rdf:about="fellini" xmlns:inner="http://inner.org/"><f:directed rdf:resource="roma"/></rdf:Description></rdf:RDF>`
	splits, err := read.Stream(t.Context(), strings.NewReader(text), "films.rdf", read.Options{Format: read.RDFXML})
	if err != nil {
		t.Fatal(err)
	}
	want := []kg.Prefix{{Name: "f", IRI: "http://films.org/"}, {Name: "rdf", IRI: "http://www.w3.org/1999/02/22-rdf-syntax-ns#"}}
	if got := splits.Train.Prefixes; !slices.Equal(got, want) {
		t.Errorf("prefixes %v, want %v", got, want)
	}
}
