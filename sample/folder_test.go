package sample

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/snapshot"
)

func TestFoldersAreTheSameWhateverTheThreads(t *testing.T) {
	s := randomSplits(1, 60, 4, 260, 40)
	parent := t.TempDir()
	write := func(name string, threads int) string {
		dir := filepath.Join(parent, "sets", name)
		o := Options{Seed: 3, Counts: everyShape(25), Patience: 20000, Threads: threads, MaxAnswers: 50}
		if _, err := WriteFolder(context.Background(), s, dir, o); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	one, three := write("one", 1), write("three", 3)
	for _, name := range []string{dataset.GraphFile, "train.queries", "valid.queries", "test.queries"} {
		a, errA := os.ReadFile(filepath.Join(one, name))
		b, errB := os.ReadFile(filepath.Join(three, name))
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: %d and %d bytes differ (%v, %v)", name, len(a), len(b), errA, errB)
		}
	}
	if left := names(t, filepath.Join(parent, "sets")); len(left) != 2 {
		t.Errorf("left behind: %v", left)
	}
}

func TestAFolderHoldsWhatWasDrawn(t *testing.T) {
	s := randomSplits(1, 60, 4, 260, 40)
	o := Options{Seed: 3, Counts: everyShape(20), Patience: 20000, MaxAnswers: 50}
	want, _ := collect(t, s, o)
	dir := filepath.Join(t.TempDir(), "set")
	if _, err := WriteFolder(context.Background(), s, dir, o); err != nil {
		t.Fatal(err)
	}
	graph, err := snapshot.Open(filepath.Join(dir, dataset.GraphFile))
	if err != nil {
		t.Fatal(err)
	}
	defer graph.Train.Close()
	if graph.Train.NumTriples() != s.Train.NumTriples() || len(graph.Valid) != len(s.Valid) || len(graph.Test) != len(s.Test) {
		t.Error("the snapshot holds other facts")
	}
	for _, split := range dataset.AllSplits() {
		r, err := dataset.OpenReader(filepath.Join(dir, split.String()+dataset.FileSuffix))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		drawnOf := map[string]int{}
		for _, d := range want {
			if d.Split == split {
				drawnOf[d.Shape]++
			}
		}
		for _, shape := range r.Shapes() {
			if shape.Queries != drawnOf[shape.Shape] {
				t.Errorf("%s %s: %d queries in the file, %d drawn", split, shape.Shape, shape.Queries, drawnOf[shape.Shape])
			}
			delete(drawnOf, shape.Shape)
		}
		if len(drawnOf) > 0 {
			t.Errorf("%s: not in the file: %v", split, drawnOf)
		}
	}
}

func TestAFailureLeavesNoFolder(t *testing.T) {
	s := randomSplits(1, 60, 4, 260, 40)
	parent := t.TempDir()
	dir := filepath.Join(parent, "set")
	ctx, cancel := context.WithCancel(context.Background())
	o := Options{Counts: map[dataset.Split][]Count{dataset.Train: {{"2p", 100}, {"3p", 1 << 30}}}, Patience: 1 << 30}
	o.Progress = func(p Progress) {
		if p.Shape == "3p" {
			cancel()
		}
	}
	if _, err := WriteFolder(ctx, s, dir, o); kg.KindOf(err) != kg.Cancelled {
		t.Errorf("error %v, want one of kind cancelled", err)
	}
	if left := names(t, parent); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestAFolderWithContentsIsRefused(t *testing.T) {
	s := randomSplits(1, 60, 4, 260, 40)
	dir := t.TempDir()
	o := Options{Counts: map[dataset.Split][]Count{dataset.Train: {{"2p", 10}}}}
	if _, err := WriteFolder(context.Background(), s, dir, o); err != nil {
		t.Errorf("an empty folder was refused: %v", err)
	}
	if _, err := WriteFolder(context.Background(), s, dir, o); kg.KindOf(err) != kg.Invalid {
		t.Errorf("a set was written over another: %v", err)
	}
	if _, err := WriteFolder(context.Background(), s, filepath.Join(dir, dataset.GraphFile), o); kg.KindOf(err) != kg.Invalid {
		t.Errorf("a file was taken for a folder: %v", err)
	}
}

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
