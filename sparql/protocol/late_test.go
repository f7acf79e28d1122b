package protocol

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna/sparql"
)

// An error that comes after the first solutions must not look like the end of them: the document stays unfinished, and its last line and
// the trailer say why. Where a format has no way to be unfinished, the connection is cut.
func TestLateError(t *testing.T) {
	server := httptest.NewServer(&Handler{Source: crowd(t), Limits: sparql.Limits{Solutions: 20000}})
	defer server.Close()
	const selects, constructs = "SELECT * { ?a :knows ?b . ?c :knows ?d }", "CONSTRUCT { ?a :with [] } { ?a :knows ?b . ?c :knows ?d }"
	const why = "more than the limit of 20000 solutions: add LIMIT"
	for accept, tail := range map[string]string{
		"application/sparql-results+json": `"}}` + "\n]},\"error\":{\"kind\":\"too_large\",\"message\":\"sparql: " + why + "\"}\n",
		"application/sparql-results+xml":  "</result>\n<!-- error: sparql: " + why + " -->\n",
		"text/csv":                        "",
		"text/tab-separated-values":       "",
		"application/n-triples":           " .\n\nERROR: sparql: " + why + "\n",
		"text/turtle":                     "\nERROR: sparql: " + why + "\n",
	} {
		query := selects
		if strings.Contains(accept, "triples") || strings.Contains(accept, "turtle") {
			query = constructs
		}
		r, err := http.NewRequest(http.MethodGet, server.URL+"?query="+url.QueryEscape(query), nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", accept)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if response.StatusCode != http.StatusOK || len(body) < heldBack {
			t.Errorf("%s: %s and %d bytes, expected the first solutions", accept, response.Status, len(body))
		}
		told := response.Trailer.Get(ErrorTrailer)
		switch {
		case tail == "" && err == nil:
			t.Errorf("%s was cut off without a sign of it", accept)
		case tail != "" && (err != nil || !strings.HasSuffix(string(body), tail) || told != "too_large: sparql: "+why):
			t.Errorf("%s: %v, the trailer %q and an end of %q, want %q", accept, err, told, body[len(body)-min(200, len(body)):], tail)
		}
	}
}

// TestDumpsAreNotKept streams a graph in less memory than its triples take.
func TestDumpsAreNotKept(t *testing.T) {
	h := &Handler{Source: crowd(t), Limits: sparql.Limits{Memory: 1000}}
	for query, whole := range map[string]bool{
		"CONSTRUCT WHERE { ?a ?p ?b }":                            true,
		"CONSTRUCT WHERE { ?a :knows ?b }":                        true,
		"SELECT * { ?a :knows ?b }":                               true,
		"CONSTRUCT { ?b :by ?a } { ?a :knows ?b . ?a :knows ?b }": false, // which might come twice
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, get("query", query))
		if (w.Code == http.StatusOK) != whole || whole && strings.Count(w.Body.String(), "knows")+strings.Count(w.Body.String(), "urn:lacuna") < 100 {
			t.Errorf("%s: %d with %d bytes", query, w.Code, w.Body.Len())
		}
	}
}

// TestLateErrorResetsHTTP10 is the same for a client whose protocol has no other end than that of the connection.
func TestLateErrorResetsHTTP10(t *testing.T) {
	server := httptest.NewServer(&Handler{Source: crowd(t), Limits: sparql.Limits{Solutions: 20000}})
	defer server.Close()
	for query, whole := range map[string]bool{
		"SELECT * { ?a :knows ?b . ?c :knows ?d } LIMIT 10000": true,
		"SELECT * { ?a :knows ?b . ?c :knows ?d }":             false,
	} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "GET /?query=%s HTTP/1.0\r\nAccept: text/csv\r\n\r\n", url.QueryEscape(query))
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		conn.Close()
		if response.StatusCode != http.StatusOK || len(body) < heldBack || (err == nil) != whole {
			t.Errorf("%s: %s, %d bytes, %v", query, response.Status, len(body), err)
		}
	}
}

// TestEarlyErrorHasAStatus wants a status and a line for what fails after the first solutions and before they are sent.
func TestEarlyErrorHasAStatus(t *testing.T) {
	const forever = "{ SELECT (COUNT(*) AS ?n) { ?e :knows ?f . ?g :knows ?h . ?i :knows ?j } }"
	h := &Handler{Source: crowd(t), Time: 200 * time.Millisecond, Limits: sparql.Limits{Work: math.MaxInt, Solutions: 100}}
	for query, want := range map[string]int{
		"SELECT * { { SELECT * { ?a :knows ?b } LIMIT 50 } UNION " + forever + " }": http.StatusServiceUnavailable,
		"SELECT * { { SELECT * { ?a :knows ?b } LIMIT 50 } ?c :knows ?d }":          http.StatusRequestEntityTooLarge,
		"CONSTRUCT WHERE { ?a :knows ?b }":                                          http.StatusRequestEntityTooLarge,
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, get("query", query))
		if w.Code != want || strings.Count(w.Body.String(), "\n") != 1 || w.Header().Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Errorf("%s: %d %q, want %d and a line", query, w.Code, w.Body, want)
		}
	}
}

// TestResultsHaveALength wants it of results that are held whole, as proxies and clients like it.
func TestResultsHaveALength(t *testing.T) {
	w := httptest.NewRecorder()
	(&Handler{Source: newSource(t)}).ServeHTTP(w, get("query", "SELECT * { ?a ?p ?b }"))
	if w.Header().Get("Content-Length") != strconv.Itoa(w.Body.Len()) || w.Body.Len() == 0 {
		t.Errorf("%v of %d bytes", w.Header(), w.Body.Len())
	}
}
