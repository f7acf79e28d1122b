package protocol

import (
	"context"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/sparql"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
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
