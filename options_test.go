package lacuna_test

import (
	"math"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/turing"
)

// A wrong value is an error of the user's, before the source is looked at.
func TestWrongOptionsAreErrors(t *testing.T) {
	for want, options := range map[string][]lacuna.Option{
		`no device "tpu"`:               {lacuna.Device("tpu")},
		`no device ""`:                  {lacuna.Device("")},
		"expected one of the two":       {lacuna.Device("cpu"), lacuna.OnDevice(plain.New())},
		"a model without a name":        {lacuna.Model("")},
		"logic number 9":                {lacuna.Logic(fuzzy.Logic{Norm: 9})},
		"a cut of -1 entities":          {lacuna.Cut(-1)},
		"threshold 1.5, expected":       {lacuna.Threshold(1.5)},
		"threshold -0.1, expected":      {lacuna.Threshold(-0.1)},
		"threshold NaN, expected":       {lacuna.Threshold(math.NaN())},
		"limit -1, expected":            {lacuna.Limit(-1)},
		"top -1, expected":              {lacuna.Top(-1)},
		`unknown way to answer "magic"`: {lacuna.By("magic")},
		"Reading is for Open":           {lacuna.Reading{}},
	} {
		if want != "Reading is for Open" {
			if _, err := lacuna.Open(t.Context(), "no such file", options...); kg.KindOf(err) != kg.Invalid || !strings.Contains(err.Error(), want) {
				t.Errorf("Open: error %v, want %q", err, want)
			}
		}
		if _, err := lacuna.New(t.Context(), nil, options...); kg.KindOf(err) != kg.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("New: error %v, want %q", err, want)
		}
	}
	if _, err := lacuna.Open(t.Context(), "no such file"); kg.KindOf(err) != kg.NotFound {
		t.Errorf("a source that is not there: %v", err)
	}
}

// Zero is a value: everything that is not impossible answers, no answer is listed, no entity is named.
func TestZeroMeansZero(t *testing.T) {
	engine := embeddedEngine(t)
	ask := func(options ...lacuna.AskOption) *lacuna.Result {
		result, err := engine.Ask(t.Context(), turing.PaperQuestion, options...)
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	usual, all := ask(), ask(lacuna.Threshold(0), lacuna.Limit(lacuna.All))
	if all.Total <= usual.Total || len(all.Answers) != all.Total || all.Answers[all.Total-1].Probability <= 0 {
		t.Errorf("a threshold of 0 gives %d answers, %d listed; the default %d", all.Total, len(all.Answers), usual.Total)
	}
	none := ask(lacuna.Limit(0), lacuna.Top(0))
	if none.Total != usual.Total || len(none.Answers) != 0 || len(none.Steps[0].Top) != 0 {
		t.Errorf("%d answers, %d listed, %d named", none.Total, len(none.Answers), len(none.Steps[0].Top))
	}
}

// What Open is told holds for every question that does not say otherwise, also after a change of facts.
func TestOptionsOfAllQuestions(t *testing.T) {
	engine, err := lacuna.Open(t.Context(), "", lacuna.OnDevice(plain.New()), lacuna.By(lacuna.Exact), lacuna.Limit(2))
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	changed, _, err := engine.Change(t.Context(), []kg.Fact{{Head: "Nobody Yet", Relation: "Win", Tail: "Turing Award"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer changed.Close()
	for _, e := range []*lacuna.Engine{engine, changed} {
		usual, err := e.Ask(t.Context(), turing.PaperQuestion)
		if err != nil || len(usual.Answers) != 2 || usual.Total != usual.KnownTotal {
			t.Errorf("%+v, %v; want two answers of those that are known", usual.Answers, err)
		}
		other, err := e.Ask(t.Context(), turing.PaperQuestion, lacuna.By(lacuna.Sets), lacuna.Limit(3))
		if err != nil || len(other.Answers) != 3 || other.Total == other.KnownTotal {
			t.Errorf("%+v, %v; want three answers, and predicted ones", other.Answers, err)
		}
	}
	if engine.Name != "the embedded graph" || changed.Name != engine.Name {
		t.Errorf("the graphs are called %q and %q", engine.Name, changed.Name)
	}
}
