package lacuna_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/internal/laureates"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
)

// tuples answers a question exactly, entities of several variables with commas between.
func tuples(t *testing.T, g *kg.Graph, text string, logic fuzzy.Logic) ([]string, error) {
	result, err := laureates.Exact(t, g).Ask(t.Context(), text, lacuna.Logic(logic), lacuna.Limit(lacuna.All))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, a := range result.Answers {
		if !a.Known || a.Probability != 1 {
			t.Errorf("%s: %+v is not known", text, a)
		}
		names = append(names, strings.Join(append(a.Entities, strings.Fields(a.Entity)...), ", "))
	}
	return names, nil
}

func TestJoinScripts(t *testing.T) {
	for _, logic := range fuzzy.Logics {
		runScript(t, "testdata/scripts/joins/joins.script", executor{logic.String(), func(t *testing.T, g *kg.Graph, text string) ([]string, error) {
			names, err := tuples(t, g, text, logic)
			for i := range names {
				names[i] = strings.ReplaceAll(names[i], "Deep, Learning", "Deep Learning")
			}
			return names, err
		}})
	}
}

// joinEngine answers on the laureates with their model.
func joinEngine(t *testing.T, options ...lacuna.Option) *lacuna.Engine {
	t.Helper()
	engine, err := lacuna.Open(t.Context(), "", append(options, lacuna.OnDevice(plain.New()), lacuna.Calibrating(lacuna.CalibrationOptions{Off: true}))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	return engine
}

// A question that a model joins has known answers, predictions after them, and says what it left out.
func TestJoinPredicts(t *testing.T) {
	engine := joinEngine(t)
	const question = "?x, ?u : Advisor(x, Yoshua Bengio) & University(x, u)"
	r, err := engine.Ask(t.Context(), question, lacuna.Threshold(0), lacuna.Limit(10), lacuna.Marginal(true))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Answers) != 10 || !r.More || len(r.Marginals) != 2 || r.Shape != lacuna.ShapeOfJoin || len(r.Variables) != 2 {
		t.Fatalf("%+v", r)
	}
	last, predicted := float32(1), 0
	for _, a := range r.Answers {
		if len(a.Entities) != 2 || a.Entity != "" || a.Probability > last || a.Known && a.Probability != 1 {
			t.Errorf("%+v after %v", a, last)
		}
		if last = a.Probability; !a.Known {
			predicted++
		}
	}
	if predicted == 0 {
		t.Errorf("no prediction among %+v", r.Answers)
	}
	if best, own := r.Answers[0], r.Marginals[0].Top[0]; own.Entity != best.Entities[0] || own.Probability < best.Probability {
		t.Errorf("by itself the best is %+v, together %+v", own, best)
	}
	only, err := engine.Ask(t.Context(), question, lacuna.Threshold(0), lacuna.Limit(5), lacuna.Predicted(true))
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range only.Answers {
		if a.Known {
			t.Errorf("%+v is known", a)
		}
	}
	if len(only.Answers) != 5 {
		t.Errorf("answers %+v", only.Answers)
	}
}

// A derivation has the links of the question, and is as likely as their product.
func TestJoinDerives(t *testing.T) {
	engine := joinEngine(t)
	r, err := engine.Ask(t.Context(), "?x, ?u : exists v: Advisor(x, Yoshua Bengio) & University(x, u) & University(Yoshua Bengio, v) & !Advisor(x, u)", lacuna.Threshold(0), lacuna.Limit(5), lacuna.Why(true))
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range r.Answers {
		p := float32(1)
		for _, l := range a.Derivation {
			if l.Known && l.Probability != 1 || l.Negated != (l.Relation == "Advisor" && l.To == a.Entities[1]) {
				t.Errorf("%+v", l)
			}
			if l.Negated {
				l.Probability = 1 - l.Probability
			}
			p *= l.Probability
		}
		if len(a.Derivation) != 4 || math.Abs(float64(p-a.Probability)) > 1e-5 {
			t.Errorf("%+v comes to %v", a, p)
		}
	}
	if len(r.Answers) != 5 {
		t.Errorf("answers %+v", r.Answers)
	}
}

// The JSON form is documented.
func TestJoinAsJSON(t *testing.T) {
	engine := joinEngine(t, lacuna.Model(lacuna.Exact))
	for question, want := range map[string][]string{
		"?x, ?y : Advisor(x, y) & x = Donald Knuth": {`"entities":["Donald Knuth","Marshall Hall"]`, `"known":true`},
		"Win(Donald Knuth, Turing Award)":           {`"answers":[]`, `"probability":1`, `"known":true`},
		"Win(Turing Award, Donald Knuth)":           {`"answers":[]`, `"probability":0`, `"known":false`},
		"?x : Advisor(x, x) | x = Donald Knuth":     {`"entity":"Donald Knuth"`},
	} {
		r, err := engine.Ask(t.Context(), question)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range want {
			if !strings.Contains(string(text), part) {
				t.Errorf("%s: no %s in %s", question, part, text)
			}
		}
	}
}

// Trees and others may be asked together.
func TestJoinsBesideTrees(t *testing.T) {
	engine := joinEngine(t, lacuna.Model(lacuna.Exact))
	results, err := askTogether(t, engine, []string{"?x : Advisor(Donald Knuth, x)", "?x, ?y : Advisor(x, y)", "?x : Advisor(x, Marshall Hall)"})
	if err != nil {
		t.Fatal(err)
	}
	if results[0].Answers[0].Entity != "Marshall Hall" || len(results[1].Answers[0].Entities) != 2 || results[2].Answers[0].Entity != "Donald Knuth" {
		t.Errorf("%+v", results)
	}
}

// Known tuples do not fill a list that is cut short: predictions have their places, however many are known.
func TestPredictionsStandBesideManyKnownTuples(t *testing.T) {
	engine := joinEngine(t, lacuna.Linking(lacuna.LinkOptions{Follow: links.Follow{Most: 6}}))
	const question = "?x, ?y : exists u: University(x, u) & AlmaMater(y, u)"
	unhurried := lacuna.Within(lacuna.Limits{Search: time.Hour, Compute: time.Hour})
	r, err := engine.Ask(t.Context(), question, lacuna.Threshold(0.01), lacuna.Limit(10), unhurried)
	if err != nil {
		t.Fatal(err)
	}
	known := 0
	for _, a := range r.Answers {
		if a.Known {
			known++
		}
	}
	if len(r.Answers) != 10 || known != 5 || !r.More {
		t.Errorf("%d answers, %d known, more: %v", len(r.Answers), known, r.More)
	}
	only, err := engine.Ask(t.Context(), "?x, ?y : CitizenOf(x, y)", lacuna.Threshold(0), lacuna.Limit(20), lacuna.Predicted(true), unhurried)
	if err != nil || len(only.Answers) != 20 || only.KnownTotal != 0 {
		t.Errorf("missing facts: %+v, %v", only, err)
	}
	for i, a := range only.Answers {
		if a.Known || i > 0 && a.Probability > only.Answers[i-1].Probability {
			t.Errorf("%d: %+v", i, a)
		}
	}
}
