package query

import (
	"math/rand/v2"
	"testing"
)

func TestCanonicalIgnoresOrderAndNesting(t *testing.T) {
	a, b, c := Projection{Relation: 1, Of: Anchor{2}}, Projection{Relation: 1, Of: Anchor{3}}, Complement{Projection{Relation: 0, Of: Anchor{2}}}
	want := Intersection{[]Expr{a, b, c}}
	for _, e := range []Expr{
		want,
		Intersection{[]Expr{c, b, a}},
		Intersection{[]Expr{Intersection{[]Expr{c, b}}, a}},
		Intersection{[]Expr{Complement{Complement{Intersection{[]Expr{c, a}}}}, b}},
	} {
		if got := Canonical(e); !Equal(got, want) {
			t.Errorf("canonical form of %v is %v", e, got)
		}
	}
	if Key(Union{[]Expr{a, b}}) == Key(Intersection{[]Expr{a, b}}) {
		t.Error("union and intersection have the same key")
	}
}

func TestKeyIsCanonical(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	seen := map[string]Expr{}
	for range 20000 {
		e := randomExpr(rng, 2+rng.IntN(3), 2, 2)
		canonical := Canonical(e)
		if again := Canonical(canonical); !Equal(again, canonical) {
			t.Fatalf("canonical form of %v is %v and then %v", e, canonical, again)
		}
		if Key(shuffled(rng, e)) != Key(e) {
			t.Fatalf("the order of operands changes the key of %v", e)
		}
		if other, ok := seen[Key(e)]; ok && !Equal(other, canonical) {
			t.Fatalf("%v and %v share a key", other, canonical)
		}
		seen[Key(e)] = canonical
	}
}
