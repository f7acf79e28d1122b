package lacuna_test

import (
	"context"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/links/fit"
	"github.com/lacuna-kg/lacuna/turing"
)

func linked(t *testing.T, options ...lacuna.Option) *lacuna.Engine {
	t.Helper()
	engine, err := lacuna.Open(t.Context(), "", append(options, lacuna.Device("cpu"), lacuna.By(lacuna.Links), lacuna.Threshold(0), lacuna.Limit(lacuna.All))...)
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

// Nobody's workplace is a person, from whichever end it is asked, by one link or by a join.
func TestALinkFromEitherEnd(t *testing.T) {
	engine := linked(t)
	defer engine.Close()
	const unlikely = 0.15
	for question, answer := range map[string]string{
		"?x : Workplace(x, Adriaan van Wijngaarden)":               "Edsger Dijkstra",
		"?x : Workplace(Edsger Dijkstra, x)":                       "Adriaan van Wijngaarden",
		"?x : exists a: Advisor(a, x) & Workplace(a, x)":           "Adriaan van Wijngaarden",
		"?x : exists y: Workplace(x, y) & Advisor(Amir Pnueli, y)": "Amir Pnueli",
		"?x : exists u: Advisor(x, u) & Workplace(x, u)":           "Edsger Dijkstra",
	} {
		if p := probabilities(t, engine, question)[answer]; p > unlikely {
			t.Errorf("%s: %s has %v", question, answer, p)
		}
	}
}

// Answers by links are the same whoever asks beside, and to the bit from a file: it only proposes answers.
func TestAskByLinks(t *testing.T) {
	engine := linked(t)
	defer engine.Close()
	want := probabilities(t, engine, turing.PaperQuestion)
	if len(want) < 10 {
		t.Fatalf("answers %v, expected predictions among them", want)
	}
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			if _, err := engine.Ask(t.Context(), turing.PaperQuestion, lacuna.By(lacuna.Sets)); err != nil {
				t.Error(err)
			}
			probabilities(t, engine, turing.PaperQuestion)
		})
	}
	wait.Wait()

	file := linksFile(t, engine)
	from := linked(t, lacuna.Linking(lacuna.LinkOptions{File: file, Follow: links.Follow{Most: links.FollowOnCPU, Lacking: links.FollowOnCPU}}))
	defer from.Close()
	got := probabilities(t, from, turing.PaperQuestion)
	for name, p := range want {
		if other, found := got[name]; p > 1e-2 && other != p || found && other != p { // below, a file may lack the rows
			t.Errorf("%s: %v from the file, %v computed", name, got[name], p)
		}
	}
}

// modelAndMap are what the probabilities of an engine's links rest on: the hash of its model, and the map fitted to its graph.
func modelAndMap(t *testing.T, engine *lacuna.Engine) (string, links.Map) {
	t.Helper()
	model, err := engine.Model().Predictor.Model.Hash()
	if err != nil {
		t.Fatal(err)
	}
	fitted, err := engine.LinkMap(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return model, fitted
}

// linksFile has the links of an engine's graph, as lacuna links makes them.
func linksFile(t *testing.T, engine *lacuna.Engine) string {
	t.Helper()
	model, fitted := modelAndMap(t, engine)
	file := filepath.Join(t.TempDir(), "turing.links")
	if _, err := links.WriteFile(t.Context(), file, links.Writing{
		Rows: links.New(engine.Graph, engine.Model().Predictor, links.Options{Map: fitted}), Pairs: links.StatedPairs(engine.Graph, nil),
		Origin: links.Origin{Graph: links.GraphHash(engine.Graph), Model: model},
	}); err != nil {
		t.Fatal(err)
	}
	return file
}

// A file of links carries the calibration that it was made by, also to changed facts. Another, or none, is refused.
func TestLinksCarryTheirCalibration(t *testing.T) {
	engine := linked(t)
	defer engine.Close()
	model, fitted := modelAndMap(t, engine)
	bent := append(links.Map(nil), fitted...)
	for i := range bent {
		bent[i].Bias += 0.5
	}
	calibration := fit.File{Graph: links.GraphHash(engine.Graph), Model: model, Name: "turing", Map: bent}
	path := filepath.Join(t.TempDir(), "turing.calibration")
	if err := calibration.Write(path); err != nil {
		t.Fatal(err)
	}
	calibrated := linked(t, lacuna.Calibrating(lacuna.CalibrationOptions{File: path}))
	defer calibrated.Close()
	want := probabilities(t, calibrated, turing.PaperQuestion)

	file := linksFile(t, calibrated)
	from := lacuna.Linking(lacuna.LinkOptions{File: file, Follow: links.Follow{Most: links.FollowOnCPU, Lacking: links.FollowOnCPU}})
	for name, options := range map[string][]lacuna.Option{
		"by the file":                     {from},
		"by the file and the calibration": {from, lacuna.Calibrating(lacuna.CalibrationOptions{File: path})},
	} {
		opened := linked(t, options...)
		defer opened.Close()
		got := probabilities(t, opened, turing.PaperQuestion)
		for entity, p := range want {
			if p >= 0.05 && got[entity] != p {
				t.Errorf("%s: %s has %v, expected %v", name, entity, got[entity], p)
			}
		}
		changed, _, err := opened.Change(t.Context(), []kg.Fact{{Head: "Yann LeCun", Relation: "University", Tail: "Princeton University"}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer changed.Close()
		if after, err := changed.LinkMap(t.Context()); err != nil || !reflect.DeepEqual(after, bent) {
			t.Errorf("%s: the map %v after a change, %v", name, after, err)
		}
	}

	another := calibration
	another.Map = append(links.Map(nil), fitted...)
	another.Map[0].Bias++
	unlike := filepath.Join(t.TempDir(), "another.calibration")
	if err := another.Write(unlike); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]lacuna.CalibrationOptions{
		"another":  {File: unlike},
		"no such":  {File: path + "s"},
		"none":     {Off: true},
		"no links": {File: file},
	} {
		if opened, err := lacuna.Open(t.Context(), "", lacuna.Device("cpu"), from, lacuna.Calibrating(c)); err == nil {
			opened.Close()
			t.Errorf("%s calibration is taken with a file of links", name)
		} else if kind := kg.KindOf(err); kind != kg.Invalid && kind != kg.NotFound {
			t.Errorf("%s calibration: %v", name, err)
		}
	}
	plain := linked(t, lacuna.Calibrating(lacuna.CalibrationOptions{Off: true}))
	defer plain.Close()
	unfitted := linked(t, lacuna.Linking(lacuna.LinkOptions{File: linksFile(t, plain)}), lacuna.Calibrating(lacuna.CalibrationOptions{Off: true}))
	defer unfitted.Close()
	if of, err := unfitted.LinkMap(t.Context()); err != nil || of.Fitted() {
		t.Errorf("links that were not fitted have the map %v, %v", of, err)
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
	if _, err := engine.Ask(t.Context(), turing.PaperQuestion, lacuna.KeepKnown(false)); kg.KindOf(err) != kg.Invalid {
		t.Errorf("known facts in doubt: %v", err)
	}
}

// What an explanation says was computed: in Gödel's logic the answer is as likely as the weakest of its links.
func TestExplanationByLinksIsTheDerivation(t *testing.T) {
	engine := linked(t)
	defer engine.Close()
	for _, question := range []string{
		turing.PaperQuestion,
		"?c : exists a, u: Win(a, Turing Award) & University(a, u) & LocatedIn(u, c)",
		"?f : exists w: KnownFor(Yann LeCun, w) & WorkField(w, f)",
	} {
		result, err := engine.Ask(t.Context(), question, lacuna.Logic(fuzzy.Godel))
		if err != nil {
			t.Fatal(err)
		}
		looked := 0
		for _, a := range result.Answers {
			if a.Known || looked == 5 || a.Probability < 1e-3 {
				continue
			}
			looked++
			_, e, err := explained(t, engine, question, a.Entity, lacuna.Logic(fuzzy.Godel))
			if err != nil {
				t.Fatal(err)
			}
			weakest := float32(1)
			for _, link := range e.Links {
				weakest = min(weakest, link.Probability)
			}
			if e.Answer.Probability != a.Probability || weakest != a.Probability {
				t.Errorf("%s: %s has %v, the weakest of its links %v: %+v", question, a.Entity, a.Probability, weakest, e.Links)
			}
		}
		if looked == 0 {
			t.Errorf("%s: nothing is predicted", question)
		}
	}
}

// Probabilities are fitted once for a graph and a model, kept in a folder and found there again; a change of facts keeps the fit.
func TestCalibrationIsKept(t *testing.T) {
	folder, fits := filepath.Join(t.TempDir(), "cache"), 0
	open := func() *lacuna.Engine {
		return linked(t, lacuna.Calibrating(lacuna.CalibrationOptions{Folder: folder, Done: func(c lacuna.Calibrated) {
			fits++
			if c.Failed != nil || c.Rows == 0 || c.Facts == 0 || c.Kept == "" {
				t.Errorf("%+v", c)
			}
		}}))
	}
	const question = "?u : University(Yann LeCun, u)"
	engine := open()
	defer engine.Close()
	want := probabilities(t, engine, question)
	fitted, err := engine.LinkMap(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	again := open()
	defer again.Close()
	if got := probabilities(t, again, question); !maps.Equal(got, want) || fits != 1 {
		t.Errorf("%d fits; %v from the folder, %v at first", fits, got, want)
	}
	changed, _, err := engine.Change(t.Context(), []kg.Fact{{Head: "Yann LeCun", Relation: "University", Tail: "Princeton University"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer changed.Close()
	if after, err := changed.LinkMap(t.Context()); err != nil || !reflect.DeepEqual(after, fitted) || fits != 1 {
		t.Errorf("%d fits, after a change of facts %v, before %v; %v", fits, after, fitted, err)
	}
}

// A fit that was cut short is kept, and made again only once it is old.
func TestRoughFitIsRefinedLater(t *testing.T) {
	folder, fits := t.TempDir(), 0
	ask := func() {
		engine := linked(t, lacuna.Calibrating(lacuna.CalibrationOptions{Folder: folder, Rows: 200, Time: -1, Done: func(lacuna.Calibrated) { fits++ }}))
		defer engine.Close()
		probabilities(t, engine, "?u : University(Yann LeCun, u)")
	}
	ask()
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	rough := strings.Replace(string(text), `"held":`, `"cut": true, "held":`, 1)
	if err := os.WriteFile(files[0], []byte(rough), 0o666); err != nil || rough == string(text) {
		t.Fatal("no report in the file", err)
	}
	if ask(); fits != 1 {
		t.Errorf("%d fits: one that was cut short just now is made again", fits)
	}
	old := time.Now().Add(-2 * lacuna.RefineAfter)
	if err := os.Chtimes(files[0], old, old); err != nil {
		t.Fatal(err)
	}
	ask()
	if refined, err := os.ReadFile(files[0]); fits != 2 || err != nil || string(refined) != string(text) {
		t.Errorf("%d fits; an old one that was cut short is not refined (%v)", fits, err)
	}
}

// A fit to some facts is not taken for one to others, nor where more are elsewhere.
func TestCalibrationIsKeptByWhatIsHeldOut(t *testing.T) {
	folder, fits := t.TempDir(), 0
	ask := func(o lacuna.CalibrationOptions) {
		o.Folder, o.Rows = folder, 200
		o.Done = func(c lacuna.Calibrated) {
			fits++
			if c.Failed != nil || c.Kept == "" || c.Seen != (o.Held == nil) {
				t.Errorf("%+v", c)
			}
		}
		engine := linked(t, lacuna.Calibrating(o))
		defer engine.Close()
		probabilities(t, engine, "?u : University(Yann LeCun, u)")
	}
	held := func(first kg.Entity) (facts []kg.Triple) {
		for e := range kg.Entity(100) {
			facts = append(facts, kg.Triple{Head: first + e, Tail: e})
		}
		return facts
	}
	for i, o := range []lacuna.CalibrationOptions{{}, {Elsewhere: 9}, {Held: held(1)}, {Held: held(1), Elsewhere: 9}, {Held: held(2)}} {
		for range 2 {
			if ask(o); fits != i+1 {
				t.Errorf("%d fits to %d different sets of facts held out", fits, i+1)
			}
		}
	}
}

// A graph too small to be fitted to is answered on all the same, a folder that cannot be written is no failure, and a fit that
// was stopped is made by the next question.
func TestCalibrationThatFails(t *testing.T) {
	var told []lacuna.Calibrated
	tell := func(c lacuna.Calibrated) { told = append(told, c) }
	splits, err := read.Stream(t.Context(), strings.NewReader(films), "films.tsv", read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	engine, err := lacuna.New(t.Context(), splits.Train, lacuna.Device("cpu"), lacuna.Calibrating(lacuna.CalibrationOptions{Done: tell}))
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	if _, err := engine.Ask(t.Context(), "?c : BornIn(Fellini, c)"); err != nil || len(told) != 1 || told[0].Failed == nil {
		t.Errorf("a graph of eight facts: %+v, %v", told, err)
	}

	notAFolder := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(notAFolder, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	told = nil
	large := linked(t, lacuna.Calibrating(lacuna.CalibrationOptions{Folder: filepath.Join(notAFolder, "cache"), Done: tell}))
	defer large.Close()
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := large.Ask(stopped, turing.PaperQuestion); kg.KindOf(err) != kg.Cancelled || told != nil {
		t.Errorf("a context that has ended: %v, %+v", err, told)
	}
	if _, err := large.Ask(t.Context(), turing.PaperQuestion); err != nil || len(told) != 1 || told[0].Failed != nil || told[0].Kept != "" {
		t.Errorf("without a folder: %+v, %v", told, err)
	}
}

// A calibration is made, counts, and can be checked.
func TestCalibratedLinks(t *testing.T) {
	engine := linked(t)
	defer engine.Close()
	splits, err := lacuna.Read(t.Context(), "", lacuna.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	defer splits.Close()
	file := filepath.Join(t.TempDir(), "turing.calibration")
	how := fit.Options{Rows: 300, Seed: 1}
	made, err := engine.FitLinks(t.Context(), file, how)
	if err != nil {
		t.Fatalf("%+v, %v", made, err)
	}
	if reported, err := engine.FitLinks(t.Context(), "", how); err != nil || !reflect.DeepEqual(reported, made) {
		t.Errorf("without a file %+v, %v; with one %+v", reported, err, made)
	}
	for _, of := range []string{file, ""} {
		report, err := engine.CheckLinks(t.Context(), lacuna.CheckOptions{File: of, Held: splits.Test, Questions: 4, Seed: 1})
		if err != nil || len(report.Groups) != 7 || report.Groups[0].Questions != 4 || report.Groups[4].Questions != 20 {
			t.Fatalf("%q: %+v, %v", of, report, err)
		}
		for _, g := range report.Groups {
			expected, found := 0.0, 0.0
			for _, b := range g.Bins {
				expected, found = expected+b.Expected, found+b.Found
			}
			if math.Abs(expected-g.Expected) > 1e-9 || found != g.Found {
				t.Errorf("%s: the bins add up to %v and %v, not to %v and %v", g.Name, expected, found, g.Expected, g.Found)
			}
		}
	}
	if _, err := engine.CheckLinks(t.Context(), lacuna.CheckOptions{Questions: 4}); kg.KindOf(err) != kg.Invalid {
		t.Errorf("nothing held out: %v", err)
	}
	if _, err := engine.CheckLinks(t.Context(), lacuna.CheckOptions{File: file + "s", Held: splits.Test}); kg.KindOf(err) != kg.NotFound {
		t.Errorf("a file that is not there: %v", err)
	}
	fitted := linked(t, lacuna.Calibrating(lacuna.CalibrationOptions{File: file}))
	defer fitted.Close()
	before, after := probabilities(t, engine, turing.PaperQuestion), probabilities(t, fitted, turing.PaperQuestion)
	if maps.Equal(before, after) {
		t.Error("the calibration changes no probability")
	}
}
