package server

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/lacuna-kg/lacuna/journal"
	"github.com/lacuna-kg/lacuna/kg"
)

// TestInterruptedCopiesOfAServer copies the folder of a server that is written to and compacts its log often, file by file in the
// documented order, and stops at every file and within it. A copy that is opened has all that was confirmed before it
// was begun, but for what its own cut took away; else it is refused, and nothing of it is touched. LACUNA_COPIES says how many.
func TestInterruptedCopiesOfAServer(t *testing.T) {
	copies := 24
	if text := os.Getenv("LACUNA_COPIES"); text != "" {
		var err error
		if copies, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	folder := t.TempDir()
	server, url, err := startServer(folder)
	if err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup
	var confirmed atomic.Int64
	clients := []*client{newClient(0), newClient(1)}
	for _, c := range clients {
		writers.Go(func() { c.run(url, &confirmed) })
	}
	rng, outcomes := rand.New(rand.NewPCG(5, 6)), map[string]int{}
	for i := range copies {
		before := confirmed.Load()
		eventually(t, func() bool { return confirmed.Load() >= before+3 })
		known := posted.FindAllString(dumped(t, url), -1)
		outcomes[copyOnce(t, folder, i%4, rng, known)]++
	}
	if err := server.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = server.Wait() // it was killed
	writers.Wait()
	checkFolder(t, folder, clients)
	t.Logf("%d copies of a log with %d confirmed changes: %v", copies, confirmed.Load(), outcomes)
	if outcomes["opened whole"] == 0 || outcomes["refused"] == 0 {
		t.Errorf("%v: one of the two never happens", outcomes)
	}
}

// copyOnce copies the newest generation up to a file, which it cuts short, or whole, and opens the copy.
func copyOnce(t *testing.T, folder string, stop int, rng *rand.Rand, known []string) string {
	t.Helper()
	to := t.TempDir()
	files := newestFiles(t, folder)
	whole := stop >= len(files)
	for n, file := range files {
		data, err := os.ReadFile(filepath.Join(folder, file))
		if errors.Is(err, fs.ErrNotExist) {
			return "compacted meanwhile" // which is when one begins again
		}
		if err != nil {
			t.Fatal(err)
		}
		if n == stop {
			data = data[:rng.IntN(len(data)+1)]
		}
		if err := os.WriteFile(filepath.Join(to, file), data, 0o666); err != nil {
			t.Fatal(err)
		}
		if n == stop {
			break
		}
	}
	before := contents(t, to)
	opened, err := journal.Open(t.Context(), to, smallGraph(t))
	switch {
	case err != nil && (whole || kg.KindOf(err) != kg.Invalid):
		t.Fatalf("copy up to %d of %v: %v", stop, files, err)
	case err != nil:
		if after := contents(t, to); after != before {
			t.Fatalf("a copy that is refused was changed: %v", err)
		}
		return "refused"
	}
	defer opened.Log.Close()
	if !whole {
		return "opened in part" // its log was cut: what is before the cut is there
	}
	for _, name := range known { // facts may be taken back meanwhile, their names stay
		if _, found := opened.Graph.Entities.Names.Find(name); !found {
			t.Fatalf("%s was stated before the copy was begun, which does not know it", name)
		}
	}
	return "opened whole"
}

// posted finds the names of what clients posted.
var posted = regexp.MustCompile(`c[0-9]+-[0-9]+`)

// dumped is what a server states.
func dumped(t *testing.T, url string) string {
	t.Helper()
	status, text := answered(t, url+"/dump", "")
	if status != http.StatusOK {
		t.Fatalf("%d %s", status, text)
	}
	return text
}

// newestFiles are those of the highest generation in the order to copy them: the graph, the sum, the log.
func newestFiles(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	generation := 0
	for _, e := range entries {
		var n int
		if _, err := fmt.Sscanf(e.Name(), "facts-%d.log", &n); err == nil && strings.HasPrefix(e.Name(), "facts-") {
			generation = max(generation, n)
		}
	}
	log := fmt.Sprintf("facts-%d.log", generation)
	if generation == 1 {
		return []string{log}
	}
	return []string{fmt.Sprintf("graph-%d.lacuna", generation), fmt.Sprintf("sum-%d.log", generation), log}
}

// contents is all that a folder holds but its lock, to compare.
func contents(t *testing.T, folder string) string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		if e.Name() != "lock" {
			data, err := os.ReadFile(filepath.Join(folder, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, e.Name()+string(data))
		}
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}
