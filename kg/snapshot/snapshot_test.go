package snapshot

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/lacuna-kg/lacuna/internal/synth"
	"github.com/lacuna-kg/lacuna/kg"
)

// smallSplits has a self loop, an isolated entity, an empty name, ambiguous and
// missing labels, duplicates and held-out triples.
func smallSplits() *kg.Splits {
	var entities, relations kg.Interner
	for _, name := range []string{"Q1", "Q2", "", "Zürich", "Q5"} {
		entities.Intern([]byte(name))
	}
	for _, name := range []string{"knows", "likes"} {
		relations.Intern([]byte(name))
	}
	v := &kg.Vocabulary{
		Entities:  kg.Dictionary{Names: entities.Names(), Labels: kg.NewLabels([]string{"Alan", "alan", "", "Ω", "Ada"})},
		Relations: kg.Dictionary{Names: relations.Names(), Labels: kg.NewLabels([]string{"is acquainted with"})},
	}
	g := kg.Build(v, []kg.Triple{triple(0, 0, 1), triple(0, 0, 1).Inverse(), triple(1, 1, 3), triple(3, 1, 3), triple(2, 0, 0)})
	return &kg.Splits{Train: g, Valid: []kg.Triple{triple(0, 1, 3)}, Test: []kg.Triple{triple(2, 1, 1).Inverse(), triple(2, 1, 1)}}
}

func randomGraph(seed uint64, entities, relations, triples int) *kg.Graph {
	config := synth.Config{Seed: seed, Entities: entities, Relations: relations, Triples: triples}
	return kg.Build(config.Vocabulary(), slices.Collect(config.Draw()))
}

func emptyGraph() *kg.Graph {
	none := func() kg.Dictionary { return kg.Dictionary{Names: new(kg.Names)} }
	return kg.Build(&kg.Vocabulary{Entities: none(), Relations: none()}, nil)
}

func writeSnapshot(t testing.TB, s *kg.Splits) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "graph.lacuna")
	if err := Write(t.Context(), path, s); err != nil {
		t.Fatal(err)
	}
	return path
}

func openSnapshot(t testing.TB, path string) *kg.Splits {
	t.Helper()
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Train.Close() })
	return s
}

// statedSplits has labels that its data states, and prefixes.
func statedSplits(t testing.TB) *kg.Splits {
	t.Helper()
	g, _, err := smallSplits().Train.Change(t.Context(), []kg.Fact{
		{Head: "Q1", Relation: kg.RDFSLabel, Tail: `"Alain"@fr`}, {Head: "knows", Relation: kg.RDFSLabel, Tail: `"kennt"@de`}, {Head: "Q5", Relation: "knows", Tail: `"Ada"`},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	g.Prefixes = []kg.Prefix{{Name: "", IRI: "http://x/"}, {Name: "ex", IRI: "http://example.org/"}}
	return &kg.Splits{Train: g}
}

func TestRoundTrip(t *testing.T) {
	tests := map[string]*kg.Splits{
		"stated labels": statedSplits(t),
		"small":         smallSplits(),
		"empty":         {Train: emptyGraph()},
		"random":        {Train: randomGraph(1, 300, 7, 2000)},
		"isolated only": {Train: randomGraph(2, 50, 3, 0)},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			path := writeSnapshot(t, want)
			got := openSnapshot(t, path)
			sameSplits(t, got, want)
			if again := writeSnapshot(t, got); !slices.Equal(readAll(t, again), readAll(t, path)) {
				t.Error("a snapshot of the opened snapshot has other bytes")
			}
		})
	}
}

func readAll(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func sameSplits(t *testing.T, got, want *kg.Splits) {
	t.Helper()
	a, b := got.Train.Arrays(), want.Train.Arrays()
	if !slices.Equal(a.First, b.First) || !slices.Equal(a.EdgeRelations, b.EdgeRelations) || !slices.Equal(a.EdgeTails, b.EdgeTails) {
		t.Errorf("the rows differ: %v %v %v, want %v %v %v", a.First, a.EdgeRelations, a.EdgeTails, b.First, b.EdgeRelations, b.EdgeTails)
	}
	if a.Duplicates != b.Duplicates {
		t.Errorf("%d duplicates, want %d", a.Duplicates, b.Duplicates)
	}
	if !slices.Equal(got.Valid, want.Valid) || !slices.Equal(got.Test, want.Test) {
		t.Errorf("held out: %v, %v; want %v, %v", got.Valid, got.Test, want.Valid, want.Test)
	}
	if got.Train.Hash() != want.Train.Hash() {
		t.Error("the hashes of the vocabularies differ")
	}
	if !slices.Equal(got.Train.Prefixes, want.Train.Prefixes) {
		t.Errorf("prefixes %v, want %v", got.Train.Prefixes, want.Train.Prefixes)
	}
	if got, want := statementsOf(got.Train), statementsOf(want.Train); !slices.Equal(got, want) {
		t.Errorf("labels %q, want %q", got, want)
	}
	sameDictionary(t, got.Train.Entities, want.Train.Entities)
	sameDictionary(t, got.Train.Relations, want.Train.Relations)
}

func statementsOf(g *kg.Graph) (list []string) {
	if g.Stated == nil {
		return nil
	}
	for p := range g.Stated.All() {
		list = append(list, g.Stated.Name(g.Entities.Names, p.Subject)+" "+g.Stated.Name(g.Entities.Names, p.Literal))
	}
	return list
}

// sameDictionary looks names and labels up, which goes through the arrays where they lie.
func sameDictionary(t *testing.T, got, want kg.Dictionary) {
	t.Helper()
	if got.Names.Len() != want.Names.Len() || (got.Labels == nil) != (want.Labels == nil) {
		t.Fatalf("%d names, labels %v; want %d, %v", got.Names.Len(), got.Labels, want.Names.Len(), want.Labels)
	}
	for id := range uint32(want.Names.Len()) {
		name := want.Names.At(id)
		if found, ok := got.Names.Find(name); got.Names.At(id) != name || !ok || found != id {
			t.Errorf("name %d is %q, found as %d (%v); want %q", id, got.Names.At(id), found, ok, name)
		}
		if want.Labels == nil {
			continue
		}
		label := want.Labels.At(id)
		if got.Labels.At(id) != label || !slices.Equal(got.Labels.Find(label), want.Labels.Find(label)) {
			t.Errorf("label %d is %q, found as %v; want %q, %v", id, got.Labels.At(id), got.Labels.Find(label), label, want.Labels.Find(label))
		}
	}
}

func TestRelativePath(t *testing.T) {
	t.Chdir(t.TempDir())
	want := smallSplits()
	if err := Write(t.Context(), "graph.lacuna", want); err != nil {
		t.Fatal(err)
	}
	sameSplits(t, openSnapshot(t, "graph.lacuna"), want)
	info, err := os.Stat("graph.lacuna")
	if err != nil || info.Mode().Perm()&0o400 == 0 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestWriteReplacesWhileMapped(t *testing.T) {
	want := smallSplits()
	path := writeSnapshot(t, want)
	opened := openSnapshot(t, path)
	other := &kg.Splits{Train: randomGraph(3, 40, 2, 90)}
	if err := Write(t.Context(), path, other); err != nil {
		t.Fatal(err)
	}
	sameSplits(t, opened, want)
	sameSplits(t, openSnapshot(t, path), other)
}

func TestCloseTwice(t *testing.T) {
	s, err := Open(writeSnapshot(t, smallSplits()))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if len(s.Valid) != 1 || s.Valid[0] != triple(0, 1, 3) {
		t.Errorf("held-out triples after Close: %v", s.Valid)
	}
}

func TestWriteLeavesNothingBehind(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	unsound := smallSplits()
	unsound.Test = []kg.Triple{triple(99, 0, 0)}
	tests := []struct {
		name   string
		ctx    context.Context
		splits *kg.Splits
		file   string
		kind   kg.Kind
		says   string
	}{
		{"cancelled", cancelled, smallSplits(), "graph.lacuna", kg.Cancelled, "graph.lacuna: not written: context canceled"},
		{"unsound", t.Context(), unsound, "graph.lacuna", kg.Invalid, "not written: test triple 0 is (99, 0, 0)"},
		{"folder", t.Context(), smallSplits(), ".", kg.Invalid, "is a folder"},
		{"no folder", t.Context(), smallSplits(), "none/graph.lacuna", kg.NotFound, "there is no folder"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			err := Write(test.ctx, filepath.Join(dir, test.file), test.splits)
			if err == nil || kg.KindOf(err) != test.kind || !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v of kind %d, want %q of kind %d", err, kg.KindOf(err), test.says, test.kind)
			}
			if left, _ := os.ReadDir(dir); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// TestManyReadersAndWriters is for the race detector: a snapshot is replaced while
// others open it and look things up, and each sees a whole graph.
func TestManyReadersAndWriters(t *testing.T) {
	want := smallSplits()
	path := writeSnapshot(t, want)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			if err := Write(t.Context(), path, want); err != nil {
				t.Error(err)
			}
		})
		wait.Go(func() {
			s, err := Open(path)
			if err != nil {
				t.Error(err)
				return
			}
			sameSplits(t, s, want)
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

func TestManyAskTheHashAtOnce(t *testing.T) {
	want := smallSplits().Train.Hash()
	fresh := smallSplits().Train
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if fresh.Hash() != want {
				t.Error("another hash")
			}
		})
	}
	wait.Wait()
}
