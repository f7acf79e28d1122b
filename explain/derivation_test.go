package explain

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/internal/synth"
	"github.com/lacuna-kg/lacuna/query"
)

// A picture says of each link how the question wants it: as one of several alternatives, negated, or negated together with others, which
// is not the same as each by itself.
func TestPictureSaysHowLinksAreAsked(t *testing.T) {
	g := synth.Random(rand.New(rand.NewPCG(1, 2)), 5, 2, 8)
	for text, want := range map[string]string{
		"?x : #0(x, x) & !#2(x, #3) & x != #2":                 "0-0 cycle; 0-1 negated; 0-2 negated",
		"?x : #0(x, x) & (#2(x, #3) | #2(#3, x))":              "0-0 cycle; 0-1 optional; 1-0 optional cycle",
		"?x : #0(x, x) & !exists y: #2(x, y) & #0(y, x)":       "0-0 cycle; 0-1 negated nested; 1-0 negated nested cycle",
		"?x : #0(x, x) & forall y: (#2(x, y) -> #0(y, #3))":    "0-0 cycle; 0-1 negated nested; 1-2 nested",
		"exists y: #2(#3, y) & #2(y, #4) & #2(#4, #3)":         "1-0; 0-2; 2-1 cycle",
		"?x : (#0(x, x) & !(#2(x, #3) & !#0(x, #2))) & x = #4": "0-0 cycle; 0-1 negated optional; 0-2 optional; 0-3",
	} {
		q, err := query.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		n, err := query.Normalise(q)
		if err != nil {
			t.Fatal(err)
		}
		if got := asked(NewPicture(n, g)); got != want {
			t.Errorf("%s is drawn as %s, want %s", text, got, want)
		}
	}
}

// asked names the ends of each link and what is said of it.
func asked(p *Picture) string {
	links := make([]string, len(p.Edges))
	for i, e := range p.Edges {
		links[i] = fmt.Sprintf("%d-%d", e.From, e.To)
		for _, say := range []struct {
			is   bool
			word string
		}{{e.Negated, "negated"}, {e.Optional, "optional"}, {e.Nested, "nested"}, {e.ClosesCycle, "cycle"}} {
			if say.is {
				links[i] += " " + say.word
			}
		}
	}
	return strings.Join(links, "; ")
}
