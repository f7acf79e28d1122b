package train

import (
	"context"
	"math"
	"testing"

	"github.com/lacuna-kg/lacuna/cut"
	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/neural"
)

// cutFeed is a feed of one graph whose queries run on cuts of a size, which may be that of the graph.
func cutFeed(t testing.TB, g *kg.Graph, c Config, size int) *feed {
	return &feed{
		config: c, sources: []Source{drawer(t, g, c)}, dropout: []*dropout{nil},
		cutting: []*cutting{{cut.New(g, size), c}}, size: c.Batch, tells: c.KnownWeight != 1,
	}
}

// cutLearner is a model on the parts of a graph.
func cutLearner(t testing.TB, d *plain.Device[float64], g *kg.Graph, c Config) *learner {
	t.Helper()
	m, err := c.Model.New(d, g.NumRelations(), 4)
	if err != nil {
		t.Fatal(err)
	}
	m.KeepRelationGraph = true
	whole, err := m.NewWhole(t.Context(), neural.Meetings(g))
	if err != nil {
		t.Fatal(err)
	}
	l, err := newLearner(c, freshState(m), []place{{whole: whole, cut: 1}})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func prepared1(t testing.TB, f *feed) *batch {
	t.Helper()
	b, err := f.prepare(context.Background(), job{step: 1})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func gradientOf(t testing.TB, l *learner, b *batch) (gradient []float32, loss float64) {
	t.Helper()
	loss, err := l.gradients(context.Background(), b)
	if err != nil {
		t.Fatal(err)
	}
	gradient = make([]float32, l.grads.Len)
	l.device.Download(gradient, l.grads.Values)
	return gradient, loss
}

// networks are one of each way to come by relation vectors.
func networks() []gnn.Config {
	pna := tinyUltra()
	pna.Aggregate = "pna"
	return []gnn.Config{small(nil).Model.Config, pna, tinyAlternating()}
}

// On cuts as large as the graph a step is that of the graph: the queries of a batch together where nothing is hidden, one
// alone with what is hidden of it.
func TestCutsOfAllAreTheGraph(t *testing.T) {
	g := randomGraph(8, 24, 3, 70)
	shapes := map[string]int{"1p": 2, "2p": 1, "2i": 1, "pin": 1}
	for _, network := range networks() {
		for _, one := range []bool{false, true} {
			c := small(shapes)
			c.Model.Config = network
			c.Batch, c.Dropout = 8, 0
			if one {
				c.Batch, c.Dropout, c.HideFacts, c.HideOne, c.KnownWeight = 1, 0.5, true, true, 0
				c.Model.Aggregate = "mean" // the mean degree that PNA divides by stays that of the whole graph
			}
			topology, err := exec.Topology(g)
			if err != nil {
				t.Fatal(err)
			}
			d := plain.New64()
			parts := cutLearner(t, d, g, c)
			m, err := c.Model.New(d, g.NumRelations(), 4)
			if err != nil {
				t.Fatal(err)
			}
			m.KeepRelationGraph = true
			all, err := newLearner(c, freshState(m), []place{{graph: newGraph(t, m, topology)}})
			if err != nil {
				t.Fatal(err)
			}
			f := &feed{config: c, sources: []Source{drawer(t, g, c)}, dropout: []*dropout{newDropout(topology, c)}, size: c.Batch, tells: c.KnownWeight != 1}
			want, loss := gradientOf(t, all, prepared1(t, f))
			got, cutLoss := gradientOf(t, parts, prepared1(t, cutFeed(t, g, c, g.NumEntities())))
			exact := make([]float64, len(want))
			for i, x := range want {
				exact[i] = float64(x)
			}
			if off := relative(got, exact); off > 1e-6 || math.Abs(loss-cutLoss) > 1e-6 || loss == 0 {
				t.Errorf("%s, one %v: the gradient is off by %.1e, the loss is %v, want %v", network.Kind, one, off, cutLoss, loss)
			}
		}
	}
}

// On cuts of some of the entities the gradient is that of the loss.
func TestCutStepAgainstFiniteDifferences(t *testing.T) {
	g := randomGraph(8, 60, 3, 170)
	for _, network := range networks() {
		c := small(map[string]int{"1p": 1, "2i": 1, "2in": 1, "2u": 1})
		c.Model.Config = network
		c.Model.Aggregate = "mean" // no ties, at which max and min have no slope
		c.Batch, c.Temperature, c.KnownWeight, c.HideFacts, c.HideOne = 6, 0, 0, true, true
		d := plain.New64()
		l := cutLearner(t, d, g, c)
		b := prepared1(t, cutFeed(t, g, c, 20))
		for _, piece := range b.pieces {
			if n := piece.cut.Topology.Nodes; n > 20 || n < 3 {
				t.Fatalf("a cut of %d entities", n)
			}
			if len(piece.answers.Row(0)) == 0 {
				t.Error("a query without answers")
			}
		}
		checkDirections(t, d, l, b)
	}
}

// A run on cuts is resumed to the bit, and other cuts than it began with are refused.
func TestRunOnCuts(t *testing.T) {
	g := randomGraph(8, 60, 3, 170)
	c := small(map[string]int{"1p": 1})
	c.Cut, c.HideFacts, c.HideOne, c.KnownWeight, c.Validations = 15, true, true, 0, 0
	whole := optionsFor(t, g, c)
	mustRun(t, whole)
	parted := optionsFor(t, g, c)
	parted.Config.Steps = 5
	mustRun(t, parted)
	parted.Config.Steps, parted.Resume = c.Steps, true
	mustRun(t, parted)
	if outcome(t, whole.Dir)["parameters"] != outcome(t, parted.Dir)["parameters"] {
		t.Error("a run that was resumed has other parameters")
	}
	parted.Config.Cut, parted.Config.Steps = 16, c.Steps+1
	if _, err := Run(t.Context(), parted); err == nil {
		t.Error("it goes on with other cuts")
	}
}
