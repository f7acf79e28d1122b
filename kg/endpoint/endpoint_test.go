package endpoint

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna/kg"
)

// fake is an endpoint of n facts of x:p and one of x:q that limits and fails as told.
type fake struct {
	n        int
	most     int // rows that it gives at a time
	noCounts bool
	noSort   bool
	trouble  func(request int64, w http.ResponseWriter) bool // whether the request was spoilt
	requests atomic.Int64
}

var pagePattern = regexp.MustCompile(`SELECT \?s \?o \{ \?s <x:([pq])> \?o \}( ORDER BY \?s \?o)? LIMIT (\d+) OFFSET (\d+)`)

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if f.trouble != nil && f.trouble(f.requests.Add(1), w) {
		return
	}
	query := r.FormValue("query")
	page := pagePattern.FindStringSubmatch(query)
	switch {
	case strings.Contains(query, "COUNT") && f.noCounts, page != nil && page[2] != "" && f.noSort:
		http.Error(w, "Virtuoso S1T00: too much\nfor me", http.StatusBadRequest)
	case strings.Contains(query, "COUNT"):
		fmt.Fprintf(w, `{"results":{"bindings":[{"p":{"type":"uri","value":"x:p"},"n":{"type":"literal","value":"%d"}},{"p":{"type":"uri","value":"x:q"},"n":{"type":"literal","value":"1"}}]}}`, f.n)
	case strings.Contains(query, "DISTINCT"):
		fmt.Fprint(w, `{"results":{"bindings":[{"p":{"type":"uri","value":"x:p"}},{"p":{"type":"uri","value":"x:q"}}]}}`)
	case page == nil:
		http.Error(w, "what?", http.StatusBadRequest)
	default:
		f.page(w, page[1], page[3], page[4])
	}
}

func (f *fake) page(w http.ResponseWriter, predicate, limit, offset string) {
	size, _ := strconv.Atoi(limit)
	from, _ := strconv.Atoi(offset)
	count := f.n
	if predicate == "q" {
		count = 1
	}
	rows := []map[string]term{}
	for i := from; i < min(count, from+min(size, f.most)); i++ {
		rows = append(rows, map[string]term{"s": {Type: "uri", Value: fmt.Sprintf("x:s%d", i)}, "o": {Type: "literal", Value: fmt.Sprintf("o \"%d\"\n", i), Language: "en"}})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"results": map[string]any{"bindings": rows}})
}

// wanted are the lines of a whole copy.
func (f *fake) wanted() []string {
	lines := []string{`<x:s0> <x:q> "o \"0\"\n"@en .`}
	for i := range f.n {
		lines = append(lines, fmt.Sprintf(`<x:s%d> <x:p> "o \"%d\"\n"@en .`, i, i))
	}
	slices.Sort(lines)
	return lines
}

func copied(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	slices.Sort(lines)
	return slices.Compact(lines)
}

func TestCopy(t *testing.T) {
	for what, f := range map[string]*fake{
		"whole":         {n: 1000, most: 1 << 20},
		"limited":       {n: 1000, most: 70},
		"no counts":     {n: 1000, most: 70, noCounts: true},
		"no sorting":    {n: 1000, most: 300, noSort: true},
		"often busy":    {n: 1000, most: 70, trouble: busyEvery(3)},
		"breaks off":    {n: 1000, most: 70, trouble: brokenEvery(4)},
		"not even once": {n: 1, most: 1},
	} {
		t.Run(what, func(t *testing.T) {
			server := httptest.NewServer(f)
			defer server.Close()
			path, report, err := Copy(t.Context(), server.URL, t.TempDir(), Options{PageSize: 250, Wait: time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			if got := copied(t, path); !slices.Equal(got, f.wanted()) || report.Facts != int64(f.n+1) || report.Short != 0 {
				t.Errorf("%d lines, report %+v", len(got), report)
			}
		})
	}
}

func busyEvery(n int64) func(int64, http.ResponseWriter) bool {
	return func(request int64, w http.ResponseWriter) bool {
		if request%n != 0 {
			return false
		}
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	}
}

func brokenEvery(n int64) func(int64, http.ResponseWriter) bool {
	return func(request int64, w http.ResponseWriter) bool {
		if request%n != 0 {
			return false
		}
		w.Header().Set("Content-Length", "1000")
		fmt.Fprint(w, `{"results":{"bindings":[{"s":`)
		return true
	}
}

// TestResume: a copy that was stopped, with half a page on the disk, goes on where it was.
func TestResume(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	f := &fake{n: 1000, most: 70, trouble: func(request int64, _ http.ResponseWriter) bool {
		if request == 6 {
			stop()
		}
		return false
	}}
	server := httptest.NewServer(f)
	defer server.Close()
	folder := filepath.Join(t.TempDir(), "part")
	_, first, err := Copy(ctx, server.URL, folder, Options{Wait: time.Millisecond})
	if kg.KindOf(err) != kg.Cancelled || first.Facts == 0 {
		t.Fatalf("%+v, %v", first, err)
	}
	file, err := os.OpenFile(filepath.Join(folder, "facts.nt"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(file, "<x:half")
	file.Close()
	if _, _, err := Copy(t.Context(), server.URL+"/other", folder, Options{}); kg.KindOf(err) != kg.Invalid || !strings.Contains(err.Error(), "holds a part of a copy of") {
		t.Errorf("another endpoint: %v", err)
	}
	path, report, err := Copy(t.Context(), server.URL, folder, Options{Wait: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if got := copied(t, path); !slices.Equal(got, f.wanted()) || report.Resumed != first.Facts || report.Facts != 1001 {
		t.Errorf("%d lines, report %+v after %+v", len(got), report, first)
	}
}

func TestCopyErrors(t *testing.T) {
	for _, c := range []struct {
		what    string
		handler http.HandlerFunc
		want    string
	}{
		{"refused", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no\nentry", http.StatusForbidden) }, "it answers 403 Forbidden: no"},
		{"a page", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }, "expected SPARQL results in JSON: is this the endpoint?"},
		{"other JSON", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "{}") }, "the answer has no results"},
		{"always busy", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }, "it answers 503"},
		{"empty", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"results":{"bindings":[]}}`) }, "the endpoint has no facts"},
	} {
		t.Run(c.what, func(t *testing.T) {
			server := httptest.NewServer(c.handler)
			defer server.Close()
			_, _, err := Copy(t.Context(), server.URL, t.TempDir(), Options{Wait: time.Millisecond})
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v", err)
			}
		})
	}
	for _, address := range []string{"films.tsv", "ftp://x/y", "http://"} {
		if _, _, err := Copy(t.Context(), address, t.TempDir(), Options{}); kg.KindOf(err) != kg.Invalid {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestTerms(t *testing.T) {
	for _, c := range []struct {
		term term
		want string
	}{
		{term{Type: "uri", Value: "http://x/é"}, "<http://x/é>"},
		{term{Type: "uri", Value: "no scheme"}, ""},
		{term{Type: "uri", Value: "x:a b"}, ""},
		{term{Type: "bnode", Value: "nodeID://b1"}, "_:nnodeID___b1"},
		{term{Type: "literal", Value: "a\\b"}, `"a\\b"`},
		{term{Type: "literal", Value: "a", Language: "de-AT"}, `"a"@de-AT`},
		{term{Type: "literal", Value: "a", Language: "d e"}, ""},
		{term{Type: "typed-literal", Value: "5", Datatype: "x:int"}, `"5"^^<x:int>`},
		{term{Type: "literal", Value: "a\x00"}, ""},
		{term{}, ""},
	} {
		got, ok := c.term.append(nil, true)
		if ok != (c.want != "") || ok && string(got) != c.want {
			t.Errorf("%+v: %q, %v", c.term, got, ok)
		}
	}
}

func BenchmarkCopy(b *testing.B) {
	f := &fake{n: 100_000, most: 1 << 20}
	server := httptest.NewServer(f)
	defer server.Close()
	for b.Loop() {
		if _, _, err := Copy(b.Context(), server.URL, b.TempDir(), Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(f.n)*float64(b.N)/b.Elapsed().Seconds(), "facts/s")
}
