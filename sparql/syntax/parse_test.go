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
				"  FILTER (!(?x = <urn:lacuna:a>) && ?x NOT IN (<urn:lacuna:b>, \"c\") || EXISTS {\n    ?x <urn:lacuna:p> ?y .\n  })\n" +
				"  FILTER NOT EXISTS {}\n  VALUES (?x) { (<urn:lacuna:a>) (UNDEF) }\n}\n" +
				"VALUES (?x ?y) { (<urn:lacuna:a> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer>) }\n"},
		{`SELECT REDUCED (SUM(?v)/2 AS ?s) (GROUP_CONCAT(DISTINCT ?v; separator=',') AS ?t) { OPTIONAL { ?x :p ?v } BIND(-?v + -1 AS ?w)
			{ SELECT ?x { ?x :q* ?y } LIMIT 2 } } GROUP BY ?x (STR(?x) AS ?k) HAVING (COUNT(*) > 1) ORDER BY DESC(SUM(?v))`,
			"SELECT REDUCED (SUM(?v) / \"2\"^^<http://www.w3.org/2001/XMLSchema#integer> AS ?s) (GROUP_CONCAT(DISTINCT ?v; SEPARATOR = \",\") AS ?t) WHERE {\n" +
				"  OPTIONAL {\n    ?x <urn:lacuna:p> ?v .\n  }\n  BIND (-?v + \"-1\"^^<http://www.w3.org/2001/XMLSchema#integer> AS ?w)\n" +
				"  {\n    SELECT ?x WHERE {\n      ?x <urn:lacuna:q>* ?y .\n    }\n    LIMIT 2\n  }\n}\n" +
				"GROUP BY ?x (STR(?x) AS ?k)\nHAVING (COUNT(*) > \"1\"^^<http://www.w3.org/2001/XMLSchema#integer>)\nORDER BY DESC(SUM(?v))\n"},
		{`CONSTRUCT { ?x :p [] } FROM NAMED :g WHERE { ?x !(:a|^:b)|:c+ (1) . GRAPH ?g { ?x ?p ?o } SERVICE SILENT :s {} }`,
			"CONSTRUCT {\n  ?x <urn:lacuna:p> _:b1 .\n} FROM NAMED <urn:lacuna:g> WHERE {\n" +
				"  _:b2 <http://www.w3.org/1999/02/22-rdf-syntax-ns#first> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n" +
				"  _:b2 <http://www.w3.org/1999/02/22-rdf-syntax-ns#rest> <http://www.w3.org/1999/02/22-rdf-syntax-ns#nil> .\n" +
				"  ?x (!(<urn:lacuna:a>|^<urn:lacuna:b>))|(<urn:lacuna:c>+) _:b2 .\n" +
				"  GRAPH ?g {\n    ?x ?p ?o .\n  }\n  SERVICE SILENT <urn:lacuna:s> {}\n}\n"},
		{`BASE <http://b.org/> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> DESCRIBE * { BIND(URI('a') AS ?x) FILTER(!(?x + 1 - (2 - 3) = xsd:integer(?x) * (2 + 3))) }`,
			"BASE <http://b.org/>\nDESCRIBE * WHERE {\n  BIND (IRI(\"a\") AS ?x)\n  FILTER (!((?x + \"1\"^^<http://www.w3.org/2001/XMLSchema#integer>) - (\"2\"^^<http://www.w3.org/2001/XMLSchema#integer> - \"3\"^^<http://www.w3.org/2001/XMLSchema#integer>) = " +
				"<http://www.w3.org/2001/XMLSchema#integer>(?x) * (\"2\"^^<http://www.w3.org/2001/XMLSchema#integer> + \"3\"^^<http://www.w3.org/2001/XMLSchema#integer>)))\n}\n"},
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
	case reflect.Slice, reflect.Array:
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

func TestLanguageRoundTrips(t *testing.T) {
	for seed := range uint64(300) {
		g := sparqltest.NewLanguageGenerator(seed)
		for range 5 {
			text := g.LanguageQuery().String()
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
	for _, c := range []struct{ text, want string }{
		{"INSERT DATA {}", "INSERT is an update"},
		{"SELECT ?x (COUNT(*) AS ?n) {} ", "sparql:1:8: ?x is selected beside groups: expected it in GROUP BY"},
		{"SELECT (?x + 1 AS ?y) { ?x :p ?z } GROUP BY ?z", "?x stands beside groups"},
		{"SELECT * { ?x :p ?z } GROUP BY ?z", "SELECT * beside GROUP BY"},
		{"SELECT (SUM(COUNT(?x)) AS ?y) {}", "COUNT within another aggregate"},
		{"ASK { FILTER(COUNT(?x) > 1) }", "COUNT within FILTER"},
		{"ASK { ?x :p ?y BIND(1 AS ?y) }", "sparql:1:16: ?y has a value before BIND"},
		{"ASK { { SELECT (1 AS ?x) { ?x :p ?y } } }", "?x is a variable of the pattern"},
		{"ASK { FILTER(STR(?x, 1) = 2) }", "STR with 2 arguments, expected 1"},
		{"ASK { FILTER(BOUND(1)) }", "BOUND of something other than a variable"},
		{"ASK { FILTER(FROB(?x)) }", "expected a variable, an IRI, a literal or a function"},
		{"CONSTRUCT { ?x :p* ?y } WHERE { ?x :p ?y }", "a path in the triples that CONSTRUCT makes"},
		{"CONSTRUCT WHERE { ?x :p ?y FILTER(?x = ?y) }", "CONSTRUCT WHERE takes plain triples"},
		{"ASK { ?x !(:p/:q) ?y }", "between the predicates of a negated set"},
		// No SPARQL.
		{"", "sparql:1:1: expected SELECT, ASK, CONSTRUCT or DESCRIBE, found the end of the query"},
		{"SELECT { }", "expected variables, expressions or * after SELECT"},
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
		{"SELECT (1 AS ?x) {} GROUP BY ?x", "?x is a variable of the pattern"},
		{"ASK { ?s :p <<( :a :b :c ) >> }", "sparql:1:26: expected ')>>' to close the triple term"},
		{"ASK { ?s :p/:q ?o {| :q 1 |} }", "sparql:1:19: an annotation of a path"},
		{"ASK { ?s :p ?o {| |} }", "expected a predicate"},
		{"ASK { << ?s :p (1) >> :q 1 }", "within a triple"},
		{"ASK { VALUES ?x { <<( ?y :p 1 )>> } }", "expected an IRI as the subject of a triple term"},
		{"VERSION 1.2 ASK {}", `expected a version in quotes after VERSION, such as "1.2", found "1.2"`},
		{"VERSION '''1.2''' ASK {}", "expected a version in quotes"},
		{"SELECT (COUNT(*) AS ?n) (COUNT(*) AS ?n) { }", "?n is selected twice"},
		{"ASK { _:a :p ?x . { _:a :q ?y } }", "the blank node _:a stands in two basic graph patterns"},
		{"ASK { VALUES (?x ?y) { (1) } }", "a row of VALUES with 1 terms for 2 variables"},
		{"ASK { VALUES (?x ?x) { } }", "?x stands twice in VALUES"},
		{"ASK { ?x :p 'a }", "expected ' at the end of the string"},
		{`ASK { ?x :p "\q" }`, "a bad escape"},
		{`ASK { ?x <a\q> ?y }`, "a bad escape in an IRI"},
		{"ASK { FILTER ?x = ?y }", "expected '(' or a function after FILTER"},
		{"ASK { ?x :p%zz ?y }", "two hexadecimal digits"},
		{"ASK { ?x % ?y }", "no word or sign of SPARQL begins with '%'"},
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
		`SELECT REDUCED (SUM(DISTINCT ?v) AS ?s) { OPTIONAL { ?x :p*/!(:q|^a)+ ?v } BIND(-?v + 1 AS ?w) { SELECT * { ?a (:b?) (1 [] ?c) } } } GROUP BY ?x (STR(?x) AS ?k) HAVING (COUNT(*) > 1) ORDER BY DESC(?s)`,
		`CONSTRUCT { ?x :p [] } FROM NAMED :g WHERE { GRAPH ?g { ?x ?p ?o } SERVICE SILENT :s {} FILTER(IF(?x < 3, !BOUND(?y), REGEX(?x, "a", "i"))) }`,
		`BASE <http://b> DESCRIBE :a ?x { BIND(URI(CONCAT("a", GROUP_CONCAT(?x ; separator = ","))) AS ?x) }`,
		`CONSTRUCT WHERE { ?x a :b }`,
		`VERSION "1.2" ASK { << ?s :p <<( :a :b 'c'@en--ltr )>> ~ ?r >> :q 1, [] ~ _:x {| a ?y |} {| :z <<( ?a ?b [] )>> |} VALUES ?t { <<( :a a 1 )>> } BIND(<<( ?s :p <<( :a :b ?c )>> )>> AS ?u) }`,
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
