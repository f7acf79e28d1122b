package lacuna_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/internal/laureates"
	"github.com/lacuna-kg/lacuna/sparql/results"
	"github.com/lacuna-kg/lacuna/sparql/term"
	"github.com/lacuna-kg/lacuna/turing"
)

// column gives the values of the first variable of a result, and the others as they are.
func column(t *testing.T, r *results.Results) (values []string, rest [][]term.Term) {
	for terms, err := range r.Rows {
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, terms[0].String())
		rest = append(rest, slices.Clone(terms[1:]))
	}
	return values, rest
}

func embedded(t *testing.T) *lacuna.Engine {
	splits, err := lacuna.Read(t.Context(), "", lacuna.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	return laureates.Exact(t, splits.Train)
}

// The queries of the table mean the same in both modes where the predictor is traversal.
func TestSPARQLModesAgree(t *testing.T) {
	engine := embedded(t)
	for _, pattern := range []string{
		`?x :Win :Turing%20Award`,
		`?a :Win :Turing%20Award ; :Field :Deep%20Learning ; :University ?x`,
		`:Turing%20Award ^:Win/:University ?x`,
		`?x :Field ?f ; :Win :Turing%20Award MINUS { ?s :Advisor ?x }`,
		`?x :Win :Turing%20Award FILTER NOT EXISTS { ?x :Advisor ?s . ?s :Field ?f }`,
		`?x :Win :Turing%20Award FILTER NOT EXISTS { ?x :Advisor ?s FILTER EXISTS { ?s :Win ?w } }`,
		`?x :Win :Turing%20Award FILTER NOT EXISTS { FILTER NOT EXISTS { ?x :Advisor ?s } }`,
		`{ ?x :CitizenOf :Norway } UNION { ?x :University/^:University/:CitizenOf :Israel }`,
		`?x :Win :Turing%20Award ; :CitizenOf ?c FILTER(?c IN (:Norway, :Israel) || ?c = :Canada)`,
		`?x :Win :Turing%20Award ; :CitizenOf ?c FILTER(?c != :United%20States && ?x NOT IN (:Nobody, :Nowhere))`,
		`?x :Win :Turing%20Award ; :University ?u MINUS { ?x :CitizenOf ?c . ?y :Advisor ?x } VALUES ?u { <Stanford%20University> :MIT }`,
		`?x :Win|:Advisor ?y`,
		`?x :Win :Turing%20Award MINUS { ?y :Field ?f }`,
	} {
		text := "SELECT DISTINCT ?x { " + pattern + " }"
		exact, err := engine.SPARQL(t.Context(), text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		predicted, err := engine.SPARQL(t.Context(), text, lacuna.By(lacuna.Links), lacuna.Threshold(0.01))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		want, _ := column(t, exact)
		got, _ := column(t, predicted)
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s\npredict %q\nexact   %q", text, got, want)
		}
		if len(want) == 0 {
			t.Errorf("%s has no answer, so that it shows nothing", text)
		}
	}
}

func TestSPARQLPredicts(t *testing.T) {
	engine := laureates.Engine(t, lacuna.Turing)
	const text = `SELECT ?u { ?a :Win :Turing%20Award ; :Field :Deep%20Learning ; :University ?u }`
	r, err := engine.SPARQL(t.Context(), text, lacuna.By(lacuna.Links), lacuna.Threshold(0.01))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(r.Vars, " "); got != "u probability known" {
		t.Errorf("variables %s", got)
	}
	want, err := engine.Ask(t.Context(), turing.PaperQuestion, lacuna.Limit(lacuna.All), lacuna.Threshold(0.01))
	if err != nil {
		t.Fatal(err)
	}
	values, rest := column(t, r)
	if len(values) != len(want.Answers) {
		t.Fatalf("%d answers, want %d", len(values), len(want.Answers))
	}
	for i, answer := range want.Answers {
		known := map[bool]string{true: "true", false: "false"}[answer.Known]
		if values[i] != term.OfEntity(answer.Entity).String() || rest[i][1].Value != known {
			t.Errorf("answer %d is %s (known %s), want %+v", i, values[i], rest[i][1].Value, answer)
		}
	}
}
