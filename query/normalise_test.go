package query

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
)

func normalised(t *testing.T, text string) (*Normal, error) {
	t.Helper()
	q, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	resolved, err := Resolve(q, letters())
	if err != nil {
		t.Fatal(err)
	}
	return Normalise(resolved)
}

// In letters() x, y, z are #0 to #2, and R, S, T the relations #10, #12, #14.
func TestNormalise(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"?u : R(u, u)", "?u : #10(u, u)"},
		{"?u : ∃a : R(a, u) ∧ S(a, u)", "?u : ∃a : #10(a, u) ∧ #12(a, u)"},
		{"?x, ?y : R(x, y)", "?x, ?y : #10(x, y)"},
		{"R(x, y)", "#10(#0, #1)"},
		{"x = y", "#0 = #1"},
		{"?u : R(u, u) ∧ x ≠ y", "?u : #10(u, u) ∧ ¬#0 = #1"},
		{"∃a : R(a, a)", "∃a : #10(a, a)"},
		{"?u : R(x, u) ∧ ∀a : S(a, u) → T(a, u)", "?u : #10(#0, u) ∧ ¬(∃a : #12(a, u) ∧ ¬#14(a, u))"},
		{"?u : R(u, x) ∧ ∃a : S(a, x) ∧ ∃b : T(a, b) ∧ a ≠ b", "?u : ∃a, b : #10(u, #0) ∧ #12(a, #0) ∧ #14(a, b) ∧ ¬a = b"},
		{"?u : ¬(¬R(u, x) ∨ S(u, u))", "?u : #10(u, #0) ∧ ¬#12(u, u)"},
		{"?u : ∃a : A(a, x) ∧ ¬R(a, u) ∧ B(u, x)", "?u : ∃a : #0(a, #0) ∧ ¬#10(a, u) ∧ #2(u, #0)"},
		{"?u : ∃a : R(u, u) ∨ S(a, u)", "?u : #10(u, u) ∨ (∃a : #12(a, u))"},
		{"?u : ∃a : (R(u, u) ∧ ⊤) ∨ (S(a, u) ∧ ⊥)", "?u : #10(u, u)"},
		{"?u : ∃a : R(a, x) ∧ (∃a : S(a, a)) ∧ a = u", "?u : ∃a, a : #10(a, #0) ∧ #12(a, a) ∧ a = u"},
	} {
		if n, err := normalised(t, test.text); err != nil || n.String() != test.want {
			t.Errorf("%s\n\tgives %v, %v\n\twant  %s", test.text, n, err, test.want)
		}
	}
}

func TestNormaliseErrors(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"?u : R(x, y)", "query:1:1: the answer variable u does not occur in the query"},
		{"?u, ?v : R(u, x) & S(u, u)", "query:1:5: the answer variable v does not occur in the query"},
		{"?u, ?v : R(u, x) & ¬S(u, v)", "query:1:5: the answer variable v is bound only under negation"},
		{"?u : R(u, ?b)", "query:1:11: the variable b is free: bind it by ∃b, or ask for it in the head"},
		{"?u : ∃a, b : R(a, u)", "query:1:10: the variable b is quantified and not used"},
		{"?u : u ≠ x", "query:1:1: the answer variable u is bound only under negation"},
		{"?u, ?v : u = v", "query:1:1: the answer variable u is bound only by an equation with what nothing binds"},
		{"?u, ?v : R(u, v) ∨ R(u, x)", "query:1:5: the answer variable v is not bound by every case of a ∨"},
		{"?u, ?v : (R(u, v) ∧ S(u, u)) ∨ (S(u, u) ∧ ¬R(u, v))", "query:1:5: the answer variable v is not bound by every case of a ∨"},
		{"?u : R(u, u) ∨ ⊤", "query:1:1: the answer variable u is free where the question is true whatever it is"},
		{"?u : R(u, u) ∧ ∃a : ¬S(a, u)", "query:1:17: the variable a is bound only under negation"},
		{"?u : R(u, u) ∧ ∀a : S(a, u)", "query:1:17: the variable a is bound only under negation"},
		{"?u : R(u, u) ∧ ∃a : (S(a, u) ∨ ¬T(a, u))", "query:1:17: the variable a is not bound by every case of a ∨"},
	} {
		n, err := normalised(t, test.text)
		if err == nil || !strings.HasPrefix(err.Error(), test.want) || kg.KindOf(err) != kg.Invalid {
			t.Errorf("%s\n\tgives %v, %v\n\twant  %s", test.text, n, err, test.want)
		}
	}
	if _, err := normalised(t, "?u : R(u, u)"+strings.Repeat(" ∧ R(u, x)", maxLeaves)); kg.KindOf(err) != kg.TooLarge {
		t.Errorf("a long query: %v", err)
	}
}

// The normal form is as true as the formula, for all values of the answer variables, in every logic.
func TestNormalFormIsTrue(t *testing.T) {
	const size, relations = 3, 2
	rng := rand.New(rand.NewPCG(21, 22))
	normal, refused := 0, 0
	for range 20000 {
		q := &Query{[]Variable{{Name: "u"}, {Name: "v"}}, drawAny(rng, 1+rng.IntN(5), []string{"u", "v"})}
		n, err := Normalise(q)
		if err != nil {
			refused++
			continue
		}
		normal++
		weights := map[kg.Triple]float64{}
		weight := func(h kg.Entity, r kg.Relation, t kg.Entity) float64 {
			fact := kg.Triple{Head: h, Relation: r, Tail: t}.Stated()
			if _, drawn := weights[fact]; !drawn {
				weights[fact] = []float64{0, 1, rng.Float64()}[rng.IntN(3)]
			}
			return weights[fact]
		}
		for _, l := range logics {
			for i := range size * size {
				u, v := kg.Entity(i%size), kg.Entity(i/size)
				want := l.truth(q.Body, map[string]kg.Entity{"u": u, "v": v}, size, weight)
				if got := l.condition(n.Body, map[int]kg.Entity{0: u, 1: v}, size, weight); math.Abs(got-want) > 1e-9 {
					t.Fatalf("%s\nis %s\nand in the logic %s %v instead of %v", q, n, l.name, got, want)
				}
			}
		}
	}
	t.Logf("%d normal forms, %d refused", normal, refused)
	if normal < 500 {
		t.Errorf("only %d of the queries have a normal form", normal)
	}
}

type weigh func(h kg.Entity, r kg.Relation, t kg.Entity) float64

// truth of a formula by its definition, ∃ being the maximum.
func (l logic) truth(f Formula, values map[string]kg.Entity, size int, weight weigh) float64 {
	value := func(t Term) kg.Entity {
		if v, ok := t.(Variable); ok {
			return values[v.Name]
		}
		return kg.Entity(t.(Constant).ID)
	}
	switch f := f.(type) {
	case Atom:
		return weight(value(f.From), f.Relation.directed(), value(f.To))
	case Equals:
		return map[bool]float64{true: 1}[value(f.Left) == value(f.Right)]
	case And:
		x := 1.0
		for _, part := range f.Of {
			x = l.and(x, l.truth(part, values, size, weight))
		}
		return x
	case Or:
		x := 0.0
		for _, part := range f.Of {
			x = l.or(x, l.truth(part, values, size, weight))
		}
		return x
	case Not:
		return 1 - l.truth(f.Of, values, size, weight)
	}
	some := f.(Exists)
	if len(some.Vars) == 0 {
		return l.truth(some.Body, values, size, weight)
	}
	inside, best := map[string]kg.Entity{}, 0.0
	for name, e := range values {
		inside[name] = e
	}
	for e := range kg.Entity(size) {
		inside[some.Vars[0].Name] = e
		best = max(best, l.truth(Exists{some.Vars[1:], some.Body}, inside, size, weight))
	}
	return best
}

// condition is the truth of a condition by its definition.
func (l logic) condition(c Condition, values map[int]kg.Entity, size int, weight weigh) float64 {
	value := func(a Argument) kg.Entity {
		if a.IsVariable {
			return values[a.Variable]
		}
		return a.Entity
	}
	x := 1.0
	switch c := c.(type) {
	case Link:
		return weight(value(c.From), c.Relation, value(c.To))
	case Same:
		return map[bool]float64{true: 1}[value(c.A) == value(c.B)]
	case All:
		for _, part := range c.Of {
			x = l.and(x, l.condition(part, values, size, weight))
		}
	case Any:
		x = 0
		for _, part := range c.Of {
			x = l.or(x, l.condition(part, values, size, weight))
		}
	case No:
		return 1 - l.condition(c.Of, values, size, weight)
	case Some:
		if len(c.Vars) == 0 {
			return l.condition(c.Of, values, size, weight)
		}
		x = 0
		for e := range kg.Entity(size) {
			values[c.Vars[0]] = e
			x = max(x, l.condition(Some{c.Vars[1:], c.Of}, values, size, weight))
		}
	}
	return x
}
