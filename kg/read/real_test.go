package read_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/lacuna-kg/lacuna/internal/synth"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
)

const benchmarks = "../../../shared/data"

func benchmarkPath(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(benchmarks, name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no %s in ../shared/data (docs/data.md)", name)
	}
	return path
}

// TestReadBenchmarks holds the readers to the published sizes of the data.
func TestReadBenchmarks(t *testing.T) {
	for _, c := range []struct {
		folder                                       string
		format                                       read.Format
		entities, relations, triples, valid, testing int
	}{
		{"FB15k-237-betae", read.BetaE, 14505, 474, 272115, 17526, 20438},
		{"NELL-betae", read.BetaE, 63361, 400, 114213, 14324, 14267},
		{"FB15k-237", read.Folder, 14541, 474, 272115, 17535, 20466},
		{"WN18RR", read.Folder, 40943, 22, 86835, 3034, 3134},
		{"NELL-995-openke", read.OpenKE, 75492, 400, 149678, 543, 3992},
		{"UMLS", read.Folder, 135, 92, 5216, 652, 661},
		{"CoDEx-S", read.Folder, 2034, 84, 32888, 1827, 1828},
	} {
		t.Run(c.folder, func(t *testing.T) {
			var report read.Report
			s, err := read.Graph(t.Context(), benchmarkPath(t, c.folder), read.Options{Report: func(r read.Report) { report = r }})
			if err != nil {
				t.Fatal(err)
			}
			got := []int{s.Train.NumEntities(), s.Train.NumRelations(), s.Train.NumTriples() + s.Train.Duplicates(), len(s.Valid), len(s.Test)}
			want := []int{c.entities, c.relations, c.triples, c.valid, c.testing}
			for i := range want {
				if got[i] != want[i] {
					t.Errorf("got %v, want %v", got, want)
					break
				}
			}
			if report.Format != c.format || report.Header || report.HeldOutDuplicates != 0 || s.Train.Duplicates() != 0 {
				t.Errorf("report %+v, %d duplicates", report, s.Train.Duplicates())
			}
		})
	}
}

// TestBetaEKeepsNumbers compares with lines of the files: ids of entities and relations must be those of the queries.
func TestBetaEKeepsNumbers(t *testing.T) {
	s, err := read.Graph(t.Context(), benchmarkPath(t, "FB15k-237-betae"), read.Options{
		EntityLabels:   benchmarkPath(t, "labels/FB15k-237/entity2text.txt"),
		RelationLabels: benchmarkPath(t, "labels/FB15k-237/relation2text.txt"),
	})
	if err != nil {
		t.Fatal(err)
	}
	g := s.Train
	if !g.Has(kg.Triple{Head: 0, Relation: 0, Tail: 1}) || !g.Has(kg.Triple{Head: 1, Relation: 1, Tail: 0}) {
		t.Error("the first two lines of train.txt are not in the graph")
	}
	if s.Test[0] != (kg.Triple{Head: 6180, Relation: 296, Tail: 2861}) {
		t.Errorf("first test triple is %v", s.Test[0])
	}
	if name := g.Entities.Names.At(5); name != "/m/0170z3" {
		t.Errorf("entity 5 is %s", name)
	}
	if name := g.Relations.Names.At(0); name != "/location/country/form_of_government" {
		t.Errorf("relation 0 is %s", name)
	}
	if label := g.Entity(0); label != "Dominican Republic" {
		t.Errorf("entity 0 is labelled %q", label)
	}
	if label := g.Relation(1); label != "location country form of government"+kg.InverseMark {
		t.Errorf("relation 1 is labelled %q", label)
	}
}

func TestQuery2BoxFolderHoldsNoTriples(t *testing.T) {
	_, err := read.Graph(t.Context(), benchmarkPath(t, "FB15k-237-q2b"), read.Options{})
	if err == nil || kg.KindOf(err) != kg.Invalid {
		t.Fatalf("got %v", err)
	}
	t.Log(err)
}

// BenchmarkReadFB15k237 is the figure of the text form: file in, graph out.
func BenchmarkReadFB15k237(b *testing.B) {
	for _, name := range []string{"FB15k-237/train.txt", "FB15k-237", "FB15k-237-betae"} {
		b.Run(name, func(b *testing.B) {
			path := benchmarkPath(b, name)
			for b.Loop() {
				if _, err := read.Graph(b.Context(), path, read.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkReadSynthetic takes a tenth of the large graph, or all of it:
//
//	LACUNA_LARGE=1 go test -run '^$' -bench ReadSynthetic -benchtime 1x ./kg/read
func BenchmarkReadSynthetic(b *testing.B) {
	config := synth.Large
	if os.Getenv("LACUNA_LARGE") == "" {
		config.Entities, config.Triples = config.Entities/10, config.Triples/10
	}
	path := writeSynthetic(b, config)
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := read.Graph(b.Context(), path, read.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func writeSynthetic(b *testing.B, config synth.Config) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "synthetic.tsv")
	file, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	if err := config.WriteTSV(b.Context(), file); err != nil {
		b.Fatal(err)
	}
	if err := file.Close(); err != nil {
		b.Fatal(err)
	}
	return path
}
