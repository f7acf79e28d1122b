package train

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/checkpoint"
)

// A graph without any rule can still be learnt by heart.
func TestTinyGraphIsOverfitted(t *testing.T) {
	g := randomGraph(5, 12, 2, 24)
	c := small(map[string]int{"1p": 1})
	c.Steps, c.Batch, c.Dropout, c.Validations = 150, 12, 0, 0
	o := optionsFor(t, g, c)
	mustRun(t, o)
	m, _ := loadModel(t, filepath.Join(o.Dir, checkpoint.BestFile))
	if mrr := linkMRR(t, modelGraph(t, m, g), g, slices.Collect(g.Triples())); mrr != 1 {
		t.Errorf("MRR %v on the training queries, want 1", mrr)
	}
}

// Without dropout the model learns to traverse: it ranks stated facts first and has no
// reason to look further. With it, it has to find other ways, and these lead to unseen links too.
func TestDropoutTeachesUnseenLinks(t *testing.T) {
	g, held := composed(1)
	seen, unseen := map[float64]float64{}, map[float64]float64{}
	for _, ratio := range []float64{0, 0.25} {
		c := small(map[string]int{"1p": 1})
		c.Steps, c.Batch, c.Rate, c.Temperature, c.Dropout, c.Validations = 250, 16, 0.01, 1, ratio, 0
		o := optionsFor(t, g, c)
		mustRun(t, o)
		m, _ := loadModel(t, filepath.Join(o.Dir, checkpoint.BestFile))
		dg := modelGraph(t, m, g)
		stated := slices.Collect(g.Triples())
		seen[ratio] = linkMRR(t, dg, g, stated)
		unseen[ratio] = linkMRR(t, dg, g, held)
		t.Logf("dropout %v: MRR %.3f on %d stated links, %.3f on %d unseen ones", ratio, seen[ratio], len(stated), unseen[ratio], len(held))
	}
	if seen[0] < 0.99 {
		t.Errorf("without dropout MRR %.3f on stated links, want 0.99: it did not learn traversal", seen[0])
	}
	if unseen[0.25] < unseen[0]+0.3 || unseen[0.25] < 0.6 {
		t.Errorf("with dropout MRR %.3f on unseen links, without %.3f: expected a clear gain", unseen[0.25], unseen[0])
	}
}

// A foundation model that has seen the rule in some graphs follows it in another: its parameters are of no graph's
// relations. It is trained on single links, one tail hidden at a time.
func TestAlternatingCarriesARuleOver(t *testing.T) {
	c := small(map[string]int{"1p": 1})
	c.Model.Config = tinyAlternating()
	c.Model.Width, c.Model.Layers = 16, 3
	c.Steps, c.Batch, c.Rate, c.Temperature, c.Dropout, c.Validations = 300, 16, 0.005, 1, 0, 0
	c.HideFacts, c.HideOne, c.KnownWeight = true, true, 0
	first, _ := composed(1)
	o := optionsFor(t, first, c)
	for seed := uint64(2); seed <= 4; seed++ {
		g, _ := composed(seed)
		o.Graphs = append(o.Graphs, Graph{Name: fmt.Sprint("composed ", seed), Facts: g, Queries: drawer(t, g, c)})
	}
	mustRun(t, o)
	m, _ := loadModel(t, filepath.Join(o.Dir, checkpoint.BestFile))
	other, held := composed(9)
	mrr := linkMRR(t, modelGraph(t, m, other), other, held)
	t.Logf("MRR %.3f on %d unseen links of a graph that was not trained on", mrr, len(held))
	if mrr < 0.6 {
		t.Errorf("MRR %.3f on unseen links, want 0.6", mrr)
	}
}
