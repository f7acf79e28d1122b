package train

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sample"
)

func numbered(prefix string, n int) kg.Dictionary {
	var in kg.Interner
	for i := range n {
		in.Intern(fmt.Appendf(nil, "%s%d", prefix, i))
	}
	return kg.Dictionary{Names: in.Names()}
}

func graphOf(entities, relations int, triples []kg.Triple) *kg.Graph {
	return kg.Build(&kg.Vocabulary{Entities: numbered("e", entities), Relations: numbered("r", relations)}, triples)
}

func randomTriples(random *rand.Rand, entities, relations, n int) []kg.Triple {
	triples := make([]kg.Triple, n)
	for i := range triples {
		triples[i] = kg.Triple{
			Head: kg.Entity(random.IntN(entities)), Relation: kg.Forward(uint32(random.IntN(relations))), Tail: kg.Entity(random.IntN(entities)),
		}
	}
	return triples
}

func randomGraph(seed uint64, entities, relations, n int) *kg.Graph {
	return graphOf(entities, relations, randomTriples(rand.New(rand.NewPCG(seed, 1)), entities, relations, n))
}

// composed is a graph with a rule that has no exception: where a leads from x to y and b from y
// to z, c leads from x to z. Some of the facts of c are held out.
func composed(seed uint64) (train *kg.Graph, held []kg.Triple) {
	const n = 30
	random := rand.New(rand.NewPCG(seed, 2))
	a, b, c := kg.Forward(0), kg.Forward(1), kg.Forward(2)
	var facts, implied []kg.Triple
	for range 45 {
		facts = append(facts,
			kg.Triple{Head: kg.Entity(random.IntN(n)), Relation: a, Tail: kg.Entity(random.IntN(n))},
			kg.Triple{Head: kg.Entity(random.IntN(n)), Relation: b, Tail: kg.Entity(random.IntN(n))})
	}
	g := graphOf(n, 3, facts)
	for x := range kg.Entity(n) {
		for _, y := range g.Tails(x, a) {
			for _, z := range g.Tails(y, b) {
				implied = append(implied, kg.Triple{Head: x, Relation: c, Tail: z})
			}
		}
	}
	random.Shuffle(len(implied), func(i, j int) { implied[i], implied[j] = implied[j], implied[i] })
	facts = append(facts, implied[len(implied)/4:]...)
	train = graphOf(n, 3, facts)
	for _, t := range implied[:len(implied)/4] {
		if !train.Has(t) && !slices.Contains(held, t) {
			held = append(held, t)
		}
	}
	return train, held
}

func small(shapes map[string]int) Config {
	c := Default()
	c.Model.Width, c.Model.Layers = 8, 2
	c.Seed, c.Steps, c.Batch, c.Validations, c.Shapes = 3, 12, 6, 3, shapes
	return c
}

func drawer(t testing.TB, g *kg.Graph, c Config) Source {
	var counts []sample.Count
	for _, shape := range c.ShapeNames() {
		counts = append(counts, sample.Count{Shape: shape, Queries: c.Shapes[shape]})
	}
	d, err := sample.NewDrawer(g, counts, c.Seed)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func optionsFor(t testing.TB, g *kg.Graph, c Config) Options {
	return Options{Config: c, Device: plain.New(), Graphs: []Graph{{Name: "toy", Facts: g, Queries: drawer(t, g, c)}}, Dir: filepath.Join(t.TempDir(), "run")}
}

func mustRun(t testing.TB, o Options) Result {
	t.Helper()
	r, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// linkMRR is the filtered mean reciprocal rank of triples, asked for their tails and
// for their heads; known are the facts that do not count as wrong.
func linkMRR(t testing.TB, g *gnn.Graph, known *kg.Graph, triples []kg.Triple) float64 {
	t.Helper()
	d, nodes := g.Device(), g.Nodes()
	in, out := d.NewBuffer(nodes), d.NewBuffer(nodes)
	sum, n := 0.0, 0.0
	for _, triple := range triples {
		for _, q := range []kg.Triple{triple, triple.Inverse()} {
			d.Singletons(in, nodes, []int32{0}, []int32{int32(q.Head)})
			if err := g.Project(context.Background(), out, in, []int32{int32(q.Relation)}); err != nil {
				t.Fatal(err)
			}
			answers := []int32{int32(q.Tail)}
			for _, e := range known.Tails(q.Head, q.Relation) {
				answers = append(answers, int32(e))
			}
			slices.Sort(answers)
			rank := d.Ranks(out, kernel.NewLists([][]int32{{int32(q.Tail)}}), kernel.NewLists([][]int32{slices.Compact(answers)}))[0]
			sum += 1 / (1 + float64(rank.Greater) + float64(rank.Equal)/2)
			n++
		}
	}
	return sum / n
}

// validator scores a model by the links given.
func validator(t testing.TB, known *kg.Graph, triples []kg.Triple) Validator {
	return func(_ context.Context, on Trained) (Score, error) {
		g := on.Graph
		if g == nil {
			g = modelGraph(t, on.Model, known)
			defer g.Free()
		}
		mrr := linkMRR(t, g, known, triples)
		return Score{MRR: mrr, Details: map[string]float64{"1p_mrr": mrr}}, nil
	}
}

func modelGraph(t testing.TB, m *gnn.Model, g *kg.Graph) *gnn.Graph {
	t.Helper()
	topology, err := exec.Topology(g)
	if err != nil {
		t.Fatal(err)
	}
	return newGraph(t, m, topology)
}

func newGraph(t testing.TB, m *gnn.Model, topology *kernel.Graph) *gnn.Graph {
	t.Helper()
	graph, err := m.NewGraph(t.Context(), topology)
	if err != nil {
		t.Fatal(err)
	}
	return graph
}

func loadModel(t testing.TB, path string) (*gnn.Model, checkpoint.Card) {
	t.Helper()
	m, card, err := checkpoint.Load(path, plain.New())
	if err != nil {
		t.Fatal(err)
	}
	return m, card
}

func contents(t testing.TB, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
