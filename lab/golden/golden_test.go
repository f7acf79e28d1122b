package golden

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kernel/plain"
)

func TestInstruction(t *testing.T) {
	var program []Instruction
	if err := json.Unmarshal([]byte(`[["e",9],["p",0],["n"]]`), &program); err != nil {
		t.Fatal(err)
	}
	want := []Instruction{{"e", 9}, {"p", 0}, {"n", 0}}
	for i := range want {
		if program[i] != want[i] {
			t.Errorf("instruction %d is %v, expected %v", i, program[i], want[i])
		}
	}
}

func TestMissingFolder(t *testing.T) {
	if _, err := Dir(t.TempDir(), "gnnqe"); err == nil || !strings.Contains(err.Error(), "LACUNA_GOLDEN") {
		t.Errorf("error %v, expected one that names LACUNA_GOLDEN", err)
	}
}

// Whatever a file states is compared: each wrong statement is found, on the one file
// whose float32 bias gradient is excused for cancelling too.
func TestWrongStatementsAreFound(t *testing.T) {
	for expected, change := range map[string]func(f *File){
		"after instruction":        func(f *File) { f.Queries[0].Steps[1][3] += 3e-5 },
		"probabilities off":        func(f *File) { f.Queries[1].Probabilities[0] += 3e-5 },
		"loss":                     func(f *File) { f.Loss += 3e-5 },
		"gradient of query.weight": func(f *File) { scale(f, "query.weight", 1.001) },
		"gradient of mlp.0.bias":   func(f *File) { scale(f, "mlp.0.bias", 1.01) },
		"gradient of mlp.2.bias":   func(f *File) { f.Gradients["mlp.2.bias"].Data[0] += 1e-3 * norm(f, "mlp.2.weight") },
		"parameter mlp.0.bias":     func(f *File) { f.Parameters["mlp.0.bias"] = Tensor{Shape: []int{1}, Data: []float64{0}} },
		"24 parameters, the model": func(f *File) { f.Parameters["other"] = f.Parameters["mlp.0.bias"] },
	} {
		f := fileNamed(t, "nbfnet-distmult-pna-concat-weighted")
		change(f)
		_, err := Check(context.Background(), plain.New(), f, Options{})
		if err == nil || !strings.Contains(err.Error(), expected) {
			t.Errorf("error %v, expected %q", err, expected)
		}
	}
}

// fileNamed reads one golden file, which must be there.
func fileNamed(t *testing.T, name string) *File {
	files, err := Paper(os.Getenv("LACUNA_GOLDEN"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("no golden file is named %s", name)
	return nil
}

// The repository's files prove the arithmetic of every network and logic without anything beside the clone.
func TestRepositoryHoldsFiles(t *testing.T) {
	files, err := Paper("")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
	}
	want := []string{
		"compgcn-corr", "compgcn-mult", "compgcn-sub", "nbfnet-distmult-max", "nbfnet-distmult-mean",
		"nbfnet-distmult-pna", "nbfnet-distmult-pna-concat-weighted", "nbfnet-distmult-sum-independent",
		"nbfnet-godel", "nbfnet-lukasiewicz", "nbfnet-no-adversarial", "nbfnet-rotate-pna", "nbfnet-transe-pna",
	}
	slices.Sort(names)
	if !slices.Equal(names, want) {
		t.Errorf("golden files %q, expected %q", names, want)
	}
}

func TestEmptyFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "gnnqe"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Paper(dir); err == nil {
		t.Error("a folder without golden files gave no error")
	}
}

func scale(f *File, name string, by float64) {
	for i := range f.Gradients[name].Data {
		f.Gradients[name].Data[i] *= by
	}
}

func norm(f *File, name string) float64 { return math.Sqrt(sumOfSquares(f.Gradients[name].Data)) }
