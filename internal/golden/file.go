// Package golden reads the golden files of the GNN-QE method and checks any device
// against them: the sets after every instruction, the loss and all gradients. It is
// used by tests and by the self test of the command line.
package golden

import (
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

// Dir finds a folder of golden files: below the one given (LACUNA_GOLDEN), else below
// ../shared/golden beside the module's root.
func Dir(configured, name string) (string, error) {
	if configured == "" {
		root, err := moduleRoot()
		if err != nil {
			return "", err
		}
		configured = filepath.Join(root, "..", "shared", "golden")
	}
	dir := filepath.Join(configured, name)
	if _, err := os.Stat(dir); err != nil {
		return "", fmt.Errorf("no golden files in %s (set LACUNA_GOLDEN to their folder; docs/data.md)", dir)
	}
	return dir, nil
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

// Load reads every file of a folder, in order of their names.
func Load(dir string) ([]*File, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	var files []*File
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		f := &File{}
		if err := json.Unmarshal(data, f); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		files = append(files, f)
	}
	return files, nil
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
