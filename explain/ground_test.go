package explain

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/neural"
	"github.com/lacuna-kg/lacuna/plan"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/symbolic"
)

func randomGraph(t *testing.T, seed uint64) *kg.Graph {
	t.Helper()
	draw := rand.New(rand.NewPCG(seed, 2))
	var text strings.Builder
	for i := range 12 {
		fmt.Fprintf(&text, "n%d\tR\tn%d\n", i, (i+1)%12)
	}
	for range 30 {
		fmt.Fprintf(&text, "n%d\t%c\tn%d\n", draw.IntN(12), 'R'+rune(draw.IntN(3)), draw.IntN(12))
	}
	splits, err := read.Stream(t.Context(), strings.NewReader(text.String()), "random.tsv", read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return splits.Train
}

// model is a small network with random parameters.
func model(t *testing.T, g *kg.Graph, config gnn.Config) *neural.Predictor {
	t.Helper()
	learnt, err := gnn.New(plain.New(), config, g.NumRelations(), 5)
	if err != nil {
		t.Fatal(err)
	}
	card := checkpoint.Card{Config: learnt.Spec(), Graph: checkpoint.Describe(g, "toy")}
	p, err := neural.NewModel("toy", learnt, card).On(t.Context(), g, "toy")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func toyConfigs() []gnn.Config {
	return []gnn.Config{
		{Kind: gnn.NBFNet, Message: "distmult", Aggregate: "pna", Width: 6, Layers: 3, Dependent: true},
		{Kind: gnn.Ultra, Message: "distmult", Aggregate: "sum", Width: 6, Layers: 3, Direction: gnn.TailToHead},
	}
}

func question(t *testing.T, g *kg.Graph, text string) *plan.Question {
	t.Helper()
	parsed, err := query.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	q, err := plan.NewQuestion(parsed, g.Vocabulary, plan.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// ran runs a question by traversal and, with a model, by that.
func ran(t *testing.T, g *kg.Graph, m *neural.Predictor, text string) *Run {
	t.Helper()
	q := question(t, g, text)
	machine := exec.Machine{Executor: exec.Host{Projector: symbolic.Projector{Graph: g}, Entities: g.NumEntities()}}
	exact, err := machine.Run(t.Context(), []*plan.Program{q.Program})
	if err != nil {
		t.Fatal(err)
	}
	run := exact
	if m != nil {
		executor, err := m.Executor(t.Context(), true)
		if err != nil {
			t.Fatal(err)
		}
		machine.Executor = executor
		if run, err = machine.Run(t.Context(), []*plan.Program{q.Program}); err != nil {
			t.Fatal(err)
		}
	}
	return &Run{Question: q, Graph: g, Model: m, Sets: func(i int) (set, known fuzzy.View) { return run.View(0, i), exact.View(0, i) }}
}

// By traversal every link of the grounding of every answer is a fact, end to end.
func TestGroundingByTraversal(t *testing.T) {
	grounded := 0
	for seed := range uint64(5) {
		g := randomGraph(t, seed)
		for _, text := range []string{
			"P[R](P[S](P[T^-1]({n3})))",
			"P[S](C(P[R]({n1}), D(P[S]({n1}), P[T]({n2}))))",
			"C(P[R](P[R]({n4})), N(P[S]({n5})))",
			"P[T](D(P[R]({n1}), P[S]({n2})))",
		} {
			r := ran(t, g, nil, text)
			set, _ := r.Sets(r.Program.Result())
			for _, m := range set.Top(-1, fuzzy.Threshold) {
				e, err := r.Ground(t.Context(), m.Entity, Options{})
				if err != nil {
					t.Fatal(err)
				}
				for _, l := range e.Links {
					if !l.Known || !g.Has(l.triple) {
						t.Errorf("%s: %s is no fact", text, l.Fact())
					}
				}
				checkComplete(t, text, e.Grounding)
				grounded++
			}
		}
	}
	if grounded < 20 {
		t.Errorf("%d answers in all, expected one for most questions", grounded)
	}
}

// checkComplete holds every step that is followed to having what it needs.
func checkComplete(t *testing.T, text string, s *Step) {
	t.Helper()
	if s.Negated || s.Aside {
		return
	}
	if s.Probability == 0 || s.Op == "project" && (s.Link == nil || len(s.Of) != 1) {
		t.Errorf("%s: %s %s is not grounded", text, s.Op, s.Entity)
	}
	followed := 0
	for i := range s.Of {
		checkComplete(t, text, &s.Of[i])
		if !s.Of[i].Aside {
			followed++
		}
	}
	if s.Op == "or" && followed != 1 || s.Op == "and" && followed != 2 {
		t.Errorf("%s: %d operands of %s are followed", text, followed, s.Op)
	}
}

// With all entities as candidates the source is the best by degree times strength, each
// strength taken from a projection of its own.
func TestSourceIsTheBest(t *testing.T) {
	for _, config := range toyConfigs() {
		g := randomGraph(t, 3)
		m := model(t, g, config)
		r := ran(t, g, m, "P[S](P[R]({n1}))")
		middle, _ := r.Sets(r.Program.Inputs[r.Program.Result()][0])
		for answer := range kg.Entity(g.NumEntities()) {
			relation := r.Program.Code[r.Program.Result()].Relation
			best := float32(0)
			for u := range kg.Entity(g.NumEntities()) {
				p, err := m.Links(t.Context(), []kg.Entity{u}, relation, answer)
				if err != nil {
					t.Fatal(err)
				}
				strength := p[0]
				if g.Has(kg.Triple{Head: u, Relation: relation, Tail: answer}) {
					strength = 1
				}
				best = max(best, strength*middle.At(u))
			}
			e, err := r.Ground(t.Context(), answer, Options{Candidates: g.NumEntities()})
			if err != nil {
				t.Fatal(err)
			}
			link := e.Links[*e.Grounding.Link]
			if got := e.Grounding.Of[0].Probability * link.Probability; math.Abs(float64(got-best)) > 1e-5 {
				t.Errorf("%s: the source of %s has %v, the best %v", config.Kind, e.Answer.Entity, got, best)
			}
		}
	}
}

// Where more members are likely than can be tried, those are tried that the network's evidence came from.
func TestSourcesOfALargeSet(t *testing.T) {
	g := randomGraph(t, 1)
	r := ran(t, g, model(t, g, toyConfigs()[0]), "?u : exists a: T(a, u)")
	for answer := range kg.Entity(g.NumEntities()) {
		e, err := r.Ground(t.Context(), answer, Options{Candidates: 1})
		if err != nil {
			t.Fatal(err)
		}
		if e.Grounding.Link == nil {
			t.Errorf("%s has no source", e.Answer.Entity)
		}
	}
}

// Removing facts and asking again is the same as asking a graph that never had them.
func TestWithoutFacts(t *testing.T) {
	for _, config := range toyConfigs() {
		g := randomGraph(t, 2)
		m := model(t, g, config)
		var kept, removed []kg.Triple
		for f := range g.Triples() {
			if len(removed) < 3 && len(kept)%5 == 4 {
				removed = append(removed, f)
				kept = append(kept, kept[0]) // moves on; Build drops the repetition
				continue
			}
			kept = append(kept, f)
		}
		link := kg.Triple{Head: 1, Relation: kg.Forward(1), Tail: 4}
		got, err := counterfactual{Run: &Run{Graph: g, Model: m}, link: link}.without(t.Context(), removed)
		if err != nil {
			t.Fatal(err)
		}
		other := model(t, kg.Build(g.Vocabulary, kept), config)
		want, err := other.Links(t.Context(), []kg.Entity{1}, link.Relation, link.Tail)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(float64(got-want[0])) > 1e-6 {
			t.Errorf("%s: %v without the facts, %v on a graph without them", config.Kind, got, want[0])
		}
	}
}

// A context that has ended stops every part with an error of the user's kind.
func TestExplainingStops(t *testing.T) {
	g := randomGraph(t, 2)
	m := model(t, g, toyConfigs()[0])
	r := ran(t, g, m, "P[S](P[R]({n1}))")
	e, err := r.Ground(t.Context(), 7, Options{})
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Ground(ended, 7, Options{}); kg.KindOf(err) != kg.Cancelled {
		t.Errorf("grounding: %v", err)
	}
	for i := range e.Links {
		e.Links[i].Known = false
	}
	if err := (&Run{Graph: g, Model: m}).Reasons(ended, e, Options{}); kg.KindOf(err) != kg.Cancelled {
		t.Errorf("reasons: %v", err)
	}
}
