package train

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/neural"
)

// Graph is one of the graphs that a model is trained on, or chosen on.
type Graph struct {
	Name     string    // as its user knows it
	PartOf   string    // the graph that this one was cut out of by Parts, if it was
	World    bool      // the graph was drawn by package worlds
	Facts    *kg.Graph // the training facts
	Queries  Source
	Validate Validator // nil: the model is not validated on this graph
	// MissedApart says that the facts that the graph holds out join entities that nothing else joins, unlike those it states.
	MissedApart bool
	// OnlyChosen says that the model is not trained on this graph, which has no queries: the best one is chosen on it.
	OnlyChosen bool
	// Unstated says that the queries ask for facts that the graph does not state, so that nothing is hidden from it.
	Unstated bool
}

// checkGraphs refuses graphs that cannot be trained on.
func checkGraphs(graphs []Graph) error {
	if len(graphs) == 0 {
		return kg.Errorf(kg.Failure, "train", "expected a graph to train on")
	}
	seen, trained := map[string]bool{}, false
	for _, g := range graphs {
		trained = trained || !g.OnlyChosen
		switch {
		case g.Facts == nil || !g.OnlyChosen && g.Queries == nil || g.OnlyChosen && g.Validate == nil:
			return kg.Errorf(kg.Failure, "train", "expected facts and a source of queries, or a validator, for every graph")
		case g.Facts.NumEdges() == 0:
			return kg.Errorf(kg.Invalid, g.Name, "the graph has no facts to learn from")
		case seen[g.Name]:
			return kg.Errorf(kg.Invalid, g.Name, "expected each graph once, found two of this name")
		}
		seen[g.Name] = true
	}
	if !trained {
		return kg.Errorf(kg.Failure, "train", "expected a graph to train on")
	}
	return nil
}

// checkWeights refuses weights of graphs that are not trained on, and weights that draw a graph never or less than that.
func checkWeights(graphs []Graph, c Config) error {
	for _, name := range slices.Sorted(maps.Keys(c.MixtureWeights)) {
		if !slices.ContainsFunc(graphs, func(g Graph) bool { return g.Name == name && g.kind() == wholes && !g.OnlyChosen }) {
			return kg.Errorf(kg.Invalid, "", "mixture_weights names %q, which is none of the graphs that are trained on", name)
		}
		if w := c.MixtureWeights[name]; !(w > 0) {
			return kg.Errorf(kg.Invalid, "", "mixture_weights has %v for %q, expected more than 0", w, name)
		}
	}
	return nil
}

// topologies are the graphs in the form that devices take; of those that are cut there is none.
func topologies(graphs []Graph, c Config) ([]*kernel.Graph, error) {
	list := make([]*kernel.Graph, len(graphs))
	for i, g := range graphs {
		if neural.CutSize(c.Cut, g.Facts) > 0 {
			continue
		}
		var err error
		if list[i], err = exec.Topology(g.Facts); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// describe says on the card what a model was trained on: a graph with its relations, or
// the names and sums of several.
func describe(graphs []Graph) checkpoint.Graph {
	graphs = slices.DeleteFunc(slices.Clone(graphs), func(g Graph) bool { return g.OnlyChosen })
	if len(graphs) == 1 {
		return checkpoint.Describe(graphs[0].Facts, graphs[0].Name)
	}
	all, hash := checkpoint.Graph{}, sha256.New()
	for _, g := range graphs {
		one := checkpoint.Describe(g.Facts, g.Name)
		hash.Write([]byte(one.Vocabulary))
		if g.PartOf != "" || g.World { // counted with the whole, or no graph of anybody's
			continue
		}
		all.Entities += one.Entities
		all.Facts += one.Facts
		if all.Name != "" {
			all.Name += ", "
		}
		all.Name += one.Name
	}
	all.Vocabulary = hex.EncodeToString(hash.Sum(nil))
	return all
}

// fingerprints tells the queries of all graphs from others.
func fingerprints(graphs []Graph) (string, error) {
	list := make([]string, len(graphs))
	for i, g := range graphs {
		if g.OnlyChosen {
			list[i] = "none"
			continue
		}
		var err error
		if list[i], err = fingerprint(g.Queries); err != nil {
			return "", err
		}
	}
	return strings.Join(list, " "), nil
}

// mixture decides which graph a step is trained on: by the seed and the number of the
// step, each graph as often as its share of the weights.
type mixture struct {
	seed  uint64
	upTo  []float64 // running total of the weights
	turns []uint64  // steps that each graph has had
}

// newMixture weighs graphs by their facts to some power: 1 draws facts alike, 0 graphs
// alike, and between them small graphs still count, though they are not worn out. Parts and worlds, where
// there are any, have their share of the steps.
func newMixture(graphs []Graph, c Config) *mixture {
	m := &mixture{seed: c.Seed, turns: make([]uint64, len(graphs))}
	weight := func(g Graph) float64 {
		if g.OnlyChosen {
			return 0
		}
		return math.Pow(float64(g.Facts.NumTriples()), c.MixturePower) * c.times(g.Name)
	}
	var sums [kinds]float64
	for _, g := range graphs {
		sums[g.kind()] += weight(g)
	}
	shares := c.shares(sums)
	upTo := 0.0
	for _, g := range graphs {
		if w := weight(g); w > 0 {
			upTo += w / sums[g.kind()] * shares[g.kind()]
		}
		m.upTo = append(m.upTo, upTo)
	}
	return m
}

// times is how many times as often as by its facts a graph is drawn.
func (c Config) times(name string) float64 {
	if w, named := c.MixtureWeights[name]; named {
		return w
	}
	return 1
}

// The kinds of graphs that have a share of the steps.
const (
	wholes = iota
	parts
	thin
	worlds
	kinds
)

func (g Graph) kind() int {
	switch {
	case g.World:
		return worlds
	case g.Unstated:
		return thin
	case g.PartOf != "":
		return parts
	}
	return wholes
}

// shares are how many of the steps each kind has: parts and worlds where there are any, whole graphs the rest.
func (c Config) shares(there [kinds]float64) (shares [kinds]float64) {
	shares = [kinds]float64{wholes: 1, parts: c.PartsShare, thin: c.ThinShare, worlds: c.WorldsShare}
	for kind := parts; kind < kinds; kind++ {
		if there[kind] == 0 {
			shares[kind] = 0
		}
		shares[wholes] -= shares[kind]
	}
	return shares
}

// next gives the graph of a step and how many steps it has had before. Steps must come in order from 1.
func (m *mixture) next(step int) (graph int, turn uint64) {
	graph = m.choose(step)
	turn = m.turns[graph]
	m.turns[graph]++
	return graph, turn
}

// mixtureStream keeps the choice apart from dropout, which is drawn from the same seed and step.
const mixtureStream = 0x6d69787475726521

func (m *mixture) choose(step int) int {
	last := len(m.upTo) - 1
	at := rand.New(rand.NewPCG(m.seed^mixtureStream, uint64(step))).Float64() * m.upTo[last]
	for graph, upTo := range m.upTo[:last] {
		if at < upTo {
			return graph
		}
	}
	return last
}

// validates tells whether the model is validated on any graph.
func validates(graphs []Graph) bool {
	for _, g := range graphs {
		if g.Validate != nil {
			return true
		}
	}
	return false
}

// validate measures a model on every graph that has a validator: the score is the mean over
// graphs. Where there are several, details carry the names of their graphs.
func validate(ctx context.Context, graphs []Graph, m *gnn.Model, on []place) (Score, error) {
	total, validated := Score{Details: map[string]float64{}}, 0
	for i, g := range graphs {
		if g.Validate == nil {
			continue
		}
		score, err := g.Validate(ctx, Trained{m, on[i].graph, on[i].cut})
		if err != nil || len(graphs) == 1 {
			return score, err
		}
		validated++
		total.MRR += score.MRR
		total.Details[g.Name+"/mrr"] = score.MRR
		for key, value := range score.Details {
			total.Details[g.Name+"/"+key] = value
		}
	}
	total.MRR /= float64(validated)
	return total, nil
}
