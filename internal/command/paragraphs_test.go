package command

import "testing"

// In a narrow window prose is filled anew, and what is indented stays.
func TestParagraphsFit(t *testing.T) {
	text := "one two three\nfour five\n\n  lacuna ask  as it is\n\nshort\nlines"
	if got, want := paragraphs(text, 10), "one two\nthree four\nfive\n\n  lacuna ask  as it is\n\nshort\nlines"; got != want {
		t.Errorf("%q, expected %q", got, want)
	}
	if got := paragraphs(text, 80); got != text {
		t.Errorf("in a wide window %q, expected the text as it is", got)
	}
	if got, want := paragraphs("naïve überlang", 8), "naïve\nüberlang"; got != want {
		t.Errorf("%q, expected %q", got, want)
	}
}
