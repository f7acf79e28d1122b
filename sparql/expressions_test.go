package sparql

import (
	"os"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/sparql/sparqltest"
)

// Expressions after section 17 of the recommendation and the XPath functions that it refers to. A
// line of the file is an expression, "=>" and the term that it gives, or "error".
func TestExpressions(t *testing.T) {
	text, err := os.ReadFile("testdata/expressions.txt")
	if err != nil {
		t.Fatal(err)
	}
	g := sparqltest.Read(t, "", read.Turtle)
	const prefixes = "PREFIX : <http://example.org/> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> BASE <http://example.org/base/> "
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		expression, want, ok := strings.Cut(line, " => ")
		if strings.HasPrefix(line, "#") || line == "" {
			continue
		}
		if !ok {
			t.Fatalf("%q: expected an expression, => and a term", line)
		}
		r, err := Run(t.Context(), prefixes+"SELECT ("+expression+" AS ?v) {}", Dataset{Graph: g}, Options{})
		if err != nil {
			t.Errorf("%s: %v", expression, err)
			continue
		}
		got := shortened(strings.TrimPrefix(strings.Join(sparqltest.Lines(t, r), " "), "v="))
		if got == "" {
			got = "error"
		}
		if got = strings.ReplaceAll(got, "http://www.w3.org/2001/XMLSchema#", "xsd:"); got != want {
			t.Errorf("%s: %s, want %s", expression, got, want)
		}
	}
}
