package kg

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestInternNumbersNamesInOrder(t *testing.T) {
	given := []string{"b", "a", "b", "", "東京", "Zürich", "a", "", "Zurich", "\x00", "\x00\x00", "\xff", "ÿ", strings.Repeat("long ", 1000)}
	want := []uint32{0, 1, 0, 2, 3, 4, 1, 2, 5, 6, 7, 8, 9, 10}
	var in Interner
	for i, name := range given {
		if id := in.Intern([]byte(name)); id != want[i] {
			t.Errorf("Intern(%q) = %d, want %d", name, id, want[i])
		}
	}
	names := in.Names()
	if names.Len() != 11 {
		t.Errorf("%d names, want 11", names.Len())
	}
	for i, name := range given {
		if id, ok := names.Find(name); !ok || id != want[i] || names.At(id) != name {
			t.Errorf("Find(%q) = %d, %v; At gives %q", name, id, ok, names.At(id))
		}
	}
	for _, absent := range []string{"c", "A", "zürich", "\x00\x00\x00", " "} {
		if id, ok := names.Find(absent); ok {
			t.Errorf("Find(%q) = %d, want none", absent, id)
		}
	}
}

func TestFindInNoNames(t *testing.T) {
	if id, ok := new(Interner).Names().Find("any"); ok {
		t.Errorf("found %d", id)
	}
}

// TestInternAgainstMap goes through many sizes of the index.
func TestInternAgainstMap(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var in Interner
	ids := map[string]uint32{}
	for range 30000 {
		name := fmt.Sprint(random.IntN(20000))
		want, known := ids[name]
		if !known {
			want = uint32(len(ids))
			ids[name] = want
		}
		if id := in.Intern([]byte(name)); id != want {
			t.Fatalf("Intern(%q) = %d, want %d", name, id, want)
		}
	}
	names := in.Names()
	for name, want := range ids {
		if id, ok := names.Find(name); !ok || id != want || names.At(id) != name {
			t.Fatalf("Find(%q) = %d, %v; want %d", name, id, ok, want)
		}
	}
	if err := names.check(); err != nil {
		t.Error(err)
	}
}

// TestIndexDependsOnNamesAlone is what makes snapshots of equal graphs equal:
// lookups in between change nothing.
func TestIndexDependsOnNamesAlone(t *testing.T) {
	for n := range 100 {
		var once, twice Interner
		for i := range n {
			once.Intern(fmt.Append(nil, i))
			for j := range i + 1 {
				twice.Intern(fmt.Append(nil, j))
			}
		}
		if a, b := once.Names(), twice.Names(); !slices.Equal(a.slots, b.slots) || a.Digest() != b.Digest() {
			t.Fatalf("two indexes of the same %d names", n)
		}
	}
}

// TestHashNameIsPinned guards the snapshot format: a change needs a new version of it.
func TestHashNameIsPinned(t *testing.T) {
	for name, want := range map[string]uint32{"": 0, "Q42": 0x9d219131, "exactly8": 0x6e99c289, "Deep Learning": 0x7b458e6f} {
		if got := hashName([]byte(name)); got != want {
			t.Errorf("hashName(%q) = %#x, want %#x", name, got, want)
		}
	}
}

func TestDigestTellsListsApart(t *testing.T) {
	lists := [][]string{{}, {""}, {"a", "bc"}, {"ab", "c"}, {"bc", "a"}, {"abc"}, {"a", "bc", ""}}
	seen := map[[32]byte][]string{}
	for _, list := range lists {
		var in Interner
		for _, name := range list {
			in.Intern([]byte(name))
		}
		digest := in.Names().Digest()
		if other, ok := seen[digest]; ok {
			t.Errorf("%q and %q have the same digest", other, list)
		}
		seen[digest] = list
	}
}

// TestInternAll: many names at once get the numbers that one by one they would.
func TestInternAll(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var one, many Interner
	for range 50 {
		names := make([][]byte, r.IntN(3000))
		ids := make([]uint32, len(names))
		for i := range names {
			names[i] = fmt.Append(nil, strings.Repeat("x", r.IntN(4)), r.IntN(20_000))
		}
		many.InternAll(names, ids)
		for i, name := range names {
			if id := one.Intern(name); id != ids[i] {
				t.Fatalf("%q is %d, want %d", name, ids[i], id)
			}
		}
	}
	if one.Names().Digest() != many.Names().Digest() || !slices.Equal(one.names.slots, many.names.slots) {
		t.Error("the lists differ")
	}
}

func BenchmarkIntern(b *testing.B) {
	const distinct, calls = 100_000, 1_000_000
	random := rand.New(rand.NewPCG(1, 1))
	given := make([][]byte, calls)
	for i := range given {
		given[i] = fmt.Appendf(nil, "/m/%06x", random.IntN(distinct))
	}
	for b.Loop() {
		var in Interner
		for _, name := range given {
			in.Intern(name)
		}
	}
	b.ReportMetric(calls*float64(b.N)/b.Elapsed().Seconds(), "names/s")
}
