package dataset

import (
	"reflect"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

const anyCQ = `{
"(r1(s1,e1))&((r2(e1,f1))&(!(r3(s2,f1))))": [
	[{"s1": 4, "r1": 3, "r2": 1, "s2": 5, "r3": 0}, {"f1": [[7], [8]]}, {"f1": [[9]]}],
	[{"s1": 1, "r1": 1, "r2": 1, "s2": 1, "r3": 1}, {"f1": []}, {"f1": []}]],
"(r1(f2,e10))&(r1(f1,e10))&(r2(f1,f2))": [[{"r1": 2, "r2": 4}, {"f1&f2": [[3, 1]]}, "h"]]
}`

func TestReadAnyCQ(t *testing.T) {
	got, err := ReadAnyCQ(strings.NewReader(anyCQ), "q.json")
	if err != nil || len(got) != 3 {
		t.Fatal(got, err)
	}
	for i, want := range []string{
		"?f1, ?f2 : ∃e10 : #2(f2, e10) ∧ #2(f1, e10) ∧ #4(f1, f2)",
		"?f1 : ∃e1 : #3(#4, e1) ∧ (#1(e1, f1) ∧ ¬#0(#5, f1))",
		"?f1 : ∃e1 : #1(#1, e1) ∧ (#1(e1, f1) ∧ ¬#1(#1, f1))",
	} {
		if got[i].Query.String() != want {
			t.Errorf("query %d is %s, want %s", i, got[i].Query, want)
		}
		if _, err := query.Normalise(got[i].Query); err != nil {
			t.Error(err)
		}
	}
	if !reflect.DeepEqual(got[1].Right, [][]kg.Entity{{7}, {8}}) || !reflect.DeepEqual(got[1].Wrong, [][]kg.Entity{{9}}) || got[1].Kind != "" {
		t.Errorf("%+v", got[1])
	}
	if !reflect.DeepEqual(got[0].Right, [][]kg.Entity{{3, 1}}) || got[0].Kind != "h" || got[0].Wrong != nil {
		t.Errorf("%+v", got[0])
	}
}

func TestReadAnyCQRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`[]`: "q.json: ",
		`{"r1(s1,f1)": [[{"r1": 0}, {"f1": []}, "e"]]}`:                  `no id of "s1"`,
		`{"r1(s1,f1)": [[{"r1": 0, "s1": 1}, {"f1": [[1, 2]]}, "e"]]}`:   "an answer of 2 entities, expected 1",
		`{"r1(s1,f1)": [[{"r1": 0, "s1": 1}, {"f1": []}]]}`:              "2 parts, expected ids",
		`{"r1(s1,f1": [[{"r1": 0, "s1": 1}, {"f1": []}, "e"]]}`:          "expected ')'",
		`{"r1(s1,f1)": [[{"r1": -1, "s1": 1}, {"f1": []}, "e"]]}`:        "its ids",
		`{"r1(s1,f1)": [[{"r1": 0, "s1": 1}, {"f1": []}, {"f1": "x"}]]}`: "its answers",
	} {
		if _, err := ReadAnyCQ(strings.NewReader(text), "q.json"); kg.KindOf(err) != kg.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// FuzzAnyCQ holds that no file makes the reader panic.
func FuzzAnyCQ(f *testing.F) {
	f.Add(anyCQ)
	f.Fuzz(func(t *testing.T, text string) {
		queries, err := ReadAnyCQ(strings.NewReader(text), "q.json")
		for _, q := range queries {
			if err != nil || q.Query == nil {
				t.Fatalf("%q: %+v, %v", text, q, err)
			}
		}
	})
}
