package snapshot_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/kg/snapshot"
)

// statements lists who states what.
func statements(g *kg.Graph) (all []string) {
	for t := range g.Triples() {
		if s := (kg.Statement{Triple: t}); g.States(s) {
			all = append(all, g.FactOf(s).String())
		}
	}
	for i := range uint32(g.Named().Len()) {
		for _, t := range g.Named().Facts(i + 1) {
			all = append(all, g.FactOf(kg.Statement{Graph: i + 1, Triple: t}).String())
		}
	}
	slices.Sort(all)
	return all
}

// Named graphs are read from all formats that have them, and a snapshot keeps them; one without any is as it was.
func TestNamedGraphsAreKept(t *testing.T) {
	want := []string{
		"x:p(x:a, x:b)", "x:p(x:a, x:b) in x:g", "x:p(x:c, x:d) in x:g", "x:p(x:c, x:d) in x:h",
		`http://www.w3.org/2000/01/rdf-schema#label(x:a, "A") in x:h`,
	}
	slices.Sort(want)
	for format, text := range map[read.Format]string{
		read.NQuads: "<x:a> <x:p> <x:b> .\n<x:c> <x:p> <x:d> <x:g> .\n<x:a> <x:p> <x:b> <x:g> .\n<x:c> <x:p> <x:d> <x:h> .\n" +
			"<x:a> <http://www.w3.org/2000/01/rdf-schema#label> \"A\" <x:h> .\n",
		read.TriG: "<x:a> <x:p> <x:b> . GRAPH <x:g> { <x:c> <x:p> <x:d> . <x:a> <x:p> <x:b> } <x:h> { <x:c> <x:p> <x:d> . " +
			"<x:a> <http://www.w3.org/2000/01/rdf-schema#label> \"A\" }",
		read.JSONLD: `[{"@id": "x:a", "x:p": {"@id": "x:b"}}, {"@id": "x:g", "@graph": [{"@id": "x:c", "x:p": {"@id": "x:d"}}, {"@id": "x:a", "x:p": {"@id": "x:b"}}]},
			{"@id": "x:h", "@graph": [{"@id": "x:c", "x:p": {"@id": "x:d"}}, {"@id": "x:a", "http://www.w3.org/2000/01/rdf-schema#label": "A"}]}]`,
	} {
		s, err := read.Stream(t.Context(), strings.NewReader(text), "test", read.Options{Format: format})
		if err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		path := filepath.Join(t.TempDir(), "graph.lacuna")
		if err := snapshot.Write(t.Context(), path, s); err != nil {
			t.Fatal(err)
		}
		opened, err := snapshot.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer opened.Close()
		for _, g := range []*kg.Graph{s.Train, opened.Train} {
			if got := statements(g); !slices.Equal(got, want) || g.NumTriples() != 2 {
				t.Errorf("%s: %d facts,\n got %q\nwant %q", format, g.NumTriples(), got, want)
			}
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(data) && format == read.NQuads; i += 5 { // every byte counts, those of named graphs too
			flipped := slices.Clone(data)
			flipped[i] ^= 1
			if err := os.WriteFile(path+".flipped", flipped, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := snapshot.Open(path + ".flipped"); err == nil {
				t.Fatalf("%s: byte %d of %d is flipped, and nobody minds", format, i, len(data))
			}
		}
	}
}
