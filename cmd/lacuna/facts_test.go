package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/journal"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
)

// What scripts read of a change that was taken back is the change by which it was.
func TestUndoAsJSON(t *testing.T) {
	dir := t.TempDir()
	films, folder := filepath.Join(dir, "films.tsv"), filepath.Join(dir, "facts")
	if err := os.WriteFile(films, []byte("Fellini\tDirected\tRoma\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	splits, err := read.Graph(t.Context(), films, read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	opened, err := journal.Open(t.Context(), folder, splits.Train)
	if err != nil {
		t.Fatal(err)
	}
	added := kg.Fact{Head: "Fellini", Relation: "Directed", Tail: "Amarcord"}
	if err := appendTo(t.Context(), opened, journal.Change{Add: []kg.Fact{added}}); err != nil {
		t.Fatal(err)
	}
	if err := opened.Log.Close(); err != nil {
		t.Fatal(err)
	}
	var out, problems bytes.Buffer
	var undone journal.Change
	if code := run(t.Context(), []string{"facts", "undo", "-g", films, "--facts", folder, "--json"}, nil, &out, &problems); code != 0 {
		t.Fatalf("exit %d: %s", code, &problems)
	}
	if err := json.Unmarshal(out.Bytes(), &undone); err != nil || len(undone.Add) > 0 || len(undone.Remove) != 1 || undone.Remove[0] != added {
		t.Errorf("%s, want the fact removed: %v", &out, err)
	}
}

// TestOtherDatabasesAreMistakes checks the exit code of facts that mean a database which is none of PostgreSQL's.
func TestOtherDatabasesAreMistakes(t *testing.T) {
	for _, command := range [][]string{{"serve", "--demo", "--addr", "127.0.0.1:0"}, {"mcp"}, {"facts", "list"}} {
		var out, problems bytes.Buffer
		code := run(t.Context(), append(command, "--facts", "mysql://x:hush@y/z"), strings.NewReader(""), &out, &problems)
		if said := problems.String(); code != 2 || strings.Count(said, "\n") != 1 || strings.Contains(said, "hush") {
			t.Errorf("%v: exit code %d, %s", command, code, said)
		}
	}
}
