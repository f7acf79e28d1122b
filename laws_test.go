package lacuna_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/gaps"
	"github.com/lacuna-kg/lacuna/internal/synth"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// laws are those of docs/probability.md on one graph.
type laws struct {
	*testing.T
	engine *lacuna.Engine
	random *rand.Rand
	checks int
}

// same holds what a way to ask gives to what the others do.
func (l *laws) same(what string, got, want float64) {
	l.Helper()
	if l.checks++; math.Abs(got-want) > 1e-6 {
		l.Errorf("%s: %v, expected %v", what, got, want)
	}
}

// name is an entity as a question has it; ids are never ambiguous.
func (l *laws) name(e kg.Entity) string {
	return query.QuoteName(l.engine.Graph.Entities.Names.At(uint32(e)))
}

func (l *laws) relation(r kg.Relation) string {
	return query.QuoteName(l.engine.Graph.Relations.Names.At(r.Base()))
}

// atom is a link as a question has it.
func (l *laws) atom(r kg.Relation, from, to string) string {
	if r.IsInverse() {
		from, to = to, from
	}
	return l.relation(r) + "(" + from + ", " + to + ")"
}

func (l *laws) ask(text string, options ...lacuna.AskOption) *lacuna.Result {
	l.Helper()
	r, err := l.engine.Ask(l.Context(), text, append([]lacuna.AskOption{lacuna.Threshold(0), lacuna.Limit(lacuna.All)}, options...)...)
	if err != nil {
		l.Fatalf("%s: %v", text, err)
	}
	return r
}

// of is the probability of an entity, or of several, in a list; below 0 where they are not in it.
func (l *laws) of(r *lacuna.Result, entities ...kg.Entity) float64 {
	var want []string
	for _, e := range entities {
		want = append(want, l.engine.Graph.Entities.Names.At(uint32(e)))
	}
	for _, a := range r.Shown() {
		got := append([]string(nil), a.Entities...)
		for i, id := range a.IDs {
			if id != "" {
				got[i] = id
			}
		}
		if a.Entity != "" {
			if got = []string{a.Entity}; a.ID != "" {
				got = []string{a.ID}
			}
		}
		if strings.Join(got, "\x00") == strings.Join(want, "\x00") {
			return float64(a.Probability)
		}
	}
	return -1
}

func (l *laws) yes(text string) float64 {
	l.Helper()
	return float64(l.ask(text).Probability)
}

// sparql asks in predict mode and gives the probability of the row whose variables are some entities, or of ASK.
func (l *laws) sparql(text string, entities ...kg.Entity) float64 {
	l.Helper()
	r, err := l.engine.SPARQL(l.Context(), text, lacuna.By(lacuna.Links), lacuna.Threshold(1e-9))
	if err != nil {
		l.Fatalf("%s: %v", text, err)
	}
	if r.Ask {
		return float64(*r.Probability)
	}
	for row, err := range r.Rows {
		if err != nil {
			l.Fatal(err)
		}
		matches := true
		for i, e := range entities {
			matches = matches && row[i] == term.OfEntity(l.engine.Graph.Entities.Names.At(uint32(e)))
		}
		if matches {
			for i, name := range r.Vars {
				if name == "probability" {
					p, err := strconv.ParseFloat(row[i].Value, 64)
					if err != nil {
						l.Fatal(err)
					}
					return p
				}
			}
		}
	}
	return -1
}

func (l *laws) term(e kg.Entity) string {
	return term.OfEntity(l.engine.Graph.Entities.Names.At(uint32(e))).String()
}

func (l *laws) triple(r kg.Relation, from, to string) string {
	if r.IsInverse() {
		from, to = to, from
	}
	return from + " " + term.OfRelation(l.engine.Graph.Relations.Names.At(r.Base())).String() + " " + to + " ."
}

// fact holds one predicted fact to the laws.
func (l *laws) fact(f kg.Triple) {
	g := l.engine.Graph
	h, t := l.name(f.Head), l.name(f.Tail)
	list := l.ask("?x : " + l.atom(f.Relation, h, "x"))
	p := l.of(list, f.Tail)
	if p <= 0 {
		return
	}
	say := func(what string) string { return fmt.Sprintf("%s, %s", l.atom(f.Relation, h, t), what) }
	finder, err := l.engine.Gaps(l.Context())
	if err != nil {
		l.Fatal(err)
	}
	if err := finder.Score(l.Context(), []kg.Triple{f}, gaps.Options{}, func(facts []gaps.Fact) error {
		l.same(say("scored"), float64(facts[0].Probability), p)
		return nil
	}); err != nil {
		l.Fatal(err)
	}
	l.same(say("yes or no"), l.yes(l.atom(f.Relation, h, t)), p)
	l.same(say("not"), l.yes("!"+l.atom(f.Relation, h, t)), 1-p)
	l.same(say("a constant in its place"), l.of(l.ask("?x : x = "+t+" & "+l.atom(f.Relation, h, "x")), f.Tail), p)
	l.same(say("twice"), l.of(l.ask("?y : "+l.atom(f.Relation, h, "y")+" & "+l.atom(f.Relation, h, "y")), f.Tail), p)
	if turned := l.of(l.ask("?x : "+l.atom(f.Relation, "x", t)), f.Head); turned >= 0 { // the other end's list may be too long for it
		l.same(say("from its tail"), turned, p)
	}
	l.same(say("two variables"), l.of(l.ask("?x, ?y : "+l.atom(f.Relation, "x", "y")+" & "+l.atom(f.Relation, h, "y")+" & x = "+h+" & y = "+t), f.Head, f.Tail), p)
	explained, why := l.explain("?x : "+l.atom(f.Relation, h, "x"), f.Tail)
	l.same(say("explained"), explained, p)
	l.same(say("its link explained"), why, p)
	for what, text := range map[string]string{
		"SELECT":                "SELECT ?x { " + l.triple(f.Relation, l.term(f.Head), "?x") + " }",
		"FILTER =":              "SELECT ?x { " + l.triple(f.Relation, l.term(f.Head), "?x") + " FILTER(?x = " + l.term(f.Tail) + ") }",
		"FILTER IN":             "SELECT ?x { " + l.triple(f.Relation, l.term(f.Head), "?x") + " FILTER(?x IN (" + l.term(f.Tail) + ", " + l.term(f.Head) + ")) }",
		"VALUES":                "SELECT ?x { VALUES ?x { " + l.term(f.Tail) + " " + l.term(f.Head) + " } " + l.triple(f.Relation, l.term(f.Head), "?x") + " }",
		"FILTER of probability": "SELECT ?x { " + l.triple(f.Relation, l.term(f.Head), "?x") + " FILTER(?probability < 2 && !?known) } ORDER BY DESC(?probability * 2)",
		"BIND":                  "SELECT ?x ?p { " + l.triple(f.Relation, l.term(f.Head), "?x") + " BIND(?probability * 100 AS ?p) FILTER(?p > 0) }",
		"ASK":                   "ASK { " + l.triple(f.Relation, l.term(f.Head), l.term(f.Tail)) + " }",
	} {
		l.same(say(what), l.sparql(text, f.Tail), p)
	}
	relations, tails := g.Edges(f.Tail)
	if len(relations) > 0 { // something else that is stated of the answer
		i := l.random.IntN(len(relations))
		stated := l.atom(relations[i], "x", l.name(tails[i]))
		l.same(say("and what is stated"), l.of(l.ask("?x : "+stated+" & "+l.atom(f.Relation, h, "x")), f.Tail), p)
		l.same(say("and that something is stated"), l.of(l.ask("?x : exists z: "+l.atom(f.Relation, h, "x")+" & "+l.atom(relations[i], "x", "z")), f.Tail), p)
	}
	other := kg.Triple{Head: f.Tail, Relation: kg.Relation(l.random.IntN(g.NumRelations())), Tail: kg.Entity(l.random.IntN(g.NumEntities()))}
	condition, fixed := l.atom(other.Relation, "x", l.name(other.Tail)), l.atom(other.Relation, t, l.name(other.Tail))
	alone := l.yes(fixed)
	both, either := l.yes(l.atom(f.Relation, h, t)+" & "+fixed), l.yes(l.atom(f.Relation, h, t)+" | "+fixed)
	if l.checks++; both > min(p, alone)+1e-6 || either < max(p, alone)-1e-6 {
		l.Errorf("%s: %v with %s of %v, %v with either", say("more"), both, condition, alone, either)
	}
}

// explain gives the probability of an answer as it is explained, and that of its one predicted link.
func (l *laws) explain(text string, e kg.Entity) (answer, link float64) {
	l.Helper()
	_, why, err := explained(l.T, l.engine, text, l.engine.Graph.Entities.Names.At(uint32(e)))
	if err != nil {
		l.Fatal(err)
	}
	for _, one := range why.Links {
		if !one.Known {
			link = float64(one.Probability)
		}
	}
	return float64(why.Answer.Probability), link
}

// question holds the answers to a question with a step on the way to themselves with the answer fixed.
func (l *laws) question(h kg.Entity, first, second kg.Relation) {
	body := func(x string) string {
		return "exists y: " + l.atom(first, l.name(h), "y") + " & " + l.atom(second, "y", x)
	}
	result := l.ask("?x : " + body("x"))
	sum := 0.0
	for i, a := range result.Shown() {
		if sum += float64(a.Probability); i >= 12 || a.Known {
			continue
		}
		e, err := query.FindEntity(max(a.ID, a.Entity), l.engine.Graph.Vocabulary)
		if err != nil {
			continue // a name of several
		}
		p, x := float64(a.Probability), l.name(e)
		l.same(body(x)+", fixed", l.yes(body(x)), p)
		l.same(body(x)+", twice", l.yes("("+body(x)+") & (exists z: "+l.atom(second, "z", x)+" & "+l.atom(first, l.name(h), "z")+")"), p)
		l.same(body(x)+", denied", l.yes("!("+body(x)+")"), 1-p)
		l.same(body(x)+", as tuples", l.of(l.ask("?x, ?w : w = "+x+" & x = w & ("+body("x")+")"), e, e), p)
	}
	l.same(body("x")+", expected", result.Expected, sum)
}

func (l *laws) run(facts, questions int) {
	g := l.engine.Graph
	for range facts {
		h, r := kg.Entity(l.random.IntN(g.NumEntities())), kg.Relation(l.random.IntN(g.NumRelations()))
		r0, _ := g.Edges(h)
		if len(r0) > 0 {
			r = r0[l.random.IntN(len(r0))]
		}
		for i, a := range l.ask("?x : "+l.atom(r, l.name(h), "x"), lacuna.Predicted(true), lacuna.Limit(4)).Shown() {
			if e, err := query.FindEntity(max(a.ID, a.Entity), g.Vocabulary); err == nil && i == l.random.IntN(4) {
				l.fact(kg.Triple{Head: h, Relation: r, Tail: e})
			}
		}
	}
	for range questions {
		h := kg.Entity(l.random.IntN(g.NumEntities()))
		relations, tails := g.Edges(h)
		if len(relations) == 0 {
			continue
		}
		i := l.random.IntN(len(relations))
		next, _ := g.Edges(tails[i])
		l.question(h, relations[i], next[l.random.IntN(len(next))])
	}
	if l.checks < 100 {
		l.Errorf("only %d checks", l.checks)
	}
	l.Logf("%d checks", l.checks)
}

// The laws of probability hold on random graphs, the laureates and, where they are at hand, on public graphs.
func TestLawsOfProbability(t *testing.T) {
	for seed := range uint64(2) {
		t.Run(fmt.Sprint("random ", seed), func(t *testing.T) {
			g, err := synth.Generate(synth.Config{Seed: seed, Entities: 60, Relations: 5, Triples: 200})
			if err != nil {
				t.Fatal(err)
			}
			engine, err := lacuna.New(t.Context(), g, lacuna.Device("cpu"), lacuna.Calibrating(lacuna.CalibrationOptions{Off: true}))
			if err != nil {
				t.Fatal(err)
			}
			defer engine.Close()
			(&laws{T: t, engine: engine, random: rand.New(rand.NewPCG(seed, 1))}).run(8, 3)
		})
	}
	t.Run("laureates", func(t *testing.T) {
		engine, err := lacuna.Open(t.Context(), "", lacuna.Device("cpu"), lacuna.Calibrating(lacuna.CalibrationOptions{Time: -1}))
		if err != nil {
			t.Fatal(err)
		}
		defer engine.Close()
		(&laws{T: t, engine: engine, random: rand.New(rand.NewPCG(2, 1))}).run(6, 2)
	})
	for _, name := range []string{"UMLS", "Nations", "CoDEx-S"} {
		t.Run(name, func(t *testing.T) {
			folder := "../shared/data/" + name
			if _, err := os.Stat(folder); err != nil {
				t.Skipf("needs public data: %s is not there (docs/data.md)", folder)
			}
			if testing.Short() {
				t.Skip("-short: takes long")
			}
			engine, err := lacuna.Open(t.Context(), folder, lacuna.Device("cpu"), lacuna.Calibrating(lacuna.CalibrationOptions{Time: -1, Rows: 100}))
			if err != nil {
				t.Fatal(err)
			}
			defer engine.Close()
			(&laws{T: t, engine: engine, random: rand.New(rand.NewPCG(3, 1))}).run(6, 2)
		})
	}
}
