package eval

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/snapshot"
	"github.com/lacuna-kg/lacuna/query"
)

const relationR, relationS = kg.Relation(0), kg.Relation(2)

func numbered(n int) kg.Dictionary {
	var in kg.Interner
	for i := range n {
		in.Intern(fmt.Append(nil, i))
	}
	return kg.Dictionary{Names: in.Names()}
}

func vocabulary(entities, relations int) *kg.Vocabulary {
	return &kg.Vocabulary{Entities: numbered(entities), Relations: numbered(relations)}
}

// toyFacts are six entities and two relations; what follows from them is worked out in TestToyByHand.
func toyFacts() *kg.Splits {
	return &kg.Splits{
		Train: kg.Build(vocabulary(6, 2), []kg.Triple{{Head: 0, Relation: relationR, Tail: 1}, {Head: 0, Relation: relationR, Tail: 5}, {Head: 1, Relation: relationS, Tail: 3}}),
		Valid: []kg.Triple{{Head: 0, Relation: relationR, Tail: 2}, {Head: 5, Relation: relationS, Tail: 4}},
		Test:  []kg.Triple{{Head: 2, Relation: relationS, Tail: 4}, {Head: 2, Relation: relationS, Tail: 0}, {Head: 0, Relation: relationR, Tail: 3}},
	}
}

func anchor(e kg.Entity) query.Expr                    { return query.Anchor{Entity: e} }
func project(r kg.Relation, of query.Expr) query.Expr  { return query.Projection{Relation: r, Of: of} }
func intersect(of ...query.Expr) query.Expr            { return query.Intersection{Of: of} }
func complement(of query.Expr) query.Expr              { return query.Complement{Of: of} }
func tailsOf(head kg.Entity, r kg.Relation) query.Expr { return project(r, anchor(head)) }
func known(easy ...kg.Entity) []kg.Entity              { return easy }
func stored(e query.Expr, easy, hard []kg.Entity) dataset.Query {
	return dataset.Query{Expr: e, Easy: easy, Hard: hard}
}

// toyQueries give some answers and leave others to be found.
func toyQueries() map[dataset.Split][]dataset.Query {
	both := dataset.EasyAnswers | dataset.HardAnswers
	all := []dataset.Query{
		stored(tailsOf(2, relationS), nil, known(0, 4)),
		{Expr: tailsOf(0, relationR), Absent: both},
		stored(project(relationS, tailsOf(0, relationR)), known(3, 4), known(0)),
		{Expr: intersect(tailsOf(0, relationR), complement(tailsOf(4, relationS.Inverse()))), Easy: known(1, 2), Absent: dataset.HardAnswers},
	}
	train := []dataset.Query{stored(tailsOf(0, relationR), known(1, 5), nil), stored(project(relationS, tailsOf(0, relationR)), known(3), nil)}
	valid := []dataset.Query{{Expr: tailsOf(0, relationR), Absent: both}, {Expr: tailsOf(5, relationS), Absent: both}, {Expr: project(relationS, tailsOf(0, relationR)), Absent: both}}
	return map[dataset.Split][]dataset.Query{dataset.Train: train, dataset.Valid: valid, dataset.Test: all}
}

// writeSet makes a folder of the own format and opens it.
func writeSet(tb testing.TB, facts *kg.Splits, queries map[dataset.Split][]dataset.Query) *dataset.Set {
	tb.Helper()
	dir := filepath.Join(tb.TempDir(), "toy")
	must(tb, os.Mkdir(dir, 0o777))
	must(tb, snapshot.Write(tb.Context(), filepath.Join(dir, dataset.GraphFile), facts))
	for split, list := range queries {
		w, err := dataset.Create(filepath.Join(dir, split.String()+dataset.FileSuffix),
			dataset.NewHeader(split, facts.Train.Vocabulary, dataset.Provenance{Source: "toy", Method: "sampled", Seed: 7}))
		must(tb, err)
		for _, q := range list {
			must(tb, w.Write(q))
		}
		must(tb, w.Close())
	}
	set, err := dataset.Open(tb.Context(), dir, dataset.Options{})
	must(tb, err)
	tb.Cleanup(func() { set.Close() })
	return set
}

func toySet(tb testing.TB) *dataset.Set { return writeSet(tb, toyFacts(), toyQueries()) }

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func mustRun(tb testing.TB, o Options) *Report {
	tb.Helper()
	r, err := Run(tb.Context(), o)
	must(tb, err)
	return r
}

// modelGraph puts a graph on the device of a model.
func modelGraph(tb testing.TB, m *gnn.Model, g *kg.Graph) *gnn.Graph {
	tb.Helper()
	topology, err := exec.Topology(g)
	must(tb, err)
	graph, err := m.NewGraph(tb.Context(), topology)
	must(tb, err)
	return graph
}

// scores fills the sets of a projection.
type scores func(g kernel.DeviceGraph, out, in kernel.Buffer, relations []int32)

// scoring is a projector made of such a function.
type scoring struct {
	device kernel.Device
	graph  kernel.DeviceGraph
	fill   scores
}

func (s scoring) Device() kernel.Device     { return s.device }
func (s scoring) Nodes() int                { return s.graph.Nodes() }
func (s scoring) Facts() kernel.DeviceGraph { return s.graph }

func (s scoring) Project(_ context.Context, out, in kernel.Buffer, relations []int32) error {
	s.fill(s.graph, out, in, relations)
	return nil
}

// learnedBy is a learned method on the plain device.
func learnedBy(tb testing.TB, g *kg.Graph, keepKnown bool, project func(d kernel.Device) scores) Learned {
	topology, err := exec.Topology(g)
	must(tb, err)
	d := plain.New()
	return Learned{Executor: exec.OnDevice{Projector: scoring{d, d.NewGraph(topology), project(d)}, KeepKnown: keepKnown}}
}

// traversing projects exactly, on the device.
func traversing(d kernel.Device) scores {
	return func(g kernel.DeviceGraph, out, in kernel.Buffer, relations []int32) {
		d.Traverse(g, out, in, relations)
	}
}

// doubting gives every entity the same low probability.
func doubting(d kernel.Device) scores {
	return func(_ kernel.DeviceGraph, out, _ kernel.Buffer, _ []int32) { d.Fill(out, 0.25) }
}

func newRandom(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }
