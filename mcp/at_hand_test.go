package mcp

import (
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna"
)

// A question of yes or no has no answers to list, and is no question without any.
func TestYesOrNoInWords(t *testing.T) {
	for _, c := range []struct {
		probability float32
		known       bool
		want        string
	}{
		{1, true, "Yes: 1.00, known.\n"},
		{0.6, false, "Yes: 0.60, predicted.\n"},
		{0.35, true, "No: 0.35, yes by what the graph states, which the model doubts.\n"},
		{0, false, "No: 0.00, nothing supports it.\n"},
	} {
		if got := answersInWords(&lacuna.Result{Verdict: &lacuna.Verdict{Probability: c.probability, Known: c.known}}); got != c.want {
			t.Errorf("%+v in words: %q", c, got)
		}
	}
	more := &lacuna.Result{Answers: []lacuna.Answer{{Entities: []string{"a", "b"}, Probability: 1, Known: true}}, Total: 1, KnownTotal: 1, More: true}
	if got := answersInWords(more); !strings.HasPrefix(got, "1 answer, the likeliest, 1 of them stated by the graph; there are more.\n1.00 known: a, b\n") {
		t.Errorf("answers of which there are more: %q", got)
	}
}
