package links

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/ranks"
)

// writeTogether makes a file on several ranks of this process, each with rows of its own, and gives rank 0's error.
func writeTogether(t *testing.T, size int, path string, seed uint64, top int, stopAfter int) error {
	t.Helper()
	network, errs := ranks.Local(size), make([]error, size)
	var all sync.WaitGroup
	for rank := range size {
		all.Go(func() {
			team, err := ranks.Start(func() (ranks.Link, error) { return network[rank], nil }, ranks.Options{})
			if err != nil {
				errs[rank] = err
				return
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			w, _ := writing(seed, top)
			w.Sharing = Sharing{Team: team, Round: 3}
			w.Progress = func(done, _ int) {
				if stopAfter > 0 && done >= stopAfter {
					cancel()
				}
			}
			_, errs[rank] = WriteFile(ctx, path, w)
			team.Leave(ranks.LastWord(errs[rank]))
		})
	}
	all.Wait()
	for rank, err := range errs {
		if (err == nil) != (errs[0] == nil) {
			t.Errorf("rank %d ends by %v, rank 0 by %v", rank, err, errs[0])
		}
	}
	return errs[0]
}

// Ranks write the file of one process to the byte, also when they go on with what others began.
func TestWriteTogether(t *testing.T) {
	for _, top := range []int{0, 2} {
		dir := t.TempDir()
		alone := filepath.Join(dir, "alone.links")
		w, _ := writing(5, top)
		if _, err := WriteFile(t.Context(), alone, w); err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(alone)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{2, 3} {
			path := filepath.Join(dir, "together.links")
			if err := writeTogether(t, size, path, 5, top, len(w.Pairs)/2); kg.KindOf(err) != kg.Cancelled && err != context.Canceled {
				t.Fatalf("stopped: %v", err)
			}
			if err := writeTogether(t, size+1, path, 5, top, 0); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(path)
			if err != nil || string(got) != string(want) {
				t.Errorf("%d ranks wrote another file than one process (%v)", size, err)
			}
			os.Remove(path)
		}
	}
}
