package kg

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// manyNames are some of every length, among them an empty one and very long ones.
func manyNames() *Names {
	var in Interner
	in.Intern(nil)
	for i := range packedFrom {
		in.Intern(fmt.Appendf(nil, "http://example.org/%x%s", i, strings.Repeat("/näme", i%7)))
	}
	in.Intern([]byte(strings.Repeat("long ", 1000)))
	return in.Names()
}

// opened gives names as they come from a snapshot.
func opened(t testing.TB, n *Names) *Names {
	t.Helper()
	again, err := n.arrays().names()
	if err != nil {
		t.Fatal(err)
	}
	return again
}

func sameNames(t *testing.T, got, want *Names) {
	t.Helper()
	if got.Len() != want.Len() {
		t.Fatalf("%d names, want %d", got.Len(), want.Len())
	}
	for id := range uint32(want.Len()) {
		name := want.At(id)
		if found, ok := got.Find(name); got.At(id) != name || !ok || found != id || string(got.Append([]byte("x"), id)) != "x"+name {
			t.Fatalf("name %d is %q, found as %d (%v); want %q", id, got.At(id), found, ok, name)
		}
	}
	for _, absent := range []string{"c", "http://example.org/", "HTTP://example.org/1", strings.Repeat("long ", 999)} {
		if id, ok := got.Find(absent); ok {
			t.Errorf("Find(%q) = %d, want none", absent, id)
		}
	}
	if err := got.check(); err != nil {
		t.Error(err)
	}
}

func TestPackedNames(t *testing.T) {
	plain := manyNames()
	packed := opened(t, plain)
	if packed.packed == nil || len(packed.ends) > 0 {
		t.Fatal("they are not packed")
	}
	sameNames(t, packed, plain)
	if found := packed.findFolded("HTTP://example.org/0"); !slices.Equal(found, []uint32{1}) {
		t.Errorf("in another case: %d", found)
	}
	if few := numberedNames("e", 5); few.arrays().Packed != nil {
		t.Error("few names are packed")
	}
}

// TestPackedNamesGoOn: names after those of a file get the numbers, digest and arrays that they would have without.
func TestPackedNamesGoOn(t *testing.T) {
	want, got := manyNames().extend(), opened(t, manyNames()).extend()
	more := [][]byte{[]byte("new"), []byte("http://example.org/1/näme"), nil, []byte("new"), []byte("newer")}
	a, b := make([]uint32, len(more)), make([]uint32, len(more))
	want.InternAll(more, a)
	got.InternAll(more, b)
	if !slices.Equal(a, b) || got.Intern([]byte("newer")) != a[4] {
		t.Errorf("numbers %d, want %d", b, a)
	}
	sameNames(t, got.Names(), want.Names())
	if got.Names().Digest() != want.Names().Digest() {
		t.Error("another digest")
	}
	x, y := got.Names().arrays().Packed, want.Names().arrays().Packed
	if !slices.Equal(x.Data, y.Data) || !slices.Equal(x.Index, y.Index) || !slices.Equal(x.Pieces, y.Pieces) || !slices.Equal(x.First, y.First) {
		t.Error("other arrays")
	}
	sameNames(t, opened(t, got.Names()), want.Names())
}

func TestUnsoundPackedIndexIsRefused(t *testing.T) {
	plain := manyNames()
	for name, change := range map[string]func(p *packedNames){
		"full":         func(p *packedNames) { full(p.index) },
		"missing":      func(p *packedNames) { p.index[slices.IndexFunc(p.index, taken)] = 0 },
		"out of range": func(p *packedNames) { p.index[slices.IndexFunc(p.index, taken)] |= 1<<p.shift() - 1 },
		"hash alone":   func(p *packedNames) { p.index[slices.Index(p.index, 0)] = 1 << p.shift() },
		"moved": func(p *packedNames) {
			from, to := slices.IndexFunc(p.index, taken), len(p.index)/2+slices.Index(p.index[len(p.index)/2:], 0)
			p.index[from], p.index[to] = 0, p.index[from]
		},
	} {
		n := &Names{packed: plain.pack()}
		change(n.packed)
		if err := n.check(); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
		n.Find("a name that is not there") // ends
	}
}

func taken(place uint32) bool { return place != 0 }

func full(index []uint32) {
	for i := range index {
		index[i] = index[slices.IndexFunc(index, taken)]
	}
}

// BenchmarkLookup is on two million names, by number and by name, each far from the one before.
func BenchmarkLookup(b *testing.B) {
	const names = 2_000_000
	var in Interner
	for i := range names {
		in.Intern(fmt.Appendf(nil, "Q%d", uint64(i)*0x9e3779b97f4a7c15>>37))
	}
	plain := in.Names()
	for kind, n := range map[string]*Names{"plain": plain, "packed": opened(b, plain)} {
		b.Run(kind+"/by number", func(b *testing.B) {
			id, room := uint32(0), make([]byte, 0, 256)
			for b.Loop() {
				id = (id + 1_234_577) % uint32(n.Len())
				room = n.Append(room[:0], id)
			}
		})
		b.Run(kind+"/by name", func(b *testing.B) {
			var given []string
			for i := range uint32(1 << 16) {
				given = append(given, plain.At(i*0x9e3779b9%uint32(n.Len())))
			}
			i := 0
			for b.Loop() {
				i = (i + 1) % len(given)
				n.Find(given[i])
			}
		})
	}
}
