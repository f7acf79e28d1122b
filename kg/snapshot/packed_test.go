package snapshot

import (
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
)

// manyNames is a graph of so many entities that their names are packed.
func manyNames(t testing.TB) *kg.Graph {
	t.Helper()
	return randomGraph(4, 70_000, 3, 80_000)
}

func TestManyNamesArePacked(t *testing.T) {
	g := manyNames(t)
	grown, _, err := g.Change(t.Context(), []kg.Fact{{Head: "Q5", Relation: "P0", Tail: "a new one"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]*kg.Graph{"built": g, "changed": grown} {
		path := writeSnapshot(t, &kg.Splits{Train: want})
		if data := readAll(t, path); data[8] != packedVersion || strings.Contains(string(data), "Q65012Q") {
			t.Errorf("%s: format %d, or plain names", name, data[8])
		}
		got := openSnapshot(t, path)
		sameSplits(t, got, &kg.Splits{Train: want})
		if again := writeSnapshot(t, got); !slices.Equal(readAll(t, again), readAll(t, path)) {
			t.Errorf("%s: a snapshot of the opened snapshot has other bytes", name)
		}
	}
}

// TestChangingAnOpenedSnapshot: new names follow those of the file, and it all is written as if it had been built at once.
func TestChangingAnOpenedSnapshot(t *testing.T) {
	facts := []kg.Fact{{Head: "Q5", Relation: "P0", Tail: "a new one"}, {Head: "another", Relation: "P9", Tail: "Q69999"}}
	g := manyNames(t)
	want, _, err := g.Change(t.Context(), facts, nil)
	if err != nil {
		t.Fatal(err)
	}
	opened := openSnapshot(t, writeSnapshot(t, &kg.Splits{Train: g}))
	got, _, err := opened.Train.Change(t.Context(), facts[:1], nil)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Close()
	if got, _, err = got.Change(t.Context(), facts[1:], nil); err != nil {
		t.Fatal(err)
	}
	defer got.Close()
	if err := got.Check(); err != nil {
		t.Error(err)
	}
	sameSplits(t, &kg.Splits{Train: got}, &kg.Splits{Train: want})
	a, b := writeSnapshot(t, &kg.Splits{Train: got}), writeSnapshot(t, &kg.Splits{Train: want})
	if !slices.Equal(readAll(t, a), readAll(t, b)) {
		t.Error("the files differ")
	}
}

func TestUnsoundPackedNamesAreRefused(t *testing.T) {
	valid := contentsOf(&kg.Splits{Train: manyNames(t)})
	for _, test := range []struct {
		name   string
		change func(contents)
		says   string
	}{
		{"no index", func(c contents) { delete(c, packedEntityIndex) }, "only 4 of the 5 sections of pieces of entity names"},
		{"no names", func(c contents) {
			for kind := range packedSections {
				delete(c, packedEntityPieces+kind)
			}
		}, "the entity names are missing"},
		{"both", func(c contents) { c[entityText], c[entityEnds], c[entitySlots] = nil, nil, nil }, "are packed and others that are not"},
		{"stray", func(c contents) {
			for kind := range packedSections {
				c[packedStatedPieces+kind] = c[packedEntityPieces+kind]
			}
		}, "names of labels without labels"},
		{"few", func(c contents) { c[packedEntityCount] = inWords([]byte{9, 0, 0, 0, 0, 0, 0, 0}) }, "9 of them are packed"},
		{"no count", func(c contents) { c[packedEntityCount] = c[packedEntityCount][:4] }, "the number of entity names is none"},
		{"short index", func(c contents) { c[packedEntityIndex] = c[packedEntityIndex][4:] }, "an index of"},
		{"no block", func(c contents) { c[packedEntityBlocks] = c[packedEntityBlocks][8:] }, "blocks of 70000 texts"},
		{"moved block", func(c contents) { c[packedEntityBlocks][8]++ }, "entity names: block 0"},
		{"other index", func(c contents) { slices.Reverse(c[packedEntityIndex]) }, "entity names: "},
		{"empty index", func(c contents) { clear(c[packedEntityIndex]) }, "0 places of the index are taken by 70000 names"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := contents{}
			for kind, data := range valid {
				c[kind] = inWords(data)
			}
			test.change(c)
			if _, err := decode(c.file(), notMapped); err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%v, want %q", err, test.says)
			}
		})
	}
}
