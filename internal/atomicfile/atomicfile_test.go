package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// names lists a folder, hidden files included.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, entry := range entries {
		list = append(list, entry.Name())
	}
	return list
}

func TestCommitReplacesAndAbortLeavesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	if err := Write(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	aborted, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := aborted.WriteString("half"); err != nil {
		t.Fatal(err)
	}
	aborted.Abort()
	if err := Write(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil || string(data) != "new" {
		t.Errorf("the file holds %q, %v; want new", data, err)
	}
	if list := names(t, filepath.Dir(path)); len(list) != 1 {
		t.Errorf("the folder holds %q, want the file alone", list)
	}
}

func TestAbortAfterCommitKeepsTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	f.Abort()
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

func TestDevicesAndFoldersAreNotReplaced(t *testing.T) {
	for _, path := range []string{t.TempDir(), os.DevNull} {
		if err := Write(path, nil); !errors.Is(err, ErrNotAFile) {
			t.Errorf("%s: %v, want %v", path, err, ErrNotAFile)
		}
	}
}

func TestFolderAppearsWholeOrNotAtAll(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "below", "set")
	broken := errors.New("broken")
	fill := func(outcome error) func(string) error {
		return func(passing string) error {
			if err := os.WriteFile(filepath.Join(passing, "file"), nil, 0o666); err != nil {
				return err
			}
			return outcome
		}
	}
	if err := Folder(dir, fill(broken)); !errors.Is(err, broken) {
		t.Errorf("%v, want the error of fill", err)
	}
	if list := names(t, filepath.Dir(dir)); len(list) != 0 {
		t.Errorf("a failed folder left %q", list)
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := Folder(dir, fill(nil)); err != nil {
		t.Errorf("in place of an empty folder: %v", err)
	}
	if err := Folder(dir, fill(nil)); err == nil {
		t.Error("a folder that holds a file was replaced")
	}
	if list := names(t, dir); len(list) != 1 {
		t.Errorf("the folder holds %q", list)
	}
}

// What a killed process left behind goes with the next attempt at the same file; what another is writing, and what is not ours, stays.
func TestStaleFilesAreRemoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "part.parquet")
	stale, others := passingName(path), []string{passingName(path + "2"), filepath.Join(filepath.Dir(path), ".part.parquet.notours1.tmp")}
	for _, name := range append(others, stale) {
		if err := os.WriteFile(name, []byte("half"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	first, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Abort()
	second, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Abort()
	for _, name := range append(others, first.Name(), second.Name()) {
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(stale); err == nil {
		t.Errorf("%s is still there", stale)
	}
	if err := first.Commit(); err != nil {
		t.Error(err)
	}
}

// Many may write the same file at once: nobody takes what another writes for stale.
func TestManyWriters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "graph")
	var writers sync.WaitGroup
	for range 8 {
		writers.Go(func() {
			for range 40 {
				if err := Write(path, []byte("whole")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	if text, err := os.ReadFile(path); err != nil || string(text) != "whole" {
		t.Errorf("%q, %v", text, err)
	}
	if list := names(t, filepath.Dir(path)); len(list) != 1 {
		t.Errorf("the folder holds %q", list)
	}
}
