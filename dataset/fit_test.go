package dataset

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// fit is a file in all of its notations: answers as numbers and as tuples, none of training, several answer variables, a tree.
const fit = `{
"((r1(s1,e1))&(r2(e1,f)))&(!(r3(e1,f)))": [[{"s1": 4, "r1": 3, "r2": 1, "r3": 0}, {"f": [7, 8]}, {"f": [9]}]],
"(r1(s1,e1))&((r2(e1,f1))&(r3(e1,f1)))": [[{"s1": 4, "r1": 3, "r2": 1, "r3": 0}, {"f1": [[7], [8]]}, {"f1": [[9]]}]],
"((r1(s1,f1))&(r2(s2,f2)))&(r3(f1,f2))": [[{"s1": 4, "s2": 5, "r1": 3, "r2": 1, "r3": 0}, {"f1_f2": [[7, 8]]}, {"f1_f2": [[8, 7], [1, 2]]}]],
"r1(s1,e1)&r2(e1,f)": [[{"s1": 4, "r1": 3, "r2": 1}, {"f": [7]}, []]]
}`

func TestReadFIT(t *testing.T) {
	got, err := ReadFIT(strings.NewReader(fit), "valid_qaa.json")
	if err != nil || len(got) != 4 {
		t.Fatal(got, err)
	}
	type read struct {
		Type, Query string
		Easy, Hard  [][]kg.Entity
	}
	for i, want := range []read{
		{"2nm", "?f : ∃e1 : (#3(#4, e1) ∧ #1(e1, f)) ∧ ¬#0(e1, f)", [][]kg.Entity{{7}, {8}}, [][]kg.Entity{{9}}},
		{"((r1(s1,f1))&(r2(s2,f2)))&(r3(f1,f2))", "?f1, ?f2 : (#3(#4, f1) ∧ #1(#5, f2)) ∧ #0(f1, f2)", [][]kg.Entity{{7, 8}}, [][]kg.Entity{{8, 7}, {1, 2}}},
		{"2m", "?f1 : ∃e1 : #3(#4, e1) ∧ (#1(e1, f1) ∧ #0(e1, f1))", [][]kg.Entity{{7}, {8}}, [][]kg.Entity{{9}}},
		{"2p", "?f : ∃e1 : #3(#4, e1) ∧ #1(e1, f)", [][]kg.Entity{{7}}, nil},
	} {
		if q := got[i]; !reflect.DeepEqual(read{q.Type, q.Query.String(), q.Easy, q.Hard}, want) {
			t.Errorf("query %d is %+v, want %+v", i, q, want)
		}
		if _, err := query.Normalise(got[i].Query); err != nil {
			t.Error(err)
		}
	}
}

// Both notations of a type are the same question but for the order of its links, and each of FIT's ten types has two.
func TestFITTypes(t *testing.T) {
	atoms := map[string][]string{}
	for formula, name := range fitTypes {
		var of []string
		for _, part := range strings.FieldsFunc(formula, func(r rune) bool { return r == '&' }) {
			atom := strings.Trim(part, "()")
			of = append(of, strings.NewReplacer("f1", "f", "(!(", "!(").Replace(atom[strings.Index(atom, "("):]))
		}
		slices.Sort(of)
		atoms[name] = append(atoms[name], strings.Join(of, " "))
	}
	for name, of := range atoms {
		if len(of) != 2 || of[0] != of[1] {
			t.Errorf("%s: %q", name, of)
		}
	}
	if len(atoms) != 10 {
		t.Errorf("%d types", len(atoms))
	}
}

func TestReadFITRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`[]`: "qaa.json: ",
		`{"r1(s1,f)": [[{"r1": 0}, {"f": []}, {"f": []}]]}`:                    `no id of "s1"`,
		`{"r1(s1,f)": [[{"r1": 0, "s1": 1}, {"f": [[1, 2]]}, {"f": []}]]}`:     "an answer of 2 entities, expected 1",
		`{"r1(s1,f)": [[{"r1": 0, "s1": 1}, {"f": []}]]}`:                      "2 parts, expected ids",
		`{"r1(s1,f": [[{"r1": 0, "s1": 1}, {"f": []}, {"f": []}]]}`:            "expected ')'",
		`{"r1(s1,f)": [[{"r1": 0, "s1": 1}, {"f": ["x"]}, {"f": []}]]}`:        "its answers",
		`{"r1(s1,f)": [[{"r1": 0, "s1": 1}, {"f": []}, "e"]]}`:                 "its answers",
		`{"r1(s1,f1)": [[{"r1": 0, "s1": 1}, {"f1": []}, {"f1": [[1], -2]}]]}`: "its answers",
	} {
		if _, err := ReadFIT(strings.NewReader(text), "qaa.json"); kg.KindOf(err) != kg.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// A file of FIT is a set of its own on a graph that is named, with the graph's numbers.
func TestOpenFIT(t *testing.T) {
	dir := t.TempDir()
	graph, file := filepath.Join(dir, "g.tsv"), filepath.Join(dir, "valid_real_EFO1_qaa.json")
	os.WriteFile(graph, []byte("a\tR\tb\nb\tS\tc\nc\tR\ta\n"), 0o644)
	os.WriteFile(file, []byte(`{"((r1(s1,e1))&(r2(e1,f)))&(r3(e1,f))": [[{"r1": 0, "r2": 2, "r3": 1, "s1": 0}, {"f": [2]}, {"f": [1]}]]}`), 0o644)
	if _, err := Open(t.Context(), file, Options{}); err == nil || !strings.Contains(err.Error(), "--graph") {
		t.Errorf("without a graph: %v", err)
	}
	set, err := Open(t.Context(), file, Options{Graph: graph})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	all, err := set.Tuples(Valid)
	if err != nil || set.Format != FIT || len(all) != 1 || all[0].Type != "2m" || all[0].Hard[0][0] != 1 {
		t.Fatalf("%+v %v", all, err)
	}
	os.WriteFile(file, []byte(`{"r1(s1,f)": [[{"r1": 0, "s1": 0}, {"f": []}, {"f": [99]}]]}`), 0o644)
	if _, err := Open(t.Context(), file, Options{Graph: graph}); kg.KindOf(err) != kg.Invalid {
		t.Errorf("an entity beyond the graph: %v", err)
	}
}

// FuzzFIT holds that no file makes the reader panic, and that what it reads are questions.
func FuzzFIT(f *testing.F) {
	f.Add(fit)
	f.Add(`{"!(!r1(s1,f)&!r2(s2,f))": [[{"s1": 1, "s2": 2, "r1": 1, "r2": 2}, {"f": [1]}, {"f": []}]]}`)
	f.Fuzz(func(t *testing.T, text string) {
		queries, err := ReadFIT(strings.NewReader(text), "qaa.json")
		for _, q := range queries {
			if err != nil || q.Query == nil || q.Type == "" {
				t.Fatalf("%q: %+v, %v", text, q, err)
			}
			for _, tuple := range slices.Concat(q.Easy, q.Hard) {
				if len(tuple) != len(q.Query.Answers) {
					t.Fatalf("%q: %v", text, tuple)
				}
			}
		}
	})
}
