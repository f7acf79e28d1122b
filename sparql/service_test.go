package sparql_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/endpoint"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/sparql"
	"github.com/lacuna-kg/lacuna/sparql/protocol"
	"github.com/lacuna-kg/lacuna/sparql/sparqltest"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
)

type staticSource struct{ graph *kg.Graph }

func (s staticSource) Dataset() (sparql.Dataset, func()) {
	return sparql.Dataset{Graph: s.graph}, func() {}
}

// other is a server with a graph of its own that counts its requests.
func other(t *testing.T, turtle string) (address string, requests *atomic.Int32) {
	t.Helper()
	handler := &protocol.Handler{Source: staticSource{sparqltest.Read(t, "@prefix : <http://x/> .\n"+turtle, read.Turtle)}}
	requests = &atomic.Int32{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/sparql", requests
}

// answers are the rows of a query as lines, sorted.
func answers(t *testing.T, query string, data sparql.Dataset, limits sparql.Limits) ([]string, error) {
	t.Helper()
	found, err := sparql.Run(t.Context(), "PREFIX : <http://x/> "+query, data, sparql.Options{Limits: limits})
	if err != nil {
		return nil, err
	}
	lines := []string{}
	for terms, err := range found.Rows {
		if err != nil {
			return nil, err
		}
		cells := make([]string, len(terms))
		for i, term := range terms {
			cells[i] = strings.ReplaceAll(term.String(), "http://x/", "")
		}
		lines = append(lines, strings.Join(cells, " "))
	}
	slices.Sort(lines)
	return lines, nil
}

func TestService(t *testing.T) {
	here := sparqltest.Read(t, `@prefix : <http://x/> . :a :knows :b . :b :knows :c . :c :knows _:n . :a :age 5 . :a :at <http://127.0.0.1:1/x> .`, read.Turtle)
	address, requests := other(t, `:b :name "Bo"@en ; :likes [ :p 1 ] . :c :name "Cy" . :d :name "Di" .`)
	remote := &endpoint.Remote{Services: endpoint.Guard{Allowed: []string{address}}}
	data := sparql.Dataset{Graph: here, Remote: remote}
	for query, want := range map[string][]string{
		"SELECT ?y ?n { :a :knows ?y SERVICE <S> { ?y :name ?n } }":                          {`<b> "Bo"@en`},
		"SELECT ?y ?n { SERVICE <S> { ?y :name ?n } ?x :knows ?y }":                          {`<b> "Bo"@en`, `<c> "Cy"`},
		"SELECT ?y ?n { SERVICE <S> { ?y :name ?n FILTER(?n = 'Di') } }":                     {`<d> "Di"`},
		"SELECT ?y ?n { ?x :knows ?y OPTIONAL { SERVICE <S> { ?y :name ?n } } }":             {`<b> "Bo"@en`, `<c> "Cy"`, `_:n UNDEF`},
		"SELECT ?y { ?x :knows ?y FILTER EXISTS { SERVICE <S> { ?y :name ?n } } }":           {"<b>", "<c>"},
		"SELECT ?n { VALUES ?s { <S> } SERVICE ?s { :c :name ?n } }":                         {`"Cy"`},
		"SELECT ?y ?z { ?x :knows ?y . SERVICE <S> { ?y :likes ?z } }":                       {"<b> _:new1"},
		"SELECT ?x { ?x :age 5 SERVICE SILENT <http://127.0.0.1:1/no> { ?x :name ?n } }":     {"<a>"},
		"SELECT ?x { ?x :age 5 SERVICE SILENT ?y { ?x :name ?n } }":                          {"<a>"},
		"SELECT (COUNT(*) AS ?n) { SERVICE <S> { [] :name [] } }":                            {`"3"^^<http://www.w3.org/2001/XMLSchema#integer>`},
		"SELECT ?n { SERVICE <S> { ?x :name ?n MINUS { ?x :likes ?y } } FILTER(?n > 'Cz') }": {`"Di"`},
		"SELECT ?x ?n { GRAPH ?g { ?x ?p ?o } SERVICE <S> { ?x :name ?n } }":                 {},
	} {
		got, err := answers(t, strings.ReplaceAll(query, "<S>", "<"+address+">"), data, sparql.Limits{})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s\n got %v, %v\nwant %v", query, got, err, want)
		}
	}
	requests.Store(0)
	if _, err := answers(t, "SELECT * { ?x :knows ?y SERVICE <"+address+"> { ?y :name ?n } }", data, sparql.Limits{}); err != nil || requests.Load() != 1 {
		t.Errorf("%d requests for a few rows, %v", requests.Load(), err)
	}
}

// Values of the rows at hand go with the request, many at a time, and nothing comes that is not asked for.
func TestServiceAsksInBlocks(t *testing.T) {
	var names, people strings.Builder
	for i := range 250 {
		fmt.Fprintf(&people, ":p%d :in :x .\n", i)
	}
	for i := range 2000 {
		fmt.Fprintf(&names, ":p%d :name \"%d\" .\n", i, i)
	}
	here := sparqltest.Read(t, "@prefix : <http://x/> .\n"+people.String(), read.Turtle)
	address, requests := other(t, names.String())
	data := sparql.Dataset{Graph: here, Remote: &endpoint.Remote{Services: endpoint.Guard{Allowed: []string{address}}, Bytes: 40_000}}
	got, err := answers(t, "SELECT ?p ?n { ?p :in :x SERVICE <"+address+"> { ?p :name ?n } }", data, sparql.Limits{})
	if err != nil || len(got) != 250 || requests.Load() != 3 {
		t.Errorf("%d rows by %d requests, %v", len(got), requests.Load(), err)
	}
	_, err = answers(t, "SELECT ?p ?n { SERVICE <"+address+"> { ?p :name ?n } }", data, sparql.Limits{})
	if kg.KindOf(err) != kg.TooLarge || !strings.Contains(fmt.Sprint(err), "limit of 40000 bytes") {
		t.Errorf("an answer that is too long: %v", err)
	}
	data.Remote = &endpoint.Remote{Services: endpoint.Guard{Allowed: []string{address}}}
	_, err = answers(t, "SELECT ?p ?n { SERVICE SILENT <"+address+"> { ?p :name ?n } }", data, sparql.Limits{Memory: 100_000})
	if kg.KindOf(err) != kg.TooLarge || !strings.Contains(fmt.Sprint(err), "of memory") {
		t.Errorf("more than the memory of the query: %v", err)
	}
}

func TestServiceRefuses(t *testing.T) {
	here := sparqltest.Read(t, `<http://x/a> <http://x/p> <http://x/b> .`, read.NTriples)
	address, _ := other(t, ":a :p :b .")
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // before, nobody notices that the client has left
		<-r.Context().Done()
	}))
	defer slow.Close()
	wrong := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/html":
			fmt.Fprint(w, "<html>")
		case "/half":
			fmt.Fprint(w, `{"results":{"bindings":[{"x":{"type":"uri","value":"http://x/a"}}`)
		case "/term":
			fmt.Fprint(w, `{"results":{"bindings":[{"x":{"type":"uri","value":"no iri"}}]}}`)
		case "/away":
			http.Redirect(w, r, address, http.StatusTemporaryRedirect)
		default:
			http.Error(w, "out of order", http.StatusInternalServerError)
		}
	}))
	defer wrong.Close()
	public := strings.Replace(address, "127.0.0.1", "localhost", 1)
	for _, c := range []struct {
		guard         endpoint.Guard
		address, want string
	}{
		{endpoint.Guard{}, address, "this address is not allowed here"},
		{endpoint.Guard{Allowed: []string{"*"}}, address, "an address of this machine or of a private network"},
		{endpoint.Guard{Allowed: []string{"*"}}, public, "an address of this machine or of a private network"},
		{endpoint.Guard{Allowed: []string{address}}, address + "/more", "this address is not allowed here"},
		{endpoint.Guard{Allowed: []string{"file:///etc"}}, "file:///etc", "expected an address http://"},
		{endpoint.Guard{Allowed: []string{slow.URL}}, slow.URL, "no answer: "},
		{endpoint.Guard{Allowed: []string{wrong.URL + "/"}}, wrong.URL + "/", "it answers 500 Internal Server Error: out of order"},
		{endpoint.Guard{Allowed: []string{wrong.URL + "/"}}, wrong.URL + "/html", "no results of SPARQL in JSON"},
		{endpoint.Guard{Allowed: []string{wrong.URL + "/"}}, wrong.URL + "/half", "no results of SPARQL in JSON: EOF"},
		{endpoint.Guard{Allowed: []string{wrong.URL + "/"}}, wrong.URL + "/term", `the uri "no iri" is no term of RDF`},
		{endpoint.Guard{Allowed: []string{wrong.URL + "/"}}, wrong.URL + "/away", "which is not allowed here"},
	} {
		data := sparql.Dataset{Graph: here, Remote: &endpoint.Remote{Services: c.guard, Time: 200 * time.Millisecond}}
		_, err := answers(t, "SELECT * { SERVICE <"+c.address+"> { ?x ?p ?y } }", data, sparql.Limits{})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "sparql:1:33: SERVICE ") {
			t.Errorf("%s: %v, want %s", c.address, err, c.want)
		}
		silent, err := answers(t, "SELECT ?x { SERVICE SILENT <"+c.address+"> { ?x ?p ?y } }", data, sparql.Limits{})
		if err != nil || len(silent) != 1 || silent[0] != "UNDEF" {
			t.Errorf("%s, silent: %v, %v", c.address, silent, err)
		}
	}
}

// A query for each row of another server's answer ends.
func TestServiceHasAnEnd(t *testing.T) {
	here := sparqltest.Read(t, `<http://x/a> <http://x/p> <http://x/b> .`, read.NTriples)
	address, _ := other(t, ":a :p :b .")
	data := sparql.Dataset{Graph: here, Remote: &endpoint.Remote{Services: endpoint.Guard{Allowed: []string{address}}}}
	var values strings.Builder
	for i := range 300 {
		fmt.Fprintf(&values, " (%d <%s>)", i, address)
	}
	query := "SELECT * { VALUES (?i ?s) {" + values.String() + " } FILTER EXISTS { SERVICE ?s { ?x :p ?y FILTER(?x != 7) } } }"
	_, err := answers(t, query, data, sparql.Limits{})
	if kg.KindOf(err) != kg.TooLarge || !strings.Contains(err.Error(), "more than 200 requests to other servers") {
		t.Error(err)
	}
}

func TestLoad(t *testing.T) {
	files := http.NewServeMux()
	for path, file := range map[string][2]string{
		"/a.ttl":    {"text/turtle", `@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . <#x> <#p> [ <#q> "1" ] ; rdfs:label "X"@en .`},
		"/b.nt":     {"text/plain", `<http://x/a> <http://x/p> <http://x/b> .`},
		"/empty":    {"text/turtle", ""},
		"/bad.ttl":  {"text/turtle", "nonsense"},
		"/up/c.rdf": {"", `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:x="http://x/"><rdf:Description rdf:about="http://x/a"><x:p>1</x:p></rdf:Description></rdf:RDF>`},
	} {
		files.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", file[0])
			fmt.Fprint(w, file[1])
		})
	}
	s := httptest.NewServer(files)
	defer s.Close()
	remote := &endpoint.Remote{Files: endpoint.Guard{Allowed: []string{s.URL + "/"}}}
	for text, want := range map[string]string{
		"LOAD <S/a.ttl>":                   "3 triples",
		"LOAD <S/b.nt> INTO GRAPH :g":      "1 triples in <http://x/g>",
		"LOAD <S/empty>":                   "0 triples",
		"LOAD <S/up/c.rdf>":                "1 triples",
		"LOAD <S/bad.ttl>":                 "bad.ttl:1:9: expected",
		"LOAD SILENT <S/bad.ttl>":          "0 triples",
		"LOAD <S/none>":                    "it answers 404 Not Found",
		"LOAD <http://127.0.0.1:1/a.ttl>":  "this address is not allowed here",
		"LOAD SILENT <http://127.0.0.1:1>": "0 triples",
	} {
		u, err := syntax.ParseUpdate("PREFIX : <http://x/> " + strings.ReplaceAll(text, "<S", "<"+s.URL))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if u, err = sparql.Loaded(t.Context(), u, remote); err != nil {
			got = err.Error()
		} else {
			add, _, err := sparql.Changes(t.Context(), u.Operations[0], sparql.Dataset{Graph: sparqltest.Read(t, "", read.NTriples)}, sparql.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			got = fmt.Sprintf("%d triples", len(add))
			if len(add) > 0 && add[0].Graph != "" {
				got += " in <" + add[0].Graph + ">"
			}
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
	u, _ := syntax.ParseUpdate("LOAD <http://x/>")
	if _, err := sparql.Loaded(t.Context(), u, nil); err == nil || !strings.Contains(err.Error(), "--load URL") {
		t.Errorf("a file for nobody: %v", err)
	}
}
