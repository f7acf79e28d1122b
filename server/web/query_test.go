package web

import (
	"strings"
	"testing"
)

// TestQueryPage holds the page of SPARQL to what the workbench is held to.
func TestQueryPage(t *testing.T) {
	page := get(t, "/query")
	text := string(content(t, page))
	if page.StatusCode != 200 || !strings.Contains(text, `id="query"`) || !strings.Contains(page.Header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Fatalf("%d %v", page.StatusCode, page.Header)
	}
	for _, name := range []string{"sparql.js", "sparql-style.css", "style.css"} {
		_, rest, found := strings.Cut(text, `"assets/`)
		for found && !strings.HasPrefix(rest[strings.Index(rest, "/")+1:], name+`"`) {
			_, rest, found = strings.Cut(rest, `"assets/`)
		}
		if !found || get(t, "/assets/"+rest[:strings.Index(rest, `"`)]).StatusCode != 200 {
			t.Errorf("the page lacks %s", name)
		}
	}
}
