package sample

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/symbolic"
)

// randomSplits is a small benchmark: random facts, some of them held out.
func randomSplits(seed uint64, entities, relations, facts, heldOut int) *kg.Splits {
	random := rand.New(rand.NewPCG(seed, 0))
	v := &kg.Vocabulary{Entities: numbered(entities), Relations: numbered(relations)}
	known := map[kg.Triple]bool{}
	var list []kg.Triple
	for len(list) < facts+2*heldOut {
		t := kg.Triple{
			Head:     kg.Entity(random.IntN(entities)),
			Relation: kg.Forward(uint32(random.IntN(relations))),
			Tail:     kg.Entity(random.IntN(entities)),
		}
		if !known[t] {
			known[t] = true
			list = append(list, t)
		}
	}
	return &kg.Splits{Train: kg.Build(v, list[2*heldOut:]), Valid: list[:heldOut], Test: list[heldOut : 2*heldOut]}
}

func numbered(n int) kg.Dictionary {
	var in kg.Interner
	for i := range n {
		in.Intern(fmt.Append(nil, i))
	}
	return kg.Dictionary{Names: in.Names()}
}

// facts are the edges of a graph as the definition of the operators speaks of them.
type facts map[kg.Triple]bool

func factsOf(graphs ...[]kg.Triple) facts {
	f := facts{}
	for _, triples := range graphs {
		for _, t := range triples {
			f[t], f[t.Inverse()] = true, true
		}
	}
	return f
}

// answers is the definition of the operators on plain maps.
func (f facts) answers(e query.Expr, entities int) map[kg.Entity]bool {
	set := map[kg.Entity]bool{}
	switch e := e.(type) {
	case query.Anchor:
		set[e.Entity] = true
	case query.Projection:
		of := f.answers(e.Of, entities)
		for t := range f {
			if t.Relation == e.Relation && of[t.Head] {
				set[t.Tail] = true
			}
		}
	case query.Complement:
		of := f.answers(e.Of, entities)
		for a := range kg.Entity(entities) {
			if !of[a] {
				set[a] = true
			}
		}
	case query.Union:
		for _, operand := range e.Of {
			maps.Copy(set, f.answers(operand, entities))
		}
	case query.Intersection:
		set = f.answers(e.Of[0], entities)
		for _, operand := range e.Of[1:] {
			of := f.answers(operand, entities)
			maps.DeleteFunc(set, func(a kg.Entity, _ bool) bool { return !of[a] })
		}
	}
	return set
}

type drawn struct {
	Split dataset.Split
	Shape string
	Query dataset.Query
}

func collect(t *testing.T, s *kg.Splits, o Options) ([]drawn, []Outcome) {
	t.Helper()
	var all []drawn
	outcomes, err := Run(context.Background(), s, o, func(split dataset.Split, shape string, q dataset.Query) error {
		all = append(all, drawn{split, shape, q})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all, outcomes
}

// everyShape asks for all shapes of the benchmarks and two trees of our own in all splits.
func everyShape(queries int) map[dataset.Split][]Count {
	all := Counts(append(slices.Clone(query.Shapes), "p(i(2p,n(p(2u))))", "u(2i,n(2p),3p)"), queries)
	return map[dataset.Split][]Count{dataset.Train: all, dataset.Valid: all, dataset.Test: all}
}

func TestEveryQuerySatisfiesItsDefinition(t *testing.T) {
	s := randomSplits(1, 60, 4, 260, 40)
	train := slices.Collect(s.Train.Triples())
	known := map[dataset.Split]facts{dataset.Train: factsOf(train), dataset.Valid: factsOf(train), dataset.Test: factsOf(train, s.Valid)}
	full := map[dataset.Split]facts{
		dataset.Train: factsOf(train), dataset.Valid: factsOf(train, s.Valid), dataset.Test: factsOf(train, s.Valid, s.Test),
	}
	const limit = 10
	all, outcomes := collect(t, s, Options{Seed: 7, Counts: everyShape(25), MaxAnswers: limit})
	for _, outcome := range outcomes {
		if outcome.Found != 25 || outcome.verdicts[accepted] != 25 {
			t.Errorf("%s", outcome)
		}
	}
	keys := map[string]bool{}
	for _, d := range all {
		checkDrawn(t, d, known[d.Split].answers(d.Query.Expr, 60), full[d.Split].answers(d.Query.Expr, 60), limit)
		key := d.Split.String() + query.Key(d.Query.Expr)
		if keys[key] {
			t.Errorf("%s %s: %+v was drawn twice", d.Split, d.Shape, d.Query.Expr)
		}
		keys[key] = true
	}
}

func checkDrawn(t *testing.T, d drawn, known, full map[kg.Entity]bool, limit int) {
	t.Helper()
	hard, lost := maps.Clone(full), maps.Clone(known)
	maps.DeleteFunc(hard, func(e kg.Entity, _ bool) bool { return known[e] })
	maps.DeleteFunc(lost, func(e kg.Entity, _ bool) bool { return full[e] })
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s %s %+v: %s", d.Split, d.Shape, d.Query.Expr, fmt.Sprintf(format, args...))
	}
	if got := query.ShapeOf(d.Query.Expr); got != d.Shape {
		fail("has shape %s", got)
	}
	if want := slices.Sorted(maps.Keys(known)); !slices.Equal(d.Query.Easy, want) {
		fail("easy answers %v, want %v", d.Query.Easy, want)
	}
	if want := slices.Sorted(maps.Keys(hard)); !slices.Equal(d.Query.Hard, want) {
		fail("hard answers %v, want %v", d.Query.Hard, want)
	}
	if len(full) == 0 {
		fail("no answer")
	}
	if d.Split == dataset.Train {
		return
	}
	if len(hard) == 0 || len(hard) > limit || len(lost) > limit {
		fail("%d hard answers, %d lost, limit %d", len(hard), len(lost), limit)
	}
	if templateOf(t, d.Shape).Negates() && len(lost) == 0 {
		fail("nothing lost")
	}
}

func TestNumberOfThreadsDoesNotMatter(t *testing.T) {
	s := randomSplits(1, 60, 4, 260, 40)
	o := Options{Seed: 3, Counts: everyShape(25), Patience: 20000, Threads: 1, MaxAnswers: 50}
	want, wantOutcomes := collect(t, s, o)
	for _, threads := range []int{2, 5} {
		o.Threads = threads
		got, outcomes := collect(t, s, o)
		if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(outcomes, wantOutcomes) {
			t.Errorf("%d threads drew other queries than one", threads)
		}
	}
	o.Seed++
	if other, _ := collect(t, s, o); reflect.DeepEqual(other, want) {
		t.Error("another seed drew the same queries")
	}
}

func TestShapesAreDrawnIndependently(t *testing.T) {
	s := randomSplits(2, 200, 5, 1500, 100)
	draw := func(shapes ...Count) []drawn {
		all, _ := collect(t, s, Options{Counts: map[dataset.Split][]Count{dataset.Train: shapes}})
		return slices.DeleteFunc(all, func(d drawn) bool { return d.Shape != "2in" })
	}
	alone := draw(Count{"2in", 30})
	if len(alone) != 30 {
		t.Fatalf("drew %d queries", len(alone))
	}
	if with := draw(Count{"3p", 10}, Count{"2in", 30}); !reflect.DeepEqual(alone, with) {
		t.Error("what else is drawn changes the queries of a shape")
	}
	if more := draw(Count{"2in", 50}); !reflect.DeepEqual(alone, more[:30]) {
		t.Error("asking for more changes the first queries")
	}
}

func TestAllLinksAreListed(t *testing.T) {
	s := randomSplits(4, 50, 3, 200, 40)
	links := countLinks(s.Train)
	for _, wanted := range []int{All, links, links + 10} {
		all, outcomes := collect(t, s, Options{Counts: map[dataset.Split][]Count{dataset.Train: {{"1p", wanted}}}})
		if len(all) != links {
			t.Errorf("%d of %d links asked, %d listed", wanted, links, len(all))
		}
		if short := outcomes[0].Short(); short != (wanted > links) {
			t.Errorf("%d asked of %d: short is %v", wanted, links, short)
		}
	}
	all, _ := collect(t, s, Options{MaxAnswers: 1, Counts: map[dataset.Split][]Count{dataset.Test: {{"1p", All}}}})
	if want := linksWithOneHardAnswer(s); len(all) != want {
		t.Errorf("%d test links with one hard answer, want %d", len(all), want)
	}
}

func linksWithOneHardAnswer(s *kg.Splits) int {
	type link struct {
		kg.Entity
		kg.Relation
	}
	tails := map[link]int{}
	for _, fact := range s.Test {
		for _, t := range []kg.Triple{fact, fact.Inverse()} {
			tails[link{t.Head, t.Relation}]++
		}
	}
	count := 0
	for _, n := range tails {
		if n == 1 {
			count++
		}
	}
	return count
}

func TestImpossibleShapesEnd(t *testing.T) {
	v := &kg.Vocabulary{Entities: numbered(3), Relations: numbered(1)}
	triple := []kg.Triple{{Head: 0, Relation: 0, Tail: 1}}
	s := &kg.Splits{Train: kg.Build(v, triple), Valid: []kg.Triple{{Head: 1, Relation: 0, Tail: 2}}}
	tests := []struct {
		split dataset.Split
		count Count
		want  string
	}{
		{dataset.Train, Count{"2p", 5}, "train 2p: the graph yields no query of this shape: none in 1,000 attempts (1,000 broken off)"},
		{dataset.Train, Count{"2i", 5}, "train 2i: the graph yields no query of this shape"},
		{dataset.Valid, Count{"2in", 5}, "valid 2in: the graph yields no query of this shape"},
		{dataset.Test, Count{"1p", 5}, "test queries ask for facts that are held out, and the graph has no test facts"},
		{dataset.Train, Count{"2p", All}, "train 2p: only 1p can be listed in full"},
		{dataset.Train, Count{"2p", 0}, "train 2p: expected a number of queries of 1 or more, found 0"},
		{dataset.Train, Count{"9q", 1}, `no shape is named "9q"`},
		{dataset.Train, Count{"e", 1}, "there is nothing to draw"},
	}
	for _, test := range tests {
		o := Options{Patience: 1000, Counts: map[dataset.Split][]Count{test.split: {test.count}}}
		_, err := Run(context.Background(), s, o, func(dataset.Split, string, dataset.Query) error { return nil })
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %v: error %v, want %q", test.split, test.count, err, test.want)
		}
		if kg.KindOf(err) != kg.Invalid {
			t.Errorf("%s %v: error of kind %d", test.split, test.count, kg.KindOf(err))
		}
	}
}

func TestFewerThanAskedIsReported(t *testing.T) {
	s := randomSplits(5, 6, 1, 8, 2)
	_, outcomes := collect(t, s, Options{Patience: 5000, Counts: map[dataset.Split][]Count{dataset.Train: {{"2p", 100000}}}})
	o := outcomes[0]
	if !o.Short() || o.Found == 0 || o.Attempts < 5000 || o.Attempts > 50000 {
		t.Fatalf("%+v", o)
	}
	want := fmt.Sprintf("train 2p: found %d of 100,000 queries in %s attempts (", o.Found, count.Number(o.Attempts))
	if got := o.String(); !strings.HasPrefix(got, want) || !strings.Contains(got, "repeated") {
		t.Errorf("%q does not tell what happened", got)
	}
}

func TestCancellationStopsTheRun(t *testing.T) {
	s := randomSplits(6, 300, 5, 3000, 10)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	found := 0
	o := Options{Counts: map[dataset.Split][]Count{dataset.Train: {{"3p", 1 << 30}}}, Patience: 1 << 30}
	_, err := Run(ctx, s, o, func(dataset.Split, string, dataset.Query) error {
		if found++; found == 1000 {
			cancel()
		}
		return nil
	})
	if kg.KindOf(err) != kg.Cancelled {
		t.Errorf("error %v, want one of kind cancelled", err)
	}
	if found > 1000+2*4*blockSize*runtime.GOMAXPROCS(0) {
		t.Errorf("%d queries were drawn after the end of the context", found-1000)
	}
}

func TestSinkErrorsEndTheRun(t *testing.T) {
	s := randomSplits(6, 30, 2, 60, 5)
	full := fmt.Errorf("the disk is full")
	o := Options{Counts: map[dataset.Split][]Count{dataset.Train: {{"2p", 10}}}}
	_, err := Run(context.Background(), s, o, func(dataset.Split, string, dataset.Query) error { return full })
	if err != full {
		t.Errorf("error %v, want that of the sink", err)
	}
}

func TestProgressEndsAtWhatWasFound(t *testing.T) {
	s := randomSplits(6, 300, 5, 3000, 10)
	var last Progress
	o := Options{Counts: map[dataset.Split][]Count{dataset.Train: {{"2p", 2000}}}, Progress: func(p Progress) { last = p }}
	_, outcomes := collect(t, s, o)
	want := Progress{dataset.Train, "2p", 2000, 2000, outcomes[0].Attempts}
	if last != want {
		t.Errorf("last progress %+v, want %+v", last, want)
	}
}

// Asked for a number of missing links, every query has a hard answer whose best derivation lacks just so many.
func TestQueriesByMissingLinks(t *testing.T) {
	s := randomSplits(11, 60, 4, 240, 60)
	upToTest, err := s.UpToTest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	links := symbolic.NewMissingLinks(s.Train, upToTest)
	for missing := 1; missing <= 3; missing++ {
		o := Options{Seed: 5, Missing: missing, Patience: 20_000, SkipEmpty: true, Counts: map[dataset.Split][]Count{dataset.Test: Counts([]string{"1p", "2p", "2i", "3p", "2in", "up"}, 10)}}
		drawn := map[string]int{}
		_, err := Run(t.Context(), s, o, func(_ dataset.Split, shape string, q dataset.Query) error {
			drawn[shape]++
			if counts := links.Of(q.Expr, q.Hard); !slices.Contains(counts, missing) {
				t.Errorf("%s: hard answers lack %v links, expected one that lacks %d", shape, counts, missing)
			}
			return nil
		})
		if err != nil || (drawn["1p"] > 0) != (missing == 1) || (drawn["2p"] == 10) != (missing <= 2) {
			t.Errorf("%d missing: %v queries, %v", missing, drawn, err)
		}
	}
}
