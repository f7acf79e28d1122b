package protocol

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/internal/rdf"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/server"
	"github.com/lacuna-kg/lacuna/sparql"
	"github.com/lacuna-kg/lacuna/sparql/sparqltest"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// The suites of requests, with the graphs that some start from.
const (
	w3c   = "../../../shared/data/w3c/sparql11/"
	label = "http://www.w3.org/2000/01/rdf-schema#label"
	ut    = "http://www.w3.org/2009/sparql/tests/test-update#"
)

// TestW3CGraphStore plays the requests of the W3C's manifests, and compares statuses and graphs.
func TestW3CGraphStore(t *testing.T) {
	for _, file := range []string{"manifest-direct.ttl", "manifest-indirect.ttl"} {
		m := newManifest(t, w3c+"graph-store-protocol/"+file)
		for _, entry := range m.list(m.one(term.Term{}, m.mf+"entries")) {
			t.Run(file+"/"+m.one(entry, m.mf+"name").Value, func(t *testing.T) {
				h := httptest.NewServer(emptyStore(t, "/gsp"))
				defer h.Close()
				location := ""
				for _, request := range m.requests(entry) {
					m.play(t, h.URL, request, &location)
				}
			})
		}
	}
}

// TestW3CProtocol plays those of the protocol against a server: queries at /sparql, updates at /update.
func TestW3CProtocol(t *testing.T) {
	m := newManifest(t, w3c+"protocol/manifest.ttl")
	entries := m.list(m.one(term.Term{}, m.mf+"entries"))
	if len(entries) != 34 {
		t.Errorf("%d tests, want 34", len(entries))
	}
	for _, entry := range entries {
		name := entry.Value[strings.LastIndex(entry.Value, "#")+1:]
		t.Run(name, func(t *testing.T) {
			base := serve(t, m.quads(t, entry))
			for _, request := range m.requests(entry) {
				at := "/sparql"
				if m.isUpdate(request) || strings.HasPrefix(name, "bad_") && strings.Contains(name, "update") {
					at = "/update"
				}
				location := ""
				m.play(t, base+at, request, &location)
			}
		})
	}
}

// isUpdate tells which of the two operations a request means to invoke.
func (m *manifest) isUpdate(request term.Term) bool {
	return m.headers(request).Get("Content-Type") == "application/sparql-update" || strings.HasPrefix(m.chars(request), "update=")
}

// quads are the graphs that a test starts from.
func (m *manifest) quads(t *testing.T, entry term.Term) string {
	var text strings.Builder
	for _, graph := range m.facts[entry][ut+"graphData"] {
		triples, err := os.ReadFile(w3c + "protocol/" + path.Base(m.one(graph, ut+"graph").Value))
		if err != nil {
			t.Fatal(err)
		}
		name := m.one(graph, label).Value
		text.WriteString(strings.ReplaceAll(string(triples), " .", " <"+name+"> ."))
	}
	return text.String()
}

// serve has the handlers of queries and updates on a service, as the command has them.
func serve(t *testing.T, quads string) (address string) {
	graph := sparqltest.Read(t, "# quads\n"+quads, read.NQuads)
	engine, err := lacuna.New(t.Context(), graph, lacuna.Model(lacuna.Exact))
	if err != nil {
		t.Fatal(err)
	}
	service, err := server.New(t.Context(), server.Options{Engine: engine, Limits: server.DefaultLimits(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(service.Close)
	update := func(ctx context.Context, u *syntax.Update) (any, error) { return service.Update(ctx, u) }
	listener := httptest.NewServer(service.Handler(server.Guard{Hosts: server.LoopbackHosts},
		server.Mount{Pattern: "/sparql", Handler: &Handler{Source: ofService{service}}},
		server.Mount{Pattern: "/update", Handler: &UpdateHandler{Source: ofService{service}, Update: update}}))
	t.Cleanup(listener.Close)
	return listener.URL
}

// ofService gives the graph of a service to queries.
type ofService struct{ *server.Service }

func (s ofService) Dataset() (sparql.Dataset, func()) {
	engine, _, done := s.Use()
	return engine.Dataset(), done
}

// manifest is one of requests, by subject and predicate.
type manifest struct {
	facts  map[term.Term]map[string][]term.Term
	mf, ht string
}

func newManifest(t *testing.T, file string) *manifest {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Skipf("needs the W3C's test suites (%v)", err)
	}
	m := &manifest{map[term.Term]map[string][]term.Term{}, "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#", "http://www.w3.org/2011/http#"}
	for _, triple := range sparqltest.Triples(sparqltest.Read(t, "@base <http://m/> .\n"+string(text), read.Turtle)) {
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

func (m *manifest) chars(of term.Term) string { return m.content(of, "chars") }

// content is a property of a body; "" without a body.
func (m *manifest) content(of term.Term, property string) string {
	body := m.one(of, m.ht+"body")
	if body == (term.Term{}) {
		return ""
	}
	return m.one(body, "http://www.w3.org/2011/content#"+property).Value
}

func (m *manifest) requests(entry term.Term) []term.Term {
	return m.list(m.one(m.one(entry, m.mf+"action"), m.ht+"requests"))
}

func (m *manifest) headers(of term.Term) http.Header {
	headers := http.Header{}
	for _, header := range m.list(m.one(of, m.ht+"headers")) {
		headers.Add(m.one(header, m.ht+"fieldName").Value, m.one(header, m.ht+"fieldValue").Value)
	}
	return headers
}

// play sends a request to a server and holds the answer to what is expected. The paths of the protocol's
// manifest stand for that of the server, a location for itself.
func (m *manifest) play(t *testing.T, at string, request term.Term, location *string) {
	target := strings.ReplaceAll(m.one(request, m.ht+"absolutePath").Value, "$LOCATION$", strings.TrimPrefix(*location, at))
	target = at + strings.TrimPrefix(strings.TrimPrefix(target, "http://www.example"), "/sparql/")
	body := m.chars(request)
	headers := m.headers(request)
	if strings.HasPrefix(headers.Get("Content-Type"), "multipart/") {
		body = strings.ReplaceAll(trimmedLines(body), "\n", "\r\n")
	}
	if m.content(request, "characterEncoding") == "UTF-16" {
		body = inUTF16(body)
	}
	r, err := http.NewRequestWithContext(t.Context(), m.one(request, m.ht+"methodName").Value, target, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = headers
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	response := m.one(request, m.ht+"resp")
	expected := m.facts[response][m.mf+"expectedStatus"]
	if !slices.ContainsFunc(expected, func(status term.Term) bool { return statusIs(answer.StatusCode, status.Value) }) {
		t.Errorf("%s %s: %d %s, want %v", r.Method, target, answer.StatusCode, text, expected)
	}
	if where := answer.Header.Get("Location"); where != "" {
		*location = where
	}
	m.compare(t, response, answer, text)
}

// compare holds the body of an answer to the graph, the form or the truth value that is expected.
func (m *manifest) compare(t *testing.T, response term.Term, answer *http.Response, text []byte) {
	if want := m.chars(response); want != "" && answer.Request.Method == http.MethodGet && answer.StatusCode == http.StatusOK {
		found := sparqltest.GraphSolutions(sparqltest.Triples(sparqltest.Read(t, string(text), read.Turtle)))
		if expected := sparqltest.GraphSolutions(sparqltest.Triples(sparqltest.Read(t, want, read.Turtle))); !sparqltest.Same(found, expected, false) {
			t.Errorf("%s\nwant %s", text, want)
		}
	}
	if format := m.one(response, m.mf+"expectedFormat").Value; format != "" && !slices.Contains(formatsFor[format], answer.Header.Get("Content-Type")) {
		t.Errorf("%s, want %s", answer.Header.Get("Content-Type"), format)
	}
	want := m.one(response, m.mf+"expectedBoolean")
	var truth struct{ Boolean *bool }
	if want != (term.Term{}) && (json.Unmarshal(text, &truth) != nil || truth.Boolean == nil || *truth.Boolean != (want.Value == "true")) {
		t.Errorf("%s, want %s", text, want.Value)
	}
}

// formatsFor are the media types of what an answer is.
var formatsFor = map[string][]string{
	"boolean": {"application/sparql-results+json", "application/sparql-results+xml"},
	"tabular": {"application/sparql-results+json", "application/sparql-results+xml", "text/csv; charset=utf-8", "text/tab-separated-values; charset=utf-8"},
	"RDF":     {"text/turtle; charset=utf-8", "application/n-triples", "application/rdf+xml", "application/ld+json"},
}

func inUTF16(text string) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
		b = append(b, byte(unit>>8), byte(unit))
	}
	return string(b)
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
	case name == "StatusCode3xx":
		return status/100 == 3
	case strings.HasSuffix(name, "4xx"), name == "ClientError":
		return status/100 == 4
	}
	return strings.EqualFold(strings.ReplaceAll(http.StatusText(status), " ", ""), name)
}
