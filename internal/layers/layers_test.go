// Package layers holds the project to its layering: a package imports only from
// layers below its own. The order is explained in ARCHITECTURE.md.
package layers

import (
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/lacuna-kg/lacuna"

// layers lists the packages from the bottom up; those in one layer do not know each other.
var layers = [][]string{
	{"internal/pickle", "internal/script", "internal/gradcheck", "turing"},
	{"kg", "kernel"},
	{"fuzzy", "query", "gnn", "kernel/conformance", "kernel/cpu", "internal/synth"},
	{"plan", "symbolic", "checkpoint", "internal/golden"},
	{"exec", "dataset"},
	{"sample", "train", "eval"},
	{""},
	{"cmd/lacuna"},
	{"internal/layers"},
}

func layerOf(pkg string) (int, bool) {
	for i, layer := range layers {
		for _, member := range layer {
			if strings.TrimSuffix(module+"/"+member, "/") == pkg {
				return i, true
			}
		}
	}
	return 0, false
}

func TestImportsPointDown(t *testing.T) {
	list, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for line := range strings.Lines(string(list)) {
		fields := strings.Fields(line)
		layer, known := layerOf(fields[0])
		if !known {
			t.Errorf("%s has no layer: add it to the table above and to ARCHITECTURE.md", fields[0])
			continue
		}
		for _, imported := range fields[1:] {
			below, ours := layerOf(imported)
			if ours && below >= layer {
				t.Errorf("%s (layer %d) imports %s (layer %d)", fields[0], layer, imported, below)
			}
		}
	}
}
