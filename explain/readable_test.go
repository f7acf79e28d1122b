package explain

import (
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/plan"
	"github.com/lacuna-kg/lacuna/query"
)

func TestReadable(t *testing.T) {
	splits, err := read.Stream(t.Context(), strings.NewReader("A\tR\tB\nA\tS\tC\n"), "letters.tsv", read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g := splits.Train
	q := plan.QuestionOf(question(t, g, "P[#1](C(P[#0]({#0}), N({#2})))").Expr, plan.Options{})
	if got, want := readable(q.Query, g.Vocabulary), "?u : ∃a : R(A, a) ∧ a ≠ C ∧ R(u, a)"; got != want {
		t.Errorf("%s, expected %s", got, want)
	}
}

func question(t *testing.T, g *kg.Graph, text string) *plan.Question {
	t.Helper()
	parsed, err := query.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	q, err := plan.NewQuestion(parsed, g.Vocabulary, plan.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return q
}
