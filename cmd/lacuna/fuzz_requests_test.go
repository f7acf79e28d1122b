package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/internal/laureates"
	"github.com/lacuna-kg/lacuna/server"
	"github.com/lacuna-kg/lacuna/sparql/sparqltest"
)

// TestFuzzedRequests sends requests of SPARQL and Update that are right, almost right and nonsense to the whole
// server: none may have a status of 500 or above, none may panic, and the memory stays as it is.
// LACUNA_FUZZ_REQUESTS says how many.
func TestFuzzedRequests(t *testing.T) {
	count := 3000
	if n, err := strconv.Atoi(os.Getenv("LACUNA_FUZZ_REQUESTS")); err == nil {
		count = n
	}
	reading, closeReading := fuzzedHandler(t, true)
	writing, closeWriting := fuzzedHandler(t, false)
	defer closeReading()
	defer func() { closeWriting() }()
	f := &requestFuzzer{Rand: rand.New(rand.NewPCG(1, 1))}
	statuses := map[int]int{}
	var early uint64 // memory after a tenth
	for i := range count {
		handler := reading
		if i%100 == 99 { // those that change facts let a graph grow: now and then it begins again
			if i%10000 == 9999 {
				closeWriting()
				writing, closeWriting = fuzzedHandler(t, false)
			}
			handler = writing
		}
		r := f.request()
		start := time.Now()
		status := answered(handler, r)
		statuses[status]++
		outOfTime := status == http.StatusServiceUnavailable && time.Since(start) >= server.DefaultLimits().Time // as it should be
		if status >= http.StatusInternalServerError && !outOfTime {
			t.Fatalf("request %d: status %d\n%s %s\n%v\n%s", i, status, r.Method, r.URL, r.Header, f.body)
		}
		if i == count/10 {
			early = heapAfterCollection()
		}
	}
	late := heapAfterCollection()
	t.Logf("%d requests, by status %v; heap %.1f MB after a tenth, %.1f MB at the end", count, statuses, float64(early)/1e6, float64(late)/1e6)
	const slack = 16 << 20
	if late > early+slack {
		t.Errorf("memory grew from %d to %d bytes", early, late)
	}
	if statuses[http.StatusOK] < count/10 || statuses[http.StatusBadRequest] < count/10 {
		t.Errorf("statuses %v: requests that are all alike prove nothing", statuses)
	}
}

func heapAfterCollection() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// fuzzedHandler is a whole server of the embedded graph.
func fuzzedHandler(t *testing.T, readOnly bool) (handler http.Handler, end func()) {
	t.Helper()
	service, err := server.New(t.Context(), server.Options{Engine: laureates.Engine(t, lacuna.Exact), ReadOnly: readOnly})
	if err != nil {
		t.Fatal(err)
	}
	return service.Handler(server.Guard{Hosts: server.LoopbackHosts}, mounts(service, nil, 0)...), func() { service.Close() }
}

// answered gives the status of a request; 0 where the connection is cut, as it is if results fail half way.
func answered(handler http.Handler, r *http.Request) (status int) {
	defer func() {
		if why := recover(); why != nil && why != http.ErrAbortHandler {
			panic(why)
		}
	}()
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w.Code
}

// requestFuzzer draws requests.
type requestFuzzer struct {
	*rand.Rand
	queries *sparqltest.Generator
	drawn   uint64
	body    string // of the last one
}

func pickOne[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// text is a query or an update, often with something changed.
func (f *requestFuzzer) text() string {
	if f.drawn%50 == 0 {
		f.queries = sparqltest.NewLanguageGenerator(f.Uint64())
	}
	f.drawn++
	text := pickOne(f.Rand,
		"SELECT ?p { ?p :Win :Turing%20Award ; :CitizenOf :Norway }",
		"SELECT ?f (COUNT(*) AS ?n) { ?p :Field ?f OPTIONAL { ?p :CitizenOf ?c FILTER(?c != :Norway) } } GROUP BY ?f ORDER BY DESC(?n) LIMIT 5",
		"CONSTRUCT { ?p a ?f ; :n [ :o 1.5e3 ] } WHERE { ?p :Field ?f } LIMIT 3",
		"DESCRIBE :Kristen%20Nygaard",
		"ASK { :a (:b|^:c)*/!(:d|^a)+ \"x\\u00e9\"@en-GB }",
		"INSERT DATA { :n"+strconv.Itoa(f.IntN(20))+" :knows :m }",
		"DELETE { ?s ?p ?o } INSERT { ?s :q ?o } WHERE { ?s ?p ?o FILTER(?p = :knows) }",
		"SELECT (REPLACE(STR(?x), \"(a+)+$\", \"$1\") AS ?y) (SUBSTR(\"é\", 1, 1) AS ?z) { VALUES ?x { \"aaaaaaaaaaaaaaaaaaaaaaaa!\" 1 UNDEF } }",
		f.queries.LanguageQuery().String())
	for range f.IntN(2) * f.IntN(4) {
		text = f.changed(text)
	}
	return text
}

// changed is a text with bytes dropped, doubled, replaced or put in.
func (f *requestFuzzer) changed(text string) string {
	if text == "" {
		return "{"
	}
	at := f.IntN(len(text))
	to := min(len(text), at+1+f.IntN(8))
	piece := pickOne(f.Rand, "{", "}", "(", ")", "\"", "'''", "<", ">", "\\", "\x00", "\xff", "?", "UNION", "FILTER", "1e999999999", "-0", "_:", "[]", "GRAPH", "\u202e", "SELECT *", strings.Repeat("(", 300), strings.Repeat("9", 500))
	switch f.IntN(5) {
	case 0:
		return text[:at] + text[to:]
	case 1:
		return text[:to] + text[at:]
	case 2:
		return text[:at] + piece + text[to:]
	case 3:
		return text[:at] + string(rune(f.IntN(0x3000))) + text[at:]
	}
	return text[:at] + piece + text[at:]
}

// request draws a whole one.
func (f *requestFuzzer) request() *http.Request {
	text := f.text()
	values := url.Values{}
	values.Set(pickOne(f.Rand, "query", "query", "query", "query", "query", "query", "query", "update", "q"), text)
	for range f.IntN(2) * f.IntN(3) {
		values.Add(pickOne(f.Rand, "mode", "threshold", "default-graph-uri", "named-graph-uri", "query", "format", "using-graph-uri", "\xff"),
			pickOne(f.Rand, "exact", "predict", "", "0.5", "NaN", "-1", "http://g", "json", "\x00"))
	}
	path := pickOne(f.Rand, "/sparql", "/sparql", "/sparql", "/sparql", "/sparql", "/sparql", "/sparql", "/sparql", "/update", "/query", "/sparql/", "/api/ask")
	method := pickOne(f.Rand, "GET", "GET", "GET", "GET", "GET", "POST", "POST", "POST", "POST", "HEAD", "OPTIONS", pickOne(f.Rand, "PUT", "DELETE", "PATCH"))
	f.body = ""
	contentType := pickOne(f.Rand, "application/x-www-form-urlencoded", "application/x-www-form-urlencoded", "application/x-www-form-urlencoded", "application/x-www-form-urlencoded", "application/sparql-query", "application/sparql-query", "application/sparql-query; charset=utf-8", "application/sparql-update", "application/json", "text/plain", "", ";;;", "multipart/form-data; boundary=x")
	switch {
	case method == "GET" || method == "HEAD":
		path += "?" + values.Encode()
		if f.IntN(20) == 0 {
			path += "&%zz=%"
		}
	case strings.HasPrefix(contentType, "application/x-www"):
		f.body = values.Encode()
	default:
		f.body = text
	}
	r := httptest.NewRequest(method, "http://127.0.0.1/", bytes.NewBufferString(f.body))
	if parsed, err := url.ParseRequestURI(path); err == nil {
		r.URL.Path, r.URL.RawQuery = parsed.Path, parsed.RawQuery
	}
	r.Header.Set("Content-Type", contentType)
	f.headers(r)
	return r
}

func (f *requestFuzzer) headers(r *http.Request) {
	if f.IntN(2) == 0 {
		r.Header.Set("Accept", pickOne(f.Rand, "*/*", "application/sparql-results+json", "application/sparql-results+xml", "text/csv", "text/tab-separated-values;q=0.3, */*;q=0.1", "text/turtle", "application/n-triples",
			"application/rdf+xml", "application/ld+json", "image/png", ";q=", "text/html,application/xhtml+xml", strings.Repeat("a/b,", 200)))
	}
	if f.IntN(20) == 0 {
		r.Header.Set("Origin", pickOne(f.Rand, "http://127.0.0.1", "http://evil.example", "null", "\x01"))
	}
	if f.IntN(20) == 0 {
		r.Header.Set("Sec-Fetch-Site", pickOne(f.Rand, "cross-site", "same-origin", "none"))
	}
	if f.IntN(50) == 0 {
		r.Host = fmt.Sprintf("%d.example", f.IntN(9))
	}
}
