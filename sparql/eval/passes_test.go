package eval

import (
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/algebra"
	"github.com/lacuna-kg/lacuna/sparql/sparqltest"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
)

// No pass changes the bag of solutions: random queries give the same by the letter of
// the recommendation, with each pass alone, and with all.
func TestPassesKeepSolutions(t *testing.T) {
	choices := [][]algebra.Pass{algebra.Passes}
	for i := range algebra.Passes {
		choices = append(choices, algebra.Passes[i:i+1])
	}
	solutions := 0
	for seed := range uint64(200) {
		draw, query := sparqltest.NewGenerator(seed), (*sparqltest.Generator).Query
		if seed%2 == 1 {
			draw, query = sparqltest.NewLanguageGenerator(seed), (*sparqltest.Generator).LanguageQuery
		}
		g := sparqltest.ReadNTriples(t, draw.Graph())
		for range 20 {
			q := query(draw)
			want := sortedLines(t, q, g, nil)
			for i, passes := range choices {
				if got := sortedLines(t, q, g, passes); !slices.Equal(got, want) {
					t.Fatalf("%v\nby choice %d of passes %q\nby the letter %q", q, i, got, want)
				}
			}
			solutions += len(want)
		}
	}
	if solutions < 1000 {
		t.Errorf("%d solutions: random queries that match nothing prove nothing", solutions)
	}
}

func sortedLines(t *testing.T, q *syntax.Query, g *kg.Graph, passes []algebra.Pass) []string {
	letter, err := algebra.Translate(q)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), algebra.Optimise(letter, passes), Dataset{Graph: g}, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	lines := sparqltest.Lines(t, r)
	slices.Sort(lines)
	return lines
}
