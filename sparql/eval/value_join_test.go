package eval

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/sparql/sparqltest"
)

// people is a graph of two kinds of people, who share names of two forms.
func people(t *testing.T) *kg.Graph {
	var turtle strings.Builder
	turtle.WriteString("@prefix : <http://x/> .\n")
	for i := range 60 {
		fmt.Fprintf(&turtle, ":a%d a :Author ; :age %d ; :size %d.0 . :b%d a :Buyer ; :age %d.0 ; :likes :a%d .\n", i, i%7, i%5, i, i%6, i%9)
	}
	return sparqltest.Read(t, turtle.String(), read.Turtle)
}

// TestJoinByValue compares joins by value with the same filters said otherwise, which are tried pair by pair.
func TestJoinByValue(t *testing.T) {
	g := people(t)
	lines := func(query string, limits Limits) []string {
		r, err := Run(t.Context(), parse(t, "PREFIX : <http://x/> "+query), Dataset{Graph: g}, limits)
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		list := sparqltest.Lines(t, r)
		slices.Sort(list)
		return list
	}
	for _, pattern := range []string{
		"SELECT * { ?x a :Author ; :age ?n . ?y a :Buyer ; :age ?m FILTER(%s) }",
		"SELECT * { ?x a :Author ; :age ?n ; :size ?s . ?y a :Buyer ; :age ?m ; :likes ?z FILTER(?s < 3) FILTER(?z != ?x) FILTER(?m > 1) FILTER(%s) }",
		"SELECT * { ?x a :Author ; :age ?n . ?y a :Buyer ; :age ?m . ?z a :Author ; :size ?k FILTER(?k = ?m) FILTER(?z = :a3) FILTER(%s) }",
		"SELECT ?x { ?x a :Author ; :age ?n FILTER EXISTS { ?y :likes ?x . ?x :age ?n . ?z a :Buyer ; :age ?m FILTER(%s) } }",
		"SELECT * { ?x :likes :a1 OPTIONAL { ?y a :Author ; :age ?n . ?z a :Buyer ; :age ?m . ?x :likes ?w FILTER(%s) } }",
		"SELECT * { VALUES ?n { 1 2 } ?x a :Author ; :age ?n . ?y a :Buyer ; :age ?m FILTER(%s) }",
	} {
		want := lines(fmt.Sprintf(pattern, "!(?n != ?m)"), Limits{})
		for _, memory := range []int{0, 20000, 2500} { // what does not fit is matched as one pattern
			if got := lines(fmt.Sprintf(pattern, "?n = ?m"), Limits{Memory: memory}); !slices.Equal(got, want) || len(want) == 0 {
				t.Errorf("%s with %d words: %d rows, want %d", pattern, memory, len(got), len(want))
			}
		}
	}
}

// TestJoinByValueStops wants the first rows without all others, and none after an error.
func TestJoinByValueStops(t *testing.T) {
	g := people(t)
	const query = "PREFIX : <http://x/> SELECT * { ?x a :Author ; :age ?n . ?y a :Buyer ; :age ?m FILTER(?n = ?m) } "
	p, err := Explain(t.Context(), parse(t, query+"LIMIT 3"), Dataset{Graph: g}, Limits{})
	if err != nil || p.Rows != 3 || !strings.Contains(p.String(), "join by value: ?n = ?m") {
		t.Errorf("%v\n%s", err, p)
	}
	r, err := Run(t.Context(), parse(t, query), Dataset{Graph: g}, Limits{Work: 300})
	if err == nil {
		err = r.Write(new(strings.Builder), "csv")
	}
	if kg.KindOf(err) != kg.TooLarge {
		t.Errorf("a join of more steps than its limit: %v", err)
	}
}
