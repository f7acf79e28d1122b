package lacuna_test

import (
	"reflect"
	"testing"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/internal/laureates"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/turing"
)

// overlapping questions share parts within and across each other.
var overlapping = []string{
	turing.PaperQuestion,
	"?p : Win(p, Turing Award)",
	"?p : Win(p, Turing Award) & Field(p, Deep Learning)",
	"?p : Field(p, Deep Learning) & Win(p, Turing Award) & !CitizenOf(p, Canada)",
	"?c : exists u: exists p: Win(p, Turing Award) & University(p, u) & LocatedIn(u, c)",
	"?p : Field(p, Databases) | Field(p, Deep Learning)",
}

// TestCacheChangesNothing asks with and without a cache, one by one and as a batch:
// all but the stats must be equal to the bit.
func TestCacheChangesNothing(t *testing.T) {
	plain := laureates.Engine(t, lacuna.Turing, lacuna.By(lacuna.Sets))
	set := int64(4 * plain.Graph.NumEntities())
	for _, bytes := range []int64{0, 3 * set, 64 << 20} { // nothing, two sets, everything
		cache := lacuna.NewCache(bytes)
		cached := plain.WithCache(cache)
		for number, option := range []lacuna.AskOption{lacuna.KeepKnown(true), lacuna.KeepKnown(false), lacuna.Logic(fuzzy.Godel), lacuna.By(lacuna.Exact), lacuna.Plain(true)} {
			want, err := askTogether(t, plain, overlapping, option)
			if err != nil {
				t.Fatal(err)
			}
			compareResults(t, cached, want, number, option)
			compareResults(t, cached, want, number, option)
		}
		stats := cache.Stats()
		if stats.Bytes > bytes || bytes > 1<<20 && (stats.Hits == 0 || stats.Evicted > 0) {
			t.Errorf("a cache of %d bytes: %+v", bytes, stats)
		}
	}
}

func compareResults(t *testing.T, engine *lacuna.Engine, want []*lacuna.Result, number int, option lacuna.AskOption) {
	t.Helper()
	for i, question := range overlapping {
		got, err := engine.Ask(t.Context(), question, option)
		if err != nil {
			t.Fatal(err)
		}
		got.Stats = want[i].Stats
		if !reflect.DeepEqual(got, want[i]) {
			t.Errorf("%s with option %d: %+v, want %+v", question, number, got, want[i])
		}
	}
}

// TestRepeatedPartsAreRecalled counts: of a question that was asked, nothing is computed again.
func TestRepeatedPartsAreRecalled(t *testing.T) {
	engine := laureates.Engine(t, lacuna.Turing, lacuna.By(lacuna.Sets)).WithCache(lacuna.NewCache(1 << 20))
	for _, step := range []struct {
		question              string
		projections, recalled int
	}{
		{"?p : Win(p, Turing Award)", 1, 0},
		{turing.PaperQuestion, 2, 1},
		{turing.PaperQuestion, 0, 3},
	} {
		result, err := engine.Ask(t.Context(), step.question)
		if err != nil {
			t.Fatal(err)
		}
		if s := result.Stats; s.Projections != step.projections || s.Recalled != step.recalled {
			t.Errorf("%s: %d projections, %d recalled; want %d and %d", step.question, s.Projections, s.Recalled, step.projections, step.recalled)
		}
	}
	again := engine.WithCache(lacuna.NewCache(1 << 20))
	if result, err := again.Ask(t.Context(), turing.PaperQuestion); err != nil || result.Stats.Recalled != 0 {
		t.Errorf("an engine with a new cache recalled %d projections, %v", result.Stats.Recalled, err)
	}
}

// TestCacheOfAnotherModel: an engine with another model takes over a cache, and nothing that the one before left in it.
func TestCacheOfAnotherModel(t *testing.T) {
	cache := lacuna.NewCache(1 << 20)
	before := laureates.Engine(t, lacuna.Turing, lacuna.By(lacuna.Sets)).WithCache(cache)
	if _, err := before.Ask(t.Context(), turing.PaperQuestion); err != nil {
		t.Fatal(err)
	}
	engine, err := lacuna.New(t.Context(), before.Graph, lacuna.Model(lacuna.Foundation), lacuna.OnDevice(plain.New()), lacuna.By(lacuna.Sets))
	if err != nil {
		t.Fatal(err)
	}
	engine = engine.WithCache(cache)
	for _, recalled := range []int{0, 3} {
		result, err := engine.Ask(t.Context(), turing.PaperQuestion)
		if err != nil || result.Stats.Recalled != recalled {
			t.Errorf("%d projections recalled, want %d; %v", result.Stats.Recalled, recalled, err)
		}
	}
}

// TestNewEngineForgets checks that a cache serves its newest engine alone.
func TestNewEngineForgets(t *testing.T) {
	cache := lacuna.NewCache(1 << 20)
	before := laureates.Engine(t, lacuna.Turing, lacuna.By(lacuna.Sets)).WithCache(cache)
	if _, err := before.Ask(t.Context(), turing.PaperQuestion); err != nil {
		t.Fatal(err)
	}
	after := before.WithCache(cache)
	if stats := cache.Stats(); stats.Entries != 0 || stats.Bytes != 0 {
		t.Errorf("%+v are left of the engine before", stats)
	}
	if _, err := before.Ask(t.Context(), turing.PaperQuestion); err != nil {
		t.Fatal(err)
	}
	if stats := cache.Stats(); stats.Entries != 0 {
		t.Errorf("the engine before put %d sets into the cache of its successor", stats.Entries)
	}
	if result, err := after.Ask(t.Context(), turing.PaperQuestion); err != nil || result.Stats.Projections != 3 {
		t.Errorf("%v projections, %v; want 3", result.Stats.Projections, err)
	}
}

// TestTruthJudgesAnswers uses the facts that were left out of the embedded graph, which the engine has as truth.
func TestTruthJudgesAnswers(t *testing.T) {
	result, err := laureates.Engine(t, lacuna.Turing).Ask(t.Context(), turing.PaperQuestion)
	if err != nil {
		t.Fatal(err)
	}
	right := map[string]bool{}
	for _, a := range result.Shown() {
		if a.Right == nil || a.Known && !*a.Right {
			t.Fatalf("%+v is not judged, or wrong though the graph states it", a)
		}
		right[a.Entity] = *a.Right
	}
	if !right["New York University"] || right["Stanford University"] {
		t.Errorf("right: %v; want New York University, which was left out, and not Stanford University", right)
	}
}

// TestBatchNeedsOneExecution refuses what could not run together.
func TestBatchNeedsOneExecution(t *testing.T) {
	engine := laureates.Engine(t, lacuna.Turing)
	var questions []*lacuna.Question
	for _, option := range []lacuna.AskOption{lacuna.Limit(3), lacuna.Limit(5), lacuna.By(lacuna.Exact)} {
		q, err := engine.Prepare(turing.PaperQuestion, option)
		if err != nil {
			t.Fatal(err)
		}
		questions = append(questions, q)
	}
	results, err := engine.Answer(t.Context(), questions[:2]...)
	if err != nil || len(results[0].Answers) != 3 || len(results[1].Answers) != 5 {
		t.Errorf("options of the outcome are each question's own: %v", err)
	}
	if _, err := engine.Answer(t.Context(), questions...); err == nil {
		t.Error("an exact question ran in a batch with predicted ones")
	}
}

// askTogether asks questions as one batch.
func askTogether(t *testing.T, e *lacuna.Engine, texts []string, options ...lacuna.AskOption) ([]*lacuna.Result, error) {
	t.Helper()
	questions := make([]*lacuna.Question, len(texts))
	for i, text := range texts {
		var err error
		if questions[i], err = e.Prepare(text, options...); err != nil {
			return nil, err
		}
	}
	return e.Answer(t.Context(), questions...)
}
