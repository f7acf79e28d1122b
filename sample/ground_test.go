package sample

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// toyGraph is the graph of triples over as many entities and base relations as they need.
func toyGraph(triples ...kg.Triple) *kg.Graph {
	entities, relations := 0, 0
	for _, t := range triples {
		entities = max(entities, int(t.Head)+1, int(t.Tail)+1)
		relations = max(relations, int(t.Relation.Base())+1)
	}
	v := &kg.Vocabulary{Entities: numbered(entities), Relations: numbered(relations)}
	return kg.Build(v, triples)
}

func templateOf(t *testing.T, shape string) *query.Template {
	t.Helper()
	template, err := query.ParseShape(shape)
	if err != nil {
		t.Fatal(err)
	}
	return template
}

// groundMany counts what grounding a shape from an answer gives; "" stands for broken off.
func groundMany(t *testing.T, g *kg.Graph, shape string, answer kg.Entity, times int) map[string]int {
	t.Helper()
	tree := templateOf(t, shape)
	ground := grounder{links: newLinks(g, nil), random: rand.New(rand.NewPCG(1, 1))}
	ids := make([]uint32, tree.Slots)
	seen := map[string]int{}
	for range times {
		if ground.ground(tree, ids, answer, noRelation) {
			seen[query.Key(tree.Fill(ids))]++
		} else {
			seen[""]++
		}
	}
	return seen
}

func key(e query.Expr) string { return query.Key(e) }

func link(r kg.Relation, e kg.Entity) query.Expr {
	return query.Projection{Relation: r, Of: query.Anchor{Entity: e}}
}

func expectShares(t *testing.T, seen map[string]int, shares map[string]float64) {
	t.Helper()
	total := 0
	for what, count := range seen {
		total += count
		if shares[what] == 0 {
			t.Errorf("%q was drawn %d times, want never", what, count)
		}
	}
	for what, share := range shares {
		mean := share * float64(total)
		if deviation := math.Abs(float64(seen[what]) - mean); deviation > 5*math.Sqrt(mean*(1-share)) {
			t.Errorf("%q was drawn %d times of %d, want about %.0f", what, seen[what], total, mean)
		}
	}
}

func TestRelationsAreDrawnAlikeHoweverManyEdgesTheyHave(t *testing.T) {
	g := toyGraph(
		kg.Triple{Head: 1, Relation: 0, Tail: 0}, kg.Triple{Head: 2, Relation: 0, Tail: 0},
		kg.Triple{Head: 3, Relation: 0, Tail: 0}, kg.Triple{Head: 0, Relation: 2, Tail: 4},
	)
	expectShares(t, groundMany(t, g, "1p", 0, 30000), map[string]float64{
		key(link(0, 1)): 1. / 6, key(link(0, 2)): 1. / 6, key(link(0, 3)): 1. / 6,
		key(link(3, 4)): 1. / 2, // (0, 2, 4) read from 4: by the inverse
	})
}

func TestAChainDoesNotTurnBack(t *testing.T) {
	// 1 –a→ 0, and 1 has one more relation: from 0, a chain can only go on by it.
	g := toyGraph(kg.Triple{Head: 1, Relation: 0, Tail: 0}, kg.Triple{Head: 2, Relation: 2, Tail: 1})
	through := query.Projection{Relation: 0, Of: link(2, 2)}
	expectShares(t, groundMany(t, g, "2p", 0, 1000), map[string]float64{key(through): 1})
	// Entity 2 has but the edge that was just used.
	expectShares(t, groundMany(t, g, "3p", 0, 1000), map[string]float64{"": 1})
	// A complement does not end a chain, an intersection does.
	expectShares(t, groundMany(t, g, "p(n(2p))", 0, 1000), map[string]float64{"": 1})
	back := func(r kg.Relation, e kg.Entity) query.Expr {
		return query.Projection{Relation: 0, Of: query.Intersection{Of: []query.Expr{link(r, e), link(3-r, 2-e)}}}
	}
	expectShares(t, groundMany(t, g, "ip", 0, 1000), map[string]float64{key(back(2, 2)): .5, "": .5})
	// The same relation twice in the same direction is no turning back.
	same := toyGraph(kg.Triple{Head: 2, Relation: 0, Tail: 1}, kg.Triple{Head: 1, Relation: 0, Tail: 0})
	expectShares(t, groundMany(t, same, "2p", 0, 1000), map[string]float64{key(query.Projection{Relation: 0, Of: link(0, 2)}): 1})
}

func TestOperandsOfOneShapeDiffer(t *testing.T) {
	g := toyGraph(kg.Triple{Head: 1, Relation: 0, Tail: 0}, kg.Triple{Head: 2, Relation: 2, Tail: 0})
	pair := query.Intersection{Of: []query.Expr{link(0, 1), link(2, 2)}}
	expectShares(t, groundMany(t, g, "2i", 0, 10000), map[string]float64{key(pair): .5, "": .5})
	expectShares(t, groundMany(t, g, "3i", 0, 1000), map[string]float64{"": 1})
	// A link and its complement are of different shapes; they may meet and then have no answer.
	meeting := groundMany(t, g, "2in", 0, 1000)
	if len(meeting) != 4 || meeting[""] != 0 {
		t.Errorf("grounding 2in gave %v, want 4 queries", meeting)
	}
}

func TestGroundedAnswersAreAnswers(t *testing.T) {
	s := randomSplits(9, 80, 3, 300, 10)
	f := factsOf(slices.Collect(s.Train.Triples()))
	x := newExaminer(newWorld(s.Train, nil, 0))
	for _, shape := range []string{"1p", "3p", "2i", "3i", "pi", "ip", "2u", "up", "i(u(2p,1p),ip)"} {
		tree := templateOf(t, shape)
		ids := make([]uint32, tree.Slots)
		for answer := range kg.Entity(80) {
			x.source.Seed(1, uint64(answer))
			if !x.ground.ground(tree, ids, answer, noRelation) {
				continue
			}
			if e := tree.Fill(ids); !f.answers(e, 80)[answer] {
				t.Errorf("%s %+v was grounded from %d, which is no answer", shape, e, answer)
			}
		}
	}
}

func TestTheOutlookNeverRefusesWhatTheAnswersWouldKeep(t *testing.T) {
	s := randomSplits(11, 40, 3, 120, 12)
	world, err := newSplitWorld(t.Context(), dataset.Valid, s, Options{MaxAnswers: 1000})
	if err != nil {
		t.Fatal(err)
	}
	x := newExaminer(world)
	for _, count := range everyShape(1)[dataset.Valid] {
		tree := templateOf(t, count.Shape)
		refused := 0
		for number := range uint64(3000) {
			_, verdict := x.try(tree, 5, number)
			if verdict != nothingHard && verdict != nothingLost {
				continue
			}
			refused++
			if _, examined := x.compare(tree.Fill(x.ids), tree.Negates()); examined == accepted || examined == tooMany {
				t.Fatalf("%s: the outlook refused a query (%s) that has hard answers and lost ones", count.Shape, verdict)
			}
		}
		if refused == 0 {
			t.Errorf("%s: nothing was refused, so that nothing was tested", count.Shape)
		}
	}
}
