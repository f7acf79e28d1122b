package pattern

import (
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

const entities, relations = 12, 3

// splits is a small random graph that holds facts out.
func splits(seed uint64) *kg.Splits {
	rng := rand.New(rand.NewPCG(seed, 1))
	var names, relationNames kg.Interner
	for i := range entities {
		names.Intern([]byte("e" + strconv.Itoa(i)))
	}
	for i := range relations {
		relationNames.Intern([]byte{'R' + byte(i)})
	}
	v := &kg.Vocabulary{Entities: kg.Dictionary{Names: names.Names()}, Relations: kg.Dictionary{Names: relationNames.Names()}}
	draw := func(n int) []kg.Triple {
		triples := make([]kg.Triple, n)
		for i := range triples {
			triples[i] = kg.Triple{Head: kg.Entity(rng.IntN(entities)), Relation: kg.Forward(uint32(rng.IntN(relations))), Tail: kg.Entity(rng.IntN(entities))}
		}
		return triples
	}
	return &kg.Splits{Train: kg.Build(v, draw(45)), Valid: draw(12), Test: draw(6)}
}

// truth is that of a condition under an assignment, by its definition.
func truth(g *kg.Graph, c query.Condition, values []kg.Entity) bool {
	value := func(a query.Argument) kg.Entity {
		if a.IsVariable {
			return values[a.Variable]
		}
		return a.Entity
	}
	switch c := c.(type) {
	case query.Link:
		return g.Has(kg.Triple{Head: value(c.From), Relation: c.Relation, Tail: value(c.To)})
	case query.Same:
		return value(c.A) == value(c.B)
	case query.All:
		return !slices.ContainsFunc(c.Of, func(part query.Condition) bool { return !truth(g, part, values) })
	case query.Any:
		return slices.ContainsFunc(c.Of, func(part query.Condition) bool { return truth(g, part, values) })
	case query.No:
		return !truth(g, c.Of, values)
	}
	some := c.(query.Some)
	if len(some.Vars) == 0 {
		return truth(g, some.Of, values)
	}
	for e := range kg.Entity(entities) {
		values[some.Vars[0]] = e
		if truth(g, query.Some{Vars: some.Vars[1:], Of: some.Of}, values) {
			return true
		}
	}
	return false
}

// allAnswers are found by trying all tuples.
func allAnswers(t *testing.T, g *kg.Graph, q *query.Query) [][]kg.Entity {
	n, err := query.Normalise(q)
	if err != nil {
		t.Fatal(err)
	}
	var all [][]kg.Entity
	values := make([]kg.Entity, len(n.Variables))
	var assign func(v int)
	assign = func(v int) {
		if v == n.Answers {
			if truth(g, n.Body, values) {
				all = append(all, slices.Clone(values[:v]))
			}
			return
		}
		for e := range kg.Entity(entities) {
			values[v] = e
			assign(v + 1)
		}
	}
	assign(0)
	return all
}

// Easy and hard answers of every pattern are those of trying all tuples on the two graphs.
func TestAnswersAreThoseOfTryingAll(t *testing.T) {
	s := splits(1)
	full, err := s.UpToValid(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	written := []string{"?x : r1(x, x)", "?x, ?y : R(x, y) & r1(y, x) & x != y", "?x : (r1(s1, x) | r2(s2, x)) & S(e1, x)", "?x : exists y: r1(x, y) & r1(y, x) & !exists z: r2(y, z)"}
	for _, text := range append(Names(), written...) {
		p, err := Parse(text, s.Train.Vocabulary)
		if err != nil {
			t.Fatal(text, err)
		}
		all, outcomes, err := Run(t.Context(), s, dataset.Valid, Options{Patterns: []*Pattern{p}, Wanted: map[dataset.Split]int{dataset.Valid: 4}, Patience: 4000})
		if slices.Contains(written, text) && err != nil {
			t.Logf("%s: %v", text, err) // so small a graph may have none
			continue
		}
		if err != nil {
			t.Fatal(text, err)
		}
		if len(all) == 0 || outcomes[0].Found != len(all) || outcomes[0].Pattern != text {
			t.Fatalf("%s: %d questions, %v", text, len(all), outcomes)
		}
		for _, q := range all {
			before, after := allAnswers(t, s.Train, q.Query), allAnswers(t, full, q.Query)
			if len(q.Query.Answers) == 0 {
				isYes := len(after) > 0
				if isYes != (len(q.Right) == 1) || isYes == (len(q.Wrong) == 1) || isYes && len(before) > 0 {
					t.Errorf("%s is %v by all facts and %v before: %+v", q.Query, after, before, q)
				}
				continue
			}
			if !reflect.DeepEqual(q.Easy, before) || !reflect.DeepEqual(q.Hard, difference(after, before)) || len(q.Hard) == 0 {
				t.Errorf("%s has easy %v and hard %v, want %v and %v", q.Query, q.Easy, q.Hard, before, difference(after, before))
			}
		}
	}
}

func TestSameSeedSameFolder(t *testing.T) {
	s := splits(2)
	var patterns []*Pattern
	for _, name := range []string{"2m", "triangle", "yes-2p"} {
		p, err := Parse(name, s.Train.Vocabulary)
		if err != nil {
			t.Fatal(err)
		}
		patterns = append(patterns, p)
	}
	var sets [2][]dataset.TupleQuery
	for i := range sets {
		dir := filepath.Join(t.TempDir(), "q")
		o := Options{Patterns: patterns, Wanted: map[dataset.Split]int{dataset.Valid: 5, dataset.Train: 3}, Seed: 7}
		if _, err := WriteFolder(t.Context(), s, dir, "test", o); err != nil {
			t.Fatal(err)
		}
		set, err := dataset.Open(t.Context(), dir, dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer set.Close()
		if len(set.Splits()) != 0 || !set.HasTuples() {
			t.Errorf("the folder has %v", set.Splits())
		}
		if sets[i], err = set.Tuples(dataset.Valid); err != nil {
			t.Fatal(err)
		}
	}
	if len(sets[0]) != 15 || !reflect.DeepEqual(sets[0], sets[1]) {
		t.Errorf("%d and %d questions that differ", len(sets[0]), len(sets[1]))
	}
}

func TestRefusedPatterns(t *testing.T) {
	v := splits(3).Train.Vocabulary
	for text, want := range map[string]string{
		"4c":              `no pattern "4c": expected one of pni`,
		"?x : R(e1, x)":   "nothing to draw",
		"?x : r1(e99, x)": `no entity "e99"`,
		"?x : Q(s1, x)":   `no relation "Q"`,
		"?x : !r1(s1, x)": "x",
		"?x : exists y: r1(x, y) & exists y: r2(x, y)": "bound twice",
		"?x : r1(s1, x": "expected",
	} {
		if _, err := Parse(text, v); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if got := Split("2m, 3c,, ?x, ?y : r1(x, y)"); len(got) != 3 || got[2] != "?x, ?y : r1(x, y)" {
		t.Errorf("names before one written out: %q", got)
	}
	if got := Split("2m, 3c", "?x, ?y : r1(x, y)", "fit"); len(got) != 13 || got[2] != "?x, ?y : r1(x, y)" {
		t.Errorf("%q", got)
	}
}

// FuzzParse holds that no text makes the reader of patterns panic, and that what it reads can be filled.
func FuzzParse(f *testing.F) {
	for _, text := range Named {
		f.Add(text)
	}
	f.Add("?x : (r1(s1, x) | R^-1(e1, x)) & x != s2")
	s := splits(4)
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse(text, s.Train.Vocabulary)
		if err != nil {
			return
		}
		g := p.grounder(s.Train, []kg.Entity{0, 1, 2, 3}, rand.New(rand.NewPCG(1, 1)))
		if g.ground() {
			if _, err := query.Normalise(p.fill(g.drawn)); err != nil {
				t.Fatalf("%q: %v", text, err)
			}
		}
	})
}
