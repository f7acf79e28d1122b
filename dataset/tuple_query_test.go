package dataset

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

const tupleFile = `{"split":"valid","vocabulary":"abc","entities":9,"relations":4,"provenance":{}}
{"type":"pair","query":"?x, ?y : #1(#3, x) ∧ ¬#2(x, y)","easy":[[1,2]],"hard":[[3,4]]}
{"type":"yes","query":"∃x : #0(#1, x)","right":[[]]}
`

func TestTuplesAreReadAsWritten(t *testing.T) {
	h, all, err := readTuples(strings.NewReader(tupleFile), "valid.tuples.jsonl")
	if err != nil || len(all) != 2 || h.Split != Valid {
		t.Fatal(h, all, err)
	}
	if !reflect.DeepEqual(all[0].Hard, [][]kg.Entity{{3, 4}}) || !reflect.DeepEqual(all[1].Right, [][]kg.Entity{{}}) {
		t.Errorf("%+v", all)
	}
	dir := t.TempDir()
	if err := WriteTuples(dir, h, all); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "valid"+TupleSuffix))
	if err != nil || string(text) != tupleFile {
		t.Errorf("%s\n%v", text, err)
	}
}

func TestTuplesRefuse(t *testing.T) {
	for old, new := range map[string]string{
		`"vocabulary":"abc"`: `"x":1`,
		`[[3,4]]`:            `[[3]]`,
		`[[1,2]]`:            `[[1,9]]`,
		`#1(#3, x)`:          `#1(#9, x)`,
		`¬#2(x, y)`:          `¬#4(x, y)`,
		`#0(#1, x)`:          `R(#1, x)`,
		`"?x, ?y :`:          `"?x, ?y &`,
	} {
		if _, _, err := readTuples(strings.NewReader(strings.Replace(tupleFile, old, new, 1)), "q"); kg.KindOf(err) != kg.Invalid || !strings.HasPrefix(err.Error(), "q") {
			t.Errorf("%s: %v", new, err)
		}
	}
}

// FuzzTuples holds that no file makes the reader panic, and that what it reads is written back the same.
func FuzzTuples(f *testing.F) {
	f.Add(tupleFile)
	f.Fuzz(func(t *testing.T, text string) {
		h, all, err := readTuples(strings.NewReader(text), "q")
		if err != nil {
			return
		}
		dir := t.TempDir()
		if err := WriteTuples(dir, h, all); err != nil {
			t.Fatal(err)
		}
		written, _ := os.ReadFile(filepath.Join(dir, h.Split.String()+TupleSuffix))
		_, again, err := readTuples(bytes.NewReader(written), "q")
		if err != nil || len(again) != len(all) {
			t.Fatalf("%q: %v", written, err)
		}
	})
}

// A file of AnyCQ is a set of its own on a graph that is named.
func TestOpenAnyCQ(t *testing.T) {
	dir := t.TempDir()
	graph, file := filepath.Join(dir, "g.tsv"), filepath.Join(dir, "qac_valid.json")
	os.WriteFile(graph, []byte("a\tR\tb\nb\tS\tc\nc\tR\ta\n"), 0o644)
	os.WriteFile(file, []byte(`{"(r1(s1,e1))&(r2(e1,f1))": [[{"r1": 0, "r2": 2, "s1": 0}, {"f1": [[2]]}, {"f1": [[1]]}]]}`), 0o644)
	if _, err := Open(t.Context(), file, Options{}); err == nil || !strings.Contains(err.Error(), "--graph") {
		t.Errorf("without a graph: %v", err)
	}
	set, err := Open(t.Context(), file, Options{Graph: graph})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	all, err := set.Tuples(Test)
	if err != nil || len(all) != 1 || all[0].Type != "qac_valid" || all[0].Query.String() != "?f1 : ∃e1 : #0(#0, e1) ∧ #2(e1, f1)" {
		t.Fatalf("%+v %v", all, err)
	}
	if _, err := query.Normalise(all[0].Query); err != nil {
		t.Error(err)
	}
	os.WriteFile(file, []byte(`{"r1(s1,f1)": [[{"r1": 9, "s1": 0}, {"f1": []}, "e"]]}`), 0o644)
	if _, err := Open(t.Context(), file, Options{Graph: graph}); kg.KindOf(err) != kg.Invalid {
		t.Errorf("a relation beyond the graph: %v", err)
	}
}
