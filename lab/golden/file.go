// Package golden reads the golden files of the GNN-QE method and checks any device
// against them: the sets after every instruction, the loss and all gradients. It is
// used by tests and by the self test of the command line.
package golden

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
)

// File is one golden file.
type File struct {
	Name       string
	Config     Config
	Entities   int
	Relations  int
	Edges      [][3]int32 // head, relation, tail; inverses included, the inverse of r is r^1
	Parameters map[string]Tensor
	Queries    []Query
	Loss       float64
	Gradients  map[string]Tensor
}

// Config is the model's with the settings of logic and loss.
type Config struct {
	gnn.Config
	Logic       string
	Temperature float32 `json:"adversarial_temperature"`
	ByAnswers   bool    `json:"sample_weight"`
}

// Tensor is row-major.
type Tensor struct {
	Shape []int
	Data  []float64
}

// Query is a postfix program with what it must give.
type Query struct {
	Type          string
	Postfix       []Instruction
	Answers       []int32
	Steps         [][]float64 // the set after each instruction
	Probabilities []float64
}

// Instruction is ["e", entity], ["p", relation], ["n"], ["i"] or ["u"].
type Instruction struct {
	Op      string
	Operand int32
}

// UnmarshalJSON reads the array form.
func (i *Instruction) UnmarshalJSON(data []byte) error {
	parts := []any{&i.Op, &i.Operand}
	return json.Unmarshal(data, &parts)
}

// Dir finds a folder of golden files: below the one given (LACUNA_GOLDEN), else in the
// repository, else below ../shared/golden beside it.
func Dir(configured, name string) (string, error) {
	folders := []string{configured}
	if configured == "" {
		root, err := moduleRoot()
		if err != nil {
			return "", err
		}
		folders = []string{filepath.Join(root, "lab", "golden", "testdata"), filepath.Join(root, "..", "shared", "golden")}
	}
	dir := ""
	for _, folder := range folders {
		dir = filepath.Join(folder, name)
		if _, err := os.Stat(dir); err == nil {
			return dir, nil
		}
	}
	return "", fmt.Errorf("no golden files in %s (set LACUNA_GOLDEN to their folder; docs/data.md)", dir)
}

func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no go.mod above the working directory")
		}
		dir = filepath.Dir(dir)
	}
	return "", err
}

// Paper reads the golden files of the paper's networks, from below the folder given
// (LACUNA_GOLDEN) or from the repository. A folder without any is an error: a proof of
// nothing must not look like one.
func Paper(configured string) ([]*File, error) {
	dir, err := Dir(configured, "gnnqe")
	if err != nil {
		return nil, err
	}
	files, err := Load(dir)
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s holds no golden files (docs/data.md)", dir)
	}
	return files, err
}

// Load reads every file of a folder, in order of their names.
func Load(dir string) ([]*File, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.json*"))
	if err != nil {
		return nil, err
	}
	var files []*File
	for _, path := range paths {
		f := &File{}
		if err := readJSON(path, f); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		files = append(files, f)
	}
	return files, nil
}

// readJSON reads a file, compressed if its name says so.
func readJSON(path string, into any) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if filepath.Ext(path) != ".gz" {
		return json.NewDecoder(file).Decode(into)
	}
	packed, err := gzip.NewReader(file)
	if err != nil {
		return err
	}
	return json.NewDecoder(packed).Decode(into)
}

// graph is the file's topology.
func (f *File) graph() (*kernel.Graph, error) {
	edges := make([]kernel.Edge, len(f.Edges))
	for i, e := range f.Edges {
		edges[i] = kernel.Edge{Head: e[0], Relation: e[1], Tail: e[2]}
	}
	inverse := make([]bool, f.Relations)
	for r := range inverse {
		inverse[r] = r%2 == 1
	}
	return kernel.NewGraph(f.Entities, f.Relations, edges, inverse)
}
