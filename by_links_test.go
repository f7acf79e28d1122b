package lacuna_test

import (
	"maps"
	"math"
	"path/filepath"
	"sync"
	"testing"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/links/fit"
)

func linked(t *testing.T, options ...lacuna.Option) *lacuna.Engine {
	t.Helper()
	engine, err := lacuna.Open(t.Context(), "", append(options, lacuna.Device("cpu"), lacuna.By(lacuna.Links), lacuna.Threshold(0), lacuna.Limit(-1))...)
	if err != nil {
		t.Fatal(err)
	}
	return engine
}

func probabilities(t *testing.T, e *lacuna.Engine, question string) map[string]float32 {
	t.Helper()
	r, err := e.Ask(t.Context(), question)
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]float32{}
	for _, a := range r.Answers {
		answers[a.Entity] = a.Probability
		if a.Known && a.Probability != 1 {
			t.Errorf("%s is known, its probability %v", a.Entity, a.Probability)
		}
	}
	return answers
}

// Answers by links are the same whoever asks beside, and from a file up to the steps of its probabilities.
func TestAskByLinks(t *testing.T) {
	engine := linked(t)
	defer engine.Close()
	want := probabilities(t, engine, lacuna.DefaultQuestion)
	if len(want) < 10 {
		t.Fatalf("answers %v, expected predictions among them", want)
	}
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			if _, err := engine.Ask(t.Context(), lacuna.DefaultQuestion, lacuna.By(lacuna.Sets)); err != nil {
				t.Error(err)
			}
			probabilities(t, engine, lacuna.DefaultQuestion)
		})
	}
	wait.Wait()

	file := filepath.Join(t.TempDir(), "turing.links")
	model, err := engine.Predictor().Model.Hash()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := links.WriteFile(t.Context(), file, links.Writing{
		Rows: links.New(engine.Graph, engine.Predictor(), links.Options{}), Pairs: links.StatedPairs(engine.Graph, nil),
		Origin: links.Origin{Graph: links.GraphHash(engine.Graph), Model: model},
	}); err != nil {
		t.Fatal(err)
	}
	from := linked(t, lacuna.Linking(lacuna.LinkOptions{File: file, Follow: links.Follow{Most: links.FollowOnCPU}}))
	defer from.Close()
	got := probabilities(t, from, lacuna.DefaultQuestion)
	for name, p := range want {
		if math.Abs(float64(got[name]-p)) > 0.003*float64(p) {
			t.Errorf("%s: %v from the file, %v computed", name, got[name], p)
		}
	}
}

// A change of facts changes rows, and a file of the facts before is not read.
func TestChangedFactsByLinks(t *testing.T) {
	engine := linked(t)
	defer engine.Close()
	const question = "?u : University(Yann LeCun, u)"
	before := probabilities(t, engine, question)
	changed, _, err := engine.Change(t.Context(), []kg.Fact{{Head: "Yann LeCun", Relation: "University", Tail: "Princeton University"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer changed.Close()
	if after := probabilities(t, changed, question); before["Princeton University"] == 1 || after["Princeton University"] != 1 {
		t.Errorf("before %v, after %v", before["Princeton University"], after["Princeton University"])
	}
}

func TestLinksRefuseWhatTheyCannot(t *testing.T) {
	engine := linked(t)
	defer engine.Close()
	if _, err := engine.Ask(t.Context(), lacuna.DefaultQuestion, lacuna.KeepKnown(false)); kg.KindOf(err) != kg.Invalid {
		t.Errorf("known facts in doubt: %v", err)
	}
	if _, _, err := engine.Explain(t.Context(), lacuna.DefaultQuestion, ""); kg.KindOf(err) != kg.Invalid {
		t.Errorf("an explanation: %v", err)
	}
}

// A calibration is made, counts for whole questions, and can be checked.
func TestCalibratedLinks(t *testing.T) {
	engine := linked(t)
	defer engine.Close()
	file := filepath.Join(t.TempDir(), "turing.calibration")
	how := fit.Options{Rows: 300, Questions: 4, Seed: 1}
	made, err := engine.FitLinks(t.Context(), file, how)
	if err != nil || made.Answers == nil {
		t.Fatalf("%+v, %v", made, err)
	}
	for _, of := range []string{file, ""} {
		report, err := engine.CheckLinks(t.Context(), of, how, nil)
		if err != nil || report.Groups[0].Questions != how.Questions {
			t.Errorf("%q: %+v, %v", of, report, err)
		}
	}
	if _, err := engine.CheckLinks(t.Context(), file+"s", how, nil); kg.KindOf(err) != kg.NotFound {
		t.Errorf("a file that is not there: %v", err)
	}
	fitted := linked(t, lacuna.Linking(lacuna.LinkOptions{Calibration: file}))
	defer fitted.Close()
	before, after := probabilities(t, engine, lacuna.DefaultQuestion), probabilities(t, fitted, lacuna.DefaultQuestion)
	if maps.Equal(before, after) {
		t.Error("the calibration changes no probability")
	}
}
