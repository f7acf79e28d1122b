package gnn

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
)

const (
	attributionNodes     = 8
	attributionRelations = 6
)

func attributionGraph(t *testing.T, seed uint64) *kernel.Graph {
	t.Helper()
	draw := rand.New(rand.NewPCG(seed, 11))
	edges := map[kernel.Edge]bool{}
	for range 12 {
		h, r, tail := draw.Int32N(attributionNodes), 2*draw.Int32N(attributionRelations/2), draw.Int32N(attributionNodes)
		edges[kernel.Edge{Head: h, Relation: r, Tail: tail}] = true
		edges[kernel.Edge{Head: tail, Relation: r + 1, Tail: h}] = true
	}
	var list []kernel.Edge
	for e := range edges {
		list = append(list, e)
	}
	g, err := kernel.NewGraph(attributionNodes, attributionRelations, list, []bool{false, true, false, true, false, true})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// attributionConfigs are every aggregation, every message, both directions of ultra, and alternating.
func attributionConfigs() []Spec {
	return []Spec{
		{Config: Config{Kind: NBFNet, Message: "distmult", Aggregate: "sum", Width: 5, Layers: 3, Dependent: true}},
		{Config: Config{Kind: NBFNet, Message: "distmult", Aggregate: "mean", Width: 5, Layers: 3}},
		{Config: Config{Kind: NBFNet, Message: "transe", Aggregate: "max", Width: 5, Layers: 3, Dependent: true}, Adjustments: Adjustments{Threshold: 0.3}},
		{Config: Config{Kind: NBFNet, Message: "rotate", Aggregate: "pna", Width: 6, Layers: 3, Dependent: true, ConcatHidden: true}},
		{Config: Config{Kind: NBFNet, Message: "distmult", Aggregate: "pna", Width: 6, Layers: 3, Dependent: true}},
		{Config: Config{Kind: Ultra, Message: "distmult", Aggregate: "sum", Width: 6, Layers: 3, Direction: HeadToTail}},
		{Config: Config{Kind: Ultra, Message: "distmult", Aggregate: "sum", Width: 6, Layers: 3, Direction: TailToHead}},
		{Config: Config{Kind: Alternating, Message: "distmult", Aggregate: "pna", Width: 6, Layers: 3}},
		{Config: Config{Kind: CompGCN, Message: "mult", Width: 5, Layers: 3}},
		{Config: Config{Kind: CompGCN, Message: "sub", Width: 5, Layers: 3}},
		{Config: Config{Kind: CompGCN, Message: "corr", Width: 5, Layers: 3}},
		{Config: Config{Kind: RGCN, Width: 5, Layers: 3, Bases: 2}},
	}
}

func attributionName(c Spec) string {
	return fmt.Sprintf("%s-%s-%s%s", c.Kind, c.Message, c.Aggregate, c.Direction)
}

func attributed(t *testing.T, c Spec, seed uint64, target int32) (*Model, *Attribution, *Graph, []float32) {
	t.Helper()
	topology := attributionGraph(t, seed)
	m, err := c.New(plain.New64(), attributionRelations, seed)
	if err != nil {
		t.Fatal(err)
	}
	g, err := m.NewGraph(context.Background(), topology)
	if err != nil {
		t.Fatal(err)
	}
	set := make([]float32, attributionNodes)
	set[0], set[3], set[5] = 1, 0.75, 0.25
	a, err := g.Attribution(context.Background(), set, 2, target)
	if err != nil {
		t.Fatal(err)
	}
	return m, a, g, set
}

// scaled computes, in float64, the logit of the target when the message of one edge in
// one layer is multiplied by factor. The edge gets a relation of its own for that.
func scaled(t *testing.T, m *Model, a *Attribution, g *Graph, set []float32, edge int32, layer int, factor float64) float64 {
	t.Helper()
	d := m.device.(*plain.Device[float64])
	in := d.NewBuffer(len(set))
	d.Upload(in, set)
	in, _ = m.incoming(in)
	prob := d.NewBuffer(len(set))
	b, err := m.remembered(context.Background(), g, []int32{2})
	if err != nil {
		t.Fatal(err)
	}
	s, err := m.run(context.Background(), b, prob, in, true)
	if err != nil {
		t.Fatal(err)
	}
	defer m.release(s)
	own := &state{graph: d.NewGraph(withOwnRelation(t, a.graph, edge)), prefix: s.prefix, set: s.set, query: s.query, isKept: true, tables: &tables{of: []int32{0}}}
	head := int(a.graph.In.Node[edge])
	for i, vectors := range s.tables.vectors {
		state := d.Values(s.hidden[i].Buffer)[head*m.Config.Width : (head+1)*m.Config.Width]
		table := slices.Clone(d.Values(vectors))
		r := int(a.graph.In.Relation[edge]) * m.layer.RelationWidth()
		for k, x := range table[r : r+m.layer.RelationWidth()] {
			if i == layer {
				x = scaledRelation(m.layer, x, state, k, factor)
			}
			table = append(table, x)
		}
		own.tables.vectors = append(own.tables.vectors, d.NewBuffer(len(table)))
		copy(d.Values(own.tables.vectors[i]), table)
	}
	if err := m.propagate(context.Background(), own); err != nil {
		t.Fatal(err)
	}
	d.HeadForward(prob, m.headInput(own), m.Parameters.head(own.prefix))
	p := d.Values(prob)[a.target]
	return math.Log(p / (1 - p))
}

// scaledRelation is the value of a relation vector that makes the message factor times as large.
func scaledRelation(l kernel.Layer, x float64, head []float64, k int, factor float64) float64 {
	switch {
	case l.Aggregate != kernel.Bases && l.Message == kernel.TransE:
		return factor*(head[k]+x) - head[k]
	case l.Aggregate != kernel.Bases && l.Message == kernel.Sub:
		return head[k] - factor*(head[k]-x)
	}
	return factor * x // messages linear in the relation
}

// withOwnRelation is the graph with one edge under a new relation. Rows are sorted by
// relation, which changes the order of messages and no more.
func withOwnRelation(t *testing.T, g *kernel.Graph, edge int32) *kernel.Graph {
	t.Helper()
	var edges []kernel.Edge
	inverse := slices.Clone(g.Inverse)
	for v := range int32(g.Nodes) {
		for e := g.In.At[v]; e < g.In.At[v+1]; e++ {
			r := g.In.Relation[e]
			if e == edge {
				inverse = append(inverse, inverse[r])
				r = int32(g.Relations)
			}
			edges = append(edges, kernel.Edge{Head: g.In.Node[e], Relation: r, Tail: v})
		}
	}
	changed, err := kernel.NewGraph(g.Nodes, g.Relations+1, edges, inverse)
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

func near(got, want float64) bool { return math.Abs(got-want) <= 1e-4+1e-3*math.Abs(want) }

// Every weight of the corridor is the derivative that finite differences find.
func TestAttributionIsTheDerivative(t *testing.T) {
	for _, c := range attributionConfigs() {
		t.Run(attributionName(c), func(t *testing.T) {
			m, a, g, set := attributed(t, c, 4, 6)
			checked, nonzero := 0, 0
			for layer := range c.Layers {
				for _, v := range a.levels[layer+1] {
					for e := a.graph.In.At[v]; e < a.graph.In.At[v+1]; e++ {
						if !slices.Contains(a.levels[layer], a.graph.In.Node[e]) {
							continue
						}
						const h = 1e-5
						at := func(factor float64) float64 { return scaled(t, m, a, g, set, e, layer, factor) }
						up, down := (at(1+h)-at(1))/h, (at(1)-at(1-h))/h
						got := float64(a.weights[layer][e])
						// Where messages tie for a maximum, each gets all of its gradient, as if it grew alone.
						if !near(got, (up+down)/2) && !near(got, up) && !near(got, down) {
							t.Errorf("layer %d, edge %d: weight %.6f, finite differences %.6f and %.6f", layer, e, got, up, down)
						}
						checked++
						if math.Abs(got) > 1e-3 {
							nonzero++
						}
					}
				}
			}
			if checked < 20 || nonzero < 8 {
				t.Errorf("only %d weights were checked, %d of them not 0", checked, nonzero)
			}
		})
	}
}

// The logit is that of the projection itself.
func TestAttributionPredictsWhatProjectDoes(t *testing.T) {
	for _, c := range attributionConfigs() {
		m, a, g, set := attributed(t, c, 4, 6)
		in, out := m.device.NewBuffer(len(set)), m.device.NewBuffer(len(set))
		m.device.Upload(in, set)
		if err := g.Project(context.Background(), out, in, []int32{2}); err != nil {
			t.Fatal(err)
		}
		if want := m.download(out)[6]; math.Abs(float64(a.Probability-want)) > 1e-5 {
			t.Errorf("%s: probability %v, Project gives %v", attributionName(c), a.Probability, want)
		}
	}
}

// bestPaths finds all simple paths by trying every walk and every way to wait, and gives their mean weights.
func bestPaths(a *Attribution) map[string]float32 {
	best := map[string]float32{}
	var extend func(node int32, layer int, seen []int32, edges []int32, total float32)
	extend = func(node int32, layer int, seen, edges []int32, total float32) {
		if layer == len(a.weights) {
			if key := fmt.Sprint(edges); node == a.target && len(edges) > 0 {
				mean := total / float32(len(edges))
				if old, found := best[key]; !found || mean > old {
					best[key] = mean
				}
			}
			return
		}
		extend(node, layer+1, seen, edges, total)
		for k := a.graph.Out.At[node]; k < a.graph.Out.At[node+1]; k++ {
			next, e := a.graph.Out.Node[k], a.graph.OutID[k]
			if !slices.Contains(seen, next) {
				extend(next, layer+1, append(slices.Clone(seen), next), append(slices.Clone(edges), e), total+a.weights[layer][e])
			}
		}
	}
	for _, v := range a.sources {
		extend(v, 0, []int32{v}, nil, 0)
	}
	return best
}

// With a beam that holds everything the search finds all paths, best first.
func TestPathsAreTheBest(t *testing.T) {
	for _, c := range attributionConfigs() {
		for _, target := range []int32{6, 1} {
			_, a, _, _ := attributed(t, c, 4, target)
			want := slices.Sorted(maps.Values(bestPaths(a)))
			slices.Reverse(want)
			got := a.Paths(len(want) + 100)
			if len(want) == 0 || len(got) != len(want) {
				t.Fatalf("%s, target %d: %d paths, expected %d and at least one", attributionName(c), target, len(got), len(want))
			}
			for i, p := range got {
				if math.Abs(float64(p.Mean()-want[i])) > 1e-5 {
					t.Errorf("%s: a step of path %d weighs %v, expected %v", attributionName(c), i, p.Mean(), want[i])
				}
				checkPath(t, a, p)
			}
		}
	}
}

// checkPath holds a path to its shape: stated edges, end to end, from a source to the target.
func checkPath(t *testing.T, a *Attribution, p Path) {
	t.Helper()
	topology := a.graph
	if a.reversed {
		topology = topology.Reverse()
	}
	sum, layer := float32(0), -1
	for i, s := range p.Steps {
		if _, found := topology.Find(s.Edge); !found {
			t.Errorf("the graph has no edge %v", s.Edge)
		}
		if i > 0 && p.Steps[i-1].To != s.From || s.Layer <= layer {
			t.Errorf("step %d does not follow the one before: %v", i, p.Steps)
		}
		sum, layer = sum+s.Weight, s.Layer
	}
	if !slices.Contains(a.sources, p.Steps[0].From) || p.Steps[len(p.Steps)-1].To != a.target {
		t.Errorf("the path does not lead from a source to the target: %v", p.Steps)
	}
	if math.Abs(float64(sum-p.Weight)) > 1e-5 {
		t.Errorf("the steps weigh %v, the path %v", sum, p.Weight)
	}
}

// What cannot be explained is said in an error or as no path, never by a panic.
func TestAttributionAtItsLimits(t *testing.T) {
	c := attributionConfigs()[4]
	_, _, g, set := attributed(t, c, 4, 6)
	ctx := context.Background()
	if _, err := g.Attribution(ctx, set, 2, attributionNodes); err == nil {
		t.Error("an entity that is not there was taken")
	}
	if _, err := g.Attribution(ctx, set, attributionRelations, 6); err == nil {
		t.Error("a relation that is not there was taken")
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := g.Attribution(cancelled, set, 2, 6); err == nil {
		t.Error("a cancelled context was ignored")
	}
	empty, err := g.Attribution(ctx, make([]float32, attributionNodes), 2, 6)
	if err != nil || len(empty.Paths(3)) != 0 {
		t.Errorf("the empty set: %v, %v", empty, err)
	}
}
