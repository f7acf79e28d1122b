package protocol

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/sparql/syntax"
)

// What public clients send, as it came over the line (docs/lab/sparql-clients.md has the trials with the clients
// themselves): their parameters, headers and the text around the query. Only the query is another one.
var fromClients = []struct {
	client, request, body string
	media, want           string // of the answer
}{
	{"SPARQLWrapper 1.8.5, JSON", `GET /sparql?query=SELECT+%3Fx+%7B+%3AAda+%3Aknows+%3Fx+%7D+ORDER+BY+%3Fx&format=json&output=json&results=json HTTP/1.1
Accept-Encoding: identity
User-Agent: sparqlwrapper 1.8.5 (rdflib.github.io/sparqlwrapper)
Accept: application/sparql-results+json,application/json,text/javascript,application/javascript`, "", "application/sparql-results+json", `"urn:lacuna:Bo"`},
	{"SPARQLWrapper 1.8.5, TSV", `GET /sparql?query=SELECT+%3Fx+%7B+%3AAda+%3Aknows+%3Fx+%7D&format=tsv&format=text/tab-separated-values&output=tsv&output=text/tab-separated-values&results=tsv&results=text/tab-separated-values HTTP/1.1
User-Agent: sparqlwrapper 1.8.5 (rdflib.github.io/sparqlwrapper)
Accept: text/tab-separated-values`, "", "text/tab-separated-values", "<urn:lacuna:Bo>"},
	{"SPARQLWrapper 1.8.5, POST", `POST /sparql HTTP/1.1
Content-Type: application/x-www-form-urlencoded
Accept: application/sparql-results+xml`, "query=ASK+%7B+%3AAda+%3Aknows+%3ABo+%7D&format=xml&output=xml&results=xml", "application/sparql-results+xml", "<boolean>true</boolean>"},
	{"SPARQLWrapper 1.8.5, POST directly", `POST /sparql?format=json&output=json&results=json HTTP/1.1
Content-Type: application/sparql-query
Accept: application/sparql-results+json,application/json,text/javascript,application/javascript`, "ASK { :Ada :knows :Bo }", "application/sparql-results+json", "true"},
	{"SPARQLWrapper 1.8.5, Turtle", `GET /sparql?query=CONSTRUCT+WHERE+%7B+%3Fs+%3Fp+%3Fo+%7D&format=turtle&output=turtle&results=turtle HTTP/1.1
Accept: application/turtle,text/turtle`, "", "text/turtle", "urn:lacuna:Bo"},
	{"SPARQLWrapper 1.8.5, N3", `GET /sparql?query=CONSTRUCT+WHERE+%7B+%3Fs+%3Fp+%3Fo+%7D&format=n3&output=n3&results=n3 HTTP/1.1
Accept: application/turtle,text/turtle,text/rdf+n3,application/n-triples,application/n3,text/n3`, "", "text/turtle", "urn:lacuna:Bo"},
	{"SPARQLWrapper 1.8.5, CONSTRUCT without a format", `GET /sparql?query=CONSTRUCT+WHERE+%7B+%3Fs+%3Fp+%3Fo+%7D&format=json&output=json&results=json HTTP/1.1
Accept: */*`, "", "text/turtle", "urn:lacuna:Bo"},
	{"SPARQLWrapper 1.8.5, update", `POST /update HTTP/1.1
Content-Type: application/x-www-form-urlencoded
Accept: application/sparql-results+xml`, "update=INSERT+DATA+%7B+%3Aa+%3Ab+%3Ac+%7D", "application/json", "INSERT DATA"},
	{"rdflib 6.1.1, GET", `GET /sparql?query=PREFIX+ssn%3A+%3Chttp%3A%2F%2Fwww.w3.org%2Fns%2Fssn%2F%3E%0A%0ASELECT+%3Fx+%7B+%3AAda+%3Aknows+%3Fx+%7D HTTP/1.1
User-Agent: Python-urllib/3.11
Accept: application/sparql-results+xml, application/rdf+xml`, "", "application/sparql-results+xml", "urn:lacuna:Bo"},
	{"rdflib 6.1.1, CONSTRUCT", `POST /sparql? HTTP/1.1
Content-Type: application/sparql-query
Accept: application/sparql-results+xml, application/rdf+xml`, "CONSTRUCT WHERE { ?s ?p ?o }", "application/rdf+xml", "urn:lacuna:Bo"},
	{"rdflib 6.1.1, update of the default graph", `POST /update? HTTP/1.1
Accept: application/sparql-results+xml, application/rdf+xml
Content-Type: application/sparql-update`, "INSERT DATA { GRAPH <urn:x-rdflib:default> { :a :b 1973 .\n:a :c :d .\n } }", "application/json", "1973"},
	{"rdflib 6.1.1, change of the default graph", `POST /update? HTTP/1.1
Content-Type: application/sparql-update`, "DELETE { GRAPH <urn:x-rdflib:default> { ?f :year ?y } } INSERT { GRAPH <urn:x-rdflib:default> { ?f :year 1974 } } WHERE { GRAPH <urn:x-rdflib:default> { ?f :year ?y } }\n;\nDELETE { :a ?P ?O . } WHERE { :a ?P ?O . } ", "application/json", "1974"},
	{"YASGUI 4.2.28, POST", `POST /sparql HTTP/1.1
Accept: application/sparql-results+json,*/*;q=0.9
Content-Type: application/x-www-form-urlencoded
Origin: http://127.0.0.1:8500
Sec-Fetch-Site: same-site
Sec-Fetch-Mode: cors`, "query=SELECT%20%3Fx%20%7B%20%3AAda%20%3Aknows%20%3Fx%20%7D", "application/sparql-results+json", "urn:lacuna:Bo"},
	{"YASGUI 4.2.28, CONSTRUCT", `GET /sparql?query=CONSTRUCT%20WHERE%20%7B%20%3Fs%20%3Fp%20%3Fo%20%7D HTTP/1.1
Accept: application/n-triples,*/*;q=0.9`, "", "application/n-triples", "<urn:lacuna:Bo> ."},
}

func TestClients(t *testing.T) {
	s := newSource(t)
	mux := http.NewServeMux()
	mux.Handle("/sparql", &Handler{Source: s})
	mux.Handle("/update", &UpdateHandler{Source: s, Update: func(_ context.Context, u *syntax.Update) (any, error) { return u.String(), nil }})
	for _, c := range fromClients {
		t.Run(c.client, func(t *testing.T) {
			raw := strings.ReplaceAll(c.request, "\n", "\r\n") + fmt.Sprintf("\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", len(c.body), c.body)
			r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(raw)))
			if err != nil {
				t.Fatal(err)
			}
			w := httptest.NewRecorder()
			mux.ServeHTTP(w, r)
			if w.Code != http.StatusOK || !strings.HasPrefix(w.Header().Get("Content-Type"), c.media) || !strings.Contains(w.Body.String(), c.want) {
				t.Errorf("%d %s\n%s\nwant %s with %s", w.Code, w.Header().Get("Content-Type"), w.Body, c.media, c.want)
			}
		})
	}
}
