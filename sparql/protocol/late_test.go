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

// An error that comes after the first solutions must not look like the end of them.
func TestLateErrorAbortsTheConnection(t *testing.T) {
	h := &Handler{Source: crowd(t), Limits: sparql.Limits{Solutions: 20000}}
	server := httptest.NewServer(h)
	defer server.Close()
	response, err := http.Get(server.URL + "?query=" + url.QueryEscape("SELECT * { ?a :knows ?b . ?c :knows ?d }"))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if response.StatusCode != http.StatusOK || len(body) == 0 {
		t.Fatalf("%s and %d bytes, expected the first solutions", response.Status, len(body))
	}
	if err == nil {
		t.Error("the results were cut off without a sign of it")
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
