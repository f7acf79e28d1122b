package lacuna_test

import (
	"path/filepath"
	"testing"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/factor"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/turing"
)

// A model with vectors beside it is a model as any other: it answers by links otherwise than before, and by sets as before.
func TestLearnFactors(t *testing.T) {
	engine := linked(t)
	defer engine.Close()
	how := lacuna.FactorOptions{Options: factor.DefaultOptions(), As: checkpoint.Bytes}
	how.Rank, how.Epochs = 8, 3
	splits, err := lacuna.Embedded(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	how.Held = splits.Test
	file := filepath.Join(t.TempDir(), "both.safetensors")
	blend, err := engine.LearnFactors(t.Context(), file, how)
	if err != nil || blend.Check() != nil {
		t.Fatalf("weights %+v, %v", blend, err)
	}
	if card, _ := engine.Card(); card.Factors != nil {
		t.Error("the engine's own model has the vectors too")
	}
	both := linked(t, lacuna.Model(file))
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
	if _, err := exact.LearnFactors(t.Context(), file, how); kg.KindOf(err) != kg.Invalid {
		t.Errorf("without a model: %v", err)
	}
}
