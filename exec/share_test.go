package exec_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/plan"
	"github.com/lacuna-kg/lacuna/query"
)

// notebook is a cache that forgets at random, as a bounded one does.
type notebook struct {
	sets map[exec.Digest]fuzzy.Set
	rng  *rand.Rand
}

func (n *notebook) Recall(d exec.Digest) (fuzzy.Set, bool) {
	set, found := n.sets[d]
	return set, found && n.rng.IntN(3) > 0
}

func (n *notebook) Keep(d exec.Digest, set fuzzy.Set) { n.sets[d] = set }

// halving projects along edges and halves the degree, so that sets are truly fuzzy.
type halving struct{ onPlain }

func (h halving) Project(_ context.Context, out, in kernel.Buffer, relations []int32) error {
	h.device.Traverse(h.graph, out, in, relations)
	degrees := make([]float32, out.Len())
	h.device.Download(degrees, out)
	for i := range degrees {
		degrees[i] *= 0.7
	}
	h.device.Upload(out, degrees)
	return nil
}

func halvingExecutor(t *testing.T, g *kg.Graph) exec.Executor {
	return exec.OnDevice{Projector: halving{newOnPlain(t, g)}}
}

// The complement is the logic's: what is 0.7 likely counts under ¬ with a tenth of its odds.
func TestNegationOfTheLogic(t *testing.T) {
	g := randomGraph(rand.New(rand.NewPCG(3, 4)))
	of := query.Projection{Relation: 1, Of: query.Universe{}}
	linked := naive(g, fuzzy.Product, of)
	machine := exec.Machine{Executor: halvingExecutor(t, g), Logic: fuzzy.Logic{Negation: -0.9}}
	run, err := machine.Run(t.Context(), []*plan.Program{plan.Compile(query.Complement{Of: of}, plan.Options{})})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Release()
	for v, x := range run.Answers(0) {
		want := 1.0
		if linked[v] > 0 {
			want = 0.3 / (1 - 0.9*0.7)
		}
		if math.Abs(float64(x)-want) > 1e-6 {
			t.Errorf("entity %d, linked %v: complement %v, expected %v", v, linked[v], x, want)
		}
	}
	if slices.Max(linked) == 0 || slices.Min(linked) == 1 {
		t.Errorf("all entities are alike, %v: the test shows nothing", linked)
	}
}

// TestSharingAndCacheChangeNothing runs random batches three ways, each program
// for itself, shared, and shared with a cache of earlier batches: every set must be the same to the bit.
func TestSharingAndCacheChangeNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	g := randomGraph(rng)
	executors := append(executors(t, g), halvingExecutor(t, g))
	for _, executor := range executors {
		for _, logic := range fuzzy.Logics {
			memory := &notebook{map[exec.Digest]fuzzy.Set{}, rng}
			recalled, shared := 0, 0
			for range 30 {
				var programs []*plan.Program
				for range 1 + rng.IntN(8) {
					programs = append(programs, plan.Compile(randomExpr(rng, rng.IntN(5)), plan.Options{NoSharing: rng.IntN(2) == 0}))
				}
				plain := exec.Machine{Executor: executor, Logic: logic}
				remembering := exec.Machine{Executor: executor, Logic: logic, Cache: memory}
				compareRuns(t, plain, exec.Machine{Executor: executor, Logic: logic, Share: true}, programs)
				stats := compareRuns(t, plain, remembering, programs)
				recalled, shared = recalled+stats.Recalled, shared+stats.Shared
			}
			if recalled == 0 || shared == 0 {
				t.Errorf("%d projections recalled and %d shared: the test shows nothing", recalled, shared)
			}
		}
	}
}

// compareRuns compares the sets after every instruction and gives the stats of the second run.
func compareRuns(t *testing.T, plain, other exec.Machine, programs []*plan.Program) exec.Stats {
	t.Helper()
	want, err := plain.Run(t.Context(), programs)
	if err != nil {
		t.Fatal(err)
	}
	defer want.Release()
	got, err := other.Run(t.Context(), programs)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Release()
	for p := range programs {
		for i := range programs[p].Code {
			if !slices.Equal(got.Set(p, i), want.Set(p, i)) {
				t.Fatalf("program %d, instruction %d: %v, alone %v", p, i, got.Set(p, i), want.Set(p, i))
			}
		}
	}
	s := got.Stats
	if s.Projections+s.Recalled+s.Shared != want.Stats.Projections {
		t.Errorf("%d projections computed, %d recalled, %d shared; alone %d", s.Projections, s.Recalled, s.Shared, want.Stats.Projections)
	}
	return s
}

// TestEqualProgramsRunOnce checks what sharing is for: sixteen clients with one question cost one.
func TestEqualProgramsRunOnce(t *testing.T) {
	g := randomGraph(rand.New(rand.NewPCG(1, 1)))
	x := query.Projection{Relation: 1, Of: query.Anchor{Entity: 2}}
	y := query.Projection{Relation: 2, Of: query.Anchor{Entity: 3}}
	one := query.Projection{Of: query.Intersection{Of: []query.Expr{x, y}}}
	other := query.Projection{Of: query.Intersection{Of: []query.Expr{y, x}}} // the same, said the other way round
	var programs []*plan.Program
	for range 8 {
		programs = append(programs, plan.Compile(one, plan.Options{}), plan.Compile(other, plan.Options{}))
	}
	memory := &notebook{map[exec.Digest]fuzzy.Set{}, rand.New(rand.NewPCG(1, 1))}
	machine := exec.Machine{Executor: exact(g), Cache: memory}
	run, err := machine.Run(t.Context(), programs)
	if err != nil {
		t.Fatal(err)
	}
	if run.Stats.Projections != 3 || len(memory.sets) != 3 {
		t.Errorf("%d projections computed and %d remembered, want 3", run.Stats.Projections, len(memory.sets))
	}
}
