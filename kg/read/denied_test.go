package read

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/snapshot"
)

// denials lists what a graph denies.
func denials(g *kg.Graph) (list []string) {
	for _, t := range g.Denied() {
		list = append(list, fmt.Sprint(g.DenialOf(t)))
	}
	slices.Sort(list)
	return list
}

// An exclamation mark before a relation denies a fact in every kind of table, and what is stated and denied is false.
func TestDenialsAreRead(t *testing.T) {
	for _, c := range []struct{ name, text, stated, denied string }{
		{"a.tsv", "a\ttreats\tx\na\t!treats\ty\nb\t!treats\tx\nb\ttreats\tx\n", "treats(a, x)", "!treats(a, y) !treats(b, x)"},
		{"a.csv", "head,relation,tail,since\na,treats,x,1999\na,!treats,y,2001\n", "treats(a, x)", "!treats(a, y)"},
		{"wide.csv", "drug,treats,!treats\na,x|z,y\nb,x,\nc,x,z\n", "treats(a, x) treats(a, z) treats(b, x) treats(c, x)", "!treats(a, y) !treats(c, z)"},
		{"a.jsonl", `{"drug":"a","treats":"x","!treats":["y","z"]}` + "\n" + `{"drug":"b","treats":"x"}` + "\n", "treats(a, x) treats(b, x)", "!treats(a, y) !treats(a, z)"},
		{"a.tsv", "a\t!=\tx\na\t=\ty\n", "!=(a, x) =(a, y)", ""},
	} {
		s, err := Stream(t.Context(), strings.NewReader(c.text), c.name, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var stated []string
		for f := range s.Train.Triples() {
			stated = append(stated, fmt.Sprint(s.Train.FactOf(kg.Statement{Triple: f})))
		}
		slices.Sort(stated)
		if got := strings.Join(stated, " "); got != c.stated || strings.Join(denials(s.Train), " ") != c.denied {
			t.Errorf("%q: %s, and %s", c.text, got, denials(s.Train))
		}
		if err := s.Train.Check(); err != nil {
			t.Error(err)
		}
		path := filepath.Join(t.TempDir(), "graph.lacuna")
		if err := snapshot.Write(t.Context(), path, s); err != nil {
			t.Fatal(err)
		}
		kept, err := snapshot.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := denials(kept.Train); !slices.Equal(got, denials(s.Train)) {
			t.Errorf("%q: the snapshot denies %v", c.text, got)
		}
		kept.Close()
	}
}
