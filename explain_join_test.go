package lacuna_test

import (
	"math"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/explain"
	"github.com/lacuna-kg/lacuna/kg"
)

// The derivation of an answer to a question that is no tree has the answer's probability, that of all its links together.
func TestExplainJoin(t *testing.T) {
	engine := joinEngine(t)
	const question = "?p, ?u : exists c: Workplace(p, u) & LocatedIn(u, c) & BornIn(p, c) & Win(p, Turing Award)"
	result, e, err := explained(t, engine, question, "", lacuna.Threshold(0))
	if err != nil || e == nil {
		t.Fatal(e, err)
	}
	if e.Answer.Known || len(e.Entities) != 2 || e.Derivation == nil || len(e.Links) != 4 {
		t.Fatalf("%+v", e)
	}
	together := 1.0
	predicted := 0
	for _, l := range e.Links {
		together *= float64(l.Probability)
		if !l.Known {
			predicted++
			if len(l.Paths) == 0 {
				t.Errorf("%s is predicted without a path", l.Fact())
			}
		}
	}
	if predicted == 0 || float64(e.Answer.Probability) < together-1e-6 { // other derivations may add to it
		t.Errorf("%d links are predicted, together %v, the answer is of %v", predicted, together, e.Answer.Probability)
	}
	listed := false
	for _, a := range result.Shown() {
		listed = listed || strings.Join(a.Entities, ", ") == e.Answer.Entity && math.Abs(float64(a.Probability-e.Answer.Probability)) < 1e-5
	}
	if !listed {
		t.Errorf("%s of %v is not among the answers", e.Answer.Entity, e.Answer.Probability)
	}
	closing := 0
	for _, edge := range e.Derivation.Edges {
		if edge.ClosesCycle {
			closing++
		}
	}
	if closing != 1 || len(result.Picture.Nodes) != 4 || result.Picture.Nodes[0].Kind != "answer" || result.Picture.Nodes[3].Entity != "Turing Award" {
		t.Errorf("%d links close a cycle; the picture has %+v", closing, result.Picture.Nodes)
	}
	page, err := e.HTML()
	if err != nil || !strings.Contains(page, "closes a cycle") || !strings.Contains(e.SVG(), ">BornIn") {
		t.Errorf("the page lacks the cycle: %v", err)
	}
}

// What lacks is the link without which something would lead to the answer.
func TestExplainJoinWhyNot(t *testing.T) {
	engine := joinEngine(t)
	const question = "?p : exists c: BornIn(p, c) & CitizenOf(p, c)"
	_, e, err := explained(t, engine, question, "Alan Perlis", lacuna.By(lacuna.Exact))
	if err != nil || e.Answer.Probability != 0 {
		t.Fatal(e, err)
	}
	if e.Missing != "CitizenOf(Alan Perlis, Pittsburgh)" && e.Missing != "BornIn(Alan Perlis, United States)" {
		t.Errorf("%q lacks", e.Missing)
	}
	if e.Title() != "Why not Alan Perlis?" {
		t.Error(e.Title())
	}
	_, e, err = explained(t, engine, "BornIn(Alan Perlis, Pittsburgh)", "", lacuna.By(lacuna.Exact))
	if err != nil || e.Title() != "Why yes?" || !e.Answer.Known || len(e.Links) != 1 || !e.Links[0].Known {
		t.Errorf("%+v %v", e, err)
	}
	for _, wrong := range [][]string{{"Alan Perlis", "Pittsburgh"}, {"Nobody"}} {
		q, err := engine.Prepare(question)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := engine.Explain(t.Context(), q, wrong, explain.Options{}); err == nil || kg.KindOf(err) != kg.Invalid && kg.KindOf(err) != kg.NotFound {
			t.Errorf("%v: %v", wrong, err)
		}
	}
}
