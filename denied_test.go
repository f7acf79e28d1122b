package lacuna_test

import (
	"math/rand/v2"
	"testing"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/gaps"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// impossible holds every way to ask for a fact to it that the fact is false.
func (l *laws) impossible(f kg.Triple) {
	l.Helper()
	h, t := l.name(f.Head), l.name(f.Tail)
	say := func(what string) string { return l.atom(f.Relation, h, t) + ", " + what }
	absent := func(what string, p float64) {
		l.Helper()
		if l.checks++; p > 0 {
			l.Errorf("%s: %v, expected no answer", say(what), p)
		}
	}
	for _, by := range []lacuna.Way{lacuna.Links, lacuna.Sets} {
		absent("listed", l.of(l.ask("?x : "+l.atom(f.Relation, h, "x"), lacuna.By(by)), f.Tail))
		absent("from its tail", l.of(l.ask("?x : "+l.atom(f.Relation, "x", t), lacuna.By(by)), f.Head))
	}
	l.same(say("yes or no"), l.yes(l.atom(f.Relation, h, t)), 0)
	l.same(say("not"), l.yes("!"+l.atom(f.Relation, h, t)), 1)
	absent("two variables", l.of(l.ask("?x, ?y : "+l.atom(f.Relation, "x", "y")+" & x = "+h+" & y = "+t), f.Head, f.Tail))
	absent("SELECT", l.sparql("SELECT ?x { "+l.triple(f.Relation, l.term(f.Head), "?x")+" }", f.Tail))
	absent("ASK", l.sparql("ASK { "+l.triple(f.Relation, l.term(f.Head), l.term(f.Tail))+" }"))
	finder, err := l.engine.Gaps(l.Context())
	if err != nil {
		l.Fatal(err)
	}
	if err := finder.Score(l.Context(), []kg.Triple{f}, gaps.Options{}, func(facts []gaps.Fact) error {
		l.same(say("scored"), float64(facts[0].Probability), 0)
		if facts[0].Stated {
			l.Errorf("%s", say("stated"))
		}
		return nil
	}); err != nil {
		l.Fatal(err)
	}
	_, why, err := explained(l.T, l.engine, "?x : "+l.atom(f.Relation, h, "x"), l.engine.Graph.Entities.Names.At(uint32(f.Tail)))
	if err == nil && why.Answer.Probability > 0 {
		l.Errorf("%s: explained as %v", say("explained"), why.Answer.Probability)
	}
}

// What is known to be false has the probability 0, whoever asks and however: likely predictions are denied, and facts that were stated.
func TestDeniedFactsAreImpossible(t *testing.T) {
	engine, err := lacuna.Open(t.Context(), "", lacuna.Device("cpu"), lacuna.Calibrating(lacuna.CalibrationOptions{Off: true}))
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	g, random := engine.Graph, rand.New(rand.NewPCG(1, 8))
	l := &laws{T: t, engine: engine, random: random}
	var all []kg.Triple
	for len(all) < 4 {
		h := kg.Entity(random.IntN(g.NumEntities()))
		relations, tails := g.Edges(h)
		if len(relations) == 0 {
			continue
		}
		i := random.IntN(len(relations))
		all = append(all, kg.Triple{Head: h, Relation: relations[i], Tail: tails[i]})
		for _, a := range l.ask("?x : "+l.atom(relations[i], l.name(h), "x"), lacuna.Predicted(true), lacuna.Limit(1)).Shown() {
			if e, err := query.FindEntity(max(a.ID, a.Entity), g.Vocabulary); err == nil {
				all = append(all, kg.Triple{Head: h, Relation: relations[i], Tail: e})
			}
		}
	}
	var denials []kg.Fact
	for _, f := range all {
		denials = append(denials, g.DenialOf(f.Stated()))
	}
	denied, report, err := engine.Change(t.Context(), denials, nil)
	if err != nil || report.Added != len(denials) || report.Removed == 0 {
		t.Fatal(report, err)
	}
	defer denied.Close()
	l.engine = denied
	for _, f := range all {
		l.impossible(f)
	}
	if l.checks < 40 {
		t.Errorf("only %d checks", l.checks)
	}
}
