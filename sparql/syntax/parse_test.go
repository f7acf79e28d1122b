package syntax_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/sparqltest"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
)

func TestParsePrints(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`select ?x where { ?x a :Turing%20Award }`,
			"SELECT ?x WHERE {\n  ?x <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:lacuna:Turing%20Award> .\n}\n"},
		{"PREFIX f: <http://f.org/> ASK{f:a f:b f:c;f:d 1,-2.5,3e0,true,'x'@en-GB,\"y\"^^f:t.}",
			"ASK {\n" +
				"  <http://f.org/a> <http://f.org/b> <http://f.org/c> .\n" +
				"  <http://f.org/a> <http://f.org/d> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n" +
				"  <http://f.org/a> <http://f.org/d> \"-2.5\"^^<http://www.w3.org/2001/XMLSchema#decimal> .\n" +
				"  <http://f.org/a> <http://f.org/d> \"3e0\"^^<http://www.w3.org/2001/XMLSchema#double> .\n" +
				"  <http://f.org/a> <http://f.org/d> \"true\"^^<http://www.w3.org/2001/XMLSchema#boolean> .\n" +
				"  <http://f.org/a> <http://f.org/d> \"x\"@en-GB .\n" +
				"  <http://f.org/a> <http://f.org/d> \"y\"^^<http://f.org/t> .\n}\n"},
		{`BASE <http://b.org/d/> SELECT DISTINCT * { <e> <../p>/^<q>|(<r>) ?y . [] ?p [ <s> _:x ] } ORDER BY ?y DESC(?p) LIMIT 3 OFFSET 4`,
			"SELECT DISTINCT * WHERE {\n" +
				"  <http://b.org/d/e> (<http://b.org/p>/(^<http://b.org/d/q>))|<http://b.org/d/r> ?y .\n" +
				"  _:b2 <http://b.org/d/s> _:x .\n  _:b1 ?p _:b2 .\n}\n" +
				"ORDER BY ASC(?y) DESC(?p)\nLIMIT 3\nOFFSET 4\n"},
		{`SELECT (COUNT(DISTINCT ?x) AS ?n) (count(*) as ?m) { {?x :p ?y} UNION {} UNION {{}} MINUS {?x :q 'a\tb\n"'} }`,
			"SELECT (COUNT(DISTINCT ?x) AS ?n) (COUNT(*) AS ?m) WHERE {\n" +
				"  {\n    ?x <urn:lacuna:p> ?y .\n  } UNION {} UNION {\n    {}\n  }\n" +
				"  MINUS {\n    ?x <urn:lacuna:q> \"a\tb\\n\\\"\" .\n  }\n}\n"},
		{`SELECT $x { FILTER(!(?x = :a) && ?x not in (:b, 'c') || EXISTS {?x :p ?y}) FILTER NOT EXISTS {} VALUES ?x {:a UNDEF} } VALUES (?x ?y) {(:a 1)}`,
			"SELECT ?x WHERE {\n" +
				"  FILTER (((!(?x = <urn:lacuna:a>)) && (?x NOT IN (<urn:lacuna:b>, \"c\"))) || (EXISTS {\n    ?x <urn:lacuna:p> ?y .\n  }))\n" +
				"  FILTER NOT EXISTS {}\n  VALUES (?x) { (<urn:lacuna:a>) (UNDEF) }\n}\n" +
				"VALUES (?x ?y) { (<urn:lacuna:a> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer>) }\n"},
		// Names: what was encoded without need, and relative references without a base.
		{`ASK { :%54uring%20%41ward </m/02> <Merc%20(x)> . :a\(b\) :c.d :e }`,
			"ASK {\n  <urn:lacuna:Turing%20Award> <urn:lacuna:/m/02> <urn:lacuna:Merc%20(x)> .\n  <urn:lacuna:a(b)> <urn:lacuna:c.d> <urn:lacuna:e> .\n}\n"},
	} {
		q, err := syntax.Parse(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got := q.String(); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.text, got, c.want)
		}
		checkRoundTrip(t, q)
	}
}

// checkRoundTrip parses what a query prints and wants the query back.
func checkRoundTrip(t *testing.T, q *syntax.Query) {
	t.Helper()
	again, err := syntax.Parse(q.String())
	if err != nil {
		t.Fatalf("%v\nis printed by a parsed query, and refused: %v", q, err)
	}
	clearPositions(reflect.ValueOf(q))
	clearPositions(reflect.ValueOf(again))
	if !reflect.DeepEqual(q, again) {
		t.Fatalf("parsed again, it is another query:\n%v\n%v", q, again)
	}
}

// clearPositions sets every syntax.Pos within a value to zero; interfaces are replaced, as what they hold cannot be set.
func clearPositions(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			clearPositions(v.Elem())
		}
	case reflect.Interface:
		if v.IsNil() {
			return
		}
		inside := reflect.New(v.Elem().Type()).Elem()
		inside.Set(v.Elem())
		clearPositions(inside)
		v.Set(inside)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[syntax.Pos]() {
			v.SetZero()
			return
		}
		for i := range v.NumField() {
			clearPositions(v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			clearPositions(v.Index(i))
		}
	}
}

func TestRandomQueriesRoundTrip(t *testing.T) {
	for seed := range uint64(300) {
		g := sparqltest.NewGenerator(seed)
		for range 5 {
			text := g.Query().String()
			q, err := syntax.Parse(text)
			if err != nil {
				t.Fatalf("%s\n%v", text, err)
			}
			if q.String() != text {
				t.Fatalf("printed again:\n%s\n%s", text, q)
			}
			checkRoundTrip(t, q)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	const outside = " is outside the subset that Lacuna answers"
	for _, c := range []struct{ text, want string }{
		// Valid SPARQL 1.1 that Lacuna does not answer.
		{"SELECT *\n{ ?s ?p ?o\n    OPTIONAL {} }", "sparql:3:5: OPTIONAL" + outside},
		{"SELECT * { GRAPH ?g {} }", "sparql:1:12: GRAPH" + outside},
		{"SELECT * { SERVICE <http://a> {} }", "sparql:1:12: SERVICE" + outside},
		{"SELECT * { BIND(1 AS ?x) }", "sparql:1:12: BIND" + outside},
		{"SELECT * { { SELECT ?x {} } }", "sparql:1:14: a SELECT within a pattern" + outside},
		{"SELECT REDUCED ?x {}", "REDUCED" + outside},
		{"SELECT (SUM(?x) AS ?n) {}", "sparql:1:9: SUM in SELECT" + outside},
		{"SELECT (?x AS ?y) {}", "an expression in SELECT other than COUNT" + outside},
		{"SELECT (COUNT(str(?x)) AS ?y) {}", "COUNT of anything but a variable or *" + outside},
		{"SELECT ?x (COUNT(*) AS ?n) {} ", "?x is selected beside COUNT, which needs GROUP BY"},
		{"SELECT (COUNT(*) AS ?n) {} GROUP BY ?x", "GROUP" + outside},
		{"SELECT ?x {} HAVING(?x)", "HAVING" + outside},
		{"SELECT ?x FROM <http://a> {}", "FROM" + outside},
		{"CONSTRUCT {} WHERE {}", "CONSTRUCT" + outside},
		{"DESCRIBE <http://a>", "DESCRIBE" + outside},
		{"INSERT DATA {}", "INSERT is an update"},
		{"ASK {} LIMIT 1", "LIMIT after ASK" + outside},
		{"ASK { ?x :p* ?y }", "sparql:1:12: a path with *" + outside},
		{"ASK { ?x (:p/:q)+ ?y }", "a path with +" + outside},
		{"ASK { ?x :p? ?y }", "a path with ?" + outside},
		{"ASK { ?x !:p ?y }", "a negated path !" + outside},
		{"ASK { ?x :p (1 2) }", "a list in parentheses" + outside},
		{"ASK { FILTER regex(?x, 'a') }", "the function REGEX" + outside},
		{"ASK { FILTER(str(?x) = 'a') }", "the function STR" + outside},
		{"ASK { FILTER(:f(?x) = 'a') }", "a call of the function :f" + outside},
		{"ASK { FILTER :f(?x) }", "the function :F" + outside},
		{"ASK { FILTER(?x < 3) }", "sparql:1:17: the operator < in FILTER" + outside},
		{"ASK { FILTER(?x = 3 + 4) }", "the operator + in FILTER" + outside},
		{"ASK { FILTER(?x) }", "a variable or term as a condition"},
		{"ASK { FILTER((?x = ?y) = ?z) }", "a comparison of truth values" + outside},
		{"SELECT ?x {} ORDER BY str(?x)", "ORDER BY anything but a variable" + outside},
		{"SELECT ?x {} ORDER BY DESC(?x + 1)", "ORDER BY anything but a variable" + outside},
		// No SPARQL.
		{"", "sparql:1:1: expected SELECT or ASK, found the end of the query"},
		{"SELECT { }", "expected variables, COUNT or * after SELECT"},
		{"SELECT ?x", "expected '{' to open a group, found the end of the query"},
		{"SELECT ?x { ?x :p ?y ?z :q ?w }", `sparql:1:22: expected '.' or '}' after a triple, found "?z"`},
		{"SELECT ?x { ?x :p }", "expected a variable, an IRI, a literal or a blank node"},
		{"SELECT ?x { ?x }", "expected a predicate"},
		{"SELECT ?x { ?x f:p ?y }", "the prefix f: is not declared"},
		{"SELECT ?x { ?x 'p' ?y }", "expected a predicate"},
		{"SELECT ?x { [] }", "expected a predicate"},
		{"SELECT ?x {} LIMIT -1", "expected a whole number"},
		{"SELECT ?x {} LIMIT 1 LIMIT 2", "expected the end of the query"},
		{"SELECT (COUNT(*) AS ?x) { ?x :p ?y }", "?x is a variable of the pattern"},
		{"SELECT (COUNT(*) AS ?n) (COUNT(*) AS ?n) { }", "?n is selected twice"},
		{"ASK { _:a :p ?x . { _:a :q ?y } }", "the blank node _:a stands in two basic graph patterns"},
		{"ASK { VALUES (?x ?y) { (1) } }", "a row of VALUES with 1 terms for 2 variables"},
		{"ASK { VALUES (?x ?x) { } }", "?x stands twice in VALUES"},
		{"ASK { ?x :p 'a }", "expected ' at the end of the string"},
		{`ASK { ?x :p "\q" }`, "a bad escape"},
		{`ASK { ?x <a\q> ?y }`, "a bad escape in an IRI"},
		{"ASK { FILTER ?x = ?y }", "expected '(', EXISTS or NOT EXISTS after FILTER"},
		{"ASK { ?x :p%zz ?y }", "two hexadecimal digits"},
		{"ASK { ?x ~ ?y }", "no word or sign of SPARQL begins with '~'"},
		{"\xff", "not UTF-8"},
		{"ASK " + strings.Repeat("{", 300) + strings.Repeat("}", 300), "nested deeper than the limit"},
		{"ASK {" + strings.Repeat("?x :p ?y .", 30000) + "}", "more than the limit of"},
	} {
		_, err := syntax.Parse(c.text)
		if err == nil {
			t.Errorf("%s\nis read, want an error with %q", c.text, c.want)
			continue
		}
		if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.80s\n got %v\nwant %s", c.text, err, c.want)
		}
		if kind := kg.KindOf(err); kind != kg.Invalid && kind != kg.TooLarge {
			t.Errorf("%.80s: kind %v", c.text, kind)
		}
	}
}

// The same label may stand on both sides of a filter, which does not end the basic graph pattern.
func TestBlankNodeAcrossFilter(t *testing.T) {
	if _, err := syntax.Parse("ASK { _:a :p ?x FILTER NOT EXISTS { ?x :q ?z } _:a :q ?y }"); err != nil {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`SELECT ?x { ?x a :Turing%20Award ; :p/^:q|:r 'a'@en, 1.5e3 } ORDER BY DESC(?x) LIMIT 1 OFFSET 2`,
		`PREFIX f: <http://f.org/> BASE <http://b> SELECT (COUNT(DISTINCT *) AS ?n) { [] f:p [ a _:x ] MINUS { { } UNION { ?a ?b <c> } } }`,
		`ASK { FILTER(?x IN (:a, "b"^^:c) && !(?y != 'd') || NOT EXISTS { VALUES (?x) { (UNDEF) } }) } VALUES ?x { :a }`,
		"SELECT * # comment\n{ ?x ?p '''long\n'string''' }",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := syntax.Parse(text)
		if err != nil {
			if kind := kg.KindOf(err); kind != kg.Invalid && kind != kg.TooLarge {
				t.Fatalf("%v: kind %v", err, kind)
			}
			return
		}
		checkRoundTrip(t, q)
	})
}
