package term

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"Turing Award":             "<urn:lacuna:Turing%20Award>",
		"/people/person":           "<urn:lacuna:/people/person>",
		"Zürich":                   "<urn:lacuna:Zürich>",
		"50%":                      "<urn:lacuna:50%25>",
		"R&D?#<x>":                 "<urn:lacuna:R&D%3F%23%3Cx%3E>",
		"http://example.org/a":     "<http://example.org/a>",
		"Star Wars: A New Hope":    "<urn:lacuna:Star%20Wars:%20A%20New%20Hope>",
		"urn:lacuna:a":             "<urn:lacuna:urn:lacuna:a>",
		"_:node1":                  "_:node1",
		"_:not a node":             "<urn:lacuna:_:not%20a%20node>",
		`"text"`:                   `"text"`,
		`"a \"b\" \\ c"@en-GB`:     `"a \"b\" \\ c"@en-GB`,
		`"1"^^<http://a.org/type>`: `"1"^^<http://a.org/type>`,
		`"no literal`:              "<urn:lacuna:%22no%20literal>",
		`"a" and "b"`:              "<urn:lacuna:%22a%22%20and%20%22b%22>",
		`"tab\t"`:                  "<urn:lacuna:%22tab%5Ct%22>", // N-Triples names hold the tab itself
		"":                         "<urn:lacuna:>",
	} {
		if got := OfEntity(name).String(); got != want {
			t.Errorf("%q is %s, want %s", name, got, want)
		}
		checkName(t, name)
	}
}

// checkName wants a graph of one name to be found again by its term, and by no other reading of it.
func checkName(t *testing.T, name string) {
	t.Helper()
	term := OfEntity(name)
	if got := EntityName(term); got != name {
		t.Errorf("%q becomes %v, which is the name %q", name, term, got)
	}
	if got := CanonicalIRI(term.Value); term.Kind == IRI && got != term.Value {
		t.Errorf("%v is not in the form that queries give it: %s", term, got)
	}
	if r := OfRelation(name); iriName(r.Value) != name {
		t.Errorf("the relation %q becomes %v, which is the name %q", name, r, iriName(r.Value))
	}
}

func FuzzNames(f *testing.F) {
	for _, seed := range []string{"Turing Award", `"a"@en`, "_:b", "urn:lacuna:%20", "a:b", `"\\"`, "é%"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if !utf8.ValidString(name) || strings.ContainsRune(name, 0) {
			return // no name of a graph
		}
		checkName(t, name)
	})
}
