package train

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/neural"
)

func startOf(t testing.TB, dir string, d kernel.Device) *neural.Model {
	t.Helper()
	m, card, err := checkpoint.Load(filepath.Join(dir, checkpoint.BestFile), d)
	if err != nil {
		t.Fatal(err)
	}
	return neural.NewModel("before", m, card)
}

func parametersOf(m *gnn.Model) []float32 {
	values := make([]float32, m.Parameters.Len)
	m.Device().Download(values, m.Parameters.Values)
	return values
}

// A run from a model begins with its parameters, on another graph for a foundation model,
// and can be resumed without naming the model again.
func TestStartFromAModel(t *testing.T) {
	before := several(t)
	mustRun(t, before)
	o := mixed(t)
	o.Graphs[0].Facts = randomGraph(50, 25, 5, 90)
	o.Graphs[0].Queries = drawer(t, o.Graphs[0].Facts, o.Config)
	o.Graphs[0].Validate = nil
	o.Start = startOf(t, before.Dir, o.Device)
	started := parametersOf(o.Start.Network)
	ctx, cancel := context.WithCancel(context.Background())
	o.Config.Rate = 1e-30 // so that a step changes nothing
	o.Progress = func(Progress) { cancel() }
	if _, err := Run(ctx, o); kg.KindOf(err) != kg.Cancelled {
		t.Fatal(err)
	}
	m, card := loadModel(t, filepath.Join(o.Dir, checkpoint.LastFile))
	if !slices.Equal(parametersOf(m), started) || card.From != "before" || card.Config.Kind != gnn.Ultra {
		t.Errorf("the run did not begin with the model: card %+v", card)
	}
	o.Resume, o.Start, o.Progress = true, nil, nil
	mustRun(t, o)
	if _, card := loadModel(t, filepath.Join(o.Dir, checkpoint.LastFile)); card.From != "before" || card.Config.Config != tinyUltra() {
		t.Errorf("resumed: card %+v", card)
	}
}

// The model that a run begins with is measured first, and kept where no step does better.
func TestTrainingNeverEndsBelowItsStart(t *testing.T) {
	before := several(t)
	mustRun(t, before)
	for name, worse := range map[string]bool{"worse": true, "better": false} {
		o := mixed(t)
		o.Start = startOf(t, before.Dir, o.Device)
		started := parametersOf(o.Start.Network)
		measured := 0.0
		o.Graphs[0].Validate = func(context.Context, Trained) (Score, error) {
			measured++
			if worse {
				return Score{MRR: 1 / measured}, nil
			}
			return Score{MRR: measured / 100}, nil
		}
		result, err := Run(t.Context(), o)
		if err != nil || result.Start == nil {
			t.Fatalf("%s: %+v, %v", name, result, err)
		}
		best, card := loadModel(t, filepath.Join(o.Dir, checkpoint.BestFile))
		if slices.Equal(parametersOf(best), started) != worse || (result.BestStep == 0) != worse || (result.Best.MRR == result.Start.MRR) != worse {
			t.Errorf("%s: %+v", name, result)
		}
		if card.Metrics["valid_mrr"] != result.Best.MRR {
			t.Errorf("%s: the card has %v, the result %v", name, card.Metrics, result.Best)
		}
	}
}

// A model with parameters of its own for relations fits only graphs with the same ones.
func TestStartWantsTheSameRelations(t *testing.T) {
	before := mixed(t)
	mustRun(t, before)
	o := mixed(t)
	o.Start = startOf(t, before.Dir, o.Device)
	mustRun(t, o)
	o = mixed(t)
	o.Start = startOf(t, before.Dir, o.Device)
	o.Graphs[0].Facts = randomGraph(5, 16, 4, 60)
	if _, err := Run(context.Background(), o); err == nil || !strings.Contains(err.Error(), "8 relations where the model's has 6") {
		t.Errorf("error %v", err)
	}
}
