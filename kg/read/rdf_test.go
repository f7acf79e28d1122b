package read_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
)

const (
	rdf  = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	rdfs = "http://www.w3.org/2000/01/rdf-schema#"
	xsd  = "http://www.w3.org/2001/XMLSchema#"
)

func TestReadNTriples(t *testing.T) {
	for _, c := range []struct{ what, text, want string }{
		{"a statement", "<http://x/a> <http://x/r> <http://x/b> .", "http://x/a|http://x/r|http://x/b"},
		{"no spaces", "<x:a><x:r><x:b>.", "x:a|x:r|x:b"},
		{"tabs, comment, CRLF", "\t<x:a>\t<x:r>\t<x:b>\t.\t# comment\r\n", "x:a|x:r|x:b"},
		{"comments and empty lines", "# one\n\n  # two\n<x:a> <x:r> <x:b> .\n\n", "x:a|x:r|x:b"},
		{"blank nodes", "_:x <x:r> _:y.1 .", "_:x|x:r|_:y.1"},
		{"a blank node before the dot", "<x:a> <x:r> _:y.", "x:a|x:r|_:y"},
		{"blank node of digits", "_:0a <x:r> _:_ .", "_:0a|x:r|_:_"},
		{"literal", `<x:a> <x:r> "b" .`, `x:a|x:r|"b"`},
		{"language", `<x:a> <x:r> "b"@en-GB-1990 .`, `x:a|x:r|"b"@en-GB-1990`},
		{"type", `<x:a> <x:r> "5"^^<` + xsd + `integer> .`, `x:a|x:r|"5"^^<` + xsd + `integer>`},
		{"the type of all strings", `<x:a> <x:r> "b"^^<` + xsd + `string> .`, `x:a|x:r|"b"`},
		{"the same with an escape", `<x:a> <x:r> "\u0062"^^<` + xsd + `string> .`, `x:a|x:r|"b"`},
		{"escapes that names need", `<x:a> <x:r> "q\" b\\ n\n r\r" .`, `x:a|x:r|"q\" b\\ n\n r\r"`},
		{"escapes that names do not need", `<x:a> <x:r> "t\t \b\f\' \u00e9 \U0001F600"@de .`, "x:a|x:r|\"t\t \b\f' é 😀\"@de"},
		{"escapes in an IRI", `<http://x/\u00e9> <x:r> "x"^^<http://x/\U000000e9> .`, "http://x/é|x:r|\"x\"^^<http://x/\\U000000e9>"},
		{"escapes in both", `<x:a> <x:r> "\u0078"^^<http://x/\u00e9> .`, "x:a|x:r|\"x\"^^<http://x/é>"},
		{"a dot and a mark in a literal", `<x:a> <x:r> "x . # y" .`, `x:a|x:r|"x . # y"`},
	} {
		t.Run(c.what, func(t *testing.T) {
			if strings.Contains(c.want, `\U000000e9`) {
				c.want = strings.ReplaceAll(c.want, `\U000000e9`, "é")
			}
			expectFacts(t, "x.nt", c.text, read.Options{}, c.want)
		})
	}
}

func TestReadNTriplesErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"<x:a> <x:r> <x:b> .\n<x:a> <x:r> <x:b>\n", "x.nt:2: expected '.' after the object"},
		{"<x:a> <x:r> <x:b> <x:g> .", "x.nt:1: expected '.' after the object"},
		{"<x:a> <x:r> <x:b> . <x:c>", "x.nt:1: expected the end of the line after '.'"},
		{"a <x:r> <x:b> .", "x.nt:1: expected the subject"},
		{`"a" <x:r> <x:b> .`, "x.nt:1: expected the subject"},
		{"<x:a> _:r <x:b> .", "x.nt:1: expected the predicate"},
		{"<x:a> <x:r> b .", "x.nt:1: expected the object"},
		{"<x:a <x:r> <x:b> .", "x.nt:1: a character that no IRI may have"},
		{"<x:a> <x:r> <x:b .", "x.nt:1: expected '>' at the end of the IRI"},
		{"<> <x:r> <x:b> .", "x.nt:1: expected an IRI between"},
		{"<_:a> <x:r> <x:b> .", "x.nt:1: expected an IRI between"},
		{`<x:a\u0020b> <x:r> <x:b> .`, "x.nt:1: a character that no IRI may have"},
		{`<x:a\n> <x:r> <x:b> .`, "x.nt:1: a bad escape"},
		{"_: <x:r> <x:b> .", "x.nt:1: expected a name after '_:'"},
		{"_:a:b <x:r> <x:b> .", "x.nt:1: expected the predicate"},
		{"<x:a> <r> <x:b> .", "x.nt:1: a relative IRI, expected one with a scheme"},
		{"_:-a <x:r> <x:b> .", "x.nt:1: expected a name after '_:'"},
		{`<x:a> <x:r> "b .`, `x.nt:1: expected '"' at the end of the literal`},
		{`<x:a> <x:r> "b\x" .`, "x.nt:1: a bad escape"},
		{`<x:a> <x:r> "b\u12" .`, "x.nt:1: a bad escape"},
		{`<x:a> <x:r> "\ud800" .`, "x.nt:1: a bad escape"},
		{`<x:a> <x:r> "\U00110000" .`, "x.nt:1: a bad escape"},
		{`<x:a> <x:r> "\UFFFFFFFF" .`, "x.nt:1: a bad escape"},
		{`<x:a> <x:r> "b"@ .`, "x.nt:1: expected a language"},
		{`<x:a> <x:r> "b"@9 .`, "x.nt:1: expected a language"},
		{`<x:a> <x:r> "b"@en- .`, "x.nt:1: expected '.' after the object"},
		{`<x:a> <x:r> "b"^^x .`, "x.nt:1: expected a type"},
		{"<x:a> <x:r> \"b\rc\" .", "x.nt:1: a bare carriage return"},
		{"<x:a> <x:r> <\xff> .", "x.nt:1: the text is not valid UTF-8"},
	} {
		_, err := readText(t, "x.nt", c.text, read.Options{})
		expectError(t, err, kg.Invalid, c.want)
	}
}

func TestReadNQuads(t *testing.T) {
	var report read.Report
	const text = "<x:a> <x:r> <x:b> <x:g> .\n<x:a> <x:r> \"5\"@en _:g .\n<x:b> <x:r> <x:c> .\n"
	s, err := readText(t, "x.nq", text, read.Options{Report: func(r read.Report) { report = r }})
	if err != nil || report.InNamedGraphs != 2 || s.Train.NumTriples() != 3 {
		t.Errorf("%+v, %v", report, err)
	}
	for _, c := range []struct{ text, want string }{
		{"<x:a> <x:r> <x:b> \"g\" .", "x.nq:1: expected '.' or the name of a graph after the object"},
		{"<x:a> <x:r> <x:b> <x:g> <x:h> .", "x.nq:1: expected '.' after the graph"},
		{"<x:a> <x:r> <x:b>", "x.nq:1: expected '.' or the name of a graph"},
	} {
		_, err := readText(t, "x.nq", c.text, read.Options{})
		expectError(t, err, kg.Invalid, c.want)
	}
}

func TestReadTriG(t *testing.T) {
	var report read.Report
	const text = "@prefix : <http://x/> .\n:a :r :b . :g { :b :r :c . :c :r [ :s :d ] } GRAPH _:h { :e :r :f. } { :g :r () } [] { :h :r 1 . }\n"
	s, err := readText(t, "x", text, read.Options{Report: func(r read.Report) { report = r }})
	if err != nil || report.Format != read.TriG || report.InNamedGraphs != 5 || s.Train.NumTriples() != 7 {
		t.Errorf("%+v, %v", report, err)
	}
	for _, c := range []struct{ text, want string }{
		{"<g> { <a> <r> <b>", "x.trig:1:18: expected '.' or '}' after the statement"},
		{"GRAPH { <a> <r> <b> }", "x.trig:1:7: expected the subject or the name of a graph"},
		{"(1) { <a> <r> <b> }", "x.trig:1:5: expected a predicate"},
		{"<g> { <a> <r> <b> } .", "x.trig:1:21: expected the subject or the name of a graph"},
		{"<g> { <h> { <a> <r> <b> } }", "x.trig:1:11: expected a predicate"},
	} {
		_, err := readText(t, "x.trig", c.text, read.Options{})
		expectError(t, err, kg.Invalid, c.want)
	}
}

func TestBase(t *testing.T) {
	expectFacts(t, "x.ttl", "<a> <r> <> .", read.Options{Base: "http://x/y"}, "http://x/a|http://x/r|http://x/y")
}

func TestReadTurtle(t *testing.T) {
	const px = "@prefix : <http://x/> . @prefix p.q: <http://y/> .\n"
	const ints = `"^^<` + xsd + "integer>"
	for _, c := range []struct {
		what, text string
		want       []string
	}{
		{"N-Triples", "<a> <r> _:x .\n_:x <r> \"b\"@en .", []string{`_:x|r|"b"@en`, "a|r|_:x"}},
		{"prefixes", px + ":a p.q:r :b.c .", []string{"http://x/a|http://y/r|http://x/b.c"}},
		{"the empty name", px + ": p.q: :a .", []string{"http://x/|http://y/|http://x/a"}},
		{"prefixes of SPARQL", "PREFIX x: <http://x/>\nprefix y: <http://y/> x:a y:r x:b .", []string{"http://x/a|http://y/r|http://x/b"}},
		{"a prefix is declared again", px + ":a :r :b . @prefix : <http://z/> . :a :r :b .", []string{"http://x/a|http://x/r|http://x/b", "http://z/a|http://z/r|http://z/b"}},
		{"base", "@base <http://x/y/z> . <a> </r> <../b#c> . BASE <q/> <> <#f> <?g> .", []string{"http://x/y/a|http://x/r|http://x/b#c", "http://x/y/q/|http://x/y/q/#f|http://x/y/q/?g"}},
		{"a", px + ":a a :b . a:a a a:b.", nil},
		{"lists of predicates and objects", px + ":a :r :b, :c ; :s :d ;; . :e :r :f;.", []string{
			"http://x/a|http://x/r|http://x/b", "http://x/a|http://x/r|http://x/c", "http://x/a|http://x/s|http://x/d", "http://x/e|http://x/r|http://x/f"}},
		{"blank nodes", px + "[] :r [ :s :a ; :t [ ] ] . [ :u :b ] . [ :v :c ] :w :d .", []string{
			"_:anon.1|http://x/r|_:anon.2", "_:anon.2|http://x/s|http://x/a", "_:anon.2|http://x/t|_:anon.3",
			"_:anon.4|http://x/u|http://x/b", "_:anon.5|http://x/v|http://x/c", "_:anon.5|http://x/w|http://x/d"}},
		{"labels in use", px + "_:anon.1 :r [] .", []string{"_:anon.1|http://x/r|_:anon.2"}},
		{"labels in use, twice", px + "_:anon.2 :r [] . [] :r _:anon.2 .", []string{"_:anon.2|http://x/r|_:anon.1", "_:anon.3|http://x/r|_:anon.2"}},
		{"collections", px + ":a :r (:b 1 ()) .", []string{
			"_:anon.1|" + rdf + "first|http://x/b", "_:anon.1|" + rdf + "rest|_:anon.2",
			"_:anon.2|" + rdf + `first|"1` + ints, "_:anon.2|" + rdf + "rest|_:anon.3",
			"_:anon.3|" + rdf + "first|" + rdf + "nil", "_:anon.3|" + rdf + "rest|" + rdf + "nil",
			"http://x/a|http://x/r|_:anon.1"}},
		{"collection as subject", px + "(:b) :r :c .", []string{
			"_:anon.1|" + rdf + "first|http://x/b", "_:anon.1|" + rdf + "rest|" + rdf + "nil", "_:anon.1|http://x/r|http://x/c"}},
		{"numbers", "<a> <r> 1, -2 , +3.0, .5, 4.e1, 5E-3, 6.", []string{
			`a|r|"+3.0"^^<` + xsd + "decimal>", `a|r|"-2` + ints, `a|r|".5"^^<` + xsd + "decimal>", `a|r|"1` + ints,
			`a|r|"4.e1"^^<` + xsd + "double>", `a|r|"5E-3"^^<` + xsd + "double>", `a|r|"6` + ints}},
		{"booleans", "<a> <r> true,false.", []string{`a|r|"false"^^<` + xsd + "boolean>", `a|r|"true"^^<` + xsd + "boolean>"}},
		{"strings", `<a> <r> "b", 'c', "", '', 'd"e', "f\t\"\u00e9"@de .`, []string{
			`a|r|""`, `a|r|"b"`, `a|r|"c"`, `a|r|"d\"e"`, "a|r|\"f\t\\\"é\"@de"}},
		{"long strings", "<a> <r> \"\"\"x \"y\" \"\"\n z\"\"\", '''it's ''two'' \\\\''' .", []string{
			`a|r|"it's ''two'' \\"`, `a|r|"x \"y\" \"\"\n z"`}},
		{"types", px + `:a :r "x"^^p.q:t, "y"^^<` + xsd + `string>, "z"^^ <u> .`, []string{
			`http://x/a|http://x/r|"x"^^<http://y/t>`, `http://x/a|http://x/r|"y"`, `http://x/a|http://x/r|"z"^^<u>`}},
		{"a relative type", "@base <http://x/> . <a> <r> \"b\"^^<t> .", []string{`http://x/a|http://x/r|"b"^^<http://x/t>`}},
		{"names", px + `:a%20b :r\~\.x :0:1..2 . :é :r :b·c .`, []string{
			"http://x/a%20b|http://x/r~.x|http://x/0:1..2", "http://x/é|http://x/r|http://x/b·c"}},
		{"comments", "# x\n<a> # y\n<r> <b#c> #z\n.#", []string{"a|r|b#c"}},
		{"mark of UTF-8", "\xef\xbb\xbf<a> <r> <b> .", []string{"a|r|b"}},
	} {
		t.Run(c.what, func(t *testing.T) {
			if c.what == "a" {
				c.text = "@prefix a: <http://a/> .\n" + c.text
				c.want = []string{"http://a/a|" + rdf + "type|http://a/b", "http://x/a|" + rdf + "type|http://x/b"}
			}
			expectFacts(t, "x.ttl", c.text, read.Options{}, c.want...)
		})
	}
}

// TestRDFMayStateNothing reads graphs without facts, which may have labels.
func TestRDFMayStateNothing(t *testing.T) {
	for name, text := range map[string]string{
		"a.nt": "# nothing\n", "b.nt": "", "c.ttl": "@prefix : <http://x/> .", "d.ttl": "", "e.nq": "\n", "f.trig": "",
		"g.nt": "<x:a> <" + rdfs + "label> \"A\"@en .", "h.rdf": `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"></rdf:RDF>`,
	} {
		s, err := readText(t, name, text, read.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if labels := s.Train.LabelTriples().Len(); s.Train.NumTriples() != 0 || s.Train.NumEntities() != 0 || (labels == 1) != (name == "g.nt") {
			t.Errorf("%s has %d facts, %d entities and %d labels", name, s.Train.NumTriples(), s.Train.NumEntities(), labels)
		}
	}
}

// TestLiteralsMayHoldNUL keeps the byte itself out of names.
func TestLiteralsMayHoldNUL(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"x.nt", `<x:a> <x:r> "b\u0000\\c" .`}, {"x.nt", "<x:a> <x:r> \"b\x00\\\\c\" ."},
		{"x.ttl", `<x:a> <x:r> "b\u0000\\c" .`}, {"x.ttl", "<x:a> <x:r> '''b\x00\\\\c''' ."},
	} {
		expectFacts(t, c.name, c.text, read.Options{}, `x:a|x:r|"b\u0000\\c"`)
	}
	for _, text := range []string{"<x:a\x00> <x:r> <x:b> .", `<x:a\u0000> <x:r> <x:b> .`, "<x:a> \x00 <x:r> <x:b> ."} {
		for _, name := range []string{"x.nt", "x.ttl"} {
			if _, err := readText(t, name, text, read.Options{}); err == nil {
				t.Errorf("%s: %q is read", name, text)
			}
		}
	}
}

func TestReadTurtleErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"@prefix x: <http://x/>\nx:a x:r x:b .", "x.ttl:2:1: expected '.' at the end of the directive"},
		{"<a> <r> <b>", "x.ttl:1:12: expected '.' at the end of the statement"},
		{"<a> <r> <b> .\n  é:a <r> <b> .", `x.ttl:2:3: prefix "é:" is not declared`},
		{"<a> <é> y:b .", `x.ttl:1:9: prefix "y:" is not declared`},
		{"<a> <r> .", "x.ttl:1:9: expected an object"},
		{"<a> .", "x.ttl:1:5: expected a predicate"},
		{"<a> _:b <c> .", "x.ttl:1:5: expected a predicate"},
		{`"a" <r> <b> .`, "x.ttl:1:1: expected the subject"},
		{"5 <r> <b> .", "x.ttl:1:1: expected the subject"},
		{"[] .", "x.ttl:1:4: expected a predicate"},
		{"<a> <r> [ <s> <b> .", "x.ttl:1:19: expected ']' after the properties"},
		{"<a> <r> (1 2 .", "x.ttl:1:14: expected an object"},
		{"<a> <r> \"x\n\" .", "x.ttl:1:11: expected \" at the end of the string"},
		{"<a> <r> '''x'' .", "x.ttl:1:17: expected ' at the end of the string"},
		{`<a> <r> "\x" .`, "x.ttl:1:10: a bad escape"},
		{`<a> <r> "\uD800" .`, "x.ttl:1:10: a bad escape"},
		{"<a b> <r> <c> .", "x.ttl:1:3: expected '>' at the end of the IRI"},
		{`<a\u0020b> <r> <c> .`, "expected '>' at the end of the IRI"},
		{"<> <r> <c> .", "an empty one needs a base"},
		{"<_:a> <r> <c> .", "expected an IRI between"},
		{"<a> <r> -x .", "x.ttl:1:10: expected a number"},
		{`<a> <r> "x"@ .`, "x.ttl:1:13: expected a language"},
		{`<a> <r> "x"^<t> .`, "x.ttl:1:12: expected a type"},
		{"_x <r> <b> .", "x.ttl:1:1: expected ':' after '_'"},
		{"_:. <r> <b> .", "x.ttl:1:3: expected a name after '_:'"},
		{"@prefix : <x> . :a%2 <r> <b> .", "expected two hexadecimal digits"},
		{`@prefix : <x> . :a\n <r> <b> .`, "a bad escape"},
		{"@prefix a.: <x> .", "a prefix that ends with '.'"},
		{"@prefix <x> .", "x.ttl:1:9: expected ':' after a prefix"},
		{"@prefix a: b .", "x.ttl:1:12: expected an IRI in <> after the prefix"},
		{"@foo <x> .", "x.ttl:1:2: expected prefix, base or version"},
		{"@prefix p: <_> . p::x <r> <b> .", "x.ttl:1:22: the name stands for <_:x>, which is no IRI"},
		{"[] <r> _:anon.1 .", "the label _:anon.1 is taken"},
		{"<a> <r> " + strings.Repeat("[ <s> ", 2000), "brackets nest deeper than 1000"},
		{"<a> <r> \"\xff\" .", "x.ttl:1:10: the text is not valid UTF-8"},
	} {
		_, err := readText(t, "x.ttl", c.text, read.Options{})
		expectError(t, err, kg.Invalid, c.want)
	}
}

// TestLongTurtle makes tokens cross every edge of the blocks that are read.
func TestLongTurtle(t *testing.T) {
	var text strings.Builder
	text.WriteString("@prefix : <http://x/> .\n")
	const count = 20_000
	for i := range count {
		fmt.Fprintf(&text, ":e%d :r%d \"\"\"%s\"\"\"@en, [ :s 0.5 ] .\n", i, i%7, strings.Repeat("ü", i%53))
	}
	s, err := readText(t, "x.ttl", text.String(), read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s.Train.NumTriples() != 3*count || s.Train.NumRelations() != 16 || s.Train.NumEntities() != 2*count+53+1 {
		t.Errorf("%d triples, %d relations, %d entities", s.Train.NumTriples(), s.Train.NumRelations(), s.Train.NumEntities())
	}
	_, err = readText(t, "x.ttl", text.String()+":e", read.Options{})
	expectError(t, err, kg.Invalid, fmt.Sprintf("x.ttl:%d:3: expected a predicate", count+2))
}

// TestStatedLabels: rdfs:label names subjects and is no fact; the first label
// counts, a file of labels comes before it.
func TestStatedLabels(t *testing.T) {
	const text = `@prefix rdfs: <` + rdfs + `> .
<a> rdfs:label "Alpha \"one\"\n"@en, "Alfa"@it ; <r> <b> .
<r> rdfs:label 'relates'.
<b> rdfs:label <c> .
<nobody> rdfs:label "Nobody" .`
	var report read.Report
	s, err := readText(t, "x.ttl", text, read.Options{Report: func(r read.Report) { report = r }})
	if err != nil {
		t.Fatal(err)
	}
	got := []string{s.Train.Entity(0), s.Train.Entity(1), s.Train.Relation(0)}
	if fmt.Sprintf("%q", got) != `["Alpha \"one\"\n" "b" "relates"]` {
		t.Errorf("labels %q", got)
	}
	if s.Train.NumTriples() != 2 || report.LabelTriples != 4 || report.UnknownLabels != 1 {
		t.Errorf("%q, report %+v", facts(s.Train), report)
	}
	folder := writeFiles(t, map[string]string{"labels": "b\tBeta\na\tFirst\n"})
	s, err = readText(t, "x.ttl", text, read.Options{EntityLabels: folder + "/labels"})
	if err != nil || s.Train.Entity(0) != "First" || s.Train.Entity(1) != "Beta" || s.Train.Relation(0) != "relates" {
		t.Errorf("%q %q %q, %v", s.Train.Entity(0), s.Train.Entity(1), s.Train.Relation(0), err)
	}
}

func TestErrorsHavePlaces(t *testing.T) {
	for _, c := range []struct {
		text string
		want kg.Place
	}{
		{"a\tr\tb\na\tr\n", kg.Place{Name: "x.tsv", Line: 2}},
		{"<x:a> <x:r> <x:b> .\n<x:a> <x:r> .\n", kg.Place{Name: "x.nt", Line: 2}},
		{"<a> <r> <b> .\n<a> <r> .\n", kg.Place{Name: "x.ttl", Line: 2, Column: 9}},
	} {
		_, err := readText(t, c.want.Name, c.text, read.Options{})
		var user *kg.Error
		if !errors.As(err, &user) || user.Place != c.want {
			t.Errorf("%v, want it at %v", err, c.want)
		}
	}
}
