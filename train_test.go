package lacuna_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/train"
)

// A training that cannot begin says why and leaves nothing open, of the sources nor on the device.
func TestFailedTrainingLeavesNothing(t *testing.T) {
	file, device := filmSnapshot(t), &ledger{Device: plain.New()}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	half, cut, wrong := train.Default(), train.Default(), train.Default()
	half.TrainFraction, cut.Parts, wrong.Steps = 0.5, 2, -1
	for want, c := range map[string]struct {
		ctx      context.Context
		training lacuna.Training
	}{
		"nowhere":                   {t.Context(), lacuna.Training{Graphs: []string{file}, From: "nowhere"}},
		"no such graph":             {t.Context(), lacuna.Training{Graphs: []string{file, "no such graph"}, From: lacuna.Foundation}},
		"steps":                     {t.Context(), lacuna.Training{Graphs: []string{file}, Config: &wrong}},
		"of stored queries only":    {t.Context(), lacuna.Training{Graphs: []string{file}, Config: &half}},
		"cut out of graphs":         {t.Context(), lacuna.Training{Queries: []string{"queries"}, Config: &cut, From: lacuna.Foundation}},
		"expected one of the two":   {t.Context(), lacuna.Training{Graphs: []string{file}, Queries: []string{"queries"}}},
		"only ultra":                {t.Context(), lacuna.Training{Graphs: []string{file, file}}},
		"holds no run to resume":    {t.Context(), lacuna.Training{Graphs: []string{file}, Resume: true}},
		"context canceled":          {ended, lacuna.Training{Graphs: []string{file}, From: lacuna.Foundation}},
		"no such folder of queries": {t.Context(), lacuna.Training{Queries: []string{"no such folder of queries"}}},
	} {
		c.training.Device = device
		_, err := lacuna.Train(c.ctx, filepath.Join(t.TempDir(), "model"), c.training)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
		if mapped(t, file) || device.open != 0 {
			t.Errorf("%s: file open %v, %d buffers and graphs on the device", want, mapped(t, file), device.open)
		}
	}
}

// Without a configuration it is the default, with a model to start from that for fine-tuning.
func TestTrainingChoosesItsConfiguration(t *testing.T) {
	usual, finer := begun(t, lacuna.Training{}), begun(t, lacuna.Training{From: lacuna.Foundation})
	if usual.Steps != train.Default().Steps || usual.Steps == finer.Steps {
		t.Errorf("%d steps, and %d for fine-tuning", usual.Steps, finer.Steps)
	}
}

// begun is the configuration of a training that is stopped when it begins.
func begun(t *testing.T, training lacuna.Training) (config train.Config) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	training.Graphs, training.Device = []string{filmSnapshot(t)}, plain.New()
	training.Observe = func(event train.Event) {
		if begun, ok := event.(train.Begun); ok {
			config = begun.Options.Config
			cancel()
		}
	}
	if _, err := lacuna.Train(ctx, filepath.Join(t.TempDir(), "model"), training); kg.KindOf(err) != kg.Cancelled {
		t.Fatalf("error %v", err)
	}
	return config
}
