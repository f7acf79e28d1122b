package lacuna_test

import (
	"bufio"
	"context"
	"encoding/hex"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/neural"
	"github.com/lacuna-kg/lacuna/turing"
)

func embeddedEngine(t *testing.T) *lacuna.Engine {
	t.Helper()
	engine, err := lacuna.Open(t.Context(), "", lacuna.OnDevice(plain.New()), lacuna.Calibrating(lacuna.CalibrationOptions{Off: true}))
	if err != nil {
		t.Fatalf("%v (train it anew: go generate ./turing)", err)
	}
	return engine
}

// TestEmbeddedModelFindsALeftOutFact asks the paper's question: the model must add
// an answer that is true, withheld from the graph and marked as predicted.
func TestEmbeddedModelFindsALeftOutFact(t *testing.T) {
	engine := embeddedEngine(t)
	card := engine.Model().Card
	if hash := engine.Graph.Hash(); card.Graph.Vocabulary != hex.EncodeToString(hash[:]) || card.Graph.Facts != engine.Graph.NumTriples() {
		t.Errorf("the embedded model was trained on another state of the graph, %v: go generate ./turing", card.Graph)
	}
	result, err := engine.Ask(t.Context(), turing.PaperQuestion)
	if err != nil {
		t.Fatal(err)
	}
	withheld := leftOutUniversities(t, "Geoffrey Hinton", "Yoshua Bengio", "Yann LeCun")
	found := slices.ContainsFunc(result.Shown(), func(a lacuna.Answer) bool {
		return !a.Known && slices.Contains(withheld, a.Entity)
	})
	if !found {
		t.Errorf("no answer that was left out on purpose (%q) among %v", withheld, result.Answers)
	}
}

func leftOutUniversities(t *testing.T, people ...string) []string {
	var found []string
	lines := bufio.NewScanner(turing.LeftOut())
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		if fields[1] == "University" && slices.Contains(people, fields[0]) {
			found = append(found, fields[2])
		}
	}
	if len(found) == 0 {
		t.Fatal("no university of the three is left out")
	}
	return found
}

// TestKnownFactsAreKept compares the two ways: kept, every stated answer has
// probability 1; doubted, the model judges it as any other.
func TestKnownFactsAreKept(t *testing.T) {
	engine := embeddedEngine(t)
	const question = "?u : University(Yann LeCun, u)"
	for _, doubt := range []bool{false, true} {
		result, err := engine.Ask(t.Context(), question, lacuna.KeepKnown(!doubt), lacuna.Threshold(1e-6), lacuna.Limit(lacuna.All))
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range result.Answers {
			if a.Known && (a.Probability == 1) == doubt {
				t.Errorf("doubt %v: the stated answer %s has probability %v", doubt, a.Entity, a.Probability)
			}
		}
	}
	exact, err := engine.Ask(t.Context(), question, lacuna.By(lacuna.Exact), lacuna.Threshold(1e-6), lacuna.Limit(lacuna.All))
	if err != nil {
		t.Fatal(err)
	}
	if len(exact.Answers) != 1 || exact.Answers[0].Entity != "University of Toronto" {
		t.Errorf("exact answers %v, want the University of Toronto alone", exact.Answers)
	}
}

// TestNegationOfTheModel asks for what two negations leave: with a complement of its own a
// model doubts less, and rewriting the question still changes nothing.
func TestNegationOfTheModel(t *testing.T) {
	const question = "?p : Win(p, Turing Award) & !Field(p, Deep Learning) & !University(p, MIT)"
	answers := func(e *lacuna.Engine, plain bool) map[string]float64 {
		result, err := e.Ask(t.Context(), question, lacuna.Plain(plain), lacuna.KeepKnown(false), lacuna.Threshold(1e-3), lacuna.Limit(lacuna.All))
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]float64{}
		for _, a := range result.Answers {
			found[a.Entity] = float64(a.Probability)
		}
		return found
	}
	engine := embeddedEngine(t)
	as, plainly := answers(withNegation(t, engine, -0.9), false), answers(withNegation(t, engine, -0.9), true)
	if len(as) == 0 || len(as) != len(plainly) {
		t.Fatalf("%d answers, %d as the question stands", len(as), len(plainly))
	}
	gained := false
	for entity, before := range answers(engine, false) {
		if math.Abs(as[entity]-plainly[entity]) > 1e-6 || as[entity] < before-1e-6 {
			t.Errorf("%s: %v, %v as the question stands, %v with 1-x", entity, as[entity], plainly[entity], before)
		}
		gained = gained || as[entity] > before+0.01
	}
	if !gained {
		t.Error("the complement changes no answer: the test shows nothing")
	}
}

func withNegation(t *testing.T, e *lacuna.Engine, lambda float32) *lacuna.Engine {
	device := plain.New()
	model, err := neural.OpenModel(lacuna.Turing, device)
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	model.Network.Adjustments.Negation = lambda
	file := filepath.Join(t.TempDir(), "doubting.safetensors")
	if err := model.Save(file, checkpoint.Single); err != nil {
		t.Fatal(err)
	}
	engine, err := lacuna.New(t.Context(), e.Graph, lacuna.Model(file), lacuna.OnDevice(device))
	if err != nil {
		t.Fatal(err)
	}
	return engine
}

// TestEngineServesManyGoroutines asks the same of one engine at the same time: a device takes one at a time.
func TestEngineServesManyGoroutines(t *testing.T) {
	engine := embeddedEngine(t)
	want, err := engine.Ask(t.Context(), turing.PaperQuestion)
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			got, err := engine.Ask(context.Background(), turing.PaperQuestion)
			if err != nil || !reflect.DeepEqual(got.Answers, want.Answers) {
				t.Errorf("%v, %v; want %v", got, err, want.Answers)
			}
		})
	}
	wait.Wait()
}
