package sparql

import (
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/sparql/sparqltest"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
)

// updated does the operations of an update one after the other, as a server does.
func updated(t *testing.T, g *kg.Graph, text string) (*kg.Graph, error) {
	t.Helper()
	u, err := syntax.ParseUpdate(text, Prefixes(g)...)
	if err != nil {
		return nil, err
	}
	for _, o := range u.Operations {
		add, remove, err := Changes(t.Context(), o, Dataset{Graph: g, Strict: true}, Limits{Solutions: 100})
		if err != nil {
			return nil, err
		}
		if g, _, err = g.ChangeExactly(t.Context(), add, remove); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// stated lists all triples of a graph, labels included, in short.
func stated(t *testing.T, g *kg.Graph) []string {
	t.Helper()
	found, err := Run(t.Context(), "SELECT ?s ?p ?o { ?s ?p ?o }", Dataset{Graph: g}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for terms, err := range found.Rows {
		if err != nil {
			t.Fatal(err)
		}
		line := terms[0].String() + " " + terms[1].String() + " " + terms[2].String()
		for long, short := range map[string]string{"http://x/": "", "http://www.w3.org/2000/01/rdf-schema#": "rdfs:", "http://www.w3.org/2001/XMLSchema#": "xsd:"} {
			line = strings.ReplaceAll(line, long, short)
		}
		list = append(list, line)
	}
	slices.Sort(list)
	return list
}

// TestUpdates holds every kind of operation to what section 3 of the recommendation says.
func TestUpdates(t *testing.T) {
	const before = `@prefix : <http://x/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
		:a :p :b, :c ; :age 5 . :b :p :c ; rdfs:label "Bo"@en .`
	all := []string{"<a> <age> \"5\"^^<xsd:integer>", "<a> <p> <b>", "<a> <p> <c>", "<b> <p> <c>", `<b> <rdfs:label> "Bo"@en`}
	with := func(lines ...string) []string {
		return slices.Sorted(slices.Values(append(slices.Clone(all), lines...)))
	}
	without := func(lines ...string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(line string) bool { return slices.Contains(lines, line) })
	}
	for _, c := range []struct {
		name, update string
		want         []string
	}{
		{"nothing", "", all},
		{"insert data", "INSERT DATA { :d :q :a, 'x'@de . :a :p :b }", with("<d> <q> <a>", `<d> <q> "x"@de`)},
		{"delete data", "DELETE DATA { :a :p :b . :a :p :nobody . :n :o :p }", without("<a> <p> <b>")},
		{"numbers are terms", "DELETE DATA { :a :age 05 }", all},
		{"a language in any case", "DELETE DATA { :b rdfs:label 'Bo'@EN }", without(`<b> <rdfs:label> "Bo"@en`)},
		{"labels", "INSERT DATA { :c rdfs:label 'Cy', 'Ky'@de . :z rdfs:label 'Zed' }", with(`<c> <rdfs:label> "Cy"`, `<c> <rdfs:label> "Ky"@de`, `<z> <rdfs:label> "Zed"`)},
		{"delete where", "DELETE WHERE { :a :p ?x . ?x :p ?y }", without("<a> <p> <b>", "<b> <p> <c>")},
		{"delete where of labels", "DELETE WHERE { ?x rdfs:label ?l }", without(`<b> <rdfs:label> "Bo"@en`)},
		{"delete all", "DELETE WHERE { ?s ?p ?o }", nil},
		{"clear", "CLEAR DEFAULT", nil},
		{"what cannot be done and may fail", "LOAD SILENT <http://nowhere/> ; CLEAR SILENT GRAPH :g ; DROP SILENT GRAPH :g ; CREATE SILENT GRAPH :g ; COPY SILENT :g TO DEFAULT ; MOVE SILENT :i TO :g ; ADD SILENT :g TO :h", all},
		{"what has nothing to do", "CLEAR NAMED ; DROP SILENT NAMED ; COPY DEFAULT TO DEFAULT ; MOVE DEFAULT TO DEFAULT ; ADD DEFAULT TO DEFAULT", all},
		{"insert where", "INSERT { ?y :r ?x } WHERE { ?x :p ?y }", with("<b> <r> <a>", "<c> <r> <a>", "<c> <r> <b>")},
		{"rename", "DELETE { ?x :age ?n } INSERT { ?x :years ?m } WHERE { ?x :age ?n BIND(?n + 1 AS ?m) }",
			slices.Sorted(slices.Values(append(without("<a> <age> \"5\"^^<xsd:integer>"), "<a> <years> \"6\"^^<xsd:integer>")))},
		{"unbound makes none", "INSERT { ?x :q ?z } WHERE { ?x :p ?y OPTIONAL { ?y :nothing ?z } }", all},
		{"no triple is passed over", "INSERT { ?n :q ?x . ?x ?n :a } WHERE { ?x :age ?n }", all},
		{"both stays", "DELETE { ?x :p ?y } INSERT { ?x :p ?y } WHERE { ?x :p ?y }", all},
		{"the pattern sees the graph before", "DELETE { :a :p :b } INSERT { :n :p :b } WHERE { :a :p :b FILTER NOT EXISTS { :n :p :b } }", slices.Sorted(slices.Values(append(without("<a> <p> <b>"), "<n> <p> <b>")))},
		{"one after the other", "INSERT DATA { :n :p :m } ; DELETE { ?x :p ?y } WHERE { ?x :p ?y FILTER(?x = :n) } ; INSERT { :k :l ?y } WHERE { :n :p ?y }", all},
		{"a sequence", "DELETE DATA { :a :p :b } ; INSERT { ?x :lone :x } WHERE { ?x :p :c FILTER NOT EXISTS { ?x :p :b } }",
			slices.Sorted(slices.Values(append(without("<a> <p> <b>"), "<a> <lone> <x>", "<b> <lone> <x>")))},
		{"a pattern without triples", "INSERT { :new :p 1 } WHERE {}", with("<new> <p> \"1\"^^<xsd:integer>")},
		{"a pattern that never matches", "DELETE { :a :p :b } INSERT { :new :p 1 } WHERE { FILTER(false) }", all},
		{"empty templates", "DELETE {} INSERT {} WHERE { ?s ?p ?o }", all},
		{"a variable that only some solutions bind", "DELETE { ?x :age ?n . ?x :p :c } WHERE { ?x :p :c OPTIONAL { ?x :age ?n } }", without("<a> <age> \"5\"^^<xsd:integer>", "<a> <p> <c>", "<b> <p> <c>")},
		{"a variable that nothing binds", "DELETE { ?x :p ?nobody } WHERE { ?x :age 5 }", all},
		{"a variable as predicate", "DELETE { ?s ?p :c } INSERT { ?s ?p :d } WHERE { ?s ?p :c }",
			slices.Sorted(slices.Values(append(without("<a> <p> <c>", "<b> <p> <c>"), "<a> <p> <d>", "<b> <p> <d>")))},
		{"what one solution deletes and another inserts", "DELETE { ?x :p ?y } INSERT { ?y :p ?x } WHERE { ?x :p ?y }",
			slices.Sorted(slices.Values(append(without("<a> <p> <b>", "<a> <p> <c>", "<b> <p> <c>"), "<b> <p> <a>", "<c> <p> <a>", "<c> <p> <b>")))},
		{"by negation", "DELETE { ?x :p ?y } WHERE { ?x :p ?y FILTER NOT EXISTS { ?x :age ?n } }", without("<b> <p> <c>")},
		{"by a path", "INSERT { :a :reaches ?y } WHERE { :a :p+ ?y }", with("<a> <reaches> <b>", "<a> <reaches> <c>")},
		{"by values", "DELETE { ?x ?p ?y } WHERE { VALUES (?x ?p ?y) { (:a :p :b) (:a :p :nobody) (:b :p UNDEF) } }", without("<a> <p> <b>")},
		{"a literal as a subject", "INSERT { ?n :of ?x } WHERE { ?x :age ?n }", all},
		{"two triples of one", "DELETE WHERE { ?x :p :b . ?x :p :c }", without("<a> <p> <b>", "<a> <p> <c>")},
		{"a prologue in between", "INSERT DATA { :k :p :l } ; PREFIX z: <http://z/> INSERT DATA { z:k z:p z:l } ;", with("<k> <p> <l>", "<http://z/k> <http://z/p> <http://z/l>")},
		{"a base", "BASE <http://x/> INSERT DATA { <k> <p> <l> }", with("<k> <p> <l>")},
		{"what rdflib sends", "INSERT DATA { GRAPH <urn:x-rdflib:default> { :k :p :l } } ; DELETE { GRAPH <urn:x-rdflib:default> { ?x :age ?n } } WHERE { GRAPH <urn:x-rdflib:default> { ?x :age ?n } }",
			slices.Sorted(slices.Values(append(without("<a> <age> \"5\"^^<xsd:integer>"), "<k> <p> <l>")))},
		{"a subselect", "INSERT { ?x :n ?n } WHERE { SELECT ?x (COUNT(?y) AS ?n) { ?x :p ?y } GROUP BY ?x }", with("<a> <n> \"2\"^^<xsd:integer>", "<b> <n> \"1\"^^<xsd:integer>")},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := sparqltest.Read(t, before, read.Turtle)
			after, err := updated(t, g, c.update)
			if err != nil {
				t.Fatal(err)
			}
			if got := stated(t, after); !slices.Equal(got, c.want) {
				t.Errorf("%s\n got %q\nwant %q", c.update, got, c.want)
			}
			if got := stated(t, g); !slices.Equal(got, all) {
				t.Errorf("the graph before has changed: %q", got)
			}
		})
	}
}

// TestUpdatesLeaveNoNodes wants a term that no triple has any more to be gone: a path without steps leads from every node
// of the graph to itself (section 18.1.7), and from no others.
func TestUpdatesLeaveNoNodes(t *testing.T) {
	g := sparqltest.Read(t, `@prefix : <http://x/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . :a :p :b ; rdfs:label "A" .`, read.Turtle)
	for _, c := range []struct {
		update string
		nodes  int
	}{
		{"", 3},
		{"INSERT DATA { :c :q 1 }", 5},
		{"DELETE DATA { :c :q 1 }", 3},
		{"DELETE DATA { :a rdfs:label 'A' }", 2},
		{"DELETE WHERE { ?s ?p ?o }", 0},
	} {
		var err error
		if g, err = updated(t, g, c.update); err != nil {
			t.Fatal(err)
		}
		found, err := Run(t.Context(), "SELECT ?x { ?x :p* ?x }", Dataset{Graph: g}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := sparqltest.Lines(t, found); len(got) != c.nodes {
			t.Errorf("after %q the nodes are %q, want %d", c.update, got, c.nodes)
		}
	}
}

// TestUpdatesMakeBlankNodes wants new ones, the same for one label within a solution.
func TestUpdatesMakeBlankNodes(t *testing.T) {
	g := sparqltest.Read(t, "@prefix : <http://x/> . :a :p :b . :c :p :d . _:u4.1 :old :a .", read.Turtle)
	for _, text := range []string{
		"INSERT { _:n :of ?x ; :in ?y } WHERE { ?x :p ?y }",
		"INSERT DATA { _:n :of :a ; :in [ :of :b ] }",
		"INSERT DATA { _:n :of :a ; :in :b }",
	} {
		var err error
		if g, err = updated(t, g, text); err != nil {
			t.Fatal(err)
		}
	}
	for query, want := range map[string]string{
		"SELECT (COUNT(DISTINCT ?n) AS ?k) { ?n :of ?x }":            "5",
		"SELECT (COUNT(*) AS ?k) { ?n :of ?x ; :in ?y . ?x :p ?y }":  "3",
		"SELECT (COUNT(*) AS ?k) { ?n :of :a ; :in ?m . ?m :of :b }": "1",
		"SELECT (COUNT(*) AS ?k) { ?n :old ?x ; :of ?y }":            "0",
	} {
		found, err := Run(t.Context(), query, Dataset{Graph: g}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := sparqltest.Lines(t, found); !strings.Contains(got[0], `"`+want+`"`) {
			t.Errorf("%s: %q, want %s", query, got, want)
		}
	}
}

func TestUpdatesAreRefused(t *testing.T) {
	g := sparqltest.ReadTable(t, "Ada\tknows\tBo\nBo\tknows\tCy\n")
	for update, want := range map[string]string{
		"INSERT DATA { 'a' :p :b }":                  "sparql:1:15: no triple of RDF",
		"INSERT DATA { <urn:lacuna:%22a%22> :p :b }": "would be read as",
		"INSERT DATA { :a <urn:lacuna:x%5E-1> :b }":  "reads as an inverse",
		"INSERT { ?x :p [] } WHERE { ?x :knows ?y . ?z :knows ?w VALUES ?k { 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 } }": "more than the limit of 100 facts",
		"INSERT { ?x :p ?y } WHERE { ?x :p ?z BIND(<http://f>(?z) AS ?y) }":                                                                                        "is not known here",
	} {
		if _, err := updated(t, g, update); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", update, err, want)
		}
	}
}
