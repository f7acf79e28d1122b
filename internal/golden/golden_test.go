package golden

import (
	"context"
	"encoding/json"
	"math"
	"os"
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
	dir, err := Dir(os.Getenv("LACUNA_GOLDEN"), "gnnqe")
	if err != nil {
		t.Skip(err)
	}
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
		files, err := Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if f.Name != "nbfnet-distmult-pna-concat-weighted" {
				continue
			}
			change(f)
			_, err := Check(context.Background(), plain.New(), f, Options{})
			if err == nil || !strings.Contains(err.Error(), expected) {
				t.Errorf("error %v, expected %q", err, expected)
			}
		}
	}
}

func scale(f *File, name string, by float64) {
	for i := range f.Gradients[name].Data {
		f.Gradients[name].Data[i] *= by
	}
}

func norm(f *File, name string) float64 { return math.Sqrt(sumOfSquares(f.Gradients[name].Data)) }
