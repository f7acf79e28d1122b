package syntax_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
)

var updates = []string{
	"",
	"PREFIX : <http://x/>",
	"INSERT DATA { :a :p :b }",
	"INSERT DATA { :a :p :b, 'c'@en ; :q [ :r 1 ], (1 2) . _:x a :C }",
	"DELETE DATA { :a :p :b . :c :d 1.5 } ;",
	"DELETE WHERE { ?x :p ?y . ?y ?q <z> }",
	"DELETE { ?x :p ?y } WHERE { ?x :p ?y FILTER(?y > 3) }",
	"DELETE { ?x :p ?y } INSERT { ?x :q ?y, [] } WHERE { ?x :p ?y OPTIONAL { ?y :r ?z } }",
	"INSERT { ?x :q _:n . _:n :of ?x } WHERE { _:n :p ?x }",
	"BASE <http://b/> INSERT { ?x :q ?y } WHERE { ?x :p ?v BIND(IRI(?v) AS ?y) } ; DELETE DATA { <a> <b> <c> }",
	"PREFIX a: <http://a/> INSERT DATA { a:x a:y a:z } ; PREFIX b: <http://b/> DELETE DATA { b:x a:y b:z }",
	"CLEAR ALL; DROP SILENT DEFAULT ; INSERT DATA {}",
	"WITH :g DELETE { ?x :p ?y . GRAPH ?h { ?x :q ?y } } INSERT { GRAPH :i { ?x :p ?y . ?x :q ?y } } USING :a USING NAMED :b WHERE { ?x :p ?y GRAPH ?h { ?x :q ?y } }",
	"INSERT DATA { :a :p :b . GRAPH :g { :a :p :b . :a :p :c } GRAPH :h { :a :p :b } } ; DELETE WHERE { GRAPH ?g { ?x :p ?y } ?x :q ?z }",
	"COPY :a TO DEFAULT ; MOVE DEFAULT TO GRAPH :g ; ADD SILENT :a TO :b ; CREATE GRAPH :h ; DROP ALL ; CLEAR GRAPH :g",
	"CLEAR NAMED ; DROP SILENT GRAPH <g> ; LOAD SILENT <a> INTO GRAPH :g ; CREATE SILENT GRAPH :g ; COPY SILENT :a TO DEFAULT ; ADD DEFAULT TO DEFAULT ; MOVE SILENT GRAPH <a> TO GRAPH <b>",
	"INSERT { _:b :p ?x } WHERE { ?x :p 1 } ; INSERT { _:b :p ?x } WHERE { ?x :p 2 } ; INSERT DATA { _:b :p 3 }",
	"INSERT DATA { GRAPH <urn:x-rdflib:default> { :a :p :b } . :c :d :e } ; CLEAR GRAPH <urn:x-arq:DefaultGraph>",
	"WITH <urn:x-rdflib:default> DELETE { GRAPH <urn:x-rdflib:default> { ?x :p ?y } } USING <urn:x-rdflib:default> WHERE { GRAPH <urn:x-rdflib:default> { ?x :p ?y } }",
	"insert data { :a :p _:b } ; insert { ?x :p [] } where { ?x a :T . ?x :q _:b }",
}

func TestUpdatesRoundTrip(t *testing.T) {
	for _, text := range updates {
		u, err := syntax.ParseUpdate(text)
		if err != nil {
			t.Errorf("%s\n%v", text, err)
			continue
		}
		sameUpdate(t, u)
	}
}

// sameUpdate holds an update to what is read of its text, but for places.
func sameUpdate(t *testing.T, u *syntax.Update) {
	t.Helper()
	text := u.String()
	again, err := syntax.ParseUpdate(text)
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	if again.String() != text || len(again.Operations) != len(u.Operations) {
		t.Errorf("printed again:\n%s\n%s", text, again)
	}
	for i, o := range u.Operations {
		if reflect.DeepEqual(o.Where == nil, again.Operations[i].Where == nil) == false || len(o.Insert) != len(again.Operations[i].Insert) {
			t.Errorf("operation %d of\n%s\n is another one", i, text)
		}
	}
}

func TestParseUpdateRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT * {}":                             "expected INSERT, DELETE or CLEAR",
		"INSERT DATA { ?x :p :b }":                "sparql:1:15: the variable ?x in INSERT DATA, which has none",
		"DELETE DATA { :a ?p :b }":                "the variable ?p in DELETE DATA",
		"DELETE DATA { _:a :p :b }":               "a blank node in what is to be deleted",
		"DELETE WHERE { _:a :p :b }":              "a blank node in what is to be deleted",
		"DELETE { [] :p ?x } WHERE { ?x :p ?y }":  "a blank node in what is to be deleted",
		"DELETE WHERE { ?x :p* :b }":              "a path in the triples of DELETE",
		"DELETE WHERE { ?x :p ?y FILTER(?x) }":    "'.' or '}' after a triple",
		"INSERT { ?x :p ?y }":                     "expected WHERE and the pattern",
		"INSERT DATA { :a :p :b } INSERT DATA {}": "expected ';' or the end of the update",
		"INSERT DATA { GRAPH <urn:x-rdflib:default> { GRAPH <urn:x-rdflib:default> {} } }": "expected",
		"DROP":        "expected DEFAULT, NAMED, ALL or GRAPH after DROP",
		"LOAD SILENT": "expected an IRI after LOAD",
		"CREATE :g":   "expected GRAPH and its IRI",
		"COPY :a":     "expected TO and a graph",
		"MOVE :a TO":  "expected an IRI or DEFAULT after TO",
		"INSERT DATA { :a :p 1 } ; ; INSERT DATA { :a :p 2 }": "expected INSERT, DELETE or CLEAR",
		"INSERT DATA { _:a :p 1 } ; INSERT DATA { _:a :p 2 }": "the blank node _:a stands in two operations",
		"INSERT { ?x f:p ?y } WHERE {}":                       "the prefix f: is not declared",
		"INSERT { ?x :p ?y } WHERE { ?y :p 1 BIND(1 AS ?y) }": "?y has a value before BIND",
	} {
		_, err := syntax.ParseUpdate(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", text, err, want)
		}
		if kg.KindOf(err) != kg.Invalid {
			t.Errorf("%s: kind %v", text, kg.KindOf(err))
		}
	}
}

// TestWellFormedUpdates tells what is malformed from what is not.
func TestWellFormedUpdates(t *testing.T) {
	for text, ok := range map[string]bool{
		"LOAD <http://x/> INTO GRAPH <http://g/> ; CLEAR GRAPH <http://g/> ; DROP GRAPH :g ; CREATE GRAPH :g":                  true,
		"ADD :g TO DEFAULT ; MOVE GRAPH :g TO GRAPH :h ; COPY DEFAULT TO :g":                                                   true,
		"INSERT DATA { :a :p :b . GRAPH :g { :a :p :b } GRAPH :h { } . :c :p :d }":                                             true,
		"DELETE DATA { GRAPH :g { :a :p :b } }":                                                                                true,
		"WITH :g DELETE { ?x :p ?y } INSERT { GRAPH ?h { ?x :p ?y } } USING :a USING NAMED :b WHERE { GRAPH ?h { ?x :p ?y } }": true,
		"DELETE WHERE { GRAPH ?g { ?x :p ?y } ?x :q ?z }":                                                                      true,
		"INSERT DATA { GRAPH :g { :a :p :b }":                                                                                  false,
		"INSERT DATA { GRAPH ?g { :a :p :b } }":                                                                                false,
		"INSERT DATA { GRAPH :g { :a :p ?x } }":                                                                                false,
		"DELETE DATA { GRAPH :g { _:a :p :b } }":                                                                               false,
		"INSERT DATA { GRAPH :g { GRAPH :h { :a :p :b } } }":                                                                   false,
		"INSERT DATA { GRAPH _:g { :a :p :b } }":                                                                               false,
		"WITH :g INSERT DATA { :a :p :b }":                                                                                     false,
		"WITH :g DELETE WHERE { ?x :p ?y }":                                                                                    false,
		"WITH <urn:x-rdflib:default> DELETE DATA { :a :p :b }":                                                                 false,
		"WITH :g CLEAR ALL":                 false,
		"LOAD <http://x/> INTO <http://g/>": false,
		"CREATE GRAPH DEFAULT":              false,
		"DROP GRAPH :g :h":                  false,
		"COPY :g DEFAULT":                   false,
	} {
		if _, err := syntax.ParseUpdate(text); ok != (err == nil) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestKnownPrefixes(t *testing.T) {
	known := kg.Prefix{Name: "ex", IRI: "http://example.org/"}
	u, err := syntax.ParseUpdate("INSERT DATA { ex:a ex:p ex:b }", known)
	if err != nil || u.Operations[0].Insert[0].Subject.Term.Value != "http://example.org/a" {
		t.Errorf("%v, %v", u, err)
	}
	q, err := syntax.Parse("PREFIX ex: <http://other/> ASK { ex:a ?p ?y }", known)
	if err != nil || !strings.Contains(q.String(), "<http://other/a>") {
		t.Errorf("%v, %v", q, err)
	}
}

func FuzzParseUpdate(f *testing.F) {
	for _, seed := range updates {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, err := syntax.ParseUpdate(text)
		if err != nil {
			if kind := kg.KindOf(err); kind != kg.Invalid && kind != kg.TooLarge {
				t.Fatalf("%v: kind %v", err, kind)
			}
			return
		}
		sameUpdate(t, u)
	})
}
