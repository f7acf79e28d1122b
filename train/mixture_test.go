package train

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kg"
)

func tinyUltra() gnn.Config {
	return gnn.Config{Kind: gnn.Ultra, Message: "distmult", Aggregate: "sum", Width: 6, Layers: 2, Direction: gnn.HeadToTail}
}

func tinyAlternating() gnn.Config {
	return gnn.Config{Kind: gnn.Alternating, Message: "distmult", Aggregate: "pna", Width: 6, Layers: 2}
}

// several is a run of a foundation model over three graphs of different sizes, one of
// them without validation, with everything that a configuration can switch on.
func several(t testing.TB) Options {
	o := mixed(t)
	c := &o.Config
	c.Model.Config, c.Schedule, c.Warmup, c.Average, c.Rate = tinyUltra(), Cosine, 3, 0.9, 0.01
	c.FixedRelationGraph = true
	for i, name := range []string{"large", "small"} {
		g := randomGraph(uint64(7+i), 40-20*i, 4-i, 150-100*i)
		o.Graphs = append(o.Graphs, Graph{Name: name, Facts: g, Queries: drawer(t, g, *c)})
		if name == "large" {
			o.Graphs[1].Validate = validator(t, g, slices.Collect(g.Triples())[:5])
		}
	}
	return o
}

func TestSeveralGraphs(t *testing.T) {
	for _, network := range []gnn.Config{tinyUltra(), tinyAlternating()} {
		t.Run(network.Kind, func(t *testing.T) { checkSeveralGraphs(t, network) })
	}
}

func checkSeveralGraphs(t *testing.T, network gnn.Config) {
	o := several(t)
	o.Config.Steps, o.Config.Model.Config = 60, network
	steps, first := map[string]int{}, 0.0
	o.Progress = func(p Progress) {
		if p.Score == nil {
			steps[p.Graph]++
		}
		if p.Step == 1 {
			first = p.Loss
		}
	}
	r := mustRun(t, o)
	if len(steps) != 3 || steps["large"] <= steps["small"] || r.Loss >= first {
		t.Errorf("steps %v, loss %v at first and %v at last", steps, first, r.Loss)
	}
	details := r.Best.Details
	if want := (details["toy/mrr"] + details["large/mrr"]) / 2; r.Best.MRR != want || details["toy/1p_mrr"] != details["toy/mrr"] || len(details) != 4 {
		t.Errorf("score %+v, want the mean over graphs", r.Best)
	}
	_, card := loadModel(t, filepath.Join(o.Dir, checkpoint.BestFile))
	if card.Graph.Name != "toy, large, small" || card.Graph.Facts != o.Graphs[0].Facts.NumTriples()+o.Graphs[1].Facts.NumTriples()+o.Graphs[2].Facts.NumTriples() {
		t.Errorf("the card says %+v", card.Graph)
	}
	trace, _ := openTrace(o.Dir, math.MaxInt)
	if losses := trace.lines[len(trace.lines)-2].Losses; len(losses) == 0 {
		t.Error("the trace does not tell losses by graph")
	}
}

func TestSeveralGraphsResumeToTheBit(t *testing.T) {
	whole := several(t)
	mustRun(t, whole)
	want := outcome(t, whole.Dir)
	if want["average"] == "" || want["average"] == want["parameters"] {
		t.Error("the state holds no average, or one that does not differ from the parameters")
	}
	for _, stopAt := range []int{1, 5, 8} {
		o := several(t)
		ctx, cancel := context.WithCancel(context.Background())
		o.Progress = func(p Progress) {
			if p.Step == stopAt {
				cancel()
			}
		}
		if r, err := Run(ctx, o); kg.KindOf(err) != kg.Cancelled || r.Step != stopAt {
			t.Fatalf("stopped at %d: %+v, %v", stopAt, r, err)
		}
		o.Resume, o.Progress = true, nil
		mustRun(t, o)
		compareOutcomes(t, "resumed", outcome(t, o.Dir), want)
	}
}

func TestSeveralGraphsRefuse(t *testing.T) {
	began := several(t)
	mustRun(t, began)
	for want, change := range map[string]func(*Options){
		"only ultra and alternating can be trained on several": func(o *Options) { o.Config.Model.Config = gnn.Default() },
		"two of this name":      func(o *Options) { o.Graphs[1].Name = "toy" },
		"expected a graph":      func(o *Options) { o.Graphs = nil },
		"began on other graphs": func(o *Options) { o.Resume, o.Graphs = true, o.Graphs[:2] },
		"in another order":      func(o *Options) { o.Resume = true; o.Graphs[0], o.Graphs[1] = o.Graphs[1], o.Graphs[0] },
	} {
		o := several(t)
		o.Dir = began.Dir
		change(&o)
		if _, err := Run(context.Background(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// Graphs are drawn by the power of their sizes, and each goes through its own queries in order.
func TestMixtureKeepsItsShares(t *testing.T) {
	graphs := []Graph{{Facts: randomGraph(1, 100, 1, 100)}, {Facts: randomGraph(1, 300, 3, 900)}}
	ratio := float64(graphs[1].Facts.NumTriples()) / float64(graphs[0].Facts.NumTriples())
	for _, power := range []float64{0, 0.5, 1} {
		c := Config{MixturePower: power, Seed: 4}
		m, again := newMixture(graphs, c), newMixture(graphs, c)
		const steps = 4000
		var count [2]uint64
		for step := 1; step <= steps; step++ {
			g, turn := m.next(step)
			if turn != count[g] {
				t.Fatalf("step %d is turn %d of its graph, want %d", step, turn, count[g])
			}
			count[g]++
			if g != again.choose(step) {
				t.Fatal("the choice of a step depends on more than its number")
			}
		}
		share := math.Pow(ratio, power) / (1 + math.Pow(ratio, power))
		if got := float64(count[1]) / steps; math.Abs(got-share) > 0.04 {
			t.Errorf("power %v: the larger graph has %.3f of the steps, want %.3f", power, got, share)
		}
	}
}

// A graph that has a weight is drawn so many times as often, beside the others.
func TestMixtureWeighsGraphsByName(t *testing.T) {
	graphs := []Graph{{Name: "a", Facts: randomGraph(1, 100, 1, 100)}, {Name: "b", Facts: randomGraph(1, 100, 1, 100)}}
	m := newMixture(graphs, Config{Seed: 4, MixtureWeights: map[string]float64{"b": 3}})
	const steps = 4000
	ofB := 0
	for step := 1; step <= steps; step++ {
		ofB += m.choose(step)
	}
	if share := float64(ofB) / steps; math.Abs(share-0.75) > 0.04 {
		t.Errorf("a graph of three times the weight has %.3f of the steps, want 0.75", share)
	}
}

func TestMixtureWeightsAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		weight float64
		want   string
	}{
		"nowhere": {2, `mixture_weights names "nowhere", which is none of the graphs`},
		"large":   {0, `mixture_weights has 0 for "large", expected more than 0`},
	} {
		o := several(t)
		o.Config.MixtureWeights = map[string]float64{name: c.weight}
		if _, err := Run(context.Background(), o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

// Parts have their share, however many there are.
func TestPartsHaveTheirShare(t *testing.T) {
	graphs := []Graph{{Facts: randomGraph(1, 100, 1, 900)}, {Facts: randomGraph(1, 50, 1, 100)}}
	for range 20 {
		graphs = append(graphs, Graph{PartOf: "whole", Facts: randomGraph(1, 20, 1, 60)})
	}
	for _, share := range []float64{0, 0.2, 1} {
		m := newMixture(graphs, Config{MixturePower: 0.5, PartsShare: share, Seed: 1})
		const steps = 4000
		parts := 0
		for step := 1; step <= steps; step++ {
			if g, _ := m.next(step); graphs[g].PartOf != "" {
				parts++
			}
		}
		if got := float64(parts) / steps; math.Abs(got-share) > 0.03 || (share == 0 || share == 1) && got != share {
			t.Errorf("parts have %.3f of the steps, want %v", got, share)
		}
	}
}

// Worlds have a share of their own beside parts; where there are none it is the whole graphs'.
func TestWorldsHaveTheirShare(t *testing.T) {
	whole := Graph{Facts: randomGraph(1, 100, 1, 900)}
	part := Graph{PartOf: "whole", Facts: randomGraph(1, 20, 1, 60)}
	world := Graph{World: true, Facts: randomGraph(2, 20, 1, 60)}
	for _, c := range []struct {
		graphs []Graph
		worlds float64
	}{{[]Graph{whole, part, world, world}, 0.25}, {[]Graph{whole, part}, 0}, {[]Graph{whole, world}, 0.25}} {
		m := newMixture(c.graphs, Config{MixturePower: 0.5, PartsShare: 0.5, WorldsShare: 0.25, Seed: 1})
		const steps = 4000
		worlds := 0
		for step := 1; step <= steps; step++ {
			if g, _ := m.next(step); c.graphs[g].World {
				worlds++
			}
		}
		if got := float64(worlds) / steps; math.Abs(got-c.worlds) > 0.03 {
			t.Errorf("worlds have %.3f of the steps, want %v", got, c.worlds)
		}
	}
}

// A graph that the model is only chosen on has no step, is not on the card, and decides what is kept.
func TestOnlyChosen(t *testing.T) {
	o := several(t)
	for i := range o.Graphs {
		o.Graphs[i].Validate = nil
	}
	g := randomGraph(99, 20, 3, 60)
	o.Graphs = append(o.Graphs, Graph{Name: "judge", Facts: g, Validate: validator(t, g, slices.Collect(g.Triples())[:5]), OnlyChosen: true})
	steps := map[string]int{}
	o.Progress = func(p Progress) {
		if p.Score == nil {
			steps[p.Graph]++
		}
	}
	r := mustRun(t, o)
	if steps["judge"] != 0 || r.Best.MRR == 0 || r.Best.Details["judge/mrr"] != r.Best.MRR {
		t.Errorf("steps %v, best %+v", steps, r.Best)
	}
	if _, card := loadModel(t, filepath.Join(o.Dir, checkpoint.BestFile)); card.Graph.Name != "toy, large, small" {
		t.Errorf("the card says %q", card.Graph.Name)
	}
	o.Graphs = o.Graphs[3:]
	o.Dir = t.TempDir()
	if _, err := Run(context.Background(), o); err == nil || !strings.Contains(err.Error(), "expected a graph to train on") {
		t.Errorf("only a graph to choose on: %v", err)
	}
}
