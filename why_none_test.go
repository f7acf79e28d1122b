package lacuna_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/kg/read"
)

// An empty answer says which step finds nothing.
func TestEmptyAnswersSayWhy(t *testing.T) {
	splits, err := read.Stream(t.Context(), strings.NewReader("a\ttreats\tasthma\na\tbinds\tg\nb\tbinds\tg\nasthma\tinvolves\th\nb\tcauses\tpain\n"), "x.tsv", read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	engine, err := lacuna.New(t.Context(), splits.Train, lacuna.Model(lacuna.Exact))
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	for text, want := range map[string]string{
		`?x : treats(b, x)`:                           "no treats fact of b in the graph",
		`?x : causes(x, asthma)`:                      "no causes fact in the graph leads to asthma",
		`?x : exists d: binds(d, g) & involves(d, x)`: "no involves fact in the graph of any of the 2 entities before it",
		`?x : treats(x, asthma) & causes(x, pain)`:    "nothing in the graph fulfils all conditions together",
		`?x, ?y : binds(x, y) & causes(x, h)`:         "no causes fact in the graph leads to h",
	} {
		r, err := engine.Ask(t.Context(), text)
		if err != nil || r.Total != 0 || !slices.Contains(r.Hints, want) {
			t.Errorf("%s: %v %v", text, r, err)
		}
	}
	r, err := engine.Ask(t.Context(), `?x : binds(x, g)`)
	if err != nil || r.Total != 2 || len(r.Hints) != 0 {
		t.Errorf("%v %v", r, err)
	}
}
