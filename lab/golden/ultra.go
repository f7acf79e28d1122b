package golden

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
)

// UltraFile is a golden file of the foundation model: the answers of a public checkpoint
// on a real graph, either complete or the best of them with the sum of all.
type UltraFile struct {
	Path       string `json:"-"`
	Name       string // of the graph
	Checkpoint string
	Threshold  float32
	Entities   int
	Relations  int
	Triples    int
	Queries    []UltraQuery
}

// UltraQuery is a postfix program with what it must give.
type UltraQuery struct {
	Type          string
	Postfix       []Instruction
	Probabilities []float64
	Sum           float64
	Top           [][2]float64 // entity, probability
}

// Expected agreement: full vectors were computed in float64, the best ones in float32.
const (
	UltraTolerance    = 1e-5
	UltraTopTolerance = 1e-3
)

// LoadUltra reads every file of a folder, in order of their names.
func LoadUltra(dir string) ([]*UltraFile, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	var files []*UltraFile
	for _, path := range paths {
		f := &UltraFile{Path: path}
		if err := readJSON(path, f); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		files = append(files, f)
	}
	return files, nil
}

// beside is a folder beside that of the golden files.
func (f *UltraFile) beside(folder, name string) string {
	return filepath.Join(filepath.Dir(f.Path), "..", "..", folder, name)
}

// CheckpointPath is where the file's checkpoint lies.
func (f *UltraFile) CheckpointPath() string { return f.beside("models", f.Checkpoint) }

// DataPath is where the file's graph lies. FB15k-237 is numbered as in the Query2Box
// release, which holds no graph; BetaE's has the same numbers.
func (f *UltraFile) DataPath() string {
	if f.Name == "FB15k-237" {
		return f.beside("data", f.Name+"-betae")
	}
	return f.beside("data", f.Name)
}

// Graph reads the training graph of the file, whose numbers must be those of the file.
func (f *UltraFile) Graph(ctx context.Context) (*kg.Graph, error) {
	splits, err := read.Graph(ctx, f.DataPath(), read.Options{})
	if err != nil {
		return nil, err
	}
	g := splits.Train
	if g.NumEntities() != f.Entities || g.NumRelations() != f.Relations || f.Triples != 0 && g.NumTriples() != f.Triples {
		return nil, fmt.Errorf("%s: %d entities, %d relations, %d facts, expected %d, %d, %d",
			f.DataPath(), g.NumEntities(), g.NumRelations(), g.NumTriples(), f.Entities, f.Relations, f.Triples)
	}
	return g, nil
}

// CheckUltra runs the file's queries by a model that holds its checkpoint, all in one
// batch, and reports the largest difference of a probability; the error says what disagrees first.
func CheckUltra(ctx context.Context, m *gnn.Model, topology *kernel.Graph, f *UltraFile) (off float64, err error) {
	g, err := m.NewGraph(ctx, topology)
	if err != nil {
		return 0, err
	}
	defer g.Free()
	queries := make([]Query, len(f.Queries))
	for i, q := range f.Queries {
		queries[i] = Query{Type: q.Type, Postfix: q.Postfix}
	}
	r := newProgramRun(m, g, &File{Entities: f.Entities, Queries: queries})
	r.answersOnly = true
	if err := r.forward(ctx); err != nil {
		return 0, err
	}
	sets := download(m.Device(), r.sets)
	for i, q := range f.Queries {
		difference, allowed := q.compare(sets[int(r.stack[i][0])*f.Entities:][:f.Entities])
		off = max(off, difference)
		if !(difference <= allowed) {
			return off, fmt.Errorf("query %d (%s): off by %.2g, allowed are %.2g", i, q.Type, difference, allowed)
		}
	}
	return off, m.Device().Sync()
}

// compare gives the largest difference from what is stated, and how large it may be.
func (q UltraQuery) compare(got []float32) (off, allowed float64) {
	if q.Probabilities != nil {
		return distance(got, q.Probabilities), UltraTolerance
	}
	sum := 0.0
	for _, p := range got {
		sum += float64(p)
	}
	off = math.Abs(sum-q.Sum) / q.Sum
	for _, top := range q.Top {
		off = max(off, math.Abs(float64(got[int(top[0])])-top[1]))
	}
	best := slices.Clone(got)
	slices.Sort(best)
	slices.Reverse(best)
	for i, top := range q.Top { // nothing else is larger
		off = max(off, math.Abs(float64(best[i])-top[1]))
	}
	return off, UltraTopTolerance
}
