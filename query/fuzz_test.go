package query

import (
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
)

// FuzzParse holds that no text makes the parser panic, that what is read prints
// so that it is read back, has a normal form or is refused, and that what is decomposed survives the way back to logic.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		paperQuestion,
		"?u: exists a, b: R(a, b) & S(b, 'x y') | !T^-1(u, #12) -> a != y",
		"?u : ∀a (R(a, u) → ¬∃b. <http://x.org/a>(a, b) ∧ b = Mercury (planet))",
		"P[University](C(P[Win^-1]({Turing Award}), N(D(P[Field^-1]({Deep Learning}), {*}))))",
		"((12, (3, 4)), (45, (6, -2)), (-1,))",
		"?x, ?y : exists a: R(x, a) & S(y, a) & x != y & a = ?z",
		"exists p: Directed(p, 'Roma') & !Directed(p, p)",
		"? : C(a, b) | (7up(a, b) & ?x = y)",
		"?u : true ∧ (⊥ or not \"a\\\"b\"(u, “c”))",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := Parse(text)
		if err != nil {
			return
		}
		printed := q.String()
		again, err := Parse(printed)
		if kg.KindOf(err) == kg.TooLarge && err != nil {
			return // ∀ and → take more room spelt out
		}
		if err != nil || !equalQueries(again, q) {
			t.Fatalf("%q\nprints as %q\nand reads back as %v, %v", text, printed, again, err)
		}
		if n, err := Normalise(withIDs(q)); err == nil && len(n.Variables) < n.Answers {
			t.Fatalf("%q\nhas the normal form %v", text, n)
		}
		e, err := Decompose(withIDs(q))
		if err != nil {
			return
		}
		back, err := Decompose(FromExpr(e, nil))
		if err != nil || ShapeOf(Rewrite(back, Passes...)) != ShapeOf(Rewrite(e, Passes...)) {
			t.Fatalf("%q\nis %s\nand back from logic %v, %v", text, FormatOperators(e, nil), back, err)
		}
	})
}

// withIDs gives every name the id 0, as a stand-in for a vocabulary that knows them all.
func withIDs(q *Query) *Query {
	term := func(t Term) Term {
		if _, ok := t.(Constant); ok {
			return Constant{Name{ByID: true}}
		}
		return t
	}
	body := Map(q.Body, func(f Formula) Formula {
		switch f := f.(type) {
		case Atom:
			return Atom{RelationName{Name{ByID: true}, f.Relation.Inverse}, term(f.From), term(f.To), f.Pos}
		case Equals:
			return Equals{term(f.Left), term(f.Right)}
		}
		return f
	})
	return &Query{q.Answers, body}
}
