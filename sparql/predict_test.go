package sparql

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/predict"
	"github.com/lacuna-kg/lacuna/sparql/sparqltest"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
)

// TestPredictAgreesWithExact holds the mapping onto expressions to the exact
// evaluator: on random queries, for each that the mapping does not refuse, the sets of
// solutions are the same if the predictor is traversal.
func TestPredictAgreesWithExact(t *testing.T) {
	accepted, answers, valued := map[string]int{}, 0, 0
	for seed := range uint64(400) {
		g := sparqltest.NewGenerator(seed)
		data := Dataset{Graph: sparqltest.ReadNTriples(t, g.Graph())}
		data.Predictor = sparqltest.Traversal{Graph: data.Graph}
		for range 25 {
			q := g.Query()
			ofValues := g.IntN(3) == 0
			if ofValues {
				q.Where.Of = append(q.Where.Of, g.ValueFilter())
			}
			q.Distinct = q.Form == syntax.SelectForm && !q.Grouped()
			for i, s := range q.Select {
				if count, ok := s.Of.(syntax.Aggregate); ok {
					count.Distinct = true
					q.Select[i].Of = count
				}
			}
			predicted, err := RunQuery(t.Context(), q, data, Options{Mode: Predict})
			if err != nil {
				if kind := kg.KindOf(err); kind != kg.Invalid && kind != kg.NotFound && kind != kg.TooLarge {
					t.Fatalf("%v\n%v", q, err)
				}
				continue
			}
			exact, err := RunQuery(t.Context(), q, data, Options{})
			if err != nil {
				t.Fatal(err)
			}
			got, want := withoutAdded(sparqltest.Lines(t, predicted)), sparqltest.Lines(t, exact)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Fatalf("graph:\n%v\npredict %q\nexact   %q", q, got, want)
			}
			accepted[fmt.Sprintf("%d variables", len(exact.Vars))]++
			answers += len(want)
			if ofValues {
				valued += len(want)
			}
		}
	}
	t.Logf("compared %v, %d answers, %d of them by their values", accepted, answers, valued)
	if valued < 50 || answers < 1000 || accepted["2 variables"] < 100 {
		t.Errorf("too few queries were accepted to show anything: %v, %d answers", accepted, answers)
	}
}

// withoutAdded takes away what the predict mode adds.
func withoutAdded(lines []string) []string {
	for i, line := range lines {
		cells := slices.DeleteFunc(strings.Fields(line), func(cell string) bool {
			return strings.HasPrefix(cell, predict.ProbabilityVar+"=") || strings.HasPrefix(cell, predict.KnownVar+"=") || strings.HasPrefix(cell, predict.ExpectedVar+"=")
		})
		lines[i] = strings.Join(cells, " ")
	}
	return lines
}
