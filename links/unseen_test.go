package links

import (
	"math/rand/v2"
	"testing"

	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/plan"
	"github.com/lacuna-kg/lacuna/query"
)

// counted is the probability of a link where one that a row leaves out counts.
func (t table) counted(g *kg.Graph, p Pair, tail kg.Entity, least float64) float64 {
	if x := t.link(g, nil, p, tail); x >= least {
		return x
	}
	return unseenShare * least
}

func answersOf(t *testing.T, x Executor, l fuzzy.Logic, e query.Expr) fuzzy.Set {
	t.Helper()
	run, err := (&exec.Machine{Executor: x, Logic: l}).Run(t.Context(), []*plan.Program{plan.Compile(e, plan.Options{})})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Release()
	return run.Answers(0)
}

// Who ranks all entities gets what the definition gives where a link that a row leaves out counts for a tenth of the bound.
func TestRankingAgainstNaiveEvaluation(t *testing.T) {
	const least = 0.05
	rng := rand.New(rand.NewPCG(5, 6))
	for range 60 {
		g, model := randomGraph(rng), randomTable(rng)
		executor := NewExecutor(New(g, model, Options{Least: least}), everything).Ranking()
		for _, l := range fuzzy.Logics {
			e := randomExpr(rng, rng.IntN(4))
			want := naive(g, l, func(p Pair, tail kg.Entity) float64 { return model.counted(g, p, tail, least) }, e)
			if got := answersOf(t, executor, l, e); !near(got, want) {
				t.Fatalf("%v: %#v gives %v, want %v", l, e, got, want)
			}
		}
	}
}

// Entities that are not likely enough to be followed lead to what is stated of them, those that no row mentions among them.
func TestRankingFollowsStatedLinks(t *testing.T) {
	const least, weight = 0.05, 0.2
	rng := rand.New(rand.NewPCG(7, 8))
	for range 60 {
		g, model := randomGraph(rng), randomTable(rng)
		executor := NewExecutor(New(g, model, Options{Least: least}), Follow{Most: -1, Weight: weight}).Ranking()
		first, second := Pair{kg.Entity(rng.IntN(entities)), kg.Relation(rng.IntN(2 * relations))}, kg.Relation(rng.IntN(2*relations))
		want := make([]float64, entities)
		for h := range kg.Entity(entities) {
			degree := model.counted(g, first, h, least)
			for tail := range want {
				link := Pair{h, second}
				switch {
				case g.Has(kg.Triple{Head: h, Relation: second, Tail: kg.Entity(tail)}):
					want[tail] = max(want[tail], degree)
				case degree >= weight:
					want[tail] = max(want[tail], degree*model.counted(g, link, kg.Entity(tail), least))
				}
			}
		}
		e := query.Projection{Relation: second, Of: query.Projection{Relation: first.Relation, Of: query.Anchor{Entity: first.Head}}}
		if got := answersOf(t, executor, fuzzy.Product, e); !near(got, want) {
			t.Fatalf("%v then %v gives %v, want %v", first, second, got, want)
		}
	}
}
