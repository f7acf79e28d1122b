package attack

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
)

// Fuzz sends requests over all paths of a server, right, almost right and nonsense, one after the other. It gives how many had
// each status, and describes those that a server never gives: 500, or the end of a connection before an answer.
func Fuzz(ctx context.Context, target Target, requests int, seed uint64) (statuses map[int]int, wrong []string, err error) {
	g, err := target.look(ctx)
	if err != nil {
		return nil, nil, err
	}
	f := &fuzzer{rand.New(rand.NewPCG(seed, 0)), target, g}
	statuses = map[int]int{}
	client := client(attackerAddress)
	for i := range requests {
		request, body := f.request(ctx)
		status, err := send(client, request)
		if ctx.Err() != nil {
			return statuses, wrong, ctx.Err()
		}
		statuses[status]++
		if (err != nil || status == http.StatusInternalServerError) && len(wrong) < 20 {
			wrong = append(wrong, fmt.Sprintf("request %d of seed %d: %d %v\n%s %s\n%v\n%.500q", i, seed, status, err, request.Method, request.URL, request.Header, body))
		}
	}
	return statuses, wrong, nil
}

// send gives the status of the answer to a request, which is read in part: some results are without end.
func send(client *http.Client, request *http.Request) (status int, err error) {
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<20))
	return response.StatusCode, nil
}

// fuzzer draws requests.
type fuzzer struct {
	*rand.Rand
	target Target
	graph  graph
}

func (f *fuzzer) pick(of ...string) string { return of[f.IntN(len(of))] }

// mostly is the usual, or one of the others.
func (f *fuzzer) mostly(usual string, others ...string) string {
	if f.IntN(5) > 0 {
		return usual
	}
	return f.pick(others...)
}

func (f *fuzzer) request(ctx context.Context) (*http.Request, string) {
	for {
		path, media, body := f.draw()
		if f.IntN(4) == 0 {
			body = f.changed(body)
		}
		if f.IntN(15) == 0 && !strings.HasPrefix(path, "/api/graph") { // which might put a file in place of the graph
			path = f.changed(path)
		}
		if f.IntN(15) == 0 {
			media = f.pick("", "text/plain", "application/json; charset=latin1", "multipart/form-data; boundary=x", "\t", asJSON, form)
		}
		method := "POST"
		if body == "" || f.IntN(20) == 0 {
			method = f.pick("GET", "GET", "GET", "GET", "GET", "GET", "GET", "GET", "GET", "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE")
		}
		request, err := http.NewRequestWithContext(ctx, method, f.target.URL+"/"+strings.TrimPrefix(path, "/"), strings.NewReader(body))
		if err != nil { // no path that can be sent
			continue
		}
		request.Header.Set("Content-Type", media)
		f.decorate(request.Header)
		return request, body
	}
}

// decorate sets headers that a server looks at.
func (f *fuzzer) decorate(h http.Header) {
	if f.IntN(3) == 0 {
		h.Set("Accept", f.pick("application/json", "text/csv", "*/*;q=0", "text/turtle, application/json;q=0.1", "application/json, text/event-stream", "q=;;,", strings.Repeat("a/b,", 500)))
	}
	if f.IntN(20) == 0 {
		h.Set(f.pick("Origin", "Sec-Fetch-Site", "Authorization", "Content-Encoding", "Range", "Mcp-Session-Id", "Mcp-Protocol-Version", "Expect"),
			f.pick("http://elsewhere.example", "cross-site", "Bearer x", "gzip", "bytes=0-1", "1", "2025-06-18", "100-continue"))
	}
}

// draw is a path with a body that suits it.
func (f *fuzzer) draw() (path, media, body string) {
	switch f.IntN(11) {
	case 0:
		return f.pick("/api/info", "/api/relations", "/healthz", "/readyz", "/metrics", "/", "/api/openapi.json", "/api/", "/favicon.ico", "/../api/info", "/api//info", "/%2e%2e/x"), "", ""
	case 1:
		return "/api/complete?kind=" + f.pick("entity", "relation", "other", "") + "&limit=" + f.pick("", "3", "-1", "100", "1e9", "x") + "&q=" + url.QueryEscape(f.name()), "", ""
	case 2:
		return "/api/entity?name=" + url.QueryEscape(f.name()) + "&likely=" + f.pick("", "1", "-1", "9999999999999999999"), "", ""
	case 3, 4:
		return f.pick("/api/ask", "/api/explain"), asJSON, f.question()
	case 5:
		return f.pick("/api/predict", "/api/audit"), asJSON, f.relations()
	case 6:
		return "/api/facts", asJSON, f.facts()
	case 7:
		return f.mostly("/sparql", "/sparql?mode=predict", "/sparql?mode=x&threshold=-1"), form, url.Values{"query": {f.query()}}.Encode()
	case 8:
		return "/update", f.pick(form, form, "application/sparql-update"), url.Values{"update": {f.update()}}.Encode()
	case 9:
		return "/mcp", asJSON, f.call()
	}
	return f.file()
}

func (f *fuzzer) name() string {
	return f.pick(f.graph.entity, f.graph.relation(f.IntN(9)), "nobody", "", "\x00", strings.Repeat("é", 300), "a'b\"c", "?x", "\xff\xfe", "R^-1")
}

func (f *fuzzer) question() string {
	text := f.pick(f.graph.question, f.graph.chain(1+f.IntN(4)), f.graph.chain(70), f.graph.join(), "?x : ", "p:"+f.name(), "not(or(x, y))",
		fmt.Sprintf("?x : !%s(x, %q) | %s(%q, x)", f.graph.relation(1), f.name(), f.graph.relation(2), f.graph.entity))
	return fmt.Sprintf(`{"question": %q, "mode": %q, "by": %q, "logic": %q, "threshold": %s, "limit": %s, "top": %s}`, text,
		f.mostly("exact", "", "predict", "x"), f.mostly("", "links", "sets", "x"), f.mostly("", "product", "godel", "x"), f.mostly("0.5", "0", "-1", "2", "null", `"x"`), f.mostly("3", "-1", "-2", "0", "1e3"), f.mostly("0", "5", "-1", "1000"))
}

func (f *fuzzer) relations() string {
	return f.pick(
		fmt.Sprintf(`{"relation": %q, "top": 2, "entities": [%q]}`, f.graph.relation(f.IntN(9)), f.name()),
		fmt.Sprintf(`{"score": [{"head": %q, "relation": %q, "tail": %q}]}`, f.graph.entity, f.graph.relation(0), f.name()),
		fmt.Sprintf(`{"relation": %q, "facts": 2, "limit": 1}`, f.graph.relation(0)), `{"missing": -1}`, `{"least": 7}`, `{"facts": 1e9}`, `{}`, `[]`, `null`)
}

func (f *fuzzer) facts() string {
	kind := f.pick("add", "remove", "remove", "x")
	return fmt.Sprintf(`{%q: [{"head": %q, "relation": %q, "tail": %q}], "key": %q}`, kind, f.name(), f.pick(f.graph.relation(0), "new relation", ""), f.name(), f.pick("", "k", "\x01"))
}

func (f *fuzzer) query() string {
	r, e := iri(f.graph.relation(f.IntN(9))), iri(f.graph.entity)
	return f.pick(
		"SELECT * { ?a "+r+" ?b } LIMIT 3", "ASK { "+e+" ?p ?o }", "DESCRIBE "+e, "CONSTRUCT WHERE { ?a "+r+" ?b }",
		"SELECT ?a (COUNT(*) AS ?n) { ?a "+r+"* ?b } GROUP BY ?a ORDER BY DESC(?n) LIMIT 2", "SELECT (SUBSTR(STR(?a), 1.5) AS ?s) { ?a "+r+" ?b } LIMIT 2",
		"SELECT (REPLACE(STR(?a), \"(.)\", \"$1$1\", \"i\") AS ?s) { ?a ?p ?b } LIMIT 9", "SELECT * { SERVICE <http://127.0.0.1:1/> { ?a ?b ?c } }", doubled(30, "?a"),
		"SELECT (xsd:integer(?b) / 0 AS ?n) { ?a ?p ?b } LIMIT 1", "SELECT * FROM <file:///etc/passwd> { ?a ?b ?c }")
}

func (f *fuzzer) update() string {
	r := iri(f.graph.relation(0))
	return f.pick("INSERT DATA { <urn:lacuna:f> "+r+" <urn:lacuna:g> }", "DELETE DATA { <urn:lacuna:f> "+r+" <urn:lacuna:g> }", "DELETE WHERE { <urn:lacuna:f> ?p ?o }",
		"INSERT { ?a <urn:lacuna:f> ?b } WHERE { ?a "+r+" ?b FILTER(false) }", "LOAD <file:///etc/passwd>", "CLEAR ALL", "DROP GRAPH <x>", "INSERT DATA { _:b "+r+" 1e999 }")
}

func (f *fuzzer) call() string {
	tool := f.pick("find_names", "list_relations", "ask", "explain", "predict", "audit", "sparql", "change_facts", "none")
	arguments := f.pick(`{}`, fmt.Sprintf(`{"query": %q}`, f.query()), fmt.Sprintf(`{"text": %q}`, f.name()), fmt.Sprintf(`{"entity": %q}`, f.name()), f.facts(), fmt.Sprintf(`{"question": %q, "mode": "exact"}`, f.graph.question), `[]`, `7`)
	return fmt.Sprintf(`{"jsonrpc": %s, "id": %s, "method": %q, "params": {"name": %q, "arguments": %s}}`, f.pick(`"2.0"`, `"2.0"`, "1"), f.pick("1", `"a"`, "null", "[]"), f.pick("tools/call", "tools/call", "tools/list", "initialize", "ping", "x"), tool, arguments)
}

// file is a file to add: of any format, packed or not. It is never put in place of the graph, which other requests are about.
func (f *fuzzer) file() (path, media, body string) {
	ending := f.pick("tsv", "csv", "nt", "ttl", "rdf", "jsonld", "jsonl", "json", "parquet", "lacuna", "graphml", "gexf", "gml", "xlsx", "ods", "sqlite", "tar", "zip", "txt", "")
	body = f.pick("Rome\tin\tItaly\n", "head,relation,tail\na,b,c\n", "<a:a> <a:b> <a:c> .\n", "@prefix : <a:> . :a :b [ :c 1 ] .", `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/>`,
		`{"@id": "a:a", "a:b": {"@id": "a:c"}}`, `{"head": "a", "relation": "b", "tail": "c"}`+"\n", "PAR1\x00\x00PAR1", "name;age\nAda;36\n", "\xff\xfea\x00\t\x00", "\x28\xb5\x2f\xfd", "BZh9", "PK\x03\x04", "SQLite format 3\x00", "graph [ node [ id 1 ] ]", "")
	if f.IntN(4) == 0 {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, _ = io.WriteString(w, body)
		_ = w.Close()
		body, ending = packed.String(), ending+".gz"
	}
	return "/api/graph?as=" + f.pick("add", "add", "x") + "&name=f." + ending + "&key=" + f.mostly("", "name", "x") + "&columns=" + f.mostly("", "hrt", "thr", "h-rt", "x"), "application/octet-stream", body
}

// changed is a text with some of its bytes lost, doubled or others.
func (f *fuzzer) changed(text string) string {
	b := []byte(text)
	for range 1 + f.IntN(3) {
		if len(b) == 0 {
			return f.pick("", "\x00", "{", "%")
		}
		i := f.IntN(len(b))
		switch f.IntN(4) {
		case 0:
			b = append(b[:i], b[i+1:]...)
		case 1:
			b[i] = byte(f.IntN(256))
		case 2:
			b = b[:i]
		case 3:
			j := min(len(b), i+1+f.IntN(20))
			b = append(b[:j:j], b[i:]...)
		}
	}
	return string(b)
}
