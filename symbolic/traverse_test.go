package symbolic

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// naiveAnswers is the definition of the operators, word for word, on maps.
func naiveAnswers(g *kg.Graph, e query.Expr) map[kg.Entity]bool {
	out := map[kg.Entity]bool{}
	for candidate := range kg.Entity(g.NumEntities()) {
		if naiveHolds(g, e, candidate) {
			out[candidate] = true
		}
	}
	return out
}

func naiveHolds(g *kg.Graph, e query.Expr, candidate kg.Entity) bool {
	holds := func(of query.Expr) bool { return naiveHolds(g, of, candidate) }
	switch e := e.(type) {
	case query.Anchor:
		return e.Entity == candidate
	case query.Universe:
		return true
	case query.Complement:
		return !naiveHolds(g, e.Of, candidate)
	case query.Intersection:
		return !slices.ContainsFunc(e.Of, func(of query.Expr) bool { return !holds(of) })
	case query.Union:
		return slices.ContainsFunc(e.Of, holds)
	case query.Projection:
		for triple := range g.Triples() {
			for _, t := range []kg.Triple{triple, triple.Inverse()} {
				if t.Relation == e.Relation && t.Tail == candidate && naiveHolds(g, e.Of, t.Head) {
					return true
				}
			}
		}
	}
	return false
}

func randomGraph(random *rand.Rand, entities, relations, triples int) *kg.Graph {
	v := &kg.Vocabulary{Entities: numbered(entities), Relations: numbered(relations)}
	list := make([]kg.Triple, triples)
	for i := range list {
		list[i] = kg.Triple{
			Head:     kg.Entity(random.IntN(entities)),
			Relation: kg.Forward(uint32(random.IntN(relations))),
			Tail:     kg.Entity(random.IntN(entities)),
		}
	}
	return kg.Build(v, list)
}

func numbered(n int) kg.Dictionary {
	var in kg.Interner
	for i := range n {
		in.Intern(fmt.Append(nil, i))
	}
	return kg.Dictionary{Names: in.Names()}
}

// randomExpr grows a tree of any shape, impractical ones included.
func randomExpr(random *rand.Rand, g *kg.Graph, depth int) query.Expr {
	kind := random.IntN(12)
	if depth == 0 {
		kind %= 4
	}
	sub := func() query.Expr { return randomExpr(random, g, depth-1) }
	switch kind {
	case 0:
		return query.Universe{}
	case 1, 2, 3:
		return query.Anchor{Entity: kg.Entity(random.IntN(g.NumEntities()))}
	case 4, 5, 6:
		return query.Projection{Relation: kg.Relation(random.IntN(g.NumRelations())), Of: sub()}
	case 7, 8:
		return query.Complement{Of: sub()}
	}
	operands := make([]query.Expr, 2+random.IntN(3))
	for i := range operands {
		operands[i] = sub()
	}
	if kind == 9 {
		return query.Union{Of: operands}
	}
	return query.Intersection{Of: operands}
}

func TestTraverserAgreesWithTheDefinition(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		g := randomGraph(random, 1+random.IntN(150), 1+random.IntN(4), random.IntN(300))
		indexed := NewTraverser(g)
		indexed.index.worth(g, math.MaxInt)
		for range 60 {
			e := randomExpr(random, g, 1+random.IntN(3))
			want := slices.Sorted(maps.Keys(naiveAnswers(g, e)))
			expectAnswers(t, "without an index", NewTraverser(g), e, want)
			expectAnswers(t, "with an index", indexed, e, want)
			expectAnswers(t, "of a fork", indexed.Fork(), e, want)
		}
	}
}

func expectAnswers(t *testing.T, how string, traverser *Traverser, e query.Expr, want []kg.Entity) {
	t.Helper()
	if got := traverser.Answers(e); !slices.Equal(got, want) {
		t.Fatalf("%+v on %d entities, %s: got %v, want %v", e, traverser.graph.NumEntities(), how, got, want)
	}
	if got := traverser.Count(e); got != len(want) {
		t.Fatalf("%+v, %s: counted %d, want %d", e, how, got, len(want))
	}
}

func TestTheIndexIsMadeOnceItPays(t *testing.T) {
	g := randomGraph(rand.New(rand.NewPCG(9, 9)), 100, 2, 500)
	first := NewTraverser(g)
	second := first.Fork()
	all := query.Projection{Relation: 1, Of: query.Universe{}}
	for range g.NumEdges() / g.NumEntities() {
		if first.Answers(all); first.index.made.Load() != nil {
			t.Fatal("the index was made before it paid")
		}
	}
	first.Answers(all)
	if index := second.index.made.Load(); index == nil || len(index.tails) != g.NumEdges() {
		t.Error("the index was not made, not shared, or lacks edges")
	}
}

func TestTraverserIsEmptyBetweenCalls(t *testing.T) {
	g := randomGraph(rand.New(rand.NewPCG(3, 4)), 9000, 3, 30000)
	traverser := NewTraverser(g)
	wide := query.Projection{Relation: 0, Of: query.Universe{}}
	first := slices.Clone(traverser.Answers(wide))
	traverser.Answers(query.Projection{Relation: 1, Of: wide})
	if again := traverser.Answers(wide); !slices.Equal(first, again) {
		t.Fatalf("the same question gave %d answers, then %d", len(first), len(again))
	}
	for i, word := range traverser.mark.words {
		if word != 0 || traverser.mark.summary[i/64] != 0 {
			t.Fatalf("word %d of the collector was left behind", i)
		}
	}
}

func TestTraverserAllocatesNothingWhenWarm(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	g := randomGraph(random, 500, 4, 3000)
	traverser := NewTraverser(g)
	exprs := make([]query.Expr, 50)
	for i := range exprs {
		exprs[i] = randomExpr(random, g, 4)
	}
	all := func() {
		for _, e := range exprs {
			traverser.Answers(e)
		}
	}
	for range 20 {
		all() // buffers change roles, so that all grow to the longest list only after some rounds
	}
	if allocations := testing.AllocsPerRun(5, all); allocations > 0 {
		t.Errorf("%v allocations for %d questions", allocations, len(exprs))
	}
}
