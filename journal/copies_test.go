package journal

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna/journal/journaltest"
	"github.com/lacuna-kg/lacuna/kg"
)

// files are those of a folder, by name; the lock counts for nothing in a copy.
type files map[string][]byte

func filesOf(t testing.TB, folder string) files {
	t.Helper()
	all := files{}
	for _, entry := range must(os.ReadDir(folder)) {
		if entry.Name() != "lock" {
			all[entry.Name()] = must(os.ReadFile(filepath.Join(folder, entry.Name())))
		}
	}
	return all
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func (f files) write(t testing.TB, folder string) {
	t.Helper()
	for name, data := range f {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// history is a folder that grew: its files and its graph after every change, and which of these were followed by a compaction.
type history struct {
	folder string
	files  []files
	states []string
}

func grown(t testing.TB, steps, compactEvery int) history {
	h := history{folder: t.TempDir()}
	opened := open(t, h.folder)
	graph, j := opened.Graph, opened.Log.(*Journal)
	note := func() {
		h.files, h.states = append(h.files, filesOf(t, h.folder)), append(h.states, journaltest.State(graph))
	}
	note()
	for i := range steps {
		c := Change{Add: []kg.Fact{{Head: fmt.Sprint("n", i), Relation: "r", Tail: "a"}}}
		graph = must(Made(t.Context(), graph, []Change{c}))
		if err := j.Append([]Change{c}); err != nil {
			t.Fatal(err)
		}
		note()
		if i%compactEvery == compactEvery-1 {
			if err := j.Compact(t.Context(), graph); err != nil {
				t.Fatal(err)
			}
			note()
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return h
}

// cuts are lengths at which the copy of a file may end.
func cuts(data []byte) []int {
	return slices.Compact(slices.Sorted(slices.Values([]int{0, 1, min(len(data), headerBytes-1), min(len(data), headerBytes), len(data) / 2, len(data) - 1, len(data)})))
}

// TestInterruptedCopies copies a folder in every order of its files, into an empty folder and over every earlier copy, and
// stops at every file and within it. What is opened then is a state that the folder had, not before that of the earlier copy,
// and the last one if all was copied; or it is refused, and nothing of it is touched: the copy can be finished.
func TestInterruptedCopies(t *testing.T) {
	h := grown(t, 8, 3)
	last := len(h.files) - 1
	names := slices.Sorted(maps.Keys(h.files[last]))
	opens, refusals := 0, 0
	for _, order := range orders(names) {
		for earlier := -1; earlier <= last; earlier++ {
			for n := range order {
				for _, cut := range cuts(h.files[last][order[n]]) {
					at := files{}
					if earlier >= 0 {
						maps.Copy(at, h.files[earlier])
					}
					for _, name := range order[:n] {
						at[name] = h.files[last][name]
					}
					at[order[n]] = h.files[last][order[n]][:cut]
					whole := n == len(order)-1 && cut == len(h.files[last][order[n]])
					if h.restore(t, at, earlier, whole) {
						opens++
					} else {
						refusals++
					}
				}
			}
		}
	}
	t.Logf("%d interrupted copies: %d opened, %d refused", opens+refusals, opens, refusals)
	if opens == 0 || refusals == 0 {
		t.Error("one of the two never happens")
	}
}

// restore opens a copy, and tells whether that was possible.
func (h history) restore(t *testing.T, at files, earlier int, whole bool) bool {
	t.Helper()
	folder := t.TempDir()
	at.write(t, folder)
	last := len(h.states) - 1
	opened, err := Open(t.Context(), folder, journaltest.Graph(t, journaltest.Base))
	if err != nil {
		if whole || kg.KindOf(err) != kg.Invalid {
			t.Fatalf("%v: %v", slices.Sorted(maps.Keys(at)), err)
		}
		if !maps.EqualFunc(filesOf(t, folder), at, bytes.Equal) {
			t.Fatalf("a copy that is refused was changed: %v", err)
		}
		h.files[last].write(t, folder)
		finished := open(t, folder)
		if journaltest.State(finished.Graph) != h.states[last] {
			t.Fatal("a copy that was finished has other facts")
		}
		finished.Log.Close()
		return false
	}
	defer opened.Log.Close()
	state := slices.Index(h.states, journaltest.State(opened.Graph))
	least := 0
	if earlier >= 0 && !sameLog(h.files[earlier], at) {
		least = earlier
	}
	if whole {
		least = slices.Index(h.states, h.states[last])
	}
	if state < slices.Index(h.states, h.states[least]) {
		t.Fatalf("%v over copy %d: opened state %d of %d", slices.Sorted(maps.Keys(at)), earlier, state, last)
	}
	if version := opened.Log.Head().Version; state > 0 && version <= uint64(last) {
		t.Fatalf("version %d is given again", version)
	}
	return true
}

// sameLog tells whether a copy over an earlier one has written to its log: that may be shorter than it was.
func sameLog(earlier, now files) bool {
	for name, data := range now {
		if before, known := earlier[name]; known && len(data) < len(before) {
			return true
		}
	}
	return false
}

// orders are all orders of some names.
func orders(names []string) (all [][]string) {
	if len(names) == 0 {
		return [][]string{nil}
	}
	for i, name := range names {
		for _, rest := range orders(slices.Delete(slices.Clone(names), i, i+1)) {
			all = append(all, append([]string{name}, rest...))
		}
	}
	return all
}

// A missing file is named, with what to do.
func TestMissingFilesAreNamed(t *testing.T) {
	h := grown(t, 4, 3)
	for _, name := range []string{"facts-2.log", "graph-2.lacuna", "sum-2.log"} {
		at := maps.Clone(h.files[len(h.files)-1])
		delete(at, name)
		folder := t.TempDir()
		at.write(t, folder)
		_, err := Open(t.Context(), folder, journaltest.Graph(t, journaltest.Base))
		want := filepath.Join(folder, name) + ": the file is missing, and the facts are not whole without it: " + again
		if err == nil || err.Error() != want {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

// Deleting the lock lets nobody in.
func TestLockOfFolder(t *testing.T) {
	folder := t.TempDir()
	first := open(t, folder)
	if first.Log.(*Journal).lock.folder == nil {
		t.Skip("this system does not lock folders")
	}
	if err := os.Remove(filepath.Join(folder, "lock")); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), folder, journaltest.Graph(t, journaltest.Base)); kg.KindOf(err) != kg.Invalid {
		t.Errorf("a second server: %v", err)
	}
	first.Log.Close()
	open(t, folder)
}

// Versions go on by one from start to start, and beyond all that were given where the folder was put back, in whatever way.
func TestVersionsAfterRestore(t *testing.T) {
	h := grown(t, 5, 4)
	last := uint64(5)
	for range 2 {
		opened := open(t, h.folder)
		if got := opened.Log.Head().Version; got != last {
			t.Fatalf("version %d after a restart, want %d", got, last)
		}
		opened.Log.Close()
	}
	for _, earlier := range []int{2, len(h.files) - 1} {
		for name := range filesOf(t, h.folder) {
			if err := os.Remove(filepath.Join(h.folder, name)); err != nil {
				t.Fatal(err)
			}
		}
		h.files[earlier].write(t, h.folder) // the note of the lock stays
		opened := open(t, h.folder)
		version := opened.Log.Head().Version
		if version <= last || journaltest.State(opened.Graph) != h.states[earlier] {
			t.Errorf("version %d after copy %d was put back, %d was given before", version, earlier, last)
		}
		if err := opened.Log.(*Journal).Compact(t.Context(), opened.Graph); err != nil {
			t.Fatal(err)
		}
		if err := opened.Log.(*Journal).Append([]Change{{Add: []kg.Fact{{Head: "x", Relation: "r", Tail: "a"}}}}); err != nil {
			t.Fatal(err)
		}
		opened.Log.Close()
		opened = open(t, h.folder)
		if last = opened.Log.Head().Version; last != version+1 {
			t.Errorf("version %d after a compaction and a change, want %d", last, version+1)
		}
		opened.Log.Close()
	}
}

// torn is a folder of so many changes whose log ends in half a frame, as a crash leaves it.
func torn(t *testing.T, changes int) (folder string) {
	t.Helper()
	h := grown(t, changes, changes+1)
	log := must(os.OpenFile(logFile(h.folder, 1), os.O_WRONLY|os.O_APPEND, 0))
	defer log.Close()
	must(log.Write([]byte("half a frame")))
	return h.folder
}

// A kill before the log says anything new leaves the versions as they were: nothing was restored.
func TestVersionsAfterAKill(t *testing.T) {
	half := []byte("half a frame")
	for killed, leave := range map[string]func(*Journal){
		"before a tail was cut":       func(j *Journal) { must(j.log.WriteAt(half, j.size)); j.announce() },
		"after a tail was cut":        func(j *Journal) { must(j.log.WriteAt(half, j.size)); j.announce(); truncate(t, j) },
		"before a frame was written":  func(j *Journal) { j.announce() },
		"before any byte was written": func(j *Journal) { j.announce(); truncate(t, j) }, // but the time of the file is another
		"never":                       func(*Journal) {},
	} {
		opened := open(t, torn(t, 3))
		if opened.Torn != int64(len(half)) {
			t.Fatalf("%d bytes were torn", opened.Torn)
		}
		leave(opened.Log.(*Journal))
		opened.Log.Close()
		if got := open(t, opened.Name).Log.Head().Version; got != 3 {
			t.Errorf("killed %s: version %d, want 3", killed, got)
		}
	}
}

// truncate is what a kill may leave of a change: the time of the file alone.
func truncate(t *testing.T, j *Journal) {
	t.Helper()
	if err := j.log.Truncate(j.size); err != nil {
		t.Fatal(err)
	}
}

// A log that was changed by nobody who announced it, or long after, was put back.
func TestVersionsAfterUnannouncedChanges(t *testing.T) {
	for _, about := range []struct {
		ago     time.Duration
		version uint64
	}{{time.Minute, 3}, {0, 2}} {
		opened := open(t, grown(t, 3, 4).folder)
		j := opened.Log.(*Journal)
		at := must(placeOf(j.log))
		must(j.lock.file.WriteAt(note{place{at.number, time.Now().Add(-about.ago).UnixNano()}, about.version}.encode(), aboutNote))
		truncate(t, j)
		j.Close()
		if got := open(t, opened.Name).Log.Head().Version; got <= 3 {
			t.Errorf("announced %v before, at version %d: version %d is given again", about.ago, about.version, got)
		}
	}
}

// A start that is killed while it cuts off the torn end of a log that was put back still knows afterwards that it was.
func TestVersionsAfterAKillOfARestoredLog(t *testing.T) {
	folder := torn(t, 3)
	lock := must(os.OpenFile(filepath.Join(folder, "lock"), os.O_RDWR, 0))
	j := &Journal{folder: folder, lock: &folderLock{file: lock}, log: must(os.OpenFile(logFile(folder, 1), os.O_RDWR, 0)), next: 9}
	last, _ := readNote(lock, lastNote)
	j.write(lastNote, last.log) // six changes more than the copy has
	j.next, j.size = 3, int64(len(must(os.ReadFile(j.log.Name()))))-int64(len("half a frame"))
	if err := j.dropTail(must(j.restored(true))); err != nil {
		t.Fatal(err)
	}
	j.log.Close()
	lock.Close()
	if got := open(t, folder).Log.Head().Version; got <= 9 {
		t.Errorf("version %d after a restore of a log that had come to 9", got)
	}
}
