package lacuna_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
)

func filmEngine(t *testing.T) *lacuna.Engine {
	t.Helper()
	splits, err := read.Stream(t.Context(), strings.NewReader(films), "films.tsv", read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	engine, err := lacuna.New(t.Context(), splits.Train, lacuna.OnDevice(plain.New()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	return engine
}

// predictions gives the probability of every entity, by name.
func predictions(t *testing.T, e *lacuna.Engine, question string) map[string]lacuna.Answer {
	t.Helper()
	result, err := e.Ask(t.Context(), question, lacuna.Limit(lacuna.All), lacuna.Threshold(1e-30), lacuna.KeepKnown(false))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]lacuna.Answer{}
	for _, a := range result.Answers {
		found[a.Entity] = a
	}
	return found
}

// TestChangeIsSeenAtOnce adds facts about an entity that the model has never seen: it is
// an answer, it is predicted for, and what was predicted of others changes; without training.
func TestChangeIsSeenAtOnce(t *testing.T) {
	before := filmEngine(t)
	const question = "?c : CityOf(c, Italy)"
	old := predictions(t, before, question)
	after, report, err := before.Change(t.Context(), []kg.Fact{
		{Head: "Antonioni", Relation: "BornIn", Tail: "Ferrara"},
		{Head: "Antonioni", Relation: "Directed", Tail: "Blow-Up"},
		{Head: "Antonioni", Relation: "Admired", Tail: "Rossellini"},
	}, []kg.Fact{{Head: "Hitchcock", Relation: "BornIn", Tail: "London"}})
	if err != nil {
		t.Fatal(err)
	}
	defer after.Close()
	if want := (kg.ChangeReport{Added: 3, Removed: 1, NewEntities: 3, NewRelations: 1}); report != want {
		t.Errorf("report %+v, want %+v", report, want)
	}
	if born := predictions(t, after, "?c : BornIn(Antonioni, c)"); !born["Ferrara"].Known {
		t.Errorf("Ferrara is not known as a birthplace: %v", born)
	}
	now := predictions(t, after, question)
	if p := now["Ferrara"]; p.Known || p.Probability <= 0 {
		t.Errorf("nothing is predicted of the new entity: %+v", p)
	}
	if old["Rome"].Probability == now["Rome"].Probability {
		t.Errorf("the new facts changed nothing: Rome stays at %v", now["Rome"].Probability)
	}
	if again := predictions(t, before, question); !reflect.DeepEqual(again["Rome"], old["Rome"]) || len(again) != len(old) {
		t.Errorf("the engine before the change answers differently: %v, %v", again["Rome"], old["Rome"])
	}
}

// TestChangeAgainstFresh compares with an engine that is made anew on the same facts.
func TestChangeAgainstFresh(t *testing.T) {
	added := []kg.Fact{{Head: "Kubrick", Relation: "Directed", Tail: "Lolita"}, {Head: "Kubrick", Relation: "BornIn", Tail: "New York"}}
	changed, _, err := filmEngine(t).Change(t.Context(), added, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer changed.Close()
	fresh, err := lacuna.New(t.Context(), changed.Graph, lacuna.OnDevice(plain.New()))
	if err != nil {
		t.Fatal(err)
	}
	const question = "?f : exists p: Directed(p, f) & BornIn(p, New York)"
	got, want := predictions(t, changed, question), predictions(t, fresh, question)
	for name, answer := range want {
		if !reflect.DeepEqual(got[name], answer) {
			t.Errorf("%s: %v, by a fresh engine %v", name, got[name], answer)
		}
	}
}

// TestChangeRefusesNewRelation is about a model that has parameters for each of its relations.
func TestChangeRefusesNewRelation(t *testing.T) {
	engine := embeddedEngine(t)
	changed, _, err := engine.Change(t.Context(), []kg.Fact{{Head: "Nobody Yet", Relation: "Win", Tail: "Turing Award"}}, nil)
	if err != nil {
		t.Fatalf("a new entity is refused: %v", err)
	}
	defer changed.Close()
	result, err := changed.Ask(t.Context(), "?p : Win(p, Turing Award)", lacuna.Limit(lacuna.All))
	if err != nil || !slices.ContainsFunc(result.Answers, func(a lacuna.Answer) bool { return a.Entity == "Nobody Yet" && a.Known }) {
		t.Errorf("the new laureate is no answer (%v)", err)
	}
	_, _, err = engine.Change(t.Context(), []kg.Fact{{Head: "Nobody Yet", Relation: "Plays", Tail: "Chess"}}, nil)
	if kg.KindOf(err) != kg.Invalid || !strings.Contains(err.Error(), `the relation "Plays" is new`) {
		t.Errorf("error %v, want one about the relation", err)
	}
}

// TestClosingOneKeepsTheOther closes the engine before, whose parameters the new one shares.
func TestClosingOneKeepsTheOther(t *testing.T) {
	before := filmEngine(t)
	after, _, err := before.Change(t.Context(), []kg.Fact{{Head: "Wilder", Relation: "Directed", Tail: "Ariane"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := predictions(t, after, "?f : Directed(Wilder, f)")
	for range 2 {
		if err := before.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if got := predictions(t, after, "?f : Directed(Wilder, f)"); !reflect.DeepEqual(got["Roma"], want["Roma"]) || len(got) != len(want) {
		t.Errorf("after closing the other engine: %v, want %v", got, want)
	}
	if err := after.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestChangeWhileAsking: engines that share parameters are used from several goroutines.
func TestChangeWhileAsking(t *testing.T) {
	engine := filmEngine(t)
	want := predictions(t, engine, "?c : CityOf(c, Italy)")["Rome"]
	var wait sync.WaitGroup
	for i := range 4 {
		wait.Go(func() {
			for range 3 {
				changed, _, err := engine.Change(t.Context(), []kg.Fact{{Head: fmt.Sprint("director ", i), Relation: "BornIn", Tail: "Rome"}}, nil)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := changed.Ask(t.Context(), "?p : BornIn(p, Rome)"); err != nil {
					t.Error(err)
				}
				if err := changed.Close(); err != nil {
					t.Error(err)
				}
			}
		})
		wait.Go(func() {
			result, err := engine.Ask(t.Context(), "?c : CityOf(c, Italy)", lacuna.Limit(lacuna.All), lacuna.Threshold(1e-30), lacuna.KeepKnown(false))
			if err != nil {
				t.Error(err)
				return
			}
			if !slices.ContainsFunc(result.Answers, func(a lacuna.Answer) bool { return reflect.DeepEqual(a, want) }) {
				t.Errorf("the engine before answers differently: no %v", want)
			}
		})
	}
	wait.Wait()
}
