package answer

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

func link(e int, probability float64) event {
	return event{fact: kg.Triple{Head: kg.Entity(e)}, probability: probability}
}

// derived is a derivation that rests on some events.
func derived(events ...event) derivation {
	j, d := &Judge{logic: fuzzy.Product}, derivation{probability: 1}
	for _, e := range events {
		j.rest(&d, e)
	}
	return d
}

// Inclusion and exclusion is what counting all worlds gives.
func TestAnyOfCountsWorlds(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var events []event
		for e := range 5 {
			events = append(events, link(e, random.Float64()))
		}
		var all []derivation
		for range 1 + random.IntN(4) {
			var some []event
			for _, e := range events {
				if random.IntN(2) == 0 {
					some = append(some, e)
				}
			}
			if len(some) > 0 {
				all = append(all, derived(some...))
			}
		}
		if all = likeliest(all); len(all) == 0 {
			continue
		}
		want := 0.0
		for world := range 1 << len(events) {
			p := 1.0
			for i, e := range events {
				if world&(1<<i) != 0 {
					p *= e.probability
				} else {
					p *= 1 - e.probability
				}
			}
			holds := slices.ContainsFunc(all, func(d derivation) bool {
				return !slices.ContainsFunc(d.events, func(e event) bool { return world&(1<<e.fact.Head) == 0 })
			})
			if holds {
				want += p
			}
		}
		if got := anyOf(all); math.Abs(got-want) > 1e-9 {
			t.Fatalf("%v of %+v, counted %v", got, all, want)
		}
		p := (&Judge{logic: fuzzy.Product}).probability(all)
		if p < all[0].probability || p > want+1e-9 {
			t.Fatalf("%v is not between the best, %v, and all of them, %v", p, all[0].probability, want)
		}
	}
}

// An event counts once, and what has to be and must not be is impossible.
func TestEventsCountOnce(t *testing.T) {
	a, b := link(1, 0.5), link(2, 0.4)
	if d := derived(a, b, a); len(d.events) != 2 || math.Abs(d.probability-0.2) > 1e-12 {
		t.Errorf("%+v", d)
	}
	not := a
	not.isNot, not.probability = true, 0.5
	if d := derived(a, not); d.probability != 0 {
		t.Errorf("a link and its negation have %v", d.probability)
	}
}

// A derivation that needs all that another needs, and more, says nothing new.
func TestSupersetsAreLeftOut(t *testing.T) {
	small, large := derived(link(1, 0.5)), derived(link(1, 0.5), link(2, 0.9))
	if all := likeliest([]derivation{large, small}); len(all) != 1 || len(all[0].events) != 1 {
		t.Errorf("%+v", all)
	}
}

func variable(n int) query.Argument { return query.Argument{IsVariable: true, Variable: n} }

func entity(e kg.Entity) query.Argument { return query.Argument{Entity: e} }

// With the answer put in, alternatives are conjunctions; equations are solved, and what cannot be is gone.
func TestAlternatives(t *testing.T) {
	body := query.Some{Vars: []int{1}, Of: query.All{Of: []query.Condition{
		query.Link{Relation: kg.Forward(0), From: variable(0), To: variable(1)},
		query.Any{Of: []query.Condition{
			query.Same{A: variable(1), B: entity(7)},
			query.Link{Relation: kg.Forward(1).Inverse(), From: variable(1), To: entity(3)},
			query.Same{A: variable(0), B: entity(9)}, // the answer is another
		}},
	}}}
	all, err := alternatives(body, map[int]kg.Entity{0: 5})
	if err != nil || len(all) != 2 {
		t.Fatalf("%+v, %v", all, err)
	}
	if got := all[0].links; len(got) != 1 || got[0] != (query.Link{Relation: kg.Forward(0), From: entity(5), To: entity(7)}) {
		t.Errorf("with y = 7: %+v", got)
	}
	if got := all[1].links; len(got) != 2 || got[1] != (query.Link{Relation: kg.Forward(1), From: entity(3), To: variable(1)}) {
		t.Errorf("with a link read forwards: %+v", got)
	}
}

// Links that may be the same one are, in one of the merged conjunctions.
func TestMerged(t *testing.T) {
	r := func(from, to query.Argument) query.Link {
		return query.Link{Relation: kg.Forward(0), From: from, To: to}
	}
	c, _ := conjunction{links: []query.Link{r(entity(1), variable(0)), r(entity(1), variable(1)), r(entity(1), entity(2))}, is: map[int]query.Argument{}}.normal()
	fewest := 3
	for _, m := range c.merged() {
		fewest = min(fewest, len(m.links))
	}
	if all := len(c.merged()); fewest != 1 || all != 5 { // as it stands, x = y, x = 2, y = 2, x = y = 2
		t.Errorf("%d conjunctions, of which the shortest has %d links", all, fewest)
	}
}

func TestList(t *testing.T) {
	of := func(known bool, probabilities ...float64) (all []Answer) {
		for i, p := range probabilities {
			all = append(all, Answer{Entities: []kg.Entity{kg.Entity(len(all) + i)}, Probability: p, Known: known})
		}
		return all
	}
	l := Wanted{Threshold: 0.5, Limit: 4}.List(of(true, 1, 1, 1, 1, 0.3), of(false, 0.9, 0.2, 0.6, 0.0001))
	if len(l.Answers) != 4 || l.Answers[2].Probability != 0.9 || l.Answers[3].Probability != 0.6 || !l.More || l.Doubted != 1 {
		t.Errorf("%+v", l)
	}
	if len(l.LessLikely) != 2 || l.LessLikely[0].Probability != 0.3 || l.LessLikely[1].Probability != 0.2 {
		t.Errorf("%+v", l.LessLikely)
	}
	if l := (Wanted{Threshold: 0.5, Limit: -1}).List(nil, of(false, 0.0002, 0.0001, 0.0003, 0.0004)); len(l.LessLikely) != 3 || l.LessLikely[0].Probability != 0.0004 {
		t.Errorf("where all are unlikely: %+v", l.LessLikely)
	}
	if got := Expected(of(true, 1, 0.5), of(false, 0.25)); got != 1.75 {
		t.Errorf("expected %v", got)
	}
}
