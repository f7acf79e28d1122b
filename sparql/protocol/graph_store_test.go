package protocol

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/lacuna-kg/lacuna/internal/rdf"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/sparql"
	"github.com/lacuna-kg/lacuna/sparql/sparqltest"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// changing is a source whose graph updates change.
type changing struct {
	sync.Mutex
	graph *kg.Graph
}

func (c *changing) Dataset() (sparql.Dataset, func()) {
	c.Lock()
	defer c.Unlock()
	return sparql.Dataset{Graph: c.graph}, func() {}
}

func (c *changing) update(ctx context.Context, u *syntax.Update) (any, error) {
	c.Lock()
	defer c.Unlock()
	for _, o := range u.Operations {
		add, remove, err := sparql.Changes(ctx, o, sparql.Dataset{Graph: c.graph}, sparql.Limits{})
		if err != nil {
			return nil, err
		}
		if c.graph, _, err = c.graph.ChangeExactly(ctx, add, remove); err != nil {
			return nil, err
		}
	}
	return map[string]int{}, nil
}

func emptyStore(t *testing.T, path string) *GraphStore {
	splits, err := read.Stream(t.Context(), strings.NewReader("# nothing\n"), "t.nt", read.Options{Format: read.NTriples})
	if err != nil {
		t.Fatal(err)
	}
	source := &changing{graph: splits.Train}
	return &GraphStore{Source: source, Update: source.update, Path: path}
}

// A graph is put, got, added to and deleted, and everything else is refused with its reason.
func TestGraphStore(t *testing.T) {
	h := emptyStore(t, "/graphs")
	const turtle, g = "text/turtle", "/graphs?graph=http%3A%2F%2Fx%2Fg"
	for _, c := range []struct {
		method, target, media, body string
		status                      int
		want                        string
	}{
		{"GET", g, "", "", 404, "there is no graph <http://x/g>"},
		{"PUT", g, turtle, "<http://x/a> <http://x/p> <b>, \"1\" .", 201, ""},
		{"GET", g, "", "", 200, "<http://x/a> <http://x/p> <http://x/b>"},
		{"POST", g, "application/n-triples", "<http://x/c> <http://www.w3.org/2000/01/rdf-schema#label> \"C\" .", 204, ""},
		{"GET", g, "", "", 200, `"C"`},
		{"HEAD", g, "", "", 200, ""},
		{"PUT", g, "application/rdf+xml", `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:x="http://x/"><rdf:Description rdf:about="http://x/d"><x:p rdf:resource="http://x/e"/></rdf:Description></rdf:RDF>`, 204, ""},
		{"GET", "/graphs?default", "", "", 200, ""},
		{"PUT", "/graphs?default", turtle, "<http://x/o> <http://x/p> _:n .", 204, ""},
		{"GET", "/graphs?default", "", "", 200, "<http://x/o> <http://x/p> _:"},
		{"GET", g, "", "", 200, "<http://x/d> <http://x/p> <http://x/e> ."},
		{"PUT", "/graphs/one.ttl", turtle, "<http://x/a> <http://x/p> 1 .", 201, ""},
		{"GET", "/graphs?graph=http://example.com/graphs/one.ttl", "", "", 200, "<http://x/a> <http://x/p> "},
		{"DELETE", g, "", "", 204, ""},
		{"DELETE", g, "", "", 404, "there is no graph"},
		{"GET", "/graphs", "", "", 400, "expected ?default, ?graph=IRI"},
		{"GET", "/graphs?default&graph=x:y", "", "", 400, "expected either"},
		{"PUT", g, turtle, "<http://x/a> <http://x/p>", 400, "body:1"},
		{"PUT", g, "text/csv", "a,b", 415, "expected text/turtle"},
		{"PATCH", g, "", "", 405, "expected GET, PUT, POST or DELETE"},
		{"OPTIONS", g, "", "", 204, ""},
	} {
		r := httptest.NewRequest(c.method, c.target, strings.NewReader(c.body))
		r.Header.Set("Content-Type", c.media)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s %s: %d %q, want %d with %q", c.method, c.target, w.Code, w.Body, c.status, c.want)
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("POST", "/graphs", strings.NewReader("<http://x/new> <http://x/p> 2 .")))
	where := w.Header().Get("Location")
	again := httptest.NewRecorder()
	h.ServeHTTP(again, httptest.NewRequest("GET", strings.TrimPrefix(where, "http://example.com"), nil))
	if w.Code != 201 || !strings.Contains(again.Body.String(), "<http://x/new>") {
		t.Errorf("a new graph: %d at %q, %s", w.Code, where, again.Body)
	}
}

const w3cStore = "../../../shared/data/w3c/sparql11/graph-store-protocol/"

// TestW3CGraphStore plays the requests of the W3C's manifests, and compares statuses and graphs.
func TestW3CGraphStore(t *testing.T) {
	for _, file := range []string{"manifest-direct.ttl", "manifest-indirect.ttl"} {
		text, err := os.ReadFile(w3cStore + file)
		if err != nil {
			t.Skipf("needs the W3C's test suites (%v)", err)
		}
		m := newManifest(t, string(text))
		for _, entry := range m.list(m.one(term.Term{}, m.mf+"entries")) {
			t.Run(file+"/"+m.one(entry, m.mf+"name").Value, func(t *testing.T) {
				h := emptyStore(t, "/gsp")
				action, location := m.one(entry, m.mf+"action"), ""
				for _, request := range m.list(m.one(action, m.ht+"requests")) {
					m.play(t, h, request, &location)
				}
			})
		}
	}
}

// manifest is one of requests, by subject and predicate.
type manifest struct {
	facts  map[term.Term]map[string][]term.Term
	mf, ht string
}

func newManifest(t *testing.T, text string) *manifest {
	m := &manifest{map[term.Term]map[string][]term.Term{}, "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#", "http://www.w3.org/2011/http#"}
	for _, triple := range sparqltest.Triples(sparqltest.Read(t, "@base <http://m/> .\n"+text, read.Turtle)) {
		if m.facts[triple[0]] == nil {
			m.facts[triple[0]] = map[string][]term.Term{}
		}
		m.facts[triple[0]][triple[1].Value] = append(m.facts[triple[0]][triple[1].Value], triple[2])
	}
	return m
}

// one is an object of a subject, or of any where that is none.
func (m *manifest) one(of term.Term, predicate string) term.Term {
	for subject, facts := range m.facts {
		if (of == term.Term{} || subject == of) && len(facts[predicate]) > 0 {
			return facts[predicate][0]
		}
	}
	return term.Term{}
}

func (m *manifest) list(at term.Term) (all []term.Term) {
	for at.Kind != term.Unbound && at.Value != rdf.Namespace+"nil" {
		all = append(all, m.one(at, rdf.Namespace+"first"))
		at = m.one(at, rdf.Namespace+"rest")
	}
	return all
}

func (m *manifest) chars(of term.Term) string {
	return m.one(m.one(of, m.ht+"body"), "http://www.w3.org/2011/content#chars").Value
}

// play sends a request and holds the answer to what is expected.
func (m *manifest) play(t *testing.T, h http.Handler, request term.Term, location *string) {
	target := strings.ReplaceAll(m.one(request, m.ht+"absolutePath").Value, "$LOCATION$", *location)
	body := m.chars(request)
	headers := http.Header{}
	for _, header := range m.list(m.one(request, m.ht+"headers")) {
		headers.Add(m.one(header, m.ht+"fieldName").Value, m.one(header, m.ht+"fieldValue").Value)
	}
	if strings.HasPrefix(headers.Get("Content-Type"), "multipart/") {
		body = strings.ReplaceAll(trimmedLines(body), "\n", "\r\n")
	}
	r := httptest.NewRequest(m.one(request, m.ht+"methodName").Value, "http://www.example"+strings.TrimPrefix(target, "http://www.example"), strings.NewReader(body))
	r.Header = headers
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	response := m.one(request, m.ht+"resp")
	expected := m.facts[response][m.mf+"expectedStatus"]
	ok := slices.ContainsFunc(expected, func(status term.Term) bool { return statusIs(w.Code, status.Value) })
	if !ok {
		t.Errorf("%s %s: %d %s, want %v", r.Method, target, w.Code, w.Body, expected)
	}
	if where := w.Header().Get("Location"); where != "" {
		*location = where
	}
	if want := m.chars(response); want != "" && r.Method == http.MethodGet && w.Code == http.StatusOK {
		found := sparqltest.GraphSolutions(sparqltest.Triples(sparqltest.Read(t, w.Body.String(), read.Turtle)))
		if expected := sparqltest.GraphSolutions(sparqltest.Triples(sparqltest.Read(t, want, read.Turtle))); !sparqltest.Same(found, expected, false) {
			t.Errorf("%s %s: %s\nwant %s", r.Method, target, w.Body, want)
		}
	}
}

func trimmedLines(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, strings.TrimSpace(line))
	}
	return strings.TrimLeft(strings.Join(lines, "\n"), "\n")
}

// statusIs tells whether a status is the one, or of the class, that a name of the vocabulary means.
func statusIs(status int, iri string) bool {
	name := iri[strings.LastIndexAny(iri, "#/")+1:]
	switch {
	case strings.HasSuffix(name, "StatusCodes2xx"), name == "Successful", name == "StatusCode2xx":
		return status/100 == 2
	case strings.HasSuffix(name, "4xx"), name == "ClientError":
		return status/100 == 4
	}
	return strings.EqualFold(strings.ReplaceAll(http.StatusText(status), " ", ""), name)
}
