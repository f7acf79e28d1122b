package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/mcp"
	"github.com/lacuna-kg/lacuna/server"
	"github.com/lacuna-kg/lacuna/sparql/results"
	"github.com/lacuna-kg/lacuna/turing"
)

// faces are the ways to ask an engine.
type faces struct {
	*testing.T
	engine *lacuna.Engine
	site   *httptest.Server // HTTP, SPARQL's protocol and MCP
}

func newFaces(t *testing.T) *faces {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	engine, err := lacuna.Open(t.Context(), "", lacuna.Device("cpu"), lacuna.Calibrating(lacuna.CalibrationOptions{Time: -1}))
	if err != nil {
		t.Fatal(err)
	}
	service, err := server.New(t.Context(), server.Options{Engine: engine})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { service.Close() })
	routes := http.NewServeMux()
	routes.Handle("/mcp", mcp.HTTP(service, "test"))
	routes.Handle("/sparql", sparqlHandler(service, nil, 0))
	routes.Handle("/", service.Handler(server.Guard{Hosts: server.LoopbackHosts}))
	f := &faces{t, engine, httptest.NewServer(routes)}
	t.Cleanup(f.site.Close)
	return f
}

// command is what the command line prints.
func (f *faces) command(arguments ...string) string {
	f.Helper()
	var out, problems bytes.Buffer
	if code := run(f.Context(), arguments, nil, &out, &problems); code != 0 {
		f.Fatalf("%s: exit code %d: %s", strings.Join(arguments, " "), code, &problems)
	}
	return out.String()
}

// post sends JSON, get asks for tab-separated lines.
func (f *faces) post(path string, body any) string {
	f.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		f.Fatal(err)
	}
	request, err := http.NewRequestWithContext(f.Context(), http.MethodPost, f.site.URL+path, bytes.NewReader(text))
	if err != nil {
		f.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	return f.do(request)
}

func (f *faces) get(path string) string {
	f.Helper()
	request, err := http.NewRequestWithContext(f.Context(), http.MethodGet, f.site.URL+path, nil)
	if err != nil {
		f.Fatal(err)
	}
	request.Header.Set("Accept", "text/tab-separated-values")
	return f.do(request)
}

func (f *faces) do(request *http.Request) string {
	f.Helper()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		f.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		f.Fatalf("%s: %s %v: %s", request.URL, response.Status, err, text)
	}
	return string(text)
}

// tool is what a call of MCP gives: as data, and as text.
func (f *faces) tool(name string, arguments map[string]any) (data, text string) {
	f.Helper()
	reply := f.post("/mcp", map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": name, "arguments": arguments}})
	var call struct {
		Result struct {
			IsError           bool
			StructuredContent json.RawMessage
			Content           []struct{ Text string }
		}
	}
	if err := json.Unmarshal([]byte(reply), &call); err != nil || call.Result.IsError || len(call.Result.Content) == 0 {
		f.Fatalf("%s: %v in %s", name, err, reply)
	}
	return string(call.Result.StructuredContent), call.Result.Content[0].Text
}

// The Go API, the command line, HTTP and MCP give the same answers, to the bit.
func TestFacesAgree(t *testing.T) {
	f := newFaces(t)
	for _, question := range []string{
		turing.PaperQuestion,
		"?p : Field(p, Deep Learning) & !Win(p, Turing Award)",
		"?p, ?u : exists c: Workplace(p, u) & LocatedIn(u, c) & BornIn(p, c)",
	} {
		own, err := f.engine.Ask(t.Context(), question, lacuna.Limit(12))
		if err != nil {
			t.Fatal(err)
		}
		want := answersAsText(t, own.Answers, own.LessLikely)
		compareFace(t, "the command line: "+question, f.command("ask", "--json", "-q", "--device", "cpu", "-n", "12", question), want)
		compareFace(t, "HTTP: "+question, f.post("/api/ask", map[string]any{"question": question, "limit": 12}), want)
		data, _ := f.tool("ask", map[string]any{"question": question, "limit": 12})
		compareFace(t, "MCP: "+question, data, want)
	}
}

// A query in SPARQL has the same text by every face, names instead of addresses by MCP, and the probabilities of the same question.
func TestFacesAgreeInSPARQL(t *testing.T) {
	f := newFaces(t)
	const query = "SELECT DISTINCT ?u { ?a :Win :Turing%20Award ; :Field :Deep%20Learning ; :University ?u } LIMIT 12"
	found, err := f.engine.SPARQL(t.Context(), query, lacuna.By(lacuna.Links))
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	if err := found.Write(&want, results.TSV); err != nil {
		t.Fatal(err)
	}
	_, byMCP := f.tool("sparql", map[string]any{"query": query, "predict": true})
	if named := regexp.MustCompile(`<urn:lacuna:([^>]*)>`).ReplaceAllString(want.String(), "$1"); byMCP != strings.ReplaceAll(named, "%20", " ") {
		t.Errorf("MCP gives\n%s\nthe API, by names,\n%s", byMCP, named)
	}
	for face, got := range map[string]string{
		"the command line": f.command("sparql", "-q", "--device", "cpu", "--predict", "--results", "tsv", query),
		"HTTP":             f.get("/sparql?mode=predict&query=" + url.QueryEscape(query)),
	} {
		if got != want.String() {
			t.Errorf("%s gives\n%s\nthe API\n%s", face, got, want.String())
		}
	}
	f.asAsked(want.String(), turing.PaperQuestion)
}

// asAsked holds lines of SPARQL to the answers of a question: each that both list has one probability.
func (f *faces) asAsked(lines, question string) {
	f.Helper()
	asked, err := f.engine.Ask(f.Context(), question, lacuna.Limit(12))
	if err != nil {
		f.Fatal(err)
	}
	probability := map[string]float32{}
	for _, a := range asked.Shown() {
		probability["<urn:lacuna:"+strings.ReplaceAll(a.Entity, " ", "%20")+">"] = a.Probability
	}
	compared := 0
	for _, line := range strings.Split(strings.TrimSpace(lines), "\n")[1:] {
		cells := strings.Split(line, "\t")
		want, asked := probability[cells[0]]
		if got, err := strconv.ParseFloat(strings.Split(cells[1], `"`)[1], 32); err != nil || asked && float32(got) != want {
			f.Errorf("%s: %v, expected %v", line, err, want)
		}
		if asked {
			compared++
		}
	}
	if compared < 8 {
		f.Errorf("only %d answers of both in\n%s", compared, lines)
	}
}

// answersAsText writes answers with every bit of their probabilities.
func answersAsText(t *testing.T, lists ...[]lacuna.Answer) string {
	t.Helper()
	var all strings.Builder
	for _, list := range lists {
		text, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(append(text, '\n'))
	}
	return all.String()
}

func compareFace(t *testing.T, face, text, want string) {
	t.Helper()
	var r lacuna.Result
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatalf("%s: %v in %s", face, err, text)
	}
	if got := answersAsText(t, r.Answers, r.LessLikely); got != want {
		t.Errorf("%s gives\n%s\nthe API\n%s", face, got, want)
	}
}
