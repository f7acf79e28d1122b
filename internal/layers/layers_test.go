// Package layers holds the project to its layering: a package imports only from
// layers below its own. The order is explained in ARCHITECTURE.md.
package layers

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

const module = "github.com/lacuna-kg/lacuna"

// layers lists the packages from the bottom up; those in one layer do not know each other.
var layers = [][]string{
	{"kernel", "internal/atomicfile", "internal/count", "internal/lines", "internal/pickle", "internal/script", "internal/gradcheck", "internal/mapped", "internal/memory", "internal/pace", "internal/packed", "internal/parallel", "internal/rdf", "internal/sorted", "internal/chromium", "internal/pgtest", "foundation", "turing", "server/web", "server/attack"},
	{"kg", "kernel/plain"},
	{"complete", "configs", "ranks", "fuzzy", "query", "sparql/term", "sparql/limit", "gnn", "cut", "factor", "kg/endpoint", "kg/reason", "kg/snapshot", "kernel/conformance", "kernel/cpu", "kernel/cuda", "worlds", "internal/synth"},
	{"ranks/mpi", "browse", "plan", "symbolic", "checkpoint", "sparql/syntax", "sparql/function", "sparql/results", "journal", "kg/read"},
	{"exec", "dataset", "kg/write", "journal/postgres", "journal/journaltest", "sparql/algebra", "sparql/predict"},
	{"neural", "links", "sample", "sparql/eval"},
	{"eval", "join", "train", "sparql", "links/partition"},
	{"answer", "train/prepare", "sparql/protocol", "sparql/sparqltest", "sample/pattern"},
	{"explain", "links/fit", "coverage"},
	{"gaps"},
	{""},
	{"server", "internal/laureates"},
	{"mcp"},
	{"lab/golden"},
	{"internal/command", "lab/bench", "lab/calibrate", "lab/inwords", "lab/linkbench", "lab/load", "lab/selftest", "lab/sparqlbench", "lab/tuples"},
	{"lab"},
	{"cmd/lacuna", "cmd/lacuna-lab", "server/attack/run"},
	{"internal/layers", "internal/skips", "internal/docs", "internal/release", "kernel/cuda/gen"},
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
	for pkg, imports := range packages(t, "../..") {
		layer, known := layerOf(pkg)
		if !known {
			t.Errorf("%s has no layer: add it to the table above, and a row to ARCHITECTURE.md", pkg)
			continue
		}
		for imported := range imports {
			below, ours := layerOf(imported)
			if ours && below >= layer {
				t.Errorf("%s (layer %d) imports %s (layer %d)", pkg, layer, imported, below)
			}
		}
	}
}

// The laboratory measures the product, which does without it.
func TestProductDoesNotImportTheLaboratory(t *testing.T) {
	ofLab := func(pkg string) bool {
		pkg = strings.TrimPrefix(pkg, module+"/")
		return pkg == "lab" || pkg == "cmd/lacuna-lab" || strings.HasPrefix(pkg, "lab/")
	}
	for pkg, imports := range packages(t, "../..") {
		for imported := range imports {
			if ofLab(imported) && !ofLab(pkg) {
				t.Errorf("%s imports %s, which is of the laboratory", pkg, imported)
			}
		}
	}
}

// packages gives what each package of the module imports, its tests left out.
func packages(t *testing.T, root string) map[string]map[string]bool {
	all := map[string]map[string]bool{}
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			return skipFolder(root, file)
		case !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		folder, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		pkg := path.Join(module, filepath.ToSlash(folder))
		if all[pkg] == nil {
			all[pkg] = map[string]bool{}
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, imported := range parsed.Imports {
			all[pkg][strings.Trim(imported.Path.Value, `"`)] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// skipFolder leaves out what is no part of the module: data, hidden folders, and generators with a module of their own.
func skipFolder(root, folder string) error {
	name := filepath.Base(folder)
	_, err := os.Stat(filepath.Join(folder, "go.mod"))
	if folder != root && (err == nil || name == "testdata" || name == "dist" || strings.HasPrefix(name, ".")) {
		return filepath.SkipDir
	}
	return nil
}
