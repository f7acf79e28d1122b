package neural

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
)

// saved writes a small model of random parameters and returns its file and parameters.
func saved(t *testing.T, seed uint64, change func(*checkpoint.Card)) (file string, values []float32) {
	t.Helper()
	card := checkpoint.Card{
		Config:  gnn.Spec{Config: gnn.Config{Kind: gnn.NBFNet, Message: "distmult", Aggregate: "pna", Width: 4, Layers: 2, Dependent: true}},
		Graph:   checkpoint.Graph{Name: "rings", Vocabulary: "one", Relations: []string{"next"}},
		Metrics: map[string]float64{"valid_mrr": 0.5},
	}
	change(&card)
	m, err := card.Config.New(plain.New(), 2, seed)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	values = make([]float32, m.Parameters.Len)
	m.Device().Download(values, m.Parameters.Values)
	file = filepath.Join(t.TempDir(), "model.safetensors")
	if err := checkpoint.Save(file, m, card, checkpoint.Single); err != nil {
		t.Fatal(err)
	}
	return file, values
}

// meanOf opens the mean of two models and holds its parameters to theirs.
func meanOf(t *testing.T, first, second string, a, b []float32) *Model {
	t.Helper()
	mean, err := OpenMean([]string{first, second}, plain.New())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(mean.Close)
	got := make([]float32, len(a))
	mean.Network.Device().Download(got, mean.Network.Parameters.Values)
	for i := range got {
		if want := float32((float64(a[i]) + float64(b[i])) / 2); got[i] != want {
			t.Fatalf("parameter %d is %v, the mean of %v and %v is %v", i, got[i], a[i], b[i], want)
		}
	}
	return mean
}

func TestMeanOfModels(t *testing.T) {
	as := func(*checkpoint.Card) {}
	first, a := saved(t, 1, as)
	second, b := saved(t, 2, as)
	mean := meanOf(t, first, second, a, b)
	if card := mean.Card; card.Averaged != 2 || card.Metrics != nil {
		t.Errorf("the card says %d models and metrics %v", card.Averaged, card.Metrics)
	}

	for want, change := range map[string]func(*checkpoint.Card){
		"its network, threshold, negation or bias is not": func(c *checkpoint.Card) { c.Config.Layers = 3 },
		"its network, threshold, negation or bias":        func(c *checkpoint.Card) { c.Config.Negation = -0.5 },
		"it is of another graph":                          func(c *checkpoint.Card) { c.Graph.Vocabulary = "two" },
		"it is calibrated":                                func(c *checkpoint.Card) { c.Calibration = []byte(`{}`) },
	} {
		other, _ := saved(t, 3, change)
		if _, err := OpenMean([]string{first, other}, plain.New()); kg.KindOf(err) != kg.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// A foundation model has no parameters of a graph: those of different graphs have a mean.
func TestMeanOfFoundationModels(t *testing.T) {
	on := func(graph string) func(*checkpoint.Card) {
		return func(c *checkpoint.Card) {
			c.Config = gnn.Spec{Config: gnn.Config{Kind: gnn.Alternating, Message: "distmult", Aggregate: "pna", Width: 8, Layers: 2}}
			c.Graph.Vocabulary = graph
		}
	}
	first, a := saved(t, 1, on("one"))
	second, b := saved(t, 2, on("two"))
	meanOf(t, first, second, a, b)
}
