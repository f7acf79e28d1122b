package join

import (
	"context"
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/plan"
	"github.com/lacuna-kg/lacuna/query"
)

var everything = links.Follow{Most: -1, Weight: -1, Lacking: -1}

var (
	questions = flag.Int("questions", 18000, "questions to draw for the comparison with brute force")
	seed      = flag.Uint64("seed", 0, "draw other graphs, models and questions; with twice as many -questions all constructs occur")
)

// drawn gives the random numbers of a test, others for another -seed.
func drawn(test uint64) *rand.Rand { return rand.New(rand.NewPCG(test+*seed<<32, test+1)) }

// Without bounds the join gives every answer with the degree of its best derivation over all
// assignments, the likeliest first, in every logic, over predicted links and over stated ones: for questions of the whole language, which are
// written and read again first. Brute force evaluates the formula as it was drawn.
func TestAnswersAreTheBestDerivations(t *testing.T) {
	rng := drawn(1)
	total, used := 0, tally{}
	for range *questions {
		g := randomGraph(rng)
		rows := links.New(g, randomModel(rng), links.Options{Least: -1})
		if rng.IntN(4) == 0 {
			rows = links.New(g, nil, links.Options{})
		}
		formula := drawer{rng}.query()
		asked, again := formula, reread(t, formula)
		if rng.IntN(2) == 0 { // lists of entities are written out as equations
			asked = again
		}
		q, err := query.Normalise(asked)
		if err != nil {
			continue
		}
		total++
		logic := fuzzy.Logics[rng.IntN(len(fuzzy.Logics))]
		used.count(formula, logic.Norm)
		got, err := New(rows, q, Options{Logic: logic, Follow: everything}).All(t.Context(), -1)
		if err != nil {
			t.Fatal(err)
		}
		if want := newNaive(t, rows, q, logic.Norm).answers(formula); !sameAnswers(got, want, rounding) {
			t.Fatalf("%s\nin normal form %s\nin the logic %v gives %v\nwant %v", formula, q, logic, got, want)
		}
	}
	fewest := math.MaxInt
	for _, construct := range constructs {
		for _, logic := range fuzzy.Logics {
			n := used[construct+" in "+logic.Norm.String()]
			fewest = min(fewest, n)
			if n < 10 {
				t.Errorf("only %d questions with %s in the logic %v", n, construct, logic.Norm)
			}
		}
	}
	t.Logf("%d questions asked, each of %d constructs %d times or more in every logic", total, len(constructs), fewest)
}

// reread writes a question and reads it.
func reread(t *testing.T, q *query.Query) *query.Query {
	t.Helper()
	again, err := query.Parse(q.String())
	if err != nil || again.String() != q.String() {
		t.Fatalf("%s is read again as %v, %v", q, again, err)
	}
	return again
}

// rounding is how far two ways of calculating a degree in float64 may come apart, roundingOfSets if one of them has sets, of float32.
const (
	rounding       = 1e-9
	roundingOfSets = 1e-6
)

// sameAnswers compares up to rounding, which near 0 makes or takes answers in Łukasiewicz' logic.
func sameAnswers(got []Answer, want map[[3]kg.Entity]float64, near float64) bool {
	last, found := math.Inf(1), map[[3]kg.Entity]bool{}
	for _, a := range got {
		key := tuple(a.Entities)
		if math.Abs(want[key]-a.Degree) > near || a.Degree > last+rounding || found[key] {
			return false
		}
		last, found[key] = a.Degree, true
	}
	for key, x := range want {
		if x > near && !found[key] {
			return false
		}
	}
	return true
}

// On a question whose variables form a tree with a given entity at every leaf, the join is execution by links.
func TestTreesAreExecutionByLinks(t *testing.T) {
	rng := drawn(3)
	for range 1500 {
		rows := links.New(randomGraph(rng), randomModel(rng), links.Options{Least: -1})
		e := randomTree(rng, 1+rng.IntN(3))
		logic := fuzzy.Logics[rng.IntN(len(fuzzy.Logics))]
		run, err := (&exec.Machine{Executor: links.NewExecutor(rows, everything), Logic: logic}).Run(t.Context(), []*plan.Program{plan.Compile(e, plan.Options{})})
		if err != nil {
			t.Fatal(err)
		}
		want := map[[3]kg.Entity]float64{}
		for v, x := range run.Answers(0) {
			want[tuple([]kg.Entity{kg.Entity(v)})] = float64(x)
		}
		q, err := query.Normalise(query.FromExpr(e, nil))
		if err != nil {
			t.Fatal(err)
		}
		got, err := New(rows, q, Options{Logic: logic, Follow: everything}).All(t.Context(), -1)
		if err != nil {
			t.Fatal(err)
		}
		if !sameAnswers(got, want, roundingOfSets) {
			t.Fatalf("%s\nby the join %v\nby links %v", query.FormatOperators(e, nil), got, want)
		}
	}
}

// randomTree draws an expression that is not only a complement.
func randomTree(rng *rand.Rand, depth int) query.Expr {
	project := func() query.Expr {
		var of query.Expr = query.Anchor{Entity: kg.Entity(rng.IntN(entities))}
		if depth > 1 && rng.IntN(3) > 0 {
			of = randomTree(rng, depth-1)
		}
		return query.Projection{Relation: kg.Relation(rng.IntN(2 * relations)), Of: of}
	}
	switch rng.IntN(5) {
	case 0:
		return query.Intersection{Of: []query.Expr{project(), query.Complement{Of: project()}}}
	case 1:
		return query.Intersection{Of: []query.Expr{project(), project()}}
	case 2:
		return query.Union{Of: []query.Expr{project(), project()}}
	}
	return project()
}

// Bounded, a search gives no answer a higher degree than it has, and what lacks is below what the cut says; a least
// degree leaves the others as they are.
func TestBoundsAreSaid(t *testing.T) {
	rng := drawn(5)
	cuts := 0
	for range 10000 {
		rows := links.New(randomGraph(rng), randomModel(rng), links.Options{Least: -1})
		formula := drawer{rng}.query()
		q, err := query.Normalise(formula)
		if err != nil || negates(q.Body) {
			continue // a link that lacks under a negation makes its answer likelier
		}
		logic := fuzzy.Logics[rng.IntN(len(fuzzy.Logics))]
		o := Options{Logic: logic, Least: rng.Float64() / 2, Follow: links.Follow{Most: 1 + rng.IntN(4), Weight: rng.Float32() / 4}, Steps: rng.IntN(2) * (1 + rng.IntN(60))}
		search := New(rows, q, o)
		got, err := search.All(t.Context(), -1)
		if err != nil {
			t.Fatal(err)
		}
		degrees := map[[3]kg.Entity]float64{}
		for _, a := range got {
			degrees[tuple(a.Entities)] = a.Degree
		}
		cut := search.Cut()
		if cut != (Cut{}) {
			cuts++
		}
		for key, x := range newNaive(t, rows, q, logic.Norm).answers(formula) {
			if degrees[key] > x+rounding || x >= o.Least && degrees[key] < x-rounding && x > cut.Likeliest+rounding {
				t.Fatalf("%s with %+v gives %v %v, want %v, cut %+v", q, o, key, degrees[key], x, cut)
			}
		}
	}
	if cuts < 200 {
		t.Errorf("only %d searches met a bound", cuts)
	}
}

// Predictions that were left out as something unlikely needed them are followed when something likely does.
func TestLikelierOnesFollowWhatFaintOnesDoNot(t *testing.T) {
	g := kg.Build(fortyEntities(), []kg.Triple{{Head: 30, Relation: 0, Tail: 1}, {Head: 30, Relation: 0, Tail: 2}})
	source := rowsOf(func(h kg.Entity, r kg.Relation, tail kg.Entity) float32 {
		switch {
		case r == 0 && h == 1 && tail == 5:
			return 0.4
		case r == 0 && h == 1 && tail == 2: // by way of which the row of 2 is looked at first
			return links.DefaultWeight / 2
		case r == 0 && h == 2 && tail == 5:
			return 0.5
		}
		return 0
	})
	rows := links.New(g, source, links.Options{Least: -1, Map: links.Map{{Logit: 1}}})
	search := New(rows, parsed(t, "?x, ?y : #0(#30, x) ∧ #0(x, y) ∧ ¬(∃z : #0(x, z) ∧ #0(z, z))"), Options{Least: 0.01})
	found, err := search.All(t.Context(), -1)
	if err != nil || len(found) != 2 || math.Abs(found[0].Degree-0.5) > 1e-6 || math.Abs(found[1].Degree-0.4) > 1e-6 {
		t.Errorf("%v, %v; cut %+v", found, err, search.Cut())
	}
}

func negates(c query.Condition) bool {
	if _, ok := c.(query.No); ok {
		return true
	}
	return slices.ContainsFunc(query.Parts(c), negates)
}

// The first answers are there long before the rest is.
func TestFirstAnswersComeFirst(t *testing.T) {
	rng := drawn(7)
	rows := links.New(randomGraph(rng), randomModel(rng), links.Options{Least: -1})
	link := func(from, to string) query.Formula {
		return query.Atom{Relation: query.RelationName{Name: query.Name{ByID: true}}, From: query.Variable{Name: from}, To: query.Variable{Name: to}}
	}
	q, err := query.Normalise(&query.Query{Answers: []query.Variable{{Name: "x"}, {Name: "y"}, {Name: "z"}}, Body: query.And{Of: []query.Formula{link("x", "y"), link("y", "z"), link("z", "x")}}})
	if err != nil {
		t.Fatal(err)
	}
	search := New(rows, q, Options{Follow: everything})
	if _, ok, err := search.Next(t.Context()); !ok || err != nil {
		t.Fatal(ok, err)
	}
	first := search.Stats().Steps
	if _, err := search.All(t.Context(), -1); err != nil {
		t.Fatal(err)
	}
	if all := search.Stats().Steps; 3*first > all {
		t.Errorf("%d steps for the first answer, %d for all", first, all)
	}
}

func TestSearchStopsWithItsContext(t *testing.T) {
	rng := drawn(9)
	rows := links.New(randomGraph(rng), randomModel(rng), links.Options{Least: -1})
	q, err := query.Normalise(&query.Query{Answers: []query.Variable{{Name: "x"}}, Body: query.Atom{
		Relation: query.RelationName{Name: query.Name{ByID: true}}, From: query.Variable{Name: "x"}, To: query.Variable{Name: "x"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := New(rows, q, Options{}).Next(ctx); kg.KindOf(err) != kg.Cancelled {
		t.Errorf("error %v", err)
	}
}

// A search for predictions leaves out nothing but answers that stated links alone derive.
func TestPredictedLeavesOutWhatIsStated(t *testing.T) {
	rng := drawn(11)
	left := 0
	for range 2000 {
		g := randomGraph(rng)
		rows := links.New(g, randomModel(rng), links.Options{Least: -1})
		q, err := query.Normalise(drawer{rng}.query())
		if err != nil || q.Answers == 0 {
			continue
		}
		logic := fuzzy.Logics[rng.IntN(len(fuzzy.Logics))]
		known := NewChecker(g, q)
		all, err := New(rows, q, Options{Logic: logic, Follow: everything}).All(t.Context(), -1)
		if err != nil {
			t.Fatal(err)
		}
		predicted, err := New(rows, q, Options{Logic: logic, Follow: everything, Predicted: true}).All(t.Context(), -1)
		if err != nil {
			t.Fatal(err)
		}
		found := map[[3]kg.Entity]float64{}
		for _, a := range predicted {
			found[tuple(a.Entities)] = a.Degree
		}
		for _, a := range all {
			isKnown, err := known.Holds(t.Context(), answers(q), a.Entities)
			if err != nil {
				t.Fatal(err)
			}
			degree, isFound := found[tuple(a.Entities)]
			if !isKnown && a.Degree < 1 && math.Abs(degree-a.Degree) > rounding {
				t.Fatalf("%s: %v is predicted with %v and found with %v", q, a.Entities, a.Degree, degree)
			}
			if isKnown && !isFound {
				left++
			}
		}
	}
	if left < 100 {
		t.Errorf("only %d known answers were left out", left)
	}
}

// Where nothing given leads to a variable, it starts from the heads that its relation is stated of and from those that
// are predicted with enough probability, and the search says that it left others out.
func TestStartsArePredictedToo(t *testing.T) {
	g := kg.Build(fortyEntities(), []kg.Triple{{Head: 30, Relation: 0, Tail: 31}, {Head: 30, Relation: 0, Tail: 32}, {Head: 33, Relation: 0, Tail: 31}})
	// Entity 20 is likely to have the relation, 10 is less so; read from the head both are certain to some degree.
	source := rowsOf(func(h kg.Entity, r kg.Relation, tail kg.Entity) float32 {
		switch {
		case r == 1 && h == 31 && tail == 20:
			return 0.5
		case r == 1 && h == 31 && tail == 10:
			return 0.05
		case r == 0 && (h == 20 || h == 10) && tail == 31:
			return 0.4
		}
		return 0
	})
	rows := links.New(g, source, links.Options{Least: -1, Map: links.Map{{Logit: 1}}})
	search := New(rows, parsed(t, "?x, ?y : #0(x, y)"), Options{Follow: links.Follow{Most: 8, Weight: -1, Lacking: -1}, Predicted: true, Least: 0.01})
	found, err := search.All(t.Context(), -1)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 || found[0].Entities[0] != 20 || found[0].Entities[1] != 31 {
		t.Errorf("%+v", found)
	}
	if search.Cut().LeftOut == 0 {
		t.Error("entities that were left out are not counted")
	}
}

// A search within another that begins anew for each value leaves out the same entities each time, which count once.
func TestStartsLeftOutCountOnce(t *testing.T) {
	var facts []kg.Triple
	for e := range kg.Entity(20) {
		facts = append(facts, kg.Triple{Head: 30, Relation: 0, Tail: e})
	}
	source := rowsOf(func(kg.Entity, kg.Relation, kg.Entity) float32 { return 0.01 })
	rows := links.New(kg.Build(fortyEntities(), facts), source, links.Options{Least: -1, Map: links.Map{{Logit: 1}}})
	search := New(rows, parsed(t, "?x : #0(#30, x) ∧ ¬(∃y, z : #0(y, z) ∧ y ≠ x)"), Options{Follow: links.Follow{Most: 4}})
	if _, err := search.All(t.Context(), -1); err != nil {
		t.Fatal(err)
	}
	if cut := search.Cut(); cut.LeftOut == 0 || cut.LeftOut > 40 {
		t.Errorf("cut %+v of 40 entities", cut)
	}
}

// When it is too late to compute rows, what is stated and what is kept is answered with, and the cut says so.
func TestRowsAreComputedInTime(t *testing.T) {
	g := kg.Build(fortyEntities(), []kg.Triple{{Head: 30, Relation: 0, Tail: 31}, {Head: 31, Relation: 0, Tail: 32}})
	source := rowsOf(func(kg.Entity, kg.Relation, kg.Entity) float32 { return 0.5 })
	rows := links.New(g, source, links.Options{Map: links.Map{{Logit: 1}}})
	q := parsed(t, "?x, ?y : #0(#30, x) ∧ #0(x, y)")
	late := Options{Follow: everything, ComputeUntil: time.Now().Add(-time.Second)}
	for _, want := range []int{1, 40 * 40} { // before rows are kept, and after
		search := New(rows, q, late)
		found, err := search.All(t.Context(), -1)
		if err != nil || len(found) != want || (search.Cut().LeftOut > 0) != (want == 1) {
			t.Fatalf("%d answers, want %d; cut %+v, %v", len(found), want, search.Cut(), err)
		}
		if _, err := New(rows, q, Options{Follow: everything}).All(t.Context(), -1); err != nil {
			t.Fatal(err)
		}
	}
}

// fortyEntities are names of as many, and of one relation.
func fortyEntities() *kg.Vocabulary {
	var names, relationNames kg.Interner
	for i := range 40 {
		names.Intern([]byte{byte(i)})
	}
	relationNames.Intern([]byte("R"))
	return &kg.Vocabulary{Entities: kg.Dictionary{Names: names.Names()}, Relations: kg.Dictionary{Names: relationNames.Names()}}
}

// rowsOf is a model by a function over fortyEntities.
type rowsOf func(head kg.Entity, relation kg.Relation, tail kg.Entity) float32

// Tails implements links.Source.
func (f rowsOf) Tails(_ context.Context, heads []kg.Entity, relations []kg.Relation, part func(int, kernel.Device, kernel.Buffer, []kg.Entity) error) error {
	return giveRows(heads, relations, part, func(h kg.Entity, r kg.Relation) []float32 {
		row := make([]float32, 40)
		for e := range row {
			row[e] = f(h, r, kg.Entity(e))
		}
		return row
	})
}
