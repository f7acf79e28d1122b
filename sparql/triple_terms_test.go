package sparql

import (
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/sparql/results"
	"github.com/lacuna-kg/lacuna/sparql/sparqltest"
)

// TestTripleTerms states facts about facts by SPARQL Update, and asks for them in every way that SPARQL 1.2 has.
func TestTripleTerms(t *testing.T) {
	g, err := updated(t, sparqltest.Read(t, "", read.NTriples), `PREFIX : <http://x/>
		INSERT DATA { :a :knows :b ~ :r1 {| :since 1990 ; :by :x |} . :a :knows :c {| :since 2000 |} . << :b :knows :c ~ :r2 >> :since 1995 .
			:d :says <<( :a :p <<( :b :q "5"@en--ltr )>> )>> ; :name "hi"@ar--rtl, "ho"@en, "he" }`)
	if err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string][]string{
		"SELECT ?x ?y ?s { ?x :knows ?y {| :since ?s |} }":                                                                              {"<a> <b> 1990", "<a> <c> 2000"},
		"SELECT ?x ?y ?s { << ?x :knows ?y >> :since ?s }":                                                                              {"<a> <b> 1990", "<a> <c> 2000", "<b> <c> 1995"},
		"SELECT ?s { << :a :knows :b >> :since ?s }":                                                                                    {"1990"},
		"SELECT ?r ?y { << :a ?p ?y ~ ?r >> :by :x }":                                                                                   {"<r1> <b>"},
		"SELECT ?x ?y { :r2 <http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies> <<( ?x :knows ?y )>> }":                                {"<b> <c>"},
		"SELECT ?y { ?r <http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies> <<( :b :knows ?y )>> FILTER NOT EXISTS { :b :knows ?y } }": {"<c>"},
		"SELECT ?y { :d :says <<( :a :p <<( :b :q ?y )>> )>> }":                                                                         {`"5"@en--ltr`},
		"SELECT ?y { :d :says <<( :a :p <<( :b :r ?y )>> )>> }":                                                                         {},
		"SELECT ?x { :d :says <<( ?x ?p <<( ?y ?q ?z )>> )>> . ?x :knows ?y }":                                                          {"<a>"},
		"SELECT ?x { :d :says <<( ?x ?p <<( ?x ?q ?z )>> )>> }":                                                                         {},
		"SELECT (SUBJECT(?t) AS ?s) (PREDICATE(?t) AS ?p) (OBJECT(OBJECT(?t)) AS ?o) { :d :says ?t FILTER(ISTRIPLE(?t)) }":              {`<a> <p> "5"@en--ltr`},
		"SELECT ?t { BIND(<<( :a :p 1 )>> AS ?t) }":                                                                                     {"<<( <a> <p> 1 )>>"},
		"SELECT ?t { BIND(TRIPLE('a', :p, 1) AS ?t) }":                                                                                  {"UNDEF"},
		"SELECT ?t { VALUES ?t { <<( :a :p <<( :b :q 'x' )>> )>> } }":                                                                   {`<<( <a> <p> <<( <b> <q> "x" )>> )>>`},
		"SELECT ?x { ?x :says ?t FILTER(?t = <<( :a :p <<( :b :q '5'@en--ltr )>> )>>) }":                                                {"<d>"},
		"SELECT ?x { VALUES (?x ?t) { (1 <<( :a :p 1 )>>) (2 <<( :a :p 01 )>>) (3 <<( :a :p 2 )>>) } FILTER(?t = <<( :a :p 1.0 )>>) }":  {"1", "2"},
		"SELECT (LANG(?n) AS ?l) (LANGDIR(?n) AS ?d) (HASLANG(?n) AS ?h) (HASLANGDIR(?n) AS ?i) { :d :name ?n }": {
			`"" "" false false`, `"ar" "rtl" true true`, `"en" "" true false`},
		"SELECT (STRLANGDIR('x', 'en', 'ltr') AS ?a) (STRLANGDIR('x', 'en', 'up') AS ?b) (STRLANG('x', 'en--ltr') AS ?c) {}": {`"x"@en--ltr UNDEF UNDEF`},
		"SELECT (DATATYPE('x'@en--ltr) AS ?a) {}":                                                {"<http://www.w3.org/1999/02/22-rdf-syntax-ns#dirLangString>"},
		"CONSTRUCT { ?x :with <<( ?x :k ?y )>> } WHERE { ?x :knows ?y }":                         {"<a> <with> <<( <a> <k> <b> )>>", "<a> <with> <<( <a> <k> <c> )>>"},
		"SELECT ?x { GRAPH ?g { << ?x :knows ?y >> :since ?s } }":                                {},
		"SELECT (COUNT(*) AS ?n) { ?r <http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies> ?t }": {"3"},
		"SELECT (123 AS ?z) { ?s :knows ?z } GROUP BY ?s":                                        {"123"},
		"SELECT ?z { { SELECT (123 AS ?z) { ?s :knows ?z } GROUP BY ?s } VALUES ?z { 123 :b } }": {"123"},
	} {
		for _, without := range [][]string{nil, {"flatten-joins", "merge-basics", "push-filters", "free-joins"}} {
			r, err := Run(t.Context(), "PREFIX : <http://x/> "+query, Dataset{Graph: g}, Options{Without: without})
			if err != nil {
				t.Errorf("%s: %v", query, err)
				continue
			}
			if got := shortRows(t, r); !slices.Equal(got, want) {
				t.Errorf("%s\n got %q\nwant %q", query, got, want)
			}
		}
	}
	after, err := updated(t, g, "PREFIX : <http://x/> DELETE { ?r ?p ?o } WHERE { << :a :knows ?y ~ ?r >> :since ?s . ?r ?p ?o }")
	if err != nil {
		t.Fatal(err)
	}
	if r, _ := Run(t.Context(), "PREFIX : <http://x/> SELECT ?s { << ?x :knows ?y >> :since ?s }", Dataset{Graph: after}, Options{}); !slices.Equal(shortRows(t, r), []string{"1995"}) {
		t.Error("what was said of facts is not deleted")
	}
}

func shortRows(t *testing.T, r *results.Results) []string {
	t.Helper()
	lines := []string{}
	for terms, err := range r.Rows {
		if err != nil {
			t.Fatal(err)
		}
		var cells []string
		for _, each := range terms {
			cells = append(cells, each.String())
		}
		line := strings.ReplaceAll(strings.Join(cells, " "), "http://x/", "")
		for _, kind := range []string{"integer", "boolean"} {
			line = strings.ReplaceAll(line, `"^^<http://www.w3.org/2001/XMLSchema#`+kind+">", "^")
		}
		for strings.Contains(line, "^") {
			at := strings.IndexByte(line, '^')
			start := strings.LastIndexByte(line[:at], '"')
			line = line[:start] + line[start+1:at] + line[at+1:]
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines
}

func TestTripleTermsInResults(t *testing.T) {
	g := sparqltest.Read(t, "", read.NTriples)
	const query = "PREFIX : <http://x/> SELECT ?t { BIND(<<( :a :p <<( :b :q 'x'@ar--rtl )>> )>> AS ?t) }"
	for format, want := range map[results.Format]string{
		results.JSON: `{"t":{"type":"triple","value":{"subject":{"type":"uri","value":"http://x/a"},"predicate":{"type":"uri","value":"http://x/p"},"object":{"type":"triple","value":{"subject":{"type":"uri","value":"http://x/b"},"predicate":{"type":"uri","value":"http://x/q"},"object":{"type":"literal","value":"x","xml:lang":"ar","its:dir":"rtl"}}}}}}`,
		results.XML:  `<triple><subject><uri>http://x/a</uri></subject><predicate><uri>http://x/p</uri></predicate><object><triple>`,
		results.CSV:  `"<<( <http://x/a> <http://x/p> <<( <http://x/b> <http://x/q> ""x""@ar--rtl )>> )>>"`,
		results.TSV:  "<<( <http://x/a> <http://x/p> <<( <http://x/b> <http://x/q> \"x\"@ar--rtl )>> )>>\n",
	} {
		r, err := Run(t.Context(), query, Dataset{Graph: g}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := r.Write(&b, format); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%s: %s, %v", format, b.String(), err)
		}
	}
}
