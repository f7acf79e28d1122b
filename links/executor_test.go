package links

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/plan"
	"github.com/lacuna-kg/lacuna/query"
)

// compilers are the ways to a program that are exact in every logic.
var compilers = map[string]plan.Options{"plain": {NoSharing: true}, "shared": {}, "rewritten": {Rewrites: query.AnyNegation}}

// everything follows all members along all links.
var everything = Follow{Most: -1, Weight: -1}

// What an executor follows can be given to another, which follows the same: any degree stays any.
func TestFollowIsFilledInOnce(t *testing.T) {
	rows := New(randomGraph(rand.New(rand.NewPCG(1, 2))), nil, Options{})
	for _, f := range []Follow{everything, {}, {Lacking: -1, Weight: 0.5}} {
		first := NewExecutor(rows, f).Follow()
		if again := NewExecutor(rows, first).Follow(); again != first {
			t.Errorf("%+v is filled in as %+v, and that as %+v", f, first, again)
		}
	}
}

func near(got fuzzy.Set, want []float64) bool {
	for v, x := range want {
		if math.Abs(float64(got[v])-x) > 1e-5 {
			return false
		}
	}
	return len(got) == len(want)
}

// Random programs give what the definition does over all links, whichever way they are run.
func TestAgainstNaiveEvaluation(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		g, model, m := randomGraph(rng), randomTable(rng), randomMap(rng)
		exprs := make([]query.Expr, 1+rng.IntN(9))
		for i := range exprs {
			exprs[i] = randomExpr(rng, rng.IntN(5))
		}
		executor := NewExecutor(New(g, model, Options{Map: m, Least: -1, Bytes: 1 << (10 + rng.IntN(8))}), everything)
		for _, l := range fuzzy.Logics {
			for name, options := range compilers {
				machine := exec.Machine{Executor: executor, Logic: l, AnswersOnly: rng.IntN(2) == 0, Share: rng.IntN(2) == 0}
				programs := make([]*plan.Program, len(exprs))
				for i, e := range exprs {
					programs[i] = plan.Compile(e, options)
				}
				run, err := machine.Run(t.Context(), programs)
				if err != nil {
					t.Fatal(err)
				}
				for i, e := range exprs {
					want := naive(g, l, func(p Pair, tail kg.Entity) float64 { return model.link(g, m, p, tail) }, e)
					if !near(run.Answers(i), want) {
						t.Fatalf("%v, %s program: %#v gives %v, want %v", l, name, e, run.Answers(i), want)
					}
				}
				run.Release()
			}
		}
	}
}

// A chain's answer is the best of all assignments of its variables, each enumerated.
func TestBestAssignment(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	g, model := randomGraph(rng), randomTable(rng)
	executor := NewExecutor(New(g, model, Options{Least: -1}), everything)
	const a, q, r, s = kg.Entity(3), kg.Relation(0), kg.Relation(3), kg.Relation(4)
	e := query.Projection{Relation: s, Of: query.Projection{Relation: r, Of: query.Projection{Relation: q, Of: query.Anchor{Entity: a}}}}
	run, err := (&exec.Machine{Executor: executor}).Run(t.Context(), []*plan.Program{plan.Compile(e, plan.Options{})})
	if err != nil {
		t.Fatal(err)
	}
	best := make([]float64, entities)
	for x := range kg.Entity(entities) {
		for y := range kg.Entity(entities) {
			for z := range kg.Entity(entities) {
				p := model.link(g, Map{}, Pair{a, q}, x) * model.link(g, Map{}, Pair{x, r}, y) * model.link(g, Map{}, Pair{y, s}, z)
				best[z] = max(best[z], p)
			}
		}
	}
	if !near(run.Answers(0), best) {
		t.Errorf("answers %v, the best assignments have %v", run.Answers(0), best)
	}
}

// Cut, a projection is the best over the followed, and over what is stated from all; the cut says what is missing.
func TestCut(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		g, model := randomGraph(rng), randomTable(rng)
		rows := New(g, model, Options{Least: -1})
		follow := Follow{Most: 1 + rng.IntN(6), Weight: rng.Float32() / 2}
		p := NewExecutor(rows, follow).NewPool(2, fuzzy.Product)
		in := make(fuzzy.Set, entities)
		for i := range in {
			in[i] = float32(rng.IntN(5)) / 4
		}
		relation := kg.Relation(rng.IntN(2 * relations))
		p.Write(0, in)
		if err := p.Project(t.Context(), []exec.Projection{{Out: 1, In: 0, Relation: relation}}); err != nil {
			t.Fatal(err)
		}
		want, cut := projectCut(g, model, follow, in, relation)
		if got := p.Cut(1); got != cut {
			t.Fatalf("cut %+v, want %+v", got, cut)
		}
		if !near(p.Read(1), want) {
			t.Fatalf("%+v gives %v, want %v", follow, p.Read(1), want)
		}
		if p.Cut(0) != (exec.Cut{}) {
			t.Error("a set that was given is cut")
		}
	}
}

// projectCut is a projection by the definition of Follow.
func projectCut(g *kg.Graph, model table, follow Follow, in fuzzy.Set, r kg.Relation) ([]float64, exec.Cut) {
	var order []kg.Entity
	for h, x := range in {
		if x > 0 {
			order = append(order, kg.Entity(h))
		}
	}
	states := func(h kg.Entity) int { return min(1, len(g.Tails(h, r))) }
	slices.SortStableFunc(order, func(a, b kg.Entity) int {
		if in[a] != in[b] {
			return map[bool]int{true: -1, false: 1}[in[a] > in[b]]
		}
		return states(b) - states(a)
	})
	out, cut := make([]float64, len(in)), exec.Cut{}
	for i, h := range order {
		isFollowed := i < follow.Most && in[h] >= follow.Weight
		if !isFollowed {
			cut.LeftOut++
			if cut.LeftOut == 1 { // the likeliest comes first
				cut.Likeliest, cut.By = in[h], map[bool]exec.Bound{true: exec.ByNumber, false: exec.ByDegree}[in[h] >= follow.Weight]
			}
		}
		for t := range out {
			if p := model.link(g, Map{}, Pair{h, r}, kg.Entity(t)); isFollowed || p == 1 {
				out[t] = max(out[t], float64(in[h])*p)
			}
		}
	}
	return out, cut
}

// Without a model links are what the graph states, and execution is traversal.
func TestStatedLinksAlone(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	g := randomGraph(rng)
	executor := NewExecutor(New(g, nil, Options{}), Follow{})
	for range 100 {
		e := randomExpr(rng, 3)
		run, err := (&exec.Machine{Executor: executor}).Run(t.Context(), []*plan.Program{plan.Compile(e, plan.Options{})})
		if err != nil {
			t.Fatal(err)
		}
		want := naive(g, fuzzy.Product, func(p Pair, tail kg.Entity) float64 {
			return map[bool]float64{true: 1}[g.Has(kg.Triple{Head: p.Head, Relation: p.Relation, Tail: tail})]
		}, e)
		if !near(run.Answers(0), want) {
			t.Fatalf("%#v gives %v, want %v", e, run.Answers(0), want)
		}
	}
}
