package server

import (
	"net/http/httptest"
	"testing"
)

func TestPagesOfOtherOrigins(t *testing.T) {
	mounts := []Mount{nothing("/", true), nothing("/sparql", false), nothing("/update", false)}
	foreignSite := []string{"Origin", "https://other.example", "Sec-Fetch-Site", "cross-site"}
	image := []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors"}
	old := []string{"Origin", "https://other.example"}
	preflight := append([]string{"Access-Control-Request-Method", "POST"}, foreignSite...)
	own := []string{"Sec-Fetch-Site", "same-origin"}
	for _, c := range []struct {
		name         string
		origins      []string
		method, path string
		headers      []string
		status       int
		allow        string
	}{
		{"a program", nil, "GET", "/sparql", nil, 200, ""},
		{"the page", nil, "GET", "/sparql", own, 200, ""},
		{"the page, old browser", nil, "GET", "/sparql", []string{"Origin", "http://localhost"}, 200, ""},
		{"typed by hand", nil, "GET", "/sparql", []string{"Sec-Fetch-Site", "none"}, 200, ""},
		{"another page", nil, "GET", "/sparql", foreignSite, 403, ""},
		{"another page, old browser", nil, "GET", "/sparql", old, 403, ""},
		{"an image", nil, "GET", "/sparql", image, 403, ""},
		{"another page posts", nil, "POST", "/sparql", foreignSite, 403, ""},
		{"a link to the page", nil, "GET", "/", foreignSite, 200, ""},
		{"another page asks", nil, "OPTIONS", "/sparql", preflight, 403, ""},
		{"allowed", []string{"https://other.example"}, "GET", "/sparql", foreignSite, 200, "https://other.example"},
		{"allowed to change", []string{"https://other.example"}, "POST", "/update", foreignSite, 200, "https://other.example"},
		{"allowed after asking", []string{"https://other.example"}, "OPTIONS", "/update", preflight, 204, "https://other.example"},
		{"another is allowed", []string{"https://third.example"}, "GET", "/sparql", foreignSite, 403, ""},
		{"any", []string{AnyOrigin}, "POST", "/sparql", foreignSite, 200, "*"},
		{"any may not change", []string{AnyOrigin}, "POST", "/update", foreignSite, 403, ""},
		{"any may not change facts", []string{AnyOrigin}, "POST", "/api/facts", foreignSite, 403, ""},
	} {
		s := small(t, Limits{})
		server := httptest.NewServer(s.Handler(Guard{Hosts: LoopbackHosts, Origins: c.origins}, mounts...))
		response, body := call(t, c.method, server.URL+c.path, "", append([]string{"Host", "localhost"}, c.headers...)...)
		if response.StatusCode != c.status || response.Header.Get("Access-Control-Allow-Origin") != c.allow {
			t.Errorf("%s: %d %q %s, want %d %q", c.name, response.StatusCode, response.Header.Get("Access-Control-Allow-Origin"), body, c.status, c.allow)
		}
		server.Close()
	}
}

// TestAskingNeedsNoToken answers the browser, which asks before the page sends its token.
func TestAskingNeedsNoToken(t *testing.T) {
	s := small(t, Limits{})
	server := httptest.NewServer(s.Handler(Guard{Tokens: []string{"secret"}, Origins: []string{"https://other.example"}}, nothing("/sparql", false)))
	defer server.Close()
	headers := []string{"Origin", "https://other.example", "Sec-Fetch-Site", "cross-site"}
	if response, _ := call(t, "OPTIONS", server.URL+"/sparql", "", append([]string{"Access-Control-Request-Method", "POST"}, headers...)...); response.StatusCode != 204 {
		t.Errorf("%d", response.StatusCode)
	}
	if response, _ := call(t, "POST", server.URL+"/sparql", "", headers...); response.StatusCode != 401 {
		t.Errorf("%d without a token", response.StatusCode)
	}
}
