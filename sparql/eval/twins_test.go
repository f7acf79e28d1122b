package eval

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/sparql/sparqltest"
)

// ?x = ?y joins by value, whatever the types, with as many solutions as trying every pair, and without doing that.
func TestEqualValuesAreLookedUp(t *testing.T) {
	forms := []string{"%d", "%d.0", "%de0", `"%d"^^xsd:float`, `"%d"^^xsd:byte`, `"%d"`, `"%d"@en`, `"%d"@EN`, ":n%d", `"200%d-01-01T00:00:00Z"^^xsd:dateTime`, `"200%d-01-01T01:00:00+01:00"^^xsd:dateTime`,
		`"200%d-01-01"^^xsd:date`, `"P%dD"^^xsd:dayTimeDuration`, `"%d"^^:type`, `"x%d"^^xsd:integer`, `"NaN"^^xsd:double, %d`, `true, "%d"^^xsd:boolean`}
	var turtle strings.Builder
	turtle.WriteString("@prefix : <http://x/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n")
	for i, form := range forms {
		for n := range 10 {
			fmt.Fprintf(&turtle, ":a%d_%d :p "+form+" . :b%d_%d :q "+form+" .\n", i, n, n, i, n, n)
		}
	}
	g := sparqltest.Read(t, turtle.String(), read.Turtle)
	const pattern = "SELECT ?a ?b { ?a <http://x/p> ?x . ?b <http://x/q> ?y FILTER(%s) }"
	lines := func(condition string, limits Limits) []string {
		r, err := Run(t.Context(), parse(t, fmt.Sprintf(pattern, condition)), Dataset{Graph: g}, limits)
		if err != nil {
			t.Fatal(err)
		}
		list := sparqltest.Lines(t, r)
		slices.Sort(list)
		return list
	}
	got, want := lines("?x = ?y", Limits{Work: 8000}), lines("!(?x != ?y)", Limits{})
	if !slices.Equal(got, want) || len(want) < 200 {
		t.Errorf("%d pairs are equal, want %d", len(got), len(want))
	}
	p, err := Explain(t.Context(), parse(t, fmt.Sprintf(pattern, "?x = ?y")), Dataset{Graph: g}, Limits{})
	if err != nil || !strings.Contains(p.String(), "join by value: ?x = ?y") {
		t.Errorf("%v\n%s", err, p)
	}
}
