package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/journal/journaltest"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/snapshot"
)

func open(t testing.TB, folder string) *Opened {
	t.Helper()
	opened, err := Open(context.Background(), folder, journaltest.Graph(t, journaltest.Base))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { opened.Log.(*Journal).Close() })
	return opened
}

func randomChange(rng *rand.Rand) Change {
	return Change{Add: journaltest.RandomFacts(rng, 8, rng.IntN(4)), Remove: journaltest.RandomFacts(rng, 8, rng.IntN(4))}
}

// TestReplayIsTheSequence makes random changes one by one on a graph and in a
// journal, reopens and compacts it now and then: both must come to the same, names and their numbers included.
func TestReplayIsTheSequence(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		folder := t.TempDir()
		want := journaltest.Graph(t, journaltest.Base)
		opened := open(t, folder)
		for step := range 30 {
			var group []Change
			for range 1 + rng.IntN(3) {
				c := randomChange(rng)
				if seed%2 == 1 {
					c.Add, c.Remove = journaltest.SayOf(rng, c.Add), journaltest.SayOf(rng, c.Remove)
				}
				next, _, err := want.Change(t.Context(), c.Add, c.Remove)
				if err != nil {
					t.Fatal(err)
				}
				want = next
				group = append(group, c)
			}
			if err := opened.Log.(*Journal).Append(group); err != nil {
				t.Fatal(err)
			}
			if rng.IntN(5) == 0 {
				if err := opened.Log.(*Journal).Compact(t.Context(), want); err != nil {
					t.Fatal(err)
				}
			}
			if rng.IntN(3) == 0 {
				opened.Log.(*Journal).Close()
				opened = open(t, folder)
				if opened.Log.(*Journal).Count() != uint64(step+1) {
					t.Fatalf("seed %d: %d changes counted after %d", seed, opened.Log.(*Journal).Count(), step+1)
				}
				if got := journaltest.State(opened.Graph); got != journaltest.State(want) {
					t.Fatalf("seed %d: reopened\n%s\nwant\n%s", seed, got, journaltest.State(want))
				}
			}
		}
	}
}

// written makes a log of three changes and gives its bytes and where each frame ends.
func written(t testing.TB, folder string) (data []byte, ends []int) {
	t.Helper()
	opened, err := Open(context.Background(), folder, journaltest.Graph(t, journaltest.Base))
	if err != nil {
		t.Fatal(err)
	}
	ends = append(ends, int(opened.Log.(*Journal).Bytes()))
	for _, head := range []string{"x", "y", "z"} {
		if err := opened.Log.(*Journal).Append([]Change{{Add: []kg.Fact{{Head: head, Relation: "r", Tail: "a"}}}}); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, int(opened.Log.(*Journal).Bytes()))
	}
	opened.Log.(*Journal).Close()
	data, err = os.ReadFile(logFile(folder, 1))
	if err != nil {
		t.Fatal(err)
	}
	return data, ends
}

// TestTornTail cuts the log at every byte, and fills the rest with what a disk may
// have left there: every whole frame survives, nothing else appears, and the log takes more.
func TestTornTail(t *testing.T) {
	data, ends := written(t, t.TempDir())
	for cut := ends[0]; cut < len(data); cut++ {
		whole := 0
		for _, end := range ends[1:] {
			if end <= cut {
				whole++
			}
		}
		for name, tail := range map[string][]byte{
			"nothing": nil, "zeros": make([]byte, 100), "noise": bytes.Repeat([]byte{0x1a, 'L', 0xff}, 40),
		} {
			folder := t.TempDir()
			if err := os.WriteFile(logFile(folder, 1), slices.Concat(data[:cut], tail), 0o666); err != nil {
				t.Fatal(err)
			}
			opened := open(t, folder)
			if len(opened.Changes) != whole || (opened.Torn > 0) != (cut+len(tail) > ends[whole]) {
				t.Fatalf("cut at %d, then %s: %d changes and %d bytes torn, want %d changes", cut, name, len(opened.Changes), opened.Torn, whole)
			}
			if err := opened.Log.(*Journal).Append([]Change{{Add: []kg.Fact{{Head: "later", Relation: "r", Tail: "a"}}}}); err != nil {
				t.Fatal(err)
			}
			opened.Log.(*Journal).Close()
			if again := open(t, folder); len(again.Changes) != whole+1 || again.Torn != 0 {
				t.Fatalf("cut at %d: %d changes after one more, %d bytes torn", cut, len(again.Changes), again.Torn)
			}
		}
	}
}

// TestDamageIsRefused flips every bit of the header and of all frames but the last:
// confirmed facts are lost there, and nobody may go on as if they were not.
func TestDamageIsRefused(t *testing.T) {
	data, ends := written(t, t.TempDir())
	folder := t.TempDir()
	for at := range ends[2] {
		damaged := slices.Clone(data)
		damaged[at] ^= 1 << (at % 8)
		if err := os.WriteFile(logFile(folder, 1), damaged, 0o666); err != nil {
			t.Fatal(err)
		}
		opened, err := Open(t.Context(), folder, journaltest.Graph(t, journaltest.Base))
		if err == nil {
			opened.Log.(*Journal).Close()
			t.Fatalf("damage at byte %d was not noticed: %d changes", at, len(opened.Changes))
		}
		if kg.KindOf(err) != kg.Invalid || !strings.Contains(err.Error(), "facts-1.log: ") {
			t.Fatalf("damage at byte %d: %v", at, err)
		}
	}
}

// TestLostFrameIsRefused takes a frame out of the middle.
func TestLostFrameIsRefused(t *testing.T) {
	folder := t.TempDir()
	data, ends := written(t, folder)
	if err := os.WriteFile(logFile(folder, 1), slices.Concat(data[:ends[1]], data[ends[2]:]), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), folder, journaltest.Graph(t, journaltest.Base)); err == nil || !strings.Contains(err.Error(), "frame 2, expected frame 1") {
		t.Errorf("%v, want the lost frame named", err)
	}
}

// TestCrashDuringCompaction stops it after each of its steps: no fact is lost, none invented, and leftovers go.
func TestCrashDuringCompaction(t *testing.T) {
	steps := map[string]func(folder string, g *kg.Graph, j *Journal) error{
		"half a snapshot": func(folder string, _ *kg.Graph, _ *Journal) error {
			return os.WriteFile(filepath.Join(folder, ".graph-2.lacuna.0123abcd.tmp"), []byte("half"), 0o666)
		},
		"the sum": func(folder string, _ *kg.Graph, j *Journal) error {
			before, err := j.sumUp()
			return errors.Join(err, writeSum(folder, 2, j.base, before))
		},
		"the sum and the snapshot": func(folder string, g *kg.Graph, j *Journal) error {
			before, err := j.sumUp()
			return errors.Join(err, writeSum(folder, 2, j.base, before), snapshot.Write(context.Background(), snapshotFile(folder, 2), &kg.Splits{Train: g}))
		},
		"all, the old ones still there": func(folder string, g *kg.Graph, j *Journal) error {
			before, err := j.sumUp()
			if err != nil {
				return err
			}
			log, _, err := startGeneration(context.Background(), folder, 2, j.base, beginning{graph: g, before: &before})
			log.Close()
			return err
		},
		"all": func(_ string, g *kg.Graph, j *Journal) error { return j.Compact(context.Background(), g) },
	}
	for name, crash := range steps {
		folder := t.TempDir()
		written(t, folder)
		opened := open(t, folder)
		want := journaltest.State(opened.Graph)
		if err := crash(folder, opened.Graph, opened.Log.(*Journal)); err != nil {
			t.Fatal(err)
		}
		opened.Log.(*Journal).Close()
		again := open(t, folder)
		if got := journaltest.State(again.Graph); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		if err := again.Log.(*Journal).Append([]Change{{Add: []kg.Fact{{Head: "more", Relation: "r", Tail: "a"}}}}); err != nil {
			t.Fatal(err)
		}
		again.Log.(*Journal).Close()
		if third := open(t, folder); third.Log.(*Journal).Count() != 4 {
			t.Errorf("%s: version %d after four changes", name, third.Log.(*Journal).Count())
		}
		if files := list(t, folder); len(files) < 2 || len(files) > 4 || slices.ContainsFunc(files, func(f string) bool { return strings.HasSuffix(f, ".tmp") }) {
			t.Errorf("%s: left %q", name, files)
		}
	}
}

func list(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestOneProcessAtATime(t *testing.T) {
	folder := t.TempDir()
	first := open(t, folder)
	if _, err := Open(t.Context(), folder, journaltest.Graph(t, journaltest.Base)); kg.KindOf(err) != kg.Invalid || !strings.Contains(err.Error(), "another server") {
		t.Errorf("%v, want a refusal", err)
	}
	first.Log.(*Journal).Close()
	open(t, folder)
}

func TestAnotherGraphIsRefused(t *testing.T) {
	folder := t.TempDir()
	written(t, folder)
	if _, err := Open(t.Context(), folder, journaltest.Graph(t, "unheard\tr\tunseen\n")); kg.KindOf(err) != kg.Invalid || !strings.Contains(err.Error(), "another graph") {
		t.Errorf("%v, want a refusal", err)
	}
}

// Changes are made on a graph that has gained facts since; what both say is told.
func TestChangedGraphIsMerged(t *testing.T) {
	folder := t.TempDir()
	first := open(t, folder)
	change := Change{Add: []kg.Fact{{Head: "a", Relation: "r", Tail: "new"}, {Head: "c", Relation: "s", Tail: "b"}}}
	if err := first.Log.(*Journal).Append([]Change{change}); err != nil {
		t.Fatal(err)
	}
	first.Log.(*Journal).Close()
	grown := journaltest.Base + "c\ts\tb\nc\tr\ta\n"
	for try := range 2 { // the second time it is the graph it knows
		merged, err := Open(t.Context(), folder, journaltest.Graph(t, grown))
		if err != nil {
			t.Fatal(err)
		}
		if want := journaltest.Graph(t, grown).NumTriples() + 1; merged.Graph.NumTriples() != want {
			t.Errorf("%d facts, expected %d", merged.Graph.NumTriples(), want)
		}
		if (merged.Merged != nil) != (try == 0) || try == 0 && len(merged.Merged.Stated) != 1 {
			t.Errorf("try %d: %+v", try, merged.Merged)
		}
		merged.Log.(*Journal).Close()
	}
}

// The same after compactions: what they came to is known apart from the graph they were made on.
func TestChangedGraphIsMergedAfterCompaction(t *testing.T) {
	folder := t.TempDir()
	fact := func(head, relation, tail string) kg.Fact { return kg.Fact{Head: head, Relation: relation, Tail: tail} }
	opened := open(t, folder)
	for _, c := range []Change{
		{Add: []kg.Fact{fact("a", "r", "new"), fact("c", "s", "b"), fact("a", "r", "passing")}},
		{Remove: []kg.Fact{fact("a", "r", "b"), fact("a", "r", "passing")}},
		{Add: []kg.Fact{fact("late", "s", "a")}},
	} {
		if err := opened.Log.(*Journal).Append([]Change{c}); err != nil {
			t.Fatal(err)
		}
		opened.Log.(*Journal).Close()
		opened = open(t, folder)
		if len(c.Remove) > 0 || len(c.Add) > 1 { // the last stays in the log
			if err := opened.Log.(*Journal).Compact(t.Context(), opened.Graph); err != nil {
				t.Fatal(err)
			}
		}
	}
	opened.Log.(*Journal).Close()
	grown := journaltest.Graph(t, journaltest.Base+"c\ts\tb\nc\tr\ta\n")
	want := "r(a,new) r(b,c) r(c,a) s(c,a) s(c,b) s(late,a)"
	for try := range 3 {
		merged, err := Open(t.Context(), folder, grown)
		if err != nil {
			t.Fatal(err)
		}
		if got := facts(merged.Graph); got != want {
			t.Errorf("try %d: %s, want %s", try, got, want)
		}
		if try > 0 != (merged.Merged == nil) {
			t.Errorf("try %d: %+v", try, merged.Merged)
		}
		if m := merged.Merged; try == 0 && (!slices.Equal(m.Stated, []kg.Fact{fact("c", "s", "b")}) || !slices.Equal(m.Removed, []kg.Fact{fact("a", "r", "b")})) {
			t.Errorf("conflicts: %+v", m)
		}
		if got := merged.Log.(*Journal).Count(); got != 4 { // three changes, and the graph's
			t.Errorf("try %d: counted %d", try, got)
		}
		if try == 1 {
			if err := merged.Log.(*Journal).Compact(t.Context(), merged.Graph); err != nil {
				t.Fatal(err)
			}
		}
		merged.Log.(*Journal).Close()
	}
	if err := os.Remove(sumFile(folder, 5)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), folder, journaltest.Graph(t, journaltest.Base)); kg.KindOf(err) != kg.Invalid || !strings.Contains(err.Error(), "sum-5.log: the file is missing") {
		t.Errorf("without a sum: %v", err)
	}
}

// facts are those of a graph in the order of their text.
func facts(g *kg.Graph) string {
	var list []string
	for t := range g.Triples() {
		list = append(list, fmt.Sprintf("%s(%s,%s)", g.Relation(t.Relation), g.Entity(t.Head), g.Entity(t.Tail)))
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// What a change did is undone, and nothing else.
func TestUndo(t *testing.T) {
	folder := t.TempDir()
	opened := open(t, folder)
	known, fresh := kg.Fact{Head: "a", Relation: "r", Tail: "b"}, kg.Fact{Head: "a", Relation: "r", Tail: "new"}
	if !states(journaltest.Graph(t, journaltest.Base), known) {
		t.Fatal("the base lacks a fact of the test")
	}
	if err := opened.Log.(*Journal).Append([]Change{{Add: []kg.Fact{known, fresh}}, {Remove: []kg.Fact{known}}}); err != nil {
		t.Fatal(err)
	}
	opened.Log.(*Journal).Close()
	opened = open(t, folder)
	for n, want := range []Change{{Remove: []kg.Fact{fresh}}, {Add: []kg.Fact{known}}} {
		if got, err := opened.Undo(n, journaltest.Graph(t, journaltest.Base)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("change %d: %+v, %v", n, got, err)
		}
	}
	denied := kg.Fact{Head: "b", Relation: "!r", Tail: "c"} // which the base states
	if err := opened.Log.(*Journal).Append([]Change{{Add: []kg.Fact{denied}}}); err != nil {
		t.Fatal(err)
	}
	opened.Log.(*Journal).Close()
	opened = open(t, folder)
	want := Change{Add: []kg.Fact{denied.Contrary()}, Remove: []kg.Fact{denied}}
	if got, err := opened.Undo(2, journaltest.Graph(t, journaltest.Base)); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("a denial undone: %+v, %v", got, err)
	}
	if _, err := opened.Undo(3, journaltest.Graph(t, journaltest.Base)); kg.KindOf(err) != kg.NotFound {
		t.Error(err)
	}
}

func TestNotAJournal(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), file, journaltest.Graph(t, journaltest.Base)); kg.KindOf(err) != kg.Invalid {
		t.Errorf("a file: %v", err)
	}
	folder := t.TempDir()
	if err := os.WriteFile(logFile(folder, 7), []byte("no log"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), folder, journaltest.Graph(t, journaltest.Base)); kg.KindOf(err) != kg.Invalid {
		t.Errorf("a file that is no log: %v", err)
	}
}

// TestBrokenJournalStaysBroken checks that nothing is confirmed after a failure of the disk.
func TestBrokenJournalStaysBroken(t *testing.T) {
	opened := open(t, t.TempDir())
	opened.Log.(*Journal).log.Close()
	change := []Change{{Add: []kg.Fact{{Head: "x", Relation: "r", Tail: "a"}}}}
	if err := opened.Log.(*Journal).Append(change); err == nil {
		t.Fatal("an append to a closed file was confirmed")
	}
	if err := opened.Log.(*Journal).Append(change); err == nil || !strings.Contains(err.Error(), "takes no more facts") {
		t.Errorf("%v, want no more facts", err)
	}
	if err := opened.Log.(*Journal).Compact(t.Context(), opened.Graph); err == nil || errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v, want a refusal", err)
	}
}

// FuzzReader feeds the reader what a disk may hold: it must not panic, must keep to
// the frames that are sound, and what it takes must be what it would write.
func FuzzReader(f *testing.F) {
	data, ends := written(f, f.TempDir())
	f.Add(data[headerBytes:])
	f.Add(data[headerBytes : len(data)-5])
	f.Add(slices.Concat(data[ends[0]:ends[1]], []byte("\x1aLJ\n"), data[ends[1]:]))
	f.Add([]byte("\x1aLJ\n\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := decodeFrames(data)
		if c.sound > len(data) {
			t.Fatalf("%d sound bytes of %d", c.sound, len(data))
		}
		if err != nil {
			return
		}
		again, err := decodeFrames(data[:c.sound])
		if err != nil || again.frames != c.frames || len(again.changes) != len(c.changes) {
			t.Fatalf("the sound part reads as %d frames, %v; was %d", again.frames, err, c.frames)
		}
		if _, _, err := decodeHeader(data); err == nil {
			if base, n, _ := decodeHeader(data); !bytes.Equal(encodeHeader(base, n), data[:headerBytes]) {
				t.Fatal("a header that would be written otherwise")
			}
		}
	})
}
