package web

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

func get(t *testing.T, path string, header ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest("GET", path, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, r)
	return w.Result()
}

func content(t *testing.T, r *http.Response) []byte {
	t.Helper()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

var reference = regexp.MustCompile(`(?:src|href)="([^"#]+)"`)

// references are the addresses that the page loads.
func references(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, m := range reference.FindAllSubmatch(content(t, get(t, "/")), -1) {
		all = append(all, string(m[1]))
	}
	return all
}

func TestPageAndWhatItRefersTo(t *testing.T) {
	page := get(t, "/")
	if page.StatusCode != 200 || page.Header.Get("Content-Type") != "text/html; charset=utf-8" || page.Header.Get("Cache-Control") != "no-cache" {
		t.Errorf("the page: %d %v", page.StatusCode, page.Header)
	}
	if policy := page.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
		t.Errorf("policy %q", policy)
	}
	all := references(t)
	if len(all) != 3 {
		t.Fatalf("the page refers to %q, expected a script, a style sheet and an icon", all)
	}
	for _, address := range all {
		r := get(t, "/"+address)
		if r.StatusCode != 200 || !strings.Contains(r.Header.Get("Cache-Control"), "immutable") || len(content(t, r)) == 0 {
			t.Errorf("%s: %d %v", address, r.StatusCode, r.Header)
		}
	}
}

func TestContentTypes(t *testing.T) {
	want := map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}
	for _, address := range references(t) {
		suffix := address[strings.LastIndex(address, "."):]
		if got := get(t, "/"+address).Header.Get("Content-Type"); got != want[suffix] {
			t.Errorf("%s is %q, want %q", address, got, want[suffix])
		}
	}
}

func TestUnchangedPageIsNotSentAgain(t *testing.T) {
	for _, coding := range []string{"identity", "gzip"} {
		tag := get(t, "/", "Accept-Encoding", coding).Header.Get("ETag")
		again := get(t, "/", "Accept-Encoding", coding, "If-None-Match", tag)
		if tag == "" || again.StatusCode != http.StatusNotModified || len(content(t, again)) != 0 {
			t.Errorf("%s: ETag %q gives %d", coding, tag, again.StatusCode)
		}
	}
	if r := get(t, "/", "If-None-Match", `"other"`); r.StatusCode != 200 {
		t.Errorf("another ETag gives %d", r.StatusCode)
	}
}

func TestCompressed(t *testing.T) {
	for header, want := range map[string]string{"gzip": "gzip", "br, gzip;q=0.8": "gzip", "br": "", "gzip;q=0": "", "": ""} {
		r := get(t, "/", "Accept-Encoding", header)
		if got := r.Header.Get("Content-Encoding"); got != want {
			t.Errorf("Accept-Encoding %q gives %q, want %q", header, got, want)
		}
	}
	unzip, err := gzip.NewReader(get(t, "/", "Accept-Encoding", "gzip").Body)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(unzip)
	if err != nil || !bytes.Equal(plain, content(t, get(t, "/"))) {
		t.Errorf("compressed and plain differ (%v)", err)
	}
}

func TestOtherPathsAndMethods(t *testing.T) {
	if r := get(t, "/assets/old/app.js"); r.StatusCode != 404 {
		t.Errorf("an outdated address gives %d", r.StatusCode)
	}
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, httptest.NewRequest("POST", "/", nil))
	if w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST gives %d", w.Code)
	}
}

// The limit of what a first visit loads is 500 kB; the aim is a fifth of it.
func TestSize(t *testing.T) {
	const most = 100_000
	size := len(content(t, get(t, "/", "Accept-Encoding", "gzip")))
	for _, address := range references(t) {
		size += len(content(t, get(t, "/"+address, "Accept-Encoding", "gzip")))
	}
	if size > most {
		t.Errorf("the page takes %d bytes gzipped, more than %d", size, most)
	}
	t.Logf("%d bytes gzipped", size)
}

// Only the page's own server is ever named.
func TestNoOtherHostIsNamed(t *testing.T) {
	elsewhere := regexp.MustCompile(`(?:https?:)?//[a-z0-9.-]+`)
	for _, name := range []string{"index.html", "app.js", "style.css"} {
		for _, found := range elsewhere.FindAll(read(name), -1) {
			if string(found) != "http://www.w3.org" { // the name of SVG's elements, never loaded
				t.Errorf("%s names %s", name, found)
			}
		}
	}
}
