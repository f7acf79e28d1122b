package exec_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/internal/synth"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/plan"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/symbolic"
)

const entities, relations = 12, 3

func randomGraph(rng *rand.Rand) *kg.Graph { return synth.Random(rng, entities, relations, 30) }

func exact(g *kg.Graph) exec.Executor {
	return exec.Host{Projector: symbolic.Projector{Graph: g}, Entities: g.NumEntities()}
}

// onPlain is all of a projector on the plain device but its projection.
type onPlain struct {
	device kernel.Device
	graph  kernel.DeviceGraph
}

func newOnPlain(t *testing.T, g *kg.Graph) onPlain {
	topology, err := exec.Topology(g)
	if err != nil {
		t.Fatal(err)
	}
	device := plain.New()
	return onPlain{device, device.NewGraph(topology)}
}

func (p onPlain) Device() kernel.Device     { return p.device }
func (p onPlain) Nodes() int                { return p.graph.Nodes() }
func (p onPlain) Facts() kernel.DeviceGraph { return p.graph }

// traversing projects exactly on a device, in place of a model.
type traversing struct{ onPlain }

func (t traversing) Project(_ context.Context, out, in kernel.Buffer, relations []int32) error {
	t.device.Traverse(t.graph, out, in, relations)
	return nil
}

// blind finds nothing at all.
type blind struct{ onPlain }

func (b blind) Project(_ context.Context, out, _ kernel.Buffer, _ []int32) error {
	b.device.Fill(out, 0)
	return nil
}

// executors compute the same in three ways: in Go memory, on a device, and on a device that keeps known facts.
func executors(t *testing.T, g *kg.Graph) []exec.Executor {
	on := newOnPlain(t, g)
	return []exec.Executor{
		exact(g),
		exec.OnDevice{Projector: traversing{on}},
		exec.OnDevice{Projector: blind{on}, KeepKnown: true},
	}
}

func randomExpr(rng *rand.Rand, depth int) query.Expr {
	if depth == 0 {
		if rng.IntN(8) == 0 {
			return query.Universe{}
		}
		return query.Anchor{Entity: kg.Entity(rng.IntN(entities))}
	}
	switch rng.IntN(6) {
	case 0:
		return query.Complement{Of: randomExpr(rng, depth-1)}
	case 1, 2:
		operands := make([]query.Expr, 2+rng.IntN(2))
		for i := range operands {
			operands[i] = randomExpr(rng, depth-1)
		}
		if rng.IntN(2) == 0 {
			return query.Union{Of: operands}
		}
		return query.Intersection{Of: operands}
	}
	return query.Projection{Relation: kg.Relation(rng.IntN(2 * relations)), Of: randomExpr(rng, depth-1)}
}

// naive evaluates by the definition, recursively and entity by entity.
func naive(g *kg.Graph, l fuzzy.Logic, e query.Expr) fuzzy.Set {
	out := make(fuzzy.Set, g.NumEntities())
	var operands []fuzzy.Set
	for _, operand := range query.Operands(e) {
		operands = append(operands, naive(g, l, operand))
	}
	for v := range out {
		switch e := e.(type) {
		case query.Anchor:
			out[v] = map[bool]float32{true: 1}[e.Entity == kg.Entity(v)]
		case query.Universe:
			out[v] = 1
		case query.Complement:
			out[v] = 1 - operands[0][v]
		case query.Intersection:
			out[v] = fold(l, kernel.And, operands, v)
		case query.Union:
			out[v] = fold(l, kernel.Or, operands, v)
		case query.Projection:
			for h, degree := range operands[0] {
				if g.Has(kg.Triple{Head: kg.Entity(h), Relation: e.Relation, Tail: kg.Entity(v)}) {
					out[v] = max(out[v], degree)
				}
			}
		}
	}
	return out
}

func fold(l fuzzy.Logic, op kernel.LogicOp, operands []fuzzy.Set, v int) float32 {
	x := operands[0][v]
	for _, operand := range operands[1:] {
		x = plain.Apply(l.Norm, op, x, operand[v])
	}
	return x
}

// TestAgainstNaiveEvaluation runs random batches in every mode of the machine and the compiler.
func TestAgainstNaiveEvaluation(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 60 {
		g := randomGraph(rng)
		exprs := make([]query.Expr, 1+rng.IntN(9))
		for i := range exprs {
			exprs[i] = randomExpr(rng, rng.IntN(5))
		}
		for _, executor := range executors(t, g) {
			for _, l := range fuzzy.Logics {
				for _, answersOnly := range []bool{false, true} {
					m := &exec.Machine{Executor: executor, Logic: l, AnswersOnly: answersOnly}
					for name, compile := range compilers {
						checkBatch(t, g, exprs, name, compile, m)
					}
				}
			}
		}
	}
}

// compilers are the ways to a program, from plain to fully optimised; crisp sets must come out the same.
var compilers = map[string]func(query.Expr) *plan.Program{
	"plain":  func(e query.Expr) *plan.Program { return plan.Compile(e, plan.Options{NoSharing: true}) },
	"shared": func(e query.Expr) *plan.Program { return plan.Compile(e, plan.Options{}) },
	"rewritten": func(e query.Expr) *plan.Program {
		return plan.Compile(e, plan.Options{Rewrites: query.Passes})
	},
}

func checkBatch(t *testing.T, g *kg.Graph, exprs []query.Expr, name string, compile func(query.Expr) *plan.Program, m *exec.Machine) {
	t.Helper()
	programs := make([]*plan.Program, len(exprs))
	for i, e := range exprs {
		programs[i] = compile(e)
	}
	run, err := m.Run(context.Background(), programs)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Release()
	for i, e := range exprs {
		if want := naive(g, m.Logic, e); !slices.Equal(run.Answers(i), want) {
			t.Fatalf("%T, %v, %s program, answers only %v: %#v gives %v, want %v", m.Executor, m.Logic, name, m.AnswersOnly, e, run.Answers(i), want)
		}
	}
}

func TestTraceHoldsEverySet(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	g := randomGraph(rng)
	chain := query.Projection{Relation: 2, Of: query.Projection{Relation: 0, Of: query.Anchor{Entity: 3}}}
	e := query.Intersection{Of: []query.Expr{chain, query.Complement{Of: chain.Of}}}
	m := exec.Machine{Executor: exact(g)}
	run, err := m.Run(context.Background(), []*plan.Program{plan.Compile(e, plan.Options{})})
	if err != nil {
		t.Fatal(err)
	}
	parts := []query.Expr{query.Anchor{Entity: 3}, chain.Of, chain, chain.Of, query.Complement{Of: chain.Of}, e}
	for i, part := range parts {
		if want := naive(g, fuzzy.Product, part); !slices.Equal(run.Set(0, i), want) {
			t.Errorf("set %d is %v, want %v", i, run.Set(0, i), want)
		}
	}
}

// TestProjectionsRunTogether checks the batching: programs of 3, 1 and 2 projections need three rounds of 3, 2 and 1.
func TestProjectionsRunTogether(t *testing.T) {
	g := randomGraph(rand.New(rand.NewPCG(1, 1)))
	var programs []*plan.Program
	for _, length := range []int{3, 1, 2} {
		var e query.Expr = query.Anchor{}
		for range length {
			e = query.Projection{Of: e}
		}
		programs = append(programs, plan.Compile(e, plan.Options{}))
	}
	m := exec.Machine{Executor: exact(g)}
	run, err := m.Run(context.Background(), programs)
	if err != nil {
		t.Fatal(err)
	}
	if want := []int{3, 2, 1}; !reflect.DeepEqual(run.Stats.Batches, want) || run.Stats.Projections != 6 {
		t.Errorf("batches %v, %d projections; want %v, 6", run.Stats.Batches, run.Stats.Projections, want)
	}
}

// TestSlotsAreReused checks that a batch of chains needs as many sets as programs and one round's results, not one an instruction.
func TestSlotsAreReused(t *testing.T) {
	var chain query.Expr = query.Anchor{}
	for range 10 {
		chain = query.Projection{Of: chain}
	}
	programs := slices.Repeat([]*plan.Program{plan.Compile(chain, plan.Options{})}, 4)
	if kept, reused := exec.NewSchedule(programs, false).Slots, exec.NewSchedule(programs, true).Slots; kept != 44 || reused > 12 {
		t.Errorf("%d slots without reuse, %d with; want 44 and at most 12", kept, reused)
	}
}

// TestFinalProjections checks which projections training follows back: those of the last segment.
func TestFinalProjections(t *testing.T) {
	chain := query.Projection{Relation: 2, Of: query.Projection{Relation: 0, Of: query.Anchor{Entity: 3}}}
	e := query.Intersection{Of: []query.Expr{chain, query.Complement{Of: query.Projection{Relation: 4, Of: query.Anchor{}}}}}
	var final []kg.Relation
	for _, round := range exec.NewSchedule([]*plan.Program{plan.Compile(e, plan.Options{})}, true).Rounds {
		for _, p := range round.Projections {
			if p.Final {
				final = append(final, p.Relation)
			}
		}
	}
	if slices.Sort(final); !slices.Equal(final, []kg.Relation{2, 4}) {
		t.Errorf("final projections by relations %v, want 2 and 4", final)
	}
}

func TestCancelledRunStops(t *testing.T) {
	g := randomGraph(rand.New(rand.NewPCG(1, 1)))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	m := exec.Machine{Executor: exact(g)}
	_, err := m.Run(ctx, []*plan.Program{plan.Compile(query.Projection{Of: query.Anchor{}}, plan.Options{})})
	if kg.KindOf(err) != kg.Cancelled {
		t.Errorf("error %v, want a cancelled one", err)
	}
}

type brokenProjector struct{}

var errBroken = errors.New("broken")

func (brokenProjector) Project(context.Context, []fuzzy.Set, []fuzzy.Set, []kg.Relation) error {
	return errBroken
}

func TestProjectorErrorEndsTheRun(t *testing.T) {
	m := exec.Machine{Executor: exec.Host{Projector: brokenProjector{}, Entities: entities}}
	_, err := m.Run(context.Background(), []*plan.Program{plan.Compile(query.Projection{Of: query.Anchor{}}, plan.Options{})})
	if !errors.Is(err, errBroken) {
		t.Errorf("error %v, want the projector's", err)
	}
}
