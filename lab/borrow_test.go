package lab

import (
	"path/filepath"
	"testing"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/factor"
	"github.com/lacuna-kg/lacuna/internal/laureates"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/lab/calibrate"
	"github.com/lacuna-kg/lacuna/turing"
)

// A model with vectors beside it is a model as any other: it answers by links otherwise than before, and by sets as before.
func TestLearnFactors(t *testing.T) {
	engine := laureates.Engine(t, lacuna.Turing)
	defer engine.Close()
	how := factorOptions{Options: factor.DefaultOptions(), As: checkpoint.Bytes}
	how.Rank, how.Epochs = 8, 3
	splits, err := lacuna.Read(t.Context(), "", lacuna.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	how.Held = splits.Test
	file := filepath.Join(t.TempDir(), "both.safetensors")
	blend, err := learnFactors(t.Context(), engine, file, how)
	if err != nil || blend.Check() != nil {
		t.Fatalf("weights %+v, %v", blend, err)
	}
	if engine.Model().Factors != nil {
		t.Error("the engine's own model has the vectors too")
	}
	both := laureates.Engine(t, file)
	defer both.Close()
	before, after := probabilities(t, engine, turing.PaperQuestion), probabilities(t, both, turing.PaperQuestion)
	changed := 0
	for name, p := range after {
		if p != before[name] {
			changed++
		}
	}
	if changed == 0 {
		t.Errorf("vectors change nothing of %v", before)
	}
	exact, err := lacuna.Open(t.Context(), "", lacuna.Model(lacuna.Exact))
	if err != nil {
		t.Fatal(err)
	}
	defer exact.Close()
	if _, err := learnFactors(t.Context(), exact, file, how); kg.KindOf(err) != kg.Invalid {
		t.Errorf("without a model: %v", err)
	}
}

// probabilities are those of the answers to a question, by name.
func probabilities(t *testing.T, engine *lacuna.Engine, question string) map[string]float32 {
	t.Helper()
	result, err := engine.Ask(t.Context(), question)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]float32{}
	for _, a := range result.Shown() {
		all[a.Entity] = a.Probability
	}
	return all
}

// A calibrated model is a file, and a model like any other; one of too few facts is refused.
func TestCalibrateModel(t *testing.T) {
	engine := laureates.Engine(t, lacuna.TuringOfSets)
	defer engine.Close()
	file := filepath.Join(t.TempDir(), "calibrated.safetensors")
	report, err := calibrateModel(t.Context(), engine, file, calibrate.Options{Fit: 40, Queries: 5, Shapes: []string{"1p"}, Seed: 1})
	if err != nil || report.Hidden == 0 {
		t.Fatalf("%+v, %v", report, err)
	}
	calibrated := laureates.Engine(t, file)
	defer calibrated.Close()
	if calibrated.Model().Calibration == nil || engine.Model().Calibration != nil {
		t.Error("the calibration is not in the file alone")
	}
}
