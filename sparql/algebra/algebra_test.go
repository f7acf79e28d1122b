package algebra_test

import (
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/sparql/algebra"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
)

// What queries become by the letter, and by the passes. All patterns are ASK { … } with the prefix "x:".
func TestAlgebra(t *testing.T) {
	for _, c := range []struct{ pattern, letter, better string }{
		{"", "join()", "join()"},
		{"?a <x:p>/^<x:q> ?b", "join(basic(?a <x:p> ?(path 2)), basic(?b <x:q> ?(path 2)))", "basic(?a <x:p> ?(path 2), ?b <x:q> ?(path 2))"},
		{"?a ?p ?b . _:n <x:p> 'text'", "join(basic(?a ?p ?b), basic(_:n <x:p> \"text\"))", "basic(?a ?p ?b, _:n <x:p> \"text\")"},
		{"?a <x:p> ?b { ?b <x:p> ?c { ?c <x:p> ?a } }", "join(basic(?a <x:p> ?b), join(basic(?b <x:p> ?c), basic(?c <x:p> ?a)))",
			"basic(?a <x:p> ?b, ?b <x:p> ?c, ?c <x:p> ?a)"},
		{"{} UNION { ?a <x:p> ?b . ?b <x:p> ?a }", "union(join(), join(basic(?a <x:p> ?b), basic(?b <x:p> ?a)))", "union(join(), basic(?a <x:p> ?b, ?b <x:p> ?a))"},
		{"{ {} UNION {} } ?a <x:p> ?b VALUES (?a ?b) { (<x:c> UNDEF) }",
			"join(union(join(), join()), basic(?a <x:p> ?b), table(?a ?b, <x:c> UNDEF))",
			""},
		{"?a <x:p> ?b MINUS { ?b <x:p> ?c }", "minus(basic(?a <x:p> ?b), basic(?b <x:p> ?c))", "minus(basic(?a <x:p> ?b), basic(?b <x:p> ?c) | by lookup)"},
		// ?b is not certain on the right side, so that it cannot be asked for.
		{"?a <x:p> ?b MINUS { { ?a <x:p> ?a } UNION { ?b <x:p> ?a } }", "minus(basic(?a <x:p> ?b), union(basic(?a <x:p> ?a), basic(?b <x:p> ?a)))", ""},
		{"?a <x:p> ?b FILTER(?a = <x:c> && !(?b IN (<x:d>, 'e')))",
			"filter(?a = <x:c>, not(?b in (<x:d>, \"e\")), basic(?a <x:p> ?b))",
			"filter(?a = <x:c>, not(?b in (<x:d>, \"e\")), basic(?a <x:p> ?b) | ?a is <x:c>)"},
		// Other literals may have the same value, ?c is never bound, and ?a may be anything where the group below takes from it.
		{"?a <x:p> ?b FILTER(?a = 1) FILTER(?c = <x:c>)", "filter(?a = \"1\"^^<http://www.w3.org/2001/XMLSchema#integer>, ?c = <x:c>, basic(?a <x:p> ?b))", ""},
		{"?a <x:p> ?b MINUS { ?c <x:p> ?a } FILTER(?a = <x:c>)",
			"filter(?a = <x:c>, minus(basic(?a <x:p> ?b), basic(?c <x:p> ?a)))",
			"minus(filter(?a = <x:c>, basic(?a <x:p> ?b) | ?a is <x:c>), basic(?c <x:p> ?a) | by lookup)"},
		// Conditions go down to what binds their variables, and no further.
		{"{ ?a <x:p> ?b } UNION { ?b <x:q> ?a } FILTER(?a = ?b) FILTER(?c = ?b)",
			"filter(?a = ?b, ?c = ?b, union(basic(?a <x:p> ?b), basic(?b <x:q> ?a)))",
			"union(filter(?a = ?b, ?c = ?b, basic(?a <x:p> ?b)), filter(?a = ?b, ?c = ?b, basic(?b <x:q> ?a)))"},
		{"?a <x:p> ?b OPTIONAL { ?b <x:q> ?c FILTER(?c < 3 && ?c < ?b) } FILTER(?a != ?b) FILTER(?c > 1)",
			"filter(not(?a = ?b), ?c > \"1\"^^<http://www.w3.org/2001/XMLSchema#integer>, leftjoin(basic(?a <x:p> ?b), basic(?b <x:q> ?c), ?c < \"3\"^^<http://www.w3.org/2001/XMLSchema#integer>, ?c < ?b))",
			"filter(?c > \"1\"^^<http://www.w3.org/2001/XMLSchema#integer>, leftjoin(filter(not(?a = ?b), basic(?a <x:p> ?b)), filter(?c < \"3\"^^<http://www.w3.org/2001/XMLSchema#integer>, ?c < ?b, basic(?b <x:q> ?c))))"},
		{"?a <x:p> ?b OPTIONAL { ?b <x:q> ?c } FILTER(!BOUND(?c) && !BOUND(?d))",
			"filter(not(bound(?c)), not(bound(?d)), leftjoin(basic(?a <x:p> ?b), basic(?b <x:q> ?c)))",
			"filter(not(bound(?d)), leftjoin(basic(?a <x:p> ?b), basic(?b <x:q> ?c) | missing))"},
		{"{ SELECT ?a { ?a <x:p> ?b } GROUP BY ?a HAVING(?a > 1 && COUNT(*) > 1) }",
			"project(?a, filter(every(?a > \"1\"^^<http://www.w3.org/2001/XMLSchema#integer>, ?(aggregate 2) > \"1\"^^<http://www.w3.org/2001/XMLSchema#integer>), group(?a, ?(aggregate 2) = count(all), basic(?a <x:p> ?b))))", ""},
		{"?a <x:p> ?b FILTER(?a = <x:c> || <x:d> = ?a || ?b = 'e' || ?a = ?b)",
			"filter(some(?a = <x:c>, <x:d> = ?a, ?b = \"e\", ?a = ?b), basic(?a <x:p> ?b))",
			"filter(some(?a in (<x:c>, <x:d>), ?b in (\"e\"), ?a = ?b), basic(?a <x:p> ?b))"},
		{"?a <x:p> ?b FILTER NOT EXISTS { ?a <x:q> ?c . ?c <x:q> ?b }",
			"filter(not(exists(join(basic(?a <x:q> ?c), basic(?c <x:q> ?b)))), basic(?a <x:p> ?b))",
			"filter(not(exists(basic(?a <x:q> ?c, ?c <x:q> ?b))), basic(?a <x:p> ?b))"},
	} {
		letter := translated(t, "ASK { "+c.pattern+" }")
		if got := letter.String(); got != "ask("+c.letter+")" {
			t.Errorf("%s\n got %s\nwant %s", c.pattern, got, c.letter)
		}
		if c.better == "" {
			c.better = c.letter
		}
		if got := algebra.Optimise(letter, algebra.Passes).String(); got != "ask("+c.better+")" {
			t.Errorf("%s, rewritten\n got %s\nwant %s", c.pattern, got, c.better)
		}
		if got := letter.String(); got != "ask("+c.letter+")" {
			t.Errorf("%s was changed in its place: %s", c.pattern, got)
		}
	}
}

// What is made of the rows of a pattern.
func TestModifiers(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT * { ?a <x:p> _:b }":                                           "project(?a, basic(?a <x:p> _:b))",
		"SELECT ?b ?c { ?a <x:p> ?b } ORDER BY ?c DESC(?a) LIMIT 3":           "slice(0, 3, project(?b, ?c, order(?c, descending ?a, basic(?a <x:p> ?b))))",
		"SELECT DISTINCT ?b { ?a <x:p> ?b } OFFSET 2":                         "slice(2, -1, distinct(project(?b, basic(?a <x:p> ?b))))",
		"SELECT (COUNT(DISTINCT ?a) AS ?n) (COUNT(*) AS ?m) { ?a <x:p> _:b }": "project(?n, ?m, extend(?n = ?(aggregate 4), ?m = ?(aggregate 5), group(?(aggregate 4) = count(distinct ?a), ?(aggregate 5) = count(all), basic(?a <x:p> _:b))))",
		// VALUES come after the groups (section 18.2.4.3).
		"SELECT (COUNT(?c) AS ?n) { ?a <x:p> ?b } VALUES ?a { <x:d> }":                        "project(?n, extend(?n = ?(aggregate 4), join(group(?(aggregate 4) = count(?c), basic(?a <x:p> ?b)), table(?a, <x:d>))))",
		"SELECT ?a { ?a <x:p> ?b } GROUP BY ?a HAVING(SUM(?b) > 1)":                           "project(?a, filter(?(aggregate 2) > \"1\"^^<http://www.w3.org/2001/XMLSchema#integer>, group(?a, ?(aggregate 2) = sum(?b), basic(?a <x:p> ?b))))",
		"CONSTRUCT { ?a <x:q> _:n } { ?a <x:p> ?b OPTIONAL { ?b <x:p> ?c FILTER(?c = ?a) } }": "construct(?a <x:q> _:n, leftjoin(basic(?a <x:p> ?b), basic(?b <x:p> ?c), ?c = ?a))",
		"DESCRIBE <x:d> ?a { BIND(STR(<x:e>) AS ?a) }":                                        "describe(<x:d>, ?a, extend(?a = STR(<x:e>), join()))",
		// Variables that a SELECT within does not give are its own.
		"SELECT ?a { ?a <x:p> ?b { SELECT ?a (?b + 1 AS ?c) { ?b <x:p>* ?a } } }": "project(?a, join(basic(?a <x:p> ?b), project(?a, ?c, extend(?c = ?b + \"1\"^^<http://www.w3.org/2001/XMLSchema#integer>, basic(?b <x:p>* ?a)))))",
	} {
		if got := translated(t, text).String(); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}

// What is SPARQL and needs more than one graph is refused by its name and place.
func TestRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"ASK { BIND(<x:f>(1) AS ?x) }":                                 "the function <x:f> is not known here",
		"ASK { { SELECT (<x:f>(1) AS ?x) {} } }":                       "the function <x:f> is not known here",
		"SELECT ?x {} ORDER BY <x:f>(?x)":                              "the function <x:f> is not known here",
		"ASK { FILTER(<http://www.w3.org/2001/XMLSchema#integer>()) }": "with 0 arguments, expected 1",
	} {
		q, err := syntax.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = algebra.Translate(q); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}

func translated(t *testing.T, text string) *algebra.Query {
	t.Helper()
	q, err := syntax.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	letter, err := algebra.Translate(q)
	if err != nil {
		t.Fatal(err)
	}
	return letter
}
