package kg

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// fb15k reads the benchmark in the plainest way, so that what is measured of
// snapshots does not depend on the readers.
func fb15k(b *testing.B) *Splits {
	var entities, relations Interner
	split := func(name string) []Triple {
		path := filepath.Join("..", "..", "shared", "data", "FB15k-237", name)
		text, err := os.ReadFile(path)
		if err != nil {
			b.Skipf("FB15k-237 is missing in ../shared/data (docs/data.md): %v", err)
		}
		var triples []Triple
		for line := range bytes.Lines(text) {
			field := bytes.Split(bytes.TrimSpace(line), []byte("\t"))
			triples = append(triples, Triple{Entity(entities.Intern(field[0])), Forward(relations.Intern(field[1])), Entity(entities.Intern(field[2]))})
		}
		return triples
	}
	train, valid, test := split("train.txt"), split("valid.txt"), split("test.txt")
	v := &Vocabulary{Entities: Dictionary{Names: entities.Names()}, Relations: Dictionary{Names: relations.Names()}}
	return &Splits{Build(v, train), valid, test}
}

func BenchmarkOpenSnapshot(b *testing.B) {
	path := writeSnapshot(b, fb15k(b))
	for b.Loop() {
		s, err := OpenSnapshot(path)
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Train.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWriteSnapshot(b *testing.B) {
	s := fb15k(b)
	path := filepath.Join(b.TempDir(), "graph.lacuna")
	for b.Loop() {
		if err := WriteSnapshot(b.Context(), path, s); err != nil {
			b.Fatal(err)
		}
	}
}
