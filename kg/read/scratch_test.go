package read_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/kg/snapshot"
)

// TestScratchChangesNothing reads the same files with their facts in memory and outside of it, and compares the
// snapshots byte by byte.
func TestScratchChangesNothing(t *testing.T) {
	people, films := peopleAndFilms(2000)
	quads := []byte("<http://e.org/a> <http://e.org/p> <http://e.org/b> <http://e.org/g> .\n<http://e.org/a> <http://e.org/p> <http://e.org/c> .\n")
	jsonl := []byte("{\"id\":1,\"name\":\"A\",\"at\":\"2024-01-02 10:30\"}\n{\"id\":2,\"name\":\"B\",\"at\":\"2024-01-03 11:30\"}\n")
	for name, files := range map[string]map[string][]byte{
		"one table":       {"people.csv": people},
		"a reference":     {"people.csv": people, "films.csv": films},
		"triples":         {"edges.tsv": bytes.Repeat([]byte("a\tr\tb\nb\tr\tc\nc\ts\ta\n"), 500)},
		"denials":         {"edges.tsv": append(bytes.Repeat([]byte("a\tr\tb\nb\tr\tc\n"), 500), "c\ts\ta\nc\t!r\ta\na\t!r\tb\n"...)},
		"beside quads":    {"people.csv": people, "quads.nq": quads},
		"records":         {"rows.jsonl": jsonl},
		"with statements": {"edges.tsv": []byte("id\tnode1\tlabel\tnode2\ne1\ta\tknows\tb\ne2\te1\tsince\t1990\ne3\tb\tknows\tc\n")},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			for file, text := range files {
				if err := os.WriteFile(filepath.Join(folder, file), text, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			plain := snapshotOf(t, folder, read.Options{})
			for _, most := range []int{1, 7, 1000} {
				scratch := t.TempDir()
				if got := snapshotOf(t, folder, read.Options{Scratch: scratch, ScratchFrom: most}); !bytes.Equal(got, plain) {
					t.Errorf("with %d facts in memory the snapshot differs", most)
				}
				if left, err := os.ReadDir(scratch); err != nil || len(left) > 0 {
					t.Errorf("%d files left behind, error %v", len(left), err)
				}
			}
		})
	}
}

func peopleAndFilms(rows int) (people, films []byte) {
	random := rand.New(rand.NewPCG(1, 2))
	var a, b bytes.Buffer
	a.WriteString("id,name,born,height,active,city,tags\n")
	b.WriteString("id,title,director_id,opened\n")
	for i := range rows {
		fmt.Fprintf(&a, "%d,Person %d,19%02d-01-02,%.1f,%t,City %d,a;b%d\n",
			i+1, i%1500, random.IntN(90)+10, random.Float64(), i%2 == 0, random.IntN(50), random.IntN(9))
		fmt.Fprintf(&b, "%d,\"Film, %d\",%d,2024-01-02 10:%02d\n", i+1, i, random.IntN(rows)+1, random.IntN(60))
	}
	return a.Bytes(), b.Bytes()
}

func snapshotOf(t *testing.T, source string, opts read.Options) []byte {
	t.Helper()
	s, err := read.Graph(t.Context(), source, opts)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "graph.lacuna")
	if err := snapshot.Write(t.Context(), path, s); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestRowsKeepTheirLabelsBesideAnnotations has entities that get new numbers, as those of RDF 1.2 do that only speak of a fact.
func TestRowsKeepTheirLabelsBesideAnnotations(t *testing.T) {
	folder := t.TempDir()
	turtle := "PREFIX e: <http://e.org/>\ne:a e:p e:b ~ _:r .\n_:r e:since 1990 .\ne:c e:p e:d .\n"
	for name, text := range map[string]string{"a.ttl": turtle, "b.csv": "id,name,born\n1,Anna,1815\n2,Bert,1816\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := read.Graph(t.Context(), folder, read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, label := range map[string]string{
		"b/1": "Anna", "b/2": "Bert", `"1815"^^<http://www.w3.org/2001/XMLSchema#integer>`: "1815", "http://e.org/c": "http://e.org/c",
	} {
		found := s.Train.Entities.Find(name)
		if len(found) != 1 || s.Train.Entities.Readable(found[0]) != label {
			t.Errorf("%s: %v, expected one entity called %s", name, found, label)
		}
	}
}
