package eval

import (
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/sparql/sparqltest"
)

// The plan of a query names the order in which its triples are matched, from what is known to what is
// not, and has the true numbers.
func TestPlan(t *testing.T) {
	g := sparqltest.ReadNTriples(t, `<x:a> <x:p> <x:b> .
<x:b> <x:p> <x:c> .
<x:b> <x:q> <x:d> .
<x:c> <x:q> <x:d> .
<x:c> <x:q> <x:e> .
`)
	p, err := Explain(t.Context(), parse(t, "SELECT ?x { ?x <x:q> ?y . <x:a> <x:p> ?x OPTIONAL { ?x <x:p> ?z } FILTER(?x != ?y) } LIMIT 5"), Dataset{Graph: g}, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	want := `   estimated         rows       runs
           1            1          1  slice: 5 from 0 on
           1            1          1    project: ?x
           1            1          1      leftjoin
           1            1          1        filter: not(?x = ?y)
           1            1                     meet at ?x: <x:a> <x:p> ?x
           1            1                     meet at ?y: ?x <x:q> ?y, 1 condition
           2            1          1        basic: 1 triple
           1            1                     meet at ?z: ?x <x:p> ?z
`
	got := p.String()
	if strip(got) != strip(want) {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// strip drops the estimates, which may change, and spaces.
func strip(plan string) string {
	var b strings.Builder
	for line := range strings.Lines(plan) {
		if fields := strings.Fields(line); len(fields) > 1 {
			b.WriteString(strings.Join(fields[1:], " ") + "\n")
		}
	}
	return b.String()
}

// A cycle is closed where two lists meet.
func TestOrderFollowsWhatIsKnown(t *testing.T) {
	g := sparqltest.Grid(t, 20)
	p, err := Explain(t.Context(), parse(t, "SELECT (COUNT(*) AS ?n) { ?a <x:p> ?b . ?b <x:p> ?c . ?a <x:p> ?c }"), Dataset{Graph: g}, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if text := p.String(); strings.Count(text, "meet at") != 2 || strings.Count(text, "scan for") != 1 || !strings.Contains(text, " . ") {
		t.Errorf("a triangle is to be scanned for once, and two lists are to meet:\n%s", text)
	}
}
