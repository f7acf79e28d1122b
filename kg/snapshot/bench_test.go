package snapshot

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
)

// fb15k reads the benchmark in the plainest way, so that what is measured of
// snapshots does not depend on the readers.
func fb15k(b *testing.B) *kg.Splits {
	var entities, relations kg.Interner
	split := func(name string) []kg.Triple {
		path := filepath.Join("..", "..", "..", "shared", "data", "FB15k-237", name)
		text, err := os.ReadFile(path)
		if err != nil {
			b.Skipf("FB15k-237 is missing in ../shared/data (docs/data.md): %v", err)
		}
		var triples []kg.Triple
		for line := range bytes.Lines(text) {
			field := bytes.Split(bytes.TrimSpace(line), []byte("\t"))
			triples = append(triples, triple(entities.Intern(field[0]), relations.Intern(field[1]), entities.Intern(field[2])))
		}
		return triples
	}
	train, valid, test := split("train.txt"), split("valid.txt"), split("test.txt")
	v := &kg.Vocabulary{Entities: kg.Dictionary{Names: entities.Names()}, Relations: kg.Dictionary{Names: relations.Names()}}
	return &kg.Splits{Train: kg.Build(v, train), Valid: valid, Test: test}
}

func triple(head, base, tail uint32) kg.Triple {
	return kg.Triple{Head: kg.Entity(head), Relation: kg.Forward(base), Tail: kg.Entity(tail)}
}

func BenchmarkOpen(b *testing.B) { benchmarkOpen(b, writeSnapshot(b, fb15k(b))) }

func benchmarkOpen(b *testing.B, path string) {
	for b.Loop() {
		s, err := Open(path)
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Train.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	s := fb15k(b)
	path := filepath.Join(b.TempDir(), "graph.lacuna")
	for b.Loop() {
		if err := Write(b.Context(), path, s); err != nil {
			b.Fatal(err)
		}
	}
}
