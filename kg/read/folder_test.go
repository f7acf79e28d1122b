package read_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
)

// idMap is the pickle of a dict from numbers to names.
func idMap(names ...string) string {
	var b strings.Builder
	b.WriteString("(d")
	for id, name := range names {
		fmt.Fprintf(&b, "I%d\nV%s\ns", id, name)
	}
	return b.String() + "."
}

// changed is a folder with some files replaced, "" for removed.
func changed(files map[string]string, changes ...string) map[string]string {
	files = maps.Clone(files)
	for i := 0; i < len(changes); i += 2 {
		files[changes[i]] = changes[i+1]
		if changes[i+1] == "" {
			delete(files, changes[i])
		}
	}
	return files
}

func TestFolderErrors(t *testing.T) {
	named, openke, betae := folders[read.Folder], folders[read.OpenKE], folders[read.BetaE]
	for _, c := range []struct {
		what  string
		files map[string]string
		opts  read.Options
		kind  kg.Kind
		want  string
	}{
		{"two train files", changed(named, "train.nt", "x"), read.Options{}, kg.Invalid, "holds both train.nt and train.txt: keep one"},
		{"names and numbers", changed(openke, "train.txt", "x"), read.Options{}, kg.Invalid, "holds both train.txt and train2id.txt: state the format"},
		{"a bad line", changed(named, "valid.txt", "a\tr\tb\na\tr\n"), read.Options{}, kg.Invalid, "valid.txt:2: expected 3 columns"},
		{"no training triples", changed(named, "train.txt", "\n"), read.Options{}, kg.Invalid, "train.txt: no triples"},
		{"snapshot", named, read.Options{Format: read.Snapshot}, kg.Invalid, "a folder, expected a snapshot"},
		{"Query2Box", map[string]string{"ind2ent.pkl": "", "test_triples_1c.pkl": ""}, read.Options{}, kg.Invalid, "a Query2Box folder: it holds queries and no triples"},

		{"no relation2id", changed(openke, "relation2id.txt", ""), read.Options{}, kg.NotFound, "relation2id.txt: no such file, which openke needs"},
		{"columns", openke, read.Options{Columns: "htr"}, kg.Invalid, "options of tables"},
		{"no count", changed(openke, "train2id.txt", "0 1 0\n"), read.Options{}, kg.Invalid, "train2id.txt:1: expected the number of lines that follow"},
		{"empty file", changed(openke, "train2id.txt", "\n"), read.Options{}, kg.Invalid, "train2id.txt: empty"},
		{"too few lines", changed(openke, "train2id.txt", "3\n0 1 0\n"), read.Options{}, kg.Invalid, "train2id.txt:2: the file ends after 1 line, expected 3"},
		{"too many lines", changed(openke, "train2id.txt", "1\n0 1 0\n0 2 0\n"), read.Options{}, kg.Invalid, "train2id.txt:3: more lines than the 1"},
		{"entity out of range", changed(openke, "train2id.txt", "1\n0 3 0\n"), read.Options{}, kg.Invalid, `train2id.txt:2: "3" is no entity, expected a number below 3`},
		{"relation out of range", changed(openke, "test2id.txt", "1\n0 1 1\n"), read.Options{}, kg.Invalid, `test2id.txt:2: "1" is no relation, expected a number below 1`},
		{"not a number", changed(openke, "train2id.txt", "1\n0 -1 0\n"), read.Options{}, kg.Invalid, `train2id.txt:2: "-1" is no entity`},
		{"two numbers", changed(openke, "train2id.txt", "1\n0 1\n"), read.Options{}, kg.Invalid, "train2id.txt:2: expected three numbers, found 2"},
		{"number twice", changed(openke, "entity2id.txt", "3\na 0\nb 1\nc 1\n"), read.Options{}, kg.Invalid, `entity2id.txt:4: number 1 is already that of "b"`},
		{"name twice", changed(openke, "entity2id.txt", "3\na 0\nb 1\na 2\n"), read.Options{}, kg.Invalid, `entity2id.txt: 0 and 2 are both named "a"`},
		{"number of a name", changed(openke, "entity2id.txt", "3\na 0\nb 1\nc 3\n"), read.Options{}, kg.Invalid, `entity2id.txt:4: "3" is no number below 3`},
		{"no number", changed(openke, "entity2id.txt", "1\na\n"), read.Options{}, kg.Invalid, "entity2id.txt:2: expected a name and its number"},
		{"no triples", changed(openke, "train2id.txt", "0\n"), read.Options{}, kg.Invalid, "no triples"},

		{"no relations", changed(betae, "id2rel.pkl", ""), read.Options{}, kg.NotFound, "id2rel.pkl: no such file, which betae needs"},
		{"stated, no names", named, read.Options{Format: read.BetaE}, kg.NotFound, "id2ent.pkl: no such file"},
		{"odd relations", changed(betae, "id2rel.pkl", idMap("+r")), read.Options{}, kg.Invalid, "id2rel.pkl: 1 relation, expected an even number"},
		{"relations no pair", changed(betae, "id2rel.pkl", idMap("+r", "-s")), read.Options{}, kg.Invalid, `id2rel.pkl: relations 0 "+r" and 1 "-s" are not named as inverse`},
		{"relation twice", changed(betae, "id2rel.pkl", idMap("+r", "-r", "r", "r_reverse")), read.Options{}, kg.Invalid, `id2rel.pkl: 0 and 1 are both named "r"`},
		{"entity twice", changed(betae, "id2ent.pkl", idMap("a", "b", "a")), read.Options{}, kg.Invalid, `id2ent.pkl: 0 and 2 are both named "a"`},
		{"a gap", changed(betae, "id2ent.pkl", "(dI0\nVa\nsI2\nVb\ns."), read.Options{}, kg.Invalid, "id2ent.pkl: entry 1 is not a name with a number below 2"},
		{"a name not UTF-8", changed(betae, "id2ent.pkl", "(dI0\nS'\\xff'\ns."), read.Options{}, kg.Invalid, "id2ent.pkl: the name of 0 is not valid UTF-8"},
		{"no dict", changed(betae, "id2ent.pkl", "]."), read.Options{}, kg.Invalid, "id2ent.pkl: expected a dict"},
		{"a hostile pickle", changed(betae, "id2ent.pkl", "cos\nsystem\n(S'true'\ntR."), read.Options{}, kg.Invalid, "id2ent.pkl: pickle byte 11: refused os.system"},
		{"a truncated pickle", changed(betae, "id2ent.pkl", "(d"), read.Options{}, kg.Invalid, "truncated"},
		{"entity unknown", changed(betae, "train.txt", "0\t0\t7\n"), read.Options{}, kg.Invalid, `train.txt:1: "7" is no entity`},
		{"relation unknown", changed(betae, "train.txt", "0\t0\t1\n0\t2\t1\n"), read.Options{}, kg.Invalid, `train.txt:2: "2" is no relation, expected a number below 2`},
	} {
		t.Run(c.what, func(t *testing.T) {
			_, err := read.Graph(t.Context(), writeFiles(t, c.files), c.opts)
			expectError(t, err, c.kind, c.want)
		})
	}
}

// TestTwins: a fact and its inverse are one fact whatever their order, real
// duplicates are counted, and a lone line in either direction is a fact too.
func TestTwins(t *testing.T) {
	for _, c := range []struct {
		train               string
		triples, duplicates int
	}{
		{"0 0 1\n1 1 0\n", 1, 0},
		{"1 1 0\n0 0 1\n", 1, 0},
		{"0 0 1\n1 0 2\n2 1 1\n1 1 0\n", 2, 0},
		{"0 0 1\n0 0 1\n1 1 0\n1 1 0\n", 1, 1},
		{"0 0 1\n1 1 0\n0 0 1\n1 1 0\n", 1, 1},
		{"0 0 1\n0 0 1\n", 1, 1},
		{"1 1 0\n", 1, 0},
		{"0 0 0\n0 1 0\n", 1, 0},
		{"1 1 0\n2 1 1\n0 0 2\n", 3, 0},
	} {
		s, err := read.Graph(t.Context(), writeFiles(t, changed(folders[read.BetaE], "train.txt", c.train)), read.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if s.Train.NumTriples() != c.triples || s.Train.Duplicates() != c.duplicates {
			t.Errorf("%q: %d triples, %d duplicates, want %d, %d", c.train, s.Train.NumTriples(), s.Train.Duplicates(), c.triples, c.duplicates)
		}
	}
}

func TestBetaENamesByTheOtherMap(t *testing.T) {
	files := changed(folders[read.BetaE], "id2ent.pkl", "", "id2rel.pkl", "",
		"ent2id.pkl", "(dVc\nI2\nsVa\nI0\nsVb\nI1\ns.", "rel2id.pkl", "(dVr\nI0\nsVr_reverse\nI1\ns.")
	s, err := read.Graph(t.Context(), writeFiles(t, files), read.Options{})
	checkSame(t, "names by the other map", s, err, 1)
}

func TestHeldOutFiles(t *testing.T) {
	files := map[string]string{"train.tsv": "a\tr\tb\n", "dev.tsv": "a\tr\tc\na\tr\tc\nb\tr\ta\n", "test.tsv": "", "valid_negatives.tsv": "x\n"}
	var report read.Report
	s, err := read.Graph(t.Context(), writeFiles(t, files), read.Options{Report: func(r read.Report) { report = r }})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Valid) != 2 || len(s.Test) != 0 || report.HeldOutDuplicates != 1 || s.Train.NumEntities() != 3 {
		t.Errorf("%d valid, %d test, %d entities, report %+v", len(s.Valid), len(s.Test), s.Train.NumEntities(), report)
	}
}

// TestBenchmarkFilesAreTriples: train and valid files of three columns are never wide tables, however they look.
func TestBenchmarkFilesAreTriples(t *testing.T) {
	rows := "ann\tage\tbob\nCid\tKnows\tDan\nEva\tKnows\tFay\nGus\tLikes\tHal\n"
	alone, err := readText(t, "train.tsv", rows, read.Options{})
	if err != nil || alone.Train.NumTriples() == 4 {
		t.Fatalf("by itself it is a wide table: %d facts, %v", alone.Train.NumTriples(), err)
	}
	s, err := read.Graph(t.Context(), writeFiles(t, map[string]string{"train.tsv": rows, "valid.tsv": "Cid\tLikes\tFay\n"}), read.Options{})
	if err != nil || s.Train.NumTriples() != 4 || len(s.Valid) != 1 {
		t.Errorf("%d facts and %d held out, %v", s.Train.NumTriples(), len(s.Valid), err)
	}
}

func TestLabelFiles(t *testing.T) {
	folder := writeFiles(t, map[string]string{
		"entities": "a\tAlpha\r\nz\tOmega\n\nb\tBeta, the second\n", "relations": string(gzipped(t, []byte("r\trelates to\ns\tsays\n"))),
	})
	var report read.Report
	s, err := readText(t, "x.tsv", streams["x.tsv"], read.Options{
		EntityLabels: filepath.Join(folder, "entities"), RelationLabels: filepath.Join(folder, "relations"),
		Report: func(r read.Report) { report = r },
	})
	if err != nil {
		t.Fatal(err)
	}
	got := []string{s.Train.Entity(0), s.Train.Entity(1), s.Train.Entity(2), s.Train.Relation(0)}
	if fmt.Sprintf("%q", got) != `["Alpha" "Beta, the second" "c" "relates to"]` || report.UnknownLabels != 2 {
		t.Errorf("labels %q, report %+v", got, report)
	}
}

func TestLabelErrors(t *testing.T) {
	for _, c := range []struct {
		text string
		kind kg.Kind
		want string
	}{
		{"a\tA\nb\n", kg.Invalid, ":2: expected an id, a tab and its label"},
		{"\tA\n", kg.Invalid, ":1: expected an id"},
		{"a\t\n", kg.Invalid, ":1: expected an id"},
		{"a\tA\tB\n", kg.Invalid, ":1: expected an id"},
		{"a\tA\na\tB\n", kg.Invalid, `:2: a second label for "a", which has "A"`},
		{"a\t\xff\n", kg.Invalid, ":1: the text is not valid UTF-8"},
	} {
		path := filepath.Join(writeFiles(t, map[string]string{"labels": c.text}), "labels")
		_, err := readText(t, "x.tsv", streams["x.tsv"], read.Options{EntityLabels: path})
		expectError(t, err, c.kind, c.want)
	}
	_, err := readText(t, "x.tsv", streams["x.tsv"], read.Options{RelationLabels: "none.txt"})
	expectError(t, err, kg.NotFound, "none.txt: no such file")
}
