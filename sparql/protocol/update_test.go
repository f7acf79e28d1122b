package protocol

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
)

// closed is an error of a server around the handler.
type closed struct{ error }

func (closed) Answer() (int, string) { return http.StatusForbidden, "forbidden" }

func TestUpdateProtocol(t *testing.T) {
	const form, direct = "application/x-www-form-urlencoded", "application/sparql-update"
	const insert = "INSERT DATA { :Ada :knows :Di }"
	s := newSource(t)
	handler := &UpdateHandler{Source: s, Body: 500, Time: time.Millisecond, Update: func(ctx context.Context, u *syntax.Update) (any, error) {
		if strings.Contains(u.String(), "forbidden") {
			return nil, closed{kg.Errorf(kg.Invalid, "", "facts cannot be changed here")}
		}
		if strings.Contains(u.String(), "long") {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return map[string]int{"added": len(u.Operations)}, nil
	}}
	request := func(method, contentType, body string) *http.Request {
		r := httptest.NewRequest(method, "/update", strings.NewReader(body))
		r.Header.Set("Content-Type", contentType)
		return r
	}
	for _, c := range []struct {
		name    string
		request *http.Request
		status  int
		want    string
	}{
		{"direct", request("POST", direct, insert), 200, `{"added":1}`},
		{"form", request("POST", form, url.Values{"update": {insert + ";" + insert}}.Encode()), 200, `{"added":2}`},
		{"no graph", request("POST", form, url.Values{"update": {insert}, "using-graph-uri": {""}}.Encode()), 200, `{"added":1}`},
		{"a graph", request("POST", form, url.Values{"update": {"DELETE { ?x ?p ?y } WHERE { ?x ?p ?y }"}, "using-graph-uri": {"x:g"}}.Encode()), 200, `{"added":1}`},
		{"two ways to say it", request("POST", form, url.Values{"update": {"WITH :g DELETE { ?x ?p ?y } WHERE { ?x ?p ?y }"}, "using-graph-uri": {"x:g"}}.Encode()), 400, "using-graph-uri beside WITH or USING"},
		{"none", request("POST", form, ""), 400, "update: expected once, found 0 times"},
		{"a query", request("POST", form, "query=ASK{}"), 400, "query: this is for updates only"},
		{"malformed", request("POST", direct, "INSERT DATA {"), 400, "sparql:1:14: expected"},
		{"by GET", httptest.NewRequest("GET", "/update?update="+url.QueryEscape(insert), nil), 405, "expected POST"},
		{"what may be done", httptest.NewRequest("OPTIONS", "/update", nil), 204, ""},
		{"of a query", request("POST", "application/sparql-query", insert), 415, "expected application/sparql-update"},
		{"too large", request("POST", direct, strings.Repeat(" ", 501)), 413, "more than 500 bytes"},
		{"closed", request("POST", direct, "INSERT DATA { :a :forbidden :b }"), 403, "facts cannot be changed here"},
		{"too long", request("POST", direct, "INSERT DATA { :a :long :b }"), 503, "deadline"},
	} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, c.request)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s: %d %s, want %d %s", c.name, w.Code, w.Body, c.status, c.want)
		}
	}
	if s.users != 0 {
		t.Errorf("%d uses of the graph were not ended", s.users)
	}
}
