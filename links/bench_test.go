package links

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/plan"
	"github.com/lacuna-kg/lacuna/query"
)

// zipf is a model whose rows are as long as those of a trained one on FB15k-237: some 1,500
// links of 1e-4 and more.
type zipf struct{ entities int }

func (z zipf) Tails(_ context.Context, heads []kg.Entity, relations []kg.Relation, part func(int, kernel.Device, kernel.Buffer, []kg.Entity) error) error {
	row := make([]float32, z.entities)
	for i, h := range heads {
		rng := rand.New(rand.NewPCG(uint64(h), uint64(relations[i])))
		for rank, t := range rng.Perm(z.entities) {
			row[t] = float32(0.3 * math.Pow(float64(rank+1), -1.1))
		}
		if err := onDevice(i, row, part); err != nil {
			return err
		}
	}
	return nil
}

// largeGraph has the size of FB15k-237.
func largeGraph() *kg.Graph {
	const entities, relations, facts = 14505, 237, 272115
	var names, relationNames kg.Interner
	for i := range entities {
		names.Intern(fmt.Append(nil, i))
	}
	for i := range relations {
		relationNames.Intern(fmt.Append(nil, i))
	}
	rng := rand.New(rand.NewPCG(1, 2))
	triples := make([]kg.Triple, facts)
	for i := range triples {
		triples[i] = kg.Triple{Head: kg.Entity(rng.IntN(entities)), Relation: kg.Forward(uint32(rng.IntN(relations))), Tail: kg.Entity(rng.IntN(entities))}
	}
	v := &kg.Vocabulary{Entities: kg.Dictionary{Names: names.Names()}, Relations: kg.Dictionary{Names: relationNames.Names()}}
	return kg.Build(v, triples)
}

// BenchmarkTwoSteps asks a question of two steps whose rows are kept.
func BenchmarkTwoSteps(b *testing.B) {
	g := largeGraph()
	e := query.Projection{Relation: 4, Of: query.Projection{Relation: 2, Of: query.Anchor{Entity: 7}}}
	for _, follow := range []int{FollowOnCPU, FollowOnGPU, FollowInFile} {
		b.Run(fmt.Sprintf("follow=%d", follow), func(b *testing.B) {
			rows := New(g, zipf{g.NumEntities()}, Options{})
			benchmarkQuestion(b, NewExecutor(rows, Follow{Most: follow, Weight: -1}), e)
		})
	}
	b.Run("file", func(b *testing.B) { benchmarkFile(b, g, e) })
}

// benchmarkFile reads every row from a file: nothing is kept.
func benchmarkFile(b *testing.B, g *kg.Graph, e query.Expr) {
	path := filepath.Join(b.TempDir(), "rows.links")
	rows := New(g, zipf{g.NumEntities()}, Options{})
	first, err := rows.Get(b.Context(), []Pair{{7, 2}})
	if err != nil {
		b.Fatal(err)
	}
	pairs := []Pair{{7, 2}}
	for _, h := range slices.Sorted(slices.Values(append(slices.Clone(first[0].Tails), first[0].Stated...))) {
		pairs = append(pairs, Pair{h, 4})
	}
	if _, err := WriteFile(b.Context(), path, Writing{Rows: rows, Pairs: pairs, Origin: Origin{Top: DefaultTop}}); err != nil {
		b.Fatal(err)
	}
	f, err := OpenFile(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	benchmarkQuestion(b, NewExecutor(New(g, zipf{g.NumEntities()}, Options{File: f, Bytes: 1}), Follow{Most: FollowInFile, Weight: -1}), e)
}

func benchmarkQuestion(b *testing.B, x Executor, e query.Expr) {
	programs := []*plan.Program{plan.Compile(e, plan.Options{})}
	machine := exec.Machine{Executor: x}
	if run, err := machine.Run(b.Context(), programs); err == nil { // rows are there from now on
		run.Release()
	}
	for b.Loop() {
		run, err := machine.Run(b.Context(), programs)
		if err != nil {
			b.Fatal(err)
		}
		run.Release()
	}
}

// BenchmarkTogether asks questions of two steps together, all of whose rows are kept.
func BenchmarkTogether(b *testing.B) {
	g := largeGraph()
	x := NewExecutor(New(g, zipf{g.NumEntities()}, Options{Bytes: BytesByGPU}), Follow{Most: FollowOnGPU, Weight: -1})
	var programs []*plan.Program
	for i := range 96 {
		e := query.Projection{Relation: kg.Relation(4 + i%8), Of: query.Projection{Relation: 2, Of: query.Anchor{Entity: kg.Entity(i % 12)}}}
		programs = append(programs, plan.Compile(e, plan.Options{}))
	}
	machine := exec.Machine{Executor: x, AnswersOnly: true}
	ask := func() {
		run, err := machine.Run(b.Context(), programs)
		if err != nil {
			b.Fatal(err)
		}
		run.Release()
	}
	ask() // rows are there from now on
	for b.Loop() {
		ask()
	}
}
