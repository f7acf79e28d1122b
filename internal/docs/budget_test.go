package docs

import (
	"path"
	"strings"
	"testing"
)

// TestBudgets keeps the documents to a size that people read. What no longer fits replaces something.
func TestBudgets(t *testing.T) {
	pages := 0
	for _, name := range files(t, ".md") {
		if name == "README.md" || path.Dir(name) == "docs" {
			pages += words(t, name)
		}
	}
	for what, size := range map[string]struct{ has, most int }{
		"README.md":                   {words(t, "README.md"), 700},
		"ARCHITECTURE.md":             {words(t, "ARCHITECTURE.md"), 1500},
		"README.md and docs, not lab": {pages, 20000},
	} {
		if size.has == 0 || size.has > size.most {
			t.Errorf("%s: %d words, expected at most %d", what, size.has, size.most)
		}
	}
}

func words(t *testing.T, name string) int { return len(strings.Fields(read(t, name))) }
