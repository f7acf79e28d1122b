package query

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Map with a leaf that changes nothing gives the formula back, and visits its leaves in the order they are written.
func TestMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		q := &Query{[]Variable{{Name: "x"}}, randomFormula(rng, 5, []string{"x"})}
		same := &Query{q.Answers, Map(q.Body, func(f Formula) Formula { return f })}
		if !equalQueries(q, same) {
			t.Fatalf("%v became %v", q, same)
		}
	}
	q, err := Parse("?x : (A(x, a) & !(B(x, b) | exists y: C(y, x))) & x = d")
	if err != nil {
		t.Fatal(err)
	}
	var visited []string
	Map(q.Body, func(f Formula) Formula {
		visited = append(visited, (&Query{q.Answers, f}).String())
		return f
	})
	want := []string{"?x : A(x, a)", "?x : B(x, b)", "?x : C(?y, x)", "?x : x = d"}
	if len(visited) != len(want) {
		t.Fatalf("visited %q", visited)
	}
	for i := range want {
		if visited[i] != want[i] {
			t.Errorf("visited %q in place %d, expected %q", visited[i], i, want[i])
		}
	}
}

// equalQueries tells whether two queries are the same but for positions.
func equalQueries(q, r *Query) bool {
	return slices.EqualFunc(q.Answers, r.Answers, sameVariable) && equalFormulas(q.Body, r.Body)
}

func equalFormulas(a, b Formula) bool {
	switch a := a.(type) {
	case Atom:
		b, same := b.(Atom)
		return same && sameRelation(a.Relation, b.Relation) &&
			equalTerms(a.From, b.From) && equalTerms(a.To, b.To)
	case Equals:
		b, same := b.(Equals)
		return same && equalTerms(a.Left, b.Left) && equalTerms(a.Right, b.Right)
	case And:
		b, same := b.(And)
		return same && slices.EqualFunc(a.Of, b.Of, equalFormulas)
	case Or:
		b, same := b.(Or)
		return same && slices.EqualFunc(a.Of, b.Of, equalFormulas)
	case Not:
		b, same := b.(Not)
		return same && equalFormulas(a.Of, b.Of)
	case Exists:
		b, same := b.(Exists)
		return same && slices.EqualFunc(a.Vars, b.Vars, sameVariable) && equalFormulas(a.Body, b.Body)
	}
	return false
}
