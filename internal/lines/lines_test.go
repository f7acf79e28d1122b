package lines

import (
	"strings"
	"testing"
)

func TestFill(t *testing.T) {
	for _, c := range []struct {
		text   string
		width  int
		indent string
		want   string
	}{
		{"one two three", 7, "", "one two\nthree"},
		{"one two three", 7, "  ", "one two\n  three"},
		{"one two three", 80, "  ", "one two three"},
		{"naïve überlang", 8, "", "naïve\nüberlang"}, // characters, not bytes
		{"a endless b", 3, "", "a\nendless\nb"},
		{"", 5, "  ", ""},
	} {
		if got := Fill(strings.Fields(c.text), c.width, c.indent); got != c.want {
			t.Errorf("%q in %d: %q, expected %q", c.text, c.width, got, c.want)
		}
	}
}
