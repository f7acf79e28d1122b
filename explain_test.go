package lacuna_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/explain"
	"github.com/lacuna-kg/lacuna/internal/laureates"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/turing"
)

// explainers are engines on the embedded graph with either of the models that come with Lacuna.
func explainers(t *testing.T) map[string]*lacuna.Engine {
	t.Helper()
	engines := map[string]*lacuna.Engine{}
	for _, model := range []string{lacuna.Turing, lacuna.Foundation} {
		engines[model] = laureates.Engine(t, model, laureates.Fitted())
	}
	return engines
}

func fact(t *testing.T, g *kg.Graph, head, relation, tail string) kg.Triple {
	t.Helper()
	h, r, tl := g.Entities.Find(head), g.Relations.Find(relation), g.Entities.Find(tail)
	if len(h) != 1 || len(r) != 1 || len(tl) != 1 {
		t.Fatalf("%s(%s, %s) is not in the vocabulary", relation, head, tail)
	}
	return kg.Triple{Head: kg.Entity(h[0]), Relation: kg.Forward(r[0]), Tail: kg.Entity(tl[0])}
}

// Whatever the model and the way: New York University is explained by paths that the graph states,
// end to end, and without their facts it is less probable.
func TestExplainNewYorkUniversity(t *testing.T) {
	for _, way := range []lacuna.Way{lacuna.Links, lacuna.Sets} {
		testExplainNewYorkUniversity(t, way)
	}
}

func testExplainNewYorkUniversity(t *testing.T, way lacuna.Way) {
	for model, engine := range explainers(t) {
		model = model + " by " + string(way)
		_, e, err := explained(t, engine, turing.PaperQuestion, "New York University", lacuna.By(way))
		if err != nil {
			t.Fatal(err)
		}
		if e.Answer.Entity != "New York University" || e.Answer.Known {
			t.Errorf("%s: the answer is %+v", model, e.Answer)
		}
		predicted := 0
		for _, link := range e.Links {
			if link.Known {
				f := link.Fact()
				if !engine.Graph.Has(fact(t, engine.Graph, f.Head, f.Relation, f.Tail)) {
					t.Errorf("%s: the graph does not state %s", model, f)
				}
				continue
			}
			predicted++
			checkReasons(t, engine.Graph, link)
		}
		if predicted == 0 {
			t.Errorf("%s: no predicted link in %+v", model, e.Links)
		}
	}
}

func checkReasons(t *testing.T, g *kg.Graph, link explain.Link) {
	t.Helper()
	if len(link.Paths) == 0 || link.Counterfactual == nil {
		t.Fatalf("%s has no reasons", link.Fact())
	}
	weight := link.Paths[0].Weight
	for _, path := range link.Paths {
		at, sum := link.Head, 0.0
		for _, edge := range path.Edges {
			from, to := edge.Ends()
			if from != at || !g.Has(fact(t, g, edge.Head, edge.Relation, edge.Tail)) {
				t.Errorf("%s is not stated, or does not follow %s", edge.Fact, at)
			}
			at, sum = to, sum+edge.Weight
		}
		if at != link.Tail || path.Weight > weight || path.Weight-sum/float64(len(path.Edges)) > 1e-5 {
			t.Errorf("the path %+v does not end in %s, or its weight is not that of its edges", path, link.Tail)
		}
		weight = path.Weight
	}
	c := link.Counterfactual
	if c.After >= c.Before || c.Before != link.Probability && abs(c.Before-link.Probability) > 1e-4 {
		t.Errorf("%s: %v before, %v after its facts were removed; the link has %v", link.Fact(), c.Before, c.After, link.Probability)
	}
	if c.Control == nil || c.Control.After <= c.After {
		t.Errorf("%s: random facts count as much as the paths: %+v", link.Fact(), c)
	}
}

func abs(x float32) float32 { return max(x, -x) }

// The best predicted answer is taken where none is named, and known answers are explained by facts alone.
func TestExplainChoosesAnAnswer(t *testing.T) {
	engine := embeddedEngine(t)
	result, e, err := explained(t, engine, turing.PaperQuestion, "")
	if err != nil {
		t.Fatal(err)
	}
	shown := result.Shown()
	first := slices.IndexFunc(shown, func(a lacuna.Answer) bool { return !a.Known })
	if first < 0 || e.Answer.Entity != shown[first].Entity {
		t.Errorf("explained %s of %+v", e.Answer.Entity, shown)
	}
	_, e, err = explained(t, engine, turing.PaperQuestion, "University of Toronto", lacuna.By(lacuna.Exact))
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Links) == 0 {
		t.Error("by traversal: no links")
	}
	for _, link := range e.Links {
		if !link.Known || link.Probability != 1 || link.Paths != nil {
			t.Errorf("by traversal: %+v", link)
		}
	}
	_, e, err = explained(t, engine, "?p : Win(p, Turing Award) & Advisor(p, p)", "")
	if err != nil || e.Derivation == nil || e.Derivation.Nodes[0].Entity != e.Answer.Entity {
		t.Errorf("a cycle: %+v, %v", e, err)
	}
	_, _, err = explained(t, engine, turing.PaperQuestion, "New York Universty")
	if kg.KindOf(err) != kg.NotFound || !strings.Contains(err.Error(), "New York University") {
		t.Errorf("a misspelt answer: %v", err)
	}
}

// The derivation follows the question: values by the names of its variables, of ∨ the better alternative, and what ¬ denies.
func TestDerivationOfEveryOperator(t *testing.T) {
	engine := embeddedEngine(t)
	_, e, err := explained(t, engine,
		"?p : exists u, a: University(p, u) & LocatedIn(u, New York City) & (Win(p, a) & AwardedBy(a, United States) | Field(p, Mathematics)) & !Win(p, Turing Award)",
		"Richard Courant")
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{}
	for _, n := range e.Derivation.Nodes {
		values[n.Variable] = n.Entity
	}
	if values["p"] != "Richard Courant" || values["u"] != "New York University" {
		t.Errorf("variables: %v", values)
	}
	negated, optional := 0, 0
	for _, edge := range e.Derivation.Edges {
		if edge.Negated && edge.Link != nil {
			negated++
		}
		if edge.Optional {
			optional++
		}
		if edge.Link == nil {
			continue
		}
		if l := e.Links[*edge.Link]; l.Head != e.Derivation.Nodes[edge.From].Entity || l.Tail != e.Derivation.Nodes[edge.To].Entity || l.Relation != edge.Relation {
			t.Errorf("%+v has the link %+v", edge, l)
		}
	}
	if negated != 1 || optional != 3 {
		t.Errorf("%d links under ¬ and %d of alternatives in %+v", negated, optional, e.Derivation.Edges)
	}
}

// explained asks why one entity answers, "" for the one that is chosen.
func explained(t *testing.T, engine *lacuna.Engine, text, entity string, options ...lacuna.AskOption) (*lacuna.Result, *explain.Explanation, error) {
	t.Helper()
	question, err := engine.Prepare(text, options...)
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	if entity != "" {
		named = []string{entity}
	}
	return engine.Explain(t.Context(), question, named, explain.Options{})
}

// A prepared question has no text any more: what its explanation says of variables, operators
// and shape comes from the one time that it was parsed and decomposed.
func TestExplainPreparedQuestion(t *testing.T) {
	engine := embeddedEngine(t)
	question, err := engine.Prepare(turing.PaperQuestion)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for range 2 { // explaining leaves it as it is
		_, e, err := engine.Explain(t.Context(), question, []string{"New York University"}, explain.Options{})
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, withoutTime(t, e))
	}
	_, e, err := explained(t, engine, turing.PaperQuestion, "New York University")
	if err != nil {
		t.Fatal(err)
	}
	if want := withoutTime(t, e); texts[0] != want || texts[1] != want {
		t.Errorf("explained as\n%s\nthen as\n%s\nand by its text as\n%s", texts[0], texts[1], want)
	}
	if !strings.Contains(texts[0], `"variable":"`+question.Query.Answers[0].Name+`"`) {
		t.Errorf("the answer's variable is not named: %s", texts[0])
	}
}

func withoutTime(t *testing.T, e *explain.Explanation) string {
	t.Helper()
	e.MS = 0
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// An explanation survives its JSON, but for what only a run knows.
func TestExplanationRoundTrip(t *testing.T) {
	_, e, err := explained(t, embeddedEngine(t), turing.PaperQuestion, "")
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var back explain.Explanation
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(&back)
	if err != nil || string(again) != string(text) {
		t.Errorf("%v: came back as\n%s\nfrom\n%s", err, again, text)
	}
}

// With the left-out facts as the truth, a variable's entities are judged, and the drawn
// grounding is one that the full graph states.
func TestVisualise(t *testing.T) {
	splits, err := lacuna.Read(t.Context(), "", lacuna.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	full, err := splits.UpToTest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	engine := embeddedEngine(t).WithTruth(full)
	question, err := engine.Prepare(turing.PaperQuestion)
	if err != nil {
		t.Fatal(err)
	}
	nyu := fact(t, full, "Yann LeCun", "University", "New York University").Tail
	for seed := range uint64(5) {
		v, err := engine.Visualise(t.Context(), question.Expr, []kg.Entity{nyu}, seed)
		if err != nil {
			t.Fatal(err)
		}
		if len(v.Variables) != 2 || v.Shape != "ip" {
			t.Fatalf("%d variables of the shape %s: %+v", len(v.Variables), v.Shape, v)
		}
		a, u := v.Variables[0], v.Variables[1]
		if u.Truth.Entity != "New York University" || u.Truth.Known || u.Truth.Rank < 1 {
			t.Errorf("the answer of the grounding: %+v", u.Truth)
		}
		if !full.Has(fact(t, full, a.Truth.Entity, "University", "New York University")) {
			t.Errorf("%s is no ground for the answer", a.Truth.Entity)
		}
		for _, j := range u.Hard {
			truth := full.Has(fact(t, full, "Yann LeCun", "University", j.Entity)) ||
				full.Has(fact(t, full, "Geoffrey Hinton", "University", j.Entity)) || full.Has(fact(t, full, "Yoshua Bengio", "University", j.Entity))
			if j.True != truth || j.Known {
				t.Errorf("%s is judged %+v, by the facts %v", j.Entity, j, truth)
			}
		}
	}
	if _, err := embeddedEngine(t).Visualise(t.Context(), query.Anchor{}, nil, 0); err == nil {
		t.Error("judged without a truth")
	}
}

// BenchmarkExplain explains predicted links of FB15k-237 by the foundation model, all parts
// included: the answer, its grounding, the paths, the counterfactual with its control.
func BenchmarkExplain(b *testing.B) {
	if _, err := os.Stat(benchmarkGraph); err != nil {
		b.Skipf("%s is needed: the FB15k-237 graph of the BetaE release (docs/data.md)", benchmarkGraph)
	}
	splits, err := read.Graph(b.Context(), benchmarkGraph, read.Options{})
	if err != nil {
		b.Fatal(err)
	}
	engine, err := lacuna.New(b.Context(), splits.Train, lacuna.Device("cpu"))
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; b.Loop(); i++ {
		f := splits.Test[i*97%len(splits.Test)]
		question := query.FormatOperators(query.Projection{Relation: f.Relation, Of: query.Anchor{Entity: f.Head}}, nil)
		prepared, err := engine.Prepare(question)
		if err != nil {
			b.Fatal(err)
		}
		if _, _, err := engine.Explain(b.Context(), prepared, []string{fmt.Sprintf("#%d", f.Tail)}, explain.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
