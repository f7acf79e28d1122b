package server

import (
	"net/http/httptest"
	"testing"
)

// TestReadersChangeNothing sends changes with a token that may only read, and under names that any page could use.
func TestReadersChangeNothing(t *testing.T) {
	s := small(t, Limits{}, taking(t))
	fact := `{"add": [{"head": "a", "relation": "in", "tail": "b"}]}`
	closed := Guard{Tokens: []string{"writer", "other"}, ReadTokens: []string{"reader"}}
	for _, c := range []struct {
		guard        Guard
		method, path string
		headers      []string
		want         int
	}{
		{closed, "GET", "/api/info", []string{"Authorization", "Bearer reader"}, 200},
		{closed, "POST", "/api/facts", []string{"Authorization", "Bearer reader"}, 403},
		{closed, "POST", "/api/graph?name=a.tsv", []string{"Authorization", "Bearer reader"}, 403},
		{closed, "POST", "/api/facts", []string{"Authorization", "Bearer writer"}, 200},
		{closed, "POST", "/api/facts", []string{"Authorization", "Bearer other"}, 200},
		{closed, "POST", "/api/facts", []string{"Authorization", "Bearer nobody"}, 401},
		{Guard{}, "POST", "/api/facts", []string{"Host", "rebound.example"}, 403},
		{Guard{}, "GET", "/api/info", []string{"Host", "rebound.example"}, 200},
		{Guard{}, "POST", "/api/facts", []string{"Host", "192.0.2.7:8420"}, 200},
		{Guard{}, "POST", "/api/facts", []string{"Host", "localhost"}, 200},
		{Guard{WriteHosts: []string{"kg.example.org"}}, "POST", "/api/facts", []string{"Host", "KG.example.org"}, 200},
		{Guard{Hosts: append(LoopbackHosts, "kg.example.org")}, "POST", "/api/facts", []string{"Host", "kg.example.org"}, 200},
		{Guard{Hosts: LoopbackHosts}, "GET", "/api/info", []string{"Host", "kg.example.org"}, 403},
	} {
		server := httptest.NewServer(s.Handler(c.guard))
		body := ""
		if c.method == "POST" {
			body = fact
		}
		if response, text := call(t, c.method, server.URL+c.path, body, c.headers...); response.StatusCode != c.want {
			t.Errorf("%s %s with %v: %d %s, want %d", c.method, c.path, c.headers, response.StatusCode, text, c.want)
		}
		server.Close()
	}
}

// TestClientsAreTokensOrAddresses tells clients apart.
func TestClientsAreTokensOrAddresses(t *testing.T) {
	guard := Guard{Tokens: []string{"a"}, ReadTokens: []string{"b"}}
	for _, c := range []struct {
		guard          Guard
		address, token string
		want           string
	}{
		{guard, "192.0.2.1:5", "a", "token 0"},
		{guard, "192.0.2.2:6", "a", "token 0"},
		{guard, "192.0.2.1:5", "b", "reading token 0"},
		{Guard{}, "192.0.2.1:5", "a", "192.0.2.1"},
		{Guard{}, "[::ffff:192.0.2.1]:5", "", "192.0.2.1"},
		{Guard{}, "[2001:db8:1:2:3:4:5:6]:5", "", "2001:db8:1:2::/64"},
		{Guard{}, "[::1]:5", "", "::1"},
	} {
		request := httptest.NewRequest("GET", "/api/info", nil)
		request.RemoteAddr = c.address
		request.Header.Set("Authorization", "Bearer "+c.token)
		ctx, err := admit(c.guard, false, request)
		if err != nil || clientOf(ctx) != c.want {
			t.Errorf("%s with %q is %q (%v), want %q", c.address, c.token, clientOf(ctx), err, c.want)
		}
	}
}

// TestNamesOfFilesArePublished without their folders.
func TestNamesOfFilesArePublished(t *testing.T) {
	for name, want := range map[string]string{
		"/srv/secret/films.lacuna": "films.lacuna", `C:\secret\films.csv`: "films.csv", "films.tsv": "films.tsv", "the embedded graph": "the embedded graph", "https://example.org/sparql": "https://example.org/sparql",
	} {
		if got := published(name); got != want {
			t.Errorf("%s is published as %s", name, got)
		}
	}
}
