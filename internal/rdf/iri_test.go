package rdf

import "testing"

// TestResolveIRI holds the examples of RFC 3986, section 5.4.
func TestResolveIRI(t *testing.T) {
	const base = "http://a/b/c/d;p?q"
	for reference, want := range map[string]string{
		"g:h": "g:h", "g": "http://a/b/c/g", "./g": "http://a/b/c/g", "g/": "http://a/b/c/g/", "/g": "http://a/g",
		"//g": "http://g", "?y": "http://a/b/c/d;p?y", "g?y": "http://a/b/c/g?y", "#s": "http://a/b/c/d;p?q#s",
		"g#s": "http://a/b/c/g#s", "g?y#s": "http://a/b/c/g?y#s", ";x": "http://a/b/c/;x", "": "http://a/b/c/d;p?q",
		".": "http://a/b/c/", "./": "http://a/b/c/", "..": "http://a/b/", "../": "http://a/b/", "../g": "http://a/b/g",
		"../..": "http://a/", "../../": "http://a/", "../../g": "http://a/g", "../../../g": "http://a/g",
		"../../../../g": "http://a/g", "/./g": "http://a/g", "/../g": "http://a/g", "g.": "http://a/b/c/g.",
		".g": "http://a/b/c/.g", "..g": "http://a/b/c/..g", "./../g": "http://a/b/g", "./g/.": "http://a/b/c/g/",
		"g/./h": "http://a/b/c/g/h", "g/../h": "http://a/b/c/h", "g;x=1/../y": "http://a/b/c/y", "g?y/../x": "http://a/b/c/g?y/../x",
		"é": "http://a/b/c/é",
	} {
		if got := ResolveIRI(base, reference); got != want {
			t.Errorf("%q: got %q, want %q", reference, got, want)
		}
	}
	for _, c := range []struct{ base, reference, want string }{
		{"", "a/../b", "a/../b"}, {"http://a", "b", "http://a/b"}, {"urn:x", "b", "urn:b"},
	} {
		if got := ResolveIRI(c.base, c.reference); got != c.want {
			t.Errorf("%q at %q: got %q, want %q", c.reference, c.base, got, c.want)
		}
	}
}
