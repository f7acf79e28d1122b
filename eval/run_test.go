package eval

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/internal/sorted"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/plan"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/symbolic"
)

// TestToyByHand evaluates traversal of the toy's training facts R(0,1), R(0,5), S(1,3).
//
//	query          easy     hard   found   wrong  ranks            predicted, true
//	S(2)           -        0, 4   -       -      1 … 5, twice     0, 2
//	R(0)           1, 2, 5  3      1, 5    -      1 … 3            2, 4
//	S(R(0))        3, 4     0      3       -      1 … 4            1, 3
//	R(0) ∧ ¬S⁻(4)  1, 2     3      1, 5    5      2 … 4            2, 3
func TestToyByHand(t *testing.T) {
	set := toySet(t)
	r := mustRun(t, Options{Set: set, Split: dataset.Test, Method: NewTraversal(set.Graph.Train), Model: "exact"})
	for shape, want := range map[string]struct {
		queries, answers int
		retrieval        Retrieval
		best, worst      float64
		mape             float64
	}{
		"1p":  {2, 3, Retrieval{(1.0/3 + 1.0/2) / 2, 0, 1, 1}, 1, (1.0/5 + 1.0/3) / 2, 0.75},
		"2p":  {1, 1, Retrieval{1 / 2.5, 0, 1, 1}, 1, 1.0 / 4, 2.0 / 3},
		"2in": {1, 1, Retrieval{1.0 / 3, 0, 1, 1}, 1.0 / 2, 1.0 / 4, 1.0 / 3},
	} {
		got := r.Types[shape]
		if got.Queries != want.queries || got.Answers != want.answers {
			t.Errorf("%s: %d queries, %d answers; want %d and %d", shape, got.Queries, got.Answers, want.queries, want.answers)
		}
		expectRetrieval(t, shape, got.Retrieval, want.retrieval)
		if !near(got.Optimistic.MRR, want.best) || !near(got.Pessimistic.MRR, want.worst) || !near(got.MAPE, want.mape) {
			t.Errorf("%s: bounds %v and %v, MAPE %v; want %v, %v, %v", shape, got.Optimistic.MRR, got.Pessimistic.MRR, got.MAPE, want.best, want.worst, want.mape)
		}
	}
	if rho := r.Types["1p"].Spearman; rho == nil || !near(*rho, 1) || r.Types["2p"].Spearman != nil {
		t.Errorf("Spearman %v of 1p and %v of 2p, want 1 and none", rho, r.Types["2p"].Spearman)
	}
	if len(r.Types) != 3 || !near(r.AvgP.MRR, (5.0/12+1/2.5)/2) || !near(r.AvgN.MRR, 1.0/3) || !near(r.AvgP.MAPE, (0.75+2.0/3)/2) {
		t.Errorf("%d types, averages %+v and %+v", len(r.Types), r.AvgP, r.AvgN)
	}
	if !slices.Equal(r.AvgP.Types, []string{"1p", "2p"}) || !slices.Equal(r.AvgN.Types, []string{"2in"}) || r.AvgP.Queries != 3 {
		t.Errorf("avg_p over %v, avg_n over %v", r.AvgP.Types, r.AvgN.Types)
	}
	expectToyLinks(t, r)
}

// expectToyLinks: only S(2,0) after R(0,2) takes two links that training lacks.
func expectToyLinks(t *testing.T, r *Report) {
	t.Helper()
	one, two := r.ByMissingLinks["1"], r.ByMissingLinks["2"]
	if len(r.ByMissingLinks) != 2 || one.Answers != 4 || two.Answers != 1 || !near(one.Share, 0.8) {
		t.Fatalf("by missing links: %+v", r.ByMissingLinks)
	}
	if !near(one.Types["1p"].MRR, 5.0/12) || !near(one.Types["2in"].MRR, 1.0/3) || !near(one.MRR, (5.0/12+1.0/3)/2) || !near(two.Types["2p"].MRR, 0.4) {
		t.Errorf("by missing links: %+v", r.ByMissingLinks)
	}
	if two.AvgN != nil || two.AvgP == nil || !near(two.AvgP.MRR, 0.4) {
		t.Errorf("averages with two missing: %+v and %+v", two.AvgP, two.AvgN)
	}
}

// figuresOf is a report without what may differ between equal evaluations.
func figuresOf(r *Report) Report {
	f := *r
	f.Seconds, f.Method, f.Model = 0, Description{}, ""
	return f
}

// TestTraversalOnADeviceGivesTheSameReport runs random queries of all shapes through
// the machine with fuzzy sets, and in batches of several sizes.
func TestTraversalOnADeviceGivesTheSameReport(t *testing.T) {
	set := randomSet(t, 4)
	exact := Options{Set: set, Split: dataset.Test, Method: NewTraversal(set.Graph.Train)}
	want := figuresOf(mustRun(t, exact))
	if want.AvgP == nil || want.AvgN == nil || len(want.AvgP.Types)+len(want.AvgN.Types) != 14 {
		t.Fatalf("expected all 14 types, found %v and %v", want.AvgP, want.AvgN)
	}
	method := learnedBy(t, set.Graph.Train, false, traversing)
	for _, o := range []Options{{}, {Batch: 1}, {Batch: 5}, {Memory: 1}, {Memory: 3000}} {
		o.Set, o.Split, o.Method = set, dataset.Test, method
		if got := figuresOf(mustRun(t, o)); !reflect.DeepEqual(got, want) {
			t.Errorf("batches of %d in %d bytes: %+v\nwant %+v", o.Batch, o.Memory, got, want)
		}
	}
}

// randomSet has n queries of each shape, all answers to be found by traversal.
func randomSet(tb testing.TB, n int) *dataset.Set {
	random := newRandom(11)
	triples := make([]kg.Triple, 70)
	for i := range triples {
		triples[i] = kg.Triple{Head: kg.Entity(random.IntN(25)), Relation: kg.Forward(uint32(random.IntN(2))), Tail: kg.Entity(random.IntN(25))}
	}
	facts := &kg.Splits{Train: kg.Build(vocabulary(25, 2), triples[:45]), Valid: triples[45:55], Test: triples[55:]}
	full, err := facts.UpToTest(tb.Context())
	must(tb, err)
	upToValid, err := facts.UpToValid(tb.Context())
	must(tb, err)
	oracle, known := symbolic.NewTraverser(full), symbolic.NewTraverser(upToValid)
	queries := map[dataset.Split][]dataset.Query{}
	for _, shape := range query.Shapes {
		for found := 0; found < n; {
			e := grounded(random, shape, full)
			easy := slices.Clone(known.Answers(e))
			if sorted.CountCommon(oracle.Answers(e), easy) < oracle.Count(e) { // it has hard answers
				queries[dataset.Test] = append(queries[dataset.Test], dataset.Query{Expr: e, Absent: dataset.EasyAnswers | dataset.HardAnswers})
				found++
			}
		}
	}
	return writeSet(tb, facts, queries)
}

// TestKeepKnown gives a model that doubts everything its known facts back.
func TestKeepKnown(t *testing.T) {
	set := toySet(t)
	train := func(keepKnown bool) *Report {
		method := learnedBy(t, set.Graph.Train, keepKnown, doubting)
		return mustRun(t, Options{Set: set, Split: dataset.Train, Method: method})
	}
	without, with := train(false), train(true)
	if with.AvgP.MRR != 1 || with.AvgP.MAPE != 0 || !with.Method.KeepKnown {
		t.Errorf("with known facts: MRR %v, MAPE %v; want 1 and 0", with.AvgP.MRR, with.AvgP.MAPE)
	}
	if without.AvgP.MRR > 0.5 || without.AvgP.MAPE != 1 || without.Method.KeepKnown {
		t.Errorf("without: MRR %v, MAPE %v; want ties, and no answers predicted", without.AvgP.MRR, without.AvgP.MAPE)
	}
	if links := with.ByMissingLinks; len(links) != 1 || links["0"].Answers != 3 {
		t.Errorf("training answers by missing links: %+v; want all with none", links)
	}
}

// TestKeepKnownGivesFullProbability looks at the probabilities of a real, untrained model.
func TestKeepKnownGivesFullProbability(t *testing.T) {
	facts := toyFacts()
	model := tinyModel(t, facts.Train)
	executor := exec.OnDevice{Projector: modelGraph(t, model, facts.Train), KeepKnown: true}
	machine := exec.Machine{Executor: executor, AnswersOnly: true}
	e := project(relationS, tailsOf(0, relationR))
	run, err := machine.Run(t.Context(), []*plan.Program{plan.Compile(e, plan.Options{})})
	must(t, err)
	if set := run.Answers(0); set[3] != 1 || set[4] == 1 {
		t.Errorf("set %v: want 1 for the known answer 3, and not for 4", set)
	}
}

// TestNegationIsStated: figures of a model with its own complement say so.
func TestNegationIsStated(t *testing.T) {
	graph := modelGraph(t, tinyModel(t, toyFacts().Train), toyFacts().Train)
	method := Learned{Executor: exec.OnDevice{Projector: graph}, Logic: fuzzy.Logic{Negation: -0.9}}.Describe()
	if note := (&Report{Method: method}).answeredNote(); method.Negation != -0.9 || !strings.Contains(note, "complement of λ = -0.9") {
		t.Errorf("negation %v, note %q", method.Negation, note)
	}
}

func tinyModel(tb testing.TB, g *kg.Graph) *gnn.Model {
	config := gnn.Default()
	config.Width, config.Layers = 4, 2
	model, err := gnn.New(plain.New(), config, g.NumRelations(), 3)
	must(tb, err)
	return model
}

func TestLimitDrawsFairly(t *testing.T) {
	set := randomSet(t, 9)
	method := &recorder{Method: NewTraversal(set.Graph.Train)}
	drawn := func(seed uint64, shapes ...string) []string {
		method.asked = nil
		r := mustRun(t, Options{Set: set, Split: dataset.Test, Method: method, Limit: 3, Seed: seed, Shapes: shapes})
		if m := r.Types["2i"]; m.Queries != 3 || r.Queries.Limit != 3 || r.Queries.Seed != seed {
			t.Fatalf("2i: %d queries of %+v, want 3", m.Queries, r.Queries)
		}
		return method.asked
	}
	all := drawn(1)
	if len(all) != 3*14 || !slices.Equal(all, drawn(1)) || slices.Equal(all, drawn(2)) {
		t.Errorf("%d queries drawn, or not by the seed", len(all))
	}
	if alone := drawn(1, "2i"); !slices.Equal(alone, drawn(1, "C(P(e),P(e))")) || !containsAll(all, alone) {
		t.Error("what is drawn of 2i depends on the other types or on the name it is asked by")
	}
	seen := map[string]bool{}
	for seed := range uint64(40) {
		for _, q := range drawn(seed, "2i") {
			seen[q] = true
		}
	}
	if len(seen) != 9 {
		t.Errorf("40 draws of 3 out of 9 met %d queries", len(seen))
	}
}

func containsAll(all, part []string) bool {
	return !slices.ContainsFunc(part, func(q string) bool { return !slices.Contains(all, q) })
}

// recorder notes what it is asked, and in batches of which size.
type recorder struct {
	Method
	asked   []string
	batches []int
	bytes   int64
}

func (r *recorder) Answer(ctx context.Context, batch []Question) ([]Outcome, error) {
	for _, q := range batch {
		r.asked = append(r.asked, query.Key(q.Expr))
	}
	r.batches = append(r.batches, len(batch))
	return r.Method.Answer(ctx, batch)
}

func (r *recorder) Bytes(query.Expr) int64 { return r.bytes }

func TestBatchesKeepToTheirLimits(t *testing.T) {
	set := randomSet(t, 2) // 28 queries
	for _, c := range []struct {
		batch  int
		memory int64
		want   []int
	}{
		{0, 0, []int{28}},
		{10, 0, []int{10, 10, 8}},
		{0, 1300, []int{13, 13, 2}},
		{5, 1300, []int{5, 5, 5, 5, 5, 3}},
		{0, 1, slices.Repeat([]int{1}, 28)}, // a query that is too large runs alone
	} {
		var progress []Progress
		method := &recorder{Method: NewTraversal(set.Graph.Train), bytes: 100}
		mustRun(t, Options{Set: set, Split: dataset.Test, Method: method, Batch: c.batch, Memory: c.memory,
			Progress: func(p Progress) { progress = append(progress, p) }})
		if !slices.Equal(method.batches, c.want) || len(progress) != len(c.want) || progress[len(progress)-1].Done != 28 || progress[0].Total != 28 {
			t.Errorf("batches %v, progress %v; want %v", method.batches, progress, c.want)
		}
	}
}

// TestBytesBoundTheSets holds the estimate to what the machine asks for.
func TestBytesBoundTheSets(t *testing.T) {
	facts := toyFacts()
	method := learnedBy(t, facts.Train, false, traversing)
	for _, shape := range query.Shapes {
		e := grounded(newRandom(1), shape, facts.Train)
		sets := exec.NewSchedule([]*plan.Program{plan.Compile(e, plan.Options{NoSharing: true})}, false).Slots
		if most := method.Bytes(e); most < int64(4*6*(sets+4)) {
			t.Errorf("%s: %d bytes for %d sets of 6 entities", shape, most, sets)
		}
	}
}

func TestRefusals(t *testing.T) {
	set := toySet(t)
	method := NewTraversal(set.Graph.Train)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	noTest := writeSet(t, toyFacts(), map[dataset.Split][]dataset.Query{dataset.Train: toyQueries()[dataset.Train]})
	for _, c := range []struct {
		ctx     context.Context
		options Options
		kind    kg.Kind
		text    string
	}{
		{t.Context(), Options{Set: noTest, Split: dataset.Test, Method: method}, kg.NotFound, "has no test queries, only train"},
		{t.Context(), Options{Set: set, Split: dataset.Test, Method: method, Shapes: []string{"7x"}}, kg.Invalid, "no shape is named"},
		{t.Context(), Options{Set: set, Split: dataset.Test, Method: method, Shapes: []string{"3i"}}, kg.NotFound, "found no test queries"},
		{t.Context(), Options{Set: set, Split: dataset.Test, Method: method, Limit: -1}, kg.Invalid, "limits of 0 or more"},
		{t.Context(), Options{Set: set, Split: dataset.Test, Model: "m", Method: NewTraversal(kg.Build(vocabulary(3, 1), nil))}, kg.Invalid, "but the graph of m has 3"},
		{cancelled, Options{Set: set, Split: dataset.Test, Method: method}, kg.Cancelled, ""},
		{cancelled, Options{Set: set, Split: dataset.Test, Method: method, Limit: 2}, kg.Cancelled, ""},
	} {
		r, err := Run(c.ctx, c.options)
		if r != nil || kg.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.text) {
			t.Errorf("error %v of kind %v, want kind %v and %q", err, kg.KindOf(err), c.kind, c.text)
		}
	}
}

func TestValidatorAgreesWithRun(t *testing.T) {
	set := toySet(t)
	model := tinyModel(t, set.Graph.Train)
	g := modelGraph(t, model, set.Graph.Train)
	v, err := NewValidator(t.Context(), set, ValidatorOptions{})
	must(t, err)
	got, err := v.Validate(t.Context(), g)
	must(t, err)
	method := Learned{Executor: exec.OnDevice{Projector: g}}
	want := mustRun(t, Options{Set: set, Split: dataset.Valid, Method: method})
	if v.Queries() != 3 || got.MRR != want.Avg.MRR || got.MRR <= 0 || got.MRR > 1 {
		t.Errorf("%d queries, MRR %v; want 3 and %v", v.Queries(), got.MRR, want.Avg.MRR)
	}
	if len(got.Details) != 2 || got.Details["1p_mrr"] != want.Types["1p"].MRR || got.Details["2p_mrr"] != want.Types["2p"].MRR {
		t.Errorf("details %v, want those of %v", got.Details, want.Types)
	}
	limited, err := NewValidator(t.Context(), set, ValidatorOptions{Limit: 1, Shapes: []string{"1p"}})
	must(t, err)
	if limited.Queries() != 1 {
		t.Errorf("%d queries within a limit of 1", limited.Queries())
	}
	if _, err := NewValidator(t.Context(), set, ValidatorOptions{Shapes: []string{"2u"}}); kg.KindOf(err) != kg.NotFound {
		t.Errorf("error %v, want one for no queries", err)
	}
}
