package function_test

import (
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna/sparql/function"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// terms reads arguments as a query writes them.
func terms(t *testing.T, text string) []term.Term {
	t.Helper()
	q, err := syntax.Parse("PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> ASK { VALUES ?x { " + text + " } }")
	if err != nil {
		t.Fatal(err)
	}
	var all []term.Term
	for _, row := range q.Where.Of[0].(*syntax.Values).Rows {
		all = append(all, row[0])
	}
	return all
}

const xsd = "http://www.w3.org/2001/XMLSchema#"

// What functions give; nothing stands for an error.
func TestFunctions(t *testing.T) {
	env := &function.Env{Base: "http://b.org/d/", Now: time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)}
	for _, c := range []struct{ name, args, want string }{
		// Numbers are promoted, and written in their canonical form.
		{"+", "1 2", "3"}, {"+", "1 2.5", "3.5"}, {"+", "1 2e0", "3.0E0"}, {"*", "1.5 2", `"3"^^xsd:decimal`},
		{"/", "1 2", "0.5"}, {"/", "1 3", "0.333333333333333333"}, {"/", "1 0", ""}, {"/", "1e0 0", `"INF"^^xsd:double`},
		{"+", "99999999999999999999 1", "100000000000000000000"}, {"-", `"a" 1`, ""}, {"unary -", "2.5", "-2.5"},
		{"ROUND", "-2.5", `"-2"^^xsd:decimal`}, {"ROUND", "2.5e0", "3.0E0"}, {"CEIL", "1.1", `"2"^^xsd:decimal`}, {"FLOOR", "-1.1", `"-2"^^xsd:decimal`}, {"ABS", "-7", "7"},
		// Order, by value.
		{"<", "1 1.5", "true"}, {"<", `"a" "b"`, "true"}, {"<", `"a" 1`, ""}, {"<", `"NaN"^^xsd:double 1`, "false"}, {">=", "true false", "true"},
		{"=", `"2001-02-03T04:05:06Z"^^xsd:dateTime "2001-02-03T05:05:06+01:00"^^xsd:dateTime`, "true"},
		{"<", `"2001-02-03T04:05:06"^^xsd:dateTime "2001-02-03T05:05:06+01:00"^^xsd:dateTime`, ""},
		{"<", `"2001-02-03"^^xsd:date "2001-02-04"^^xsd:date`, "true"}, {"=", `"P1D"^^xsd:duration "PT24H"^^xsd:dayTimeDuration`, "true"},
		{"=", `"a"@en "a"@EN`, "true"}, {"=", `"x"^^<x:t> "y"^^<x:t>`, ""},
		// Strings keep their language where both arguments allow it.
		{"SUBSTR", `"foobar"@en 4 2`, `"ba"@en`}, {"SUBSTR", `"foobar" 0 2`, `"f"`}, {"SUBSTR", `"é€😀x" 3`, `"😀x"`}, {"STRLEN", `"é€😀"`, "3"},
		{"STRBEFORE", `"abc"@en "b"`, `"a"@en`}, {"STRBEFORE", `"abc"@en "z"`, `""`}, {"STRAFTER", `"abc"@en "b"@de`, ""}, {"STRAFTER", `"abc"@en ""`, `"abc"@en`},
		{"CONCAT", `"a"@en "b"`, `"ab"`}, {"CONCAT", "", `""`}, {"UCASE", `"straße"@de`, `"STRASSE"@de`}, {"ENCODE_FOR_URI", `"a b/ü"`, `"a%20b%2F%C3%BC"`},
		{"CONTAINS", `"abc" "b"@en`, ""}, {"LANGMATCHES", `"en-GB" "EN"`, "true"}, {"LANGMATCHES", `"" "*"`, "false"},
		{"REGEX", `"aBc" "b" "i"`, "true"}, {"REGEX", `"a.c" "a.c" "q"`, "true"}, {"REGEX", `"a" "("`, ""}, {"REGEX", `"ab" "a b" "x"`, "true"},
		{"REPLACE", `"abcd" "(b)(c)" "$2$1"`, `"acbd"`}, {"REPLACE", `"abc" "b*" "x"`, ""}, {"REPLACE", `"a$" "\\$" "\\$\\\\"`, `"a$\\"`}, {"REPLACE", `"ab" "a" "$"`, ""},
		// Terms.
		{"STR", "<x:a>", `"x:a"`}, {"DATATYPE", `"a"@en`, "<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>"}, {"DATATYPE", "<x:a>", ""},
		{"IRI", `"../e"`, "<http://b.org/e>"}, {"IRI", `"a b"`, ""}, {"STRDT", `"1" xsd:integer`, "1"}, {"STRLANG", `"a" "en"`, `"a"@en`}, {"STRLANG", `"a" "!"`, ""},
		{"ISNUMERIC", `"a"^^xsd:integer`, "false"}, {"SAMETERM", "1 1.0", "false"},
		// Times.
		{"NOW", "", `"2001-02-03T04:05:06.000Z"^^xsd:dateTime`}, {"MONTH", `"2001-02-03T04:05:06.70-05:30"^^xsd:dateTime`, "2"},
		{"SECONDS", `"2001-02-03T04:05:06.70Z"^^xsd:dateTime`, "6.7"}, {"TIMEZONE", `"2001-02-03T04:05:06-05:30"^^xsd:dateTime`, `"-PT5H30M"^^xsd:dayTimeDuration`},
		{"TIMEZONE", `"2001-02-03T04:05:06"^^xsd:dateTime`, ""}, {"YEAR", `"2001-02-30T04:05:06"^^xsd:dateTime`, ""}, {"HOURS", `"2001-02-03"^^xsd:date`, ""},
		// Casts.
		{xsd + "integer", "2.7", "2"}, {xsd + "integer", `"2.7"`, ""}, {xsd + "integer", "true", "1"}, {xsd + "double", `" 1 "`, "1.0E0"}, {xsd + "decimal", `"INF"^^xsd:double`, ""},
		{xsd + "string", "1.0e0", `"1"`}, {xsd + "string", "1e7", `"1.0E7"`}, {xsd + "boolean", `"1"`, "true"}, {xsd + "boolean", "0.0", "false"}, {xsd + "boolean", `"yes"`, ""},
		{xsd + "date", `"2001-02-03T04:05:06Z"^^xsd:dateTime`, `"2001-02-03Z"^^xsd:date`}, {xsd + "dateTime", `"2001-02-03"`, ""},
		{"SHA256", `"abc"`, `"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"`}, {"MD5", "1", ""},
	} {
		f, known := function.Find(c.name)
		if !known {
			t.Errorf("no function %s", c.name)
			continue
		}
		got, ok := f(env, terms(t, c.args))
		if want := terms(t, c.want); ok != (len(want) == 1) || ok && got != want[0] {
			t.Errorf("%s(%s) is %v, %v; want %s", c.name, c.args, got, ok, c.want)
		}
	}
}
