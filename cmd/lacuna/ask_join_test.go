package main

import (
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna"
)

// A question of yes or no is answered by what is likelier, and says where that comes from. A negation may be doubted although the graph
// states nothing against it.
func TestYesOrNo(t *testing.T) {
	for _, c := range []struct {
		probability float32
		known       bool
		want        string
	}{
		{1, true, "Yes.\n  1.00  known\n"},
		{0.35, true, "No.\n  0.35  yes by what the graph states, which the model doubts\n"},
		{0.6, false, "Yes.\n  0.60  predicted\n"},
		{0.004, false, "No.\n  <.01  predicted\n"},
		{0, false, "No.\n  0.00\n"},
	} {
		var out strings.Builder
		a := &app{screen: screen{Writer: &out, width: 80}}
		a.showYesOrNo(&lacuna.Result{Probability: &c.probability, Known: &c.known})
		if got := strings.TrimPrefix(out.String(), "\n"); got != c.want {
			t.Errorf("%+v is shown as %q", c, got)
		}
	}
}
