package dataset

import (
	"context"
	"encoding/json"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/snapshot"
	"github.com/lacuna-kg/lacuna/query"
)

// writeSet makes a folder of the own format.
func writeSet(tb testing.TB, graph *kg.Splits, sets map[Split][]Query) string {
	tb.Helper()
	dir := tb.TempDir()
	if err := snapshot.Write(tb.Context(), filepath.Join(dir, GraphFile), graph); err != nil {
		tb.Fatal(err)
	}
	for split, queries := range sets {
		file := writeFile(tb, NewHeader(split, graph.Train.Vocabulary, Provenance{}), queries)
		if err := os.Rename(file, filepath.Join(dir, split.String()+FileSuffix)); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

// toySplits is the graph r0: 0→1 trained, 0→2 for validation, 0→3 for the test.
func toySplits() *kg.Splits {
	v := testVocabulary(5, 1)
	return &kg.Splits{
		Train: kg.Build(v, []kg.Triple{{Head: 0, Tail: 1}}),
		Valid: []kg.Triple{{Head: 0, Tail: 2}},
		Test:  []kg.Triple{{Head: 0, Tail: 3}},
	}
}

func entities(ids ...kg.Entity) []kg.Entity { return ids }

func TestVerifyFindsPlantedFaults(t *testing.T) {
	from0 := query.Projection{Of: query.Anchor{Entity: 0}}
	not := query.Complement{Of: from0}
	dir := writeSet(t, toySplits(), map[Split][]Query{
		Train: {
			{Expr: from0, Easy: entities(1)},
			{Expr: from0, Easy: entities(1, 2)},                     // an extra easy answer
			{Expr: from0, Easy: entities(1), Hard: entities(2)},     // a hard one, where there can be none
			{Expr: from0, Absent: EasyAnswers},                      // nothing to check
			{Expr: not, Easy: entities(0, 2, 3, 4)},                 // right
			{Expr: from0, Absent: EasyAnswers | HardAnswers},        // nothing to check
			{Expr: query.Anchor{Entity: 4}, Easy: entities()},       // a missing easy answer
			{Expr: query.Universe{}, Easy: entities(0, 1, 2, 3, 4)}, // right
		},
		Valid: {
			{Expr: from0, Easy: entities(1), Hard: entities(2)},
			{Expr: from0, Easy: entities(), Hard: entities(1, 2)}, // easy taken for hard
			{Expr: from0, Hard: entities(2), Absent: EasyAnswers},
		},
		Test: {
			{Expr: from0, Easy: entities(1, 2), Hard: entities(3)},
			{Expr: from0, Easy: entities(1, 2), Hard: entities()},     // a missing hard answer
			{Expr: from0, Easy: entities(1, 2), Absent: HardAnswers},  // right, as far as it goes
			{Expr: not, Easy: entities(0, 3, 4), Hard: entities()},    // 3 is lost with the test facts and stays easy
			{Expr: from0, Easy: entities(4), Absent: HardAnswers},     // two missing, one extra
			{Expr: from0, Easy: entities(1, 2), Hard: entities(3, 4)}, // an extra hard answer
		},
	})
	report := verify(t, openSet(t, dir, Options{}), VerifyOptions{Examples: 2})
	want := []GroupReport{
		{Split: Train, Shape: "1p", Queries: 5, Agreeing: 1, Disagreeing: 2, NotGiven: 2, EasyNotGiven: 2, HardNotGiven: 1, ExtraEasy: 1, ExtraHard: 1},
		{Split: Train, Shape: "n(1p)", Queries: 1, Agreeing: 1},
		{Split: Train, Shape: "e", Queries: 1, Disagreeing: 1, MissingEasy: 1},
		{Split: Train, Shape: "all", Queries: 1, Agreeing: 1},
		{Split: Valid, Shape: "1p", Queries: 3, Agreeing: 2, Disagreeing: 1, EasyNotGiven: 1, MissingEasy: 1, ExtraHard: 1},
		{Split: Test, Shape: "1p", Queries: 5, Agreeing: 2, Disagreeing: 3, HardNotGiven: 2, MissingEasy: 2, ExtraEasy: 1, MissingHard: 1, ExtraHard: 1},
		{Split: Test, Shape: "n(1p)", Queries: 1, Agreeing: 1},
	}
	for i := range want {
		at := slices.IndexFunc(report.Groups, func(g GroupReport) bool { return g.Split == want[i].Split && g.Shape == want[i].Shape })
		if at < 0 || report.Groups[at] != want[i] {
			t.Errorf("expected %+v among %+v", want[i], report.Groups)
		}
	}
	if report.Queries != 17 || report.Agreeing != 8 || report.Disagreeing != 7 || report.NotGiven != 2 || len(report.Groups) != len(want) {
		t.Errorf("the sums are wrong: %+v", report)
	}
	if len(report.Examples) != 6 { // at most two a group: 2, 1, 1 and 2
		t.Errorf("%d examples: %+v", len(report.Examples), report.Examples)
	}
	last := report.Examples[len(report.Examples)-1]
	if last.Split != Test || last.Tuples != "(0, (0,))" || !strings.Contains(last.Query, "e0") {
		t.Errorf("the last example is %+v", last)
	}
	checkReportJSON(t, report)
}

func checkReportJSON(t *testing.T, report Report) {
	text, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	var back Report
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(back.Groups, report.Groups) || back.Disagreeing != report.Disagreeing || !strings.Contains(string(text), `"split":"valid","shape":"1p"`) {
		t.Errorf("the report does not survive JSON: %s", text)
	}
}

func TestVerifyDoesNotDependOnWorkers(t *testing.T) {
	s := openSet(t, toyBetaE, Options{})
	s.source = faulty{s.source}
	one := verify(t, s, VerifyOptions{Workers: 1})
	many := verify(t, s, VerifyOptions{Workers: 7})
	first, _ := json.Marshal(one)
	second, _ := json.Marshal(many)
	if string(first) != string(second) || one.Disagreeing == 0 || one.Agreeing == 0 {
		t.Errorf("one worker found\n%s\nseven found\n%s", first, second)
	}
}

// faulty drops the last easy answer of every query.
type faulty struct{ source }

func (f faulty) stored(ctx context.Context, split Split, shapes []string) iter.Seq2[Query, error] {
	return func(yield func(Query, error) bool) {
		for q, err := range f.source.stored(ctx, split, shapes) {
			q.Easy = q.Easy[:max(0, len(q.Easy)-1)]
			if !yield(q, err) {
				return
			}
		}
	}
}

func TestRecomputeRepairs(t *testing.T) {
	from0 := query.Projection{Of: query.Anchor{Entity: 0}}
	dir := writeSet(t, toySplits(), map[Split][]Query{Test: {{Expr: from0, Easy: entities(4), Hard: entities(2)}}})
	want := Query{Expr: from0, Easy: entities(1, 2), Hard: entities(3)}
	repaired := openSet(t, dir, Options{Recompute: true})
	if got := collect(t, repaired.Queries(t.Context(), Test)); len(got) != 1 || !sameQuery(got[0], want) {
		t.Errorf("expected %v, found %v", want, got)
	}
	loaded, err := repaired.Load(t.Context(), Test, "2p")
	if err != nil || len(loaded) != 0 {
		t.Errorf("expected no query of shape 2p, found %v, %v", loaded, err)
	}
}

func TestOwnFolderRefusals(t *testing.T) {
	q := []Query{{Expr: query.Universe{}}}
	renamed := writeSet(t, toySplits(), map[Split][]Query{Test: q})
	if err := os.Rename(filepath.Join(renamed, "test.queries"), filepath.Join(renamed, "valid.queries")); err != nil {
		t.Fatal(err)
	}
	foreign := writeSet(t, toySplits(), nil)
	file := writeFile(t, NewHeader(Test, testVocabulary(5, 2), Provenance{}), q)
	if err := os.Rename(file, filepath.Join(foreign, "test.queries")); err != nil {
		t.Fatal(err)
	}
	misnamed := writeSet(t, toySplits(), nil)
	if err := os.WriteFile(filepath.Join(misnamed, "mine.queries"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{renamed: "found test queries", foreign: "belong to another graph", misnamed: "found none of them"} {
		if _, err := Open(t.Context(), dir, Options{}); kg.KindOf(err) != kg.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("expected %q, found %v", want, err)
		}
	}
}
