package query

import (
	"errors"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
)

const paperQuestion = "?u : ∃a : Win(a, Turing Award) ∧ Field(a, Deep Learning) ∧ University(a, u)"

func TestParse(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{paperQuestion, paperQuestion},
		{"?u: exists a: Win(a, Turing Award) & Field(a, Deep Learning) & University(a, u)", paperQuestion},
		{"?u EXISTS a. Win(a,Turing Award) AND Field(a,\n  Deep   Learning) && University(a,u)", paperQuestion},
		{"?u.∃a (Win(a, Turing Award) /\\ Field(a, Deep Learning) ∧ University(a, u))", paperQuestion},
		{"?u ∃a Win(a, Turing Award) and Field(a, Deep Learning) and University(a, u)", paperQuestion},
		{"?u : ∃?a : Win(?a, 'Turing Award') ∧ \"Field\"(?a, “Deep Learning”) ∧ University(?a, ?u)", paperQuestion},

		// precedence, grouping, the reach of a quantifier
		{"?u : A(u, x) | B(u, x) & C(u, x)", "?u : A(u, x) ∨ (B(u, x) ∧ C(u, x))"},
		{"?u : (A(u, x) || B(u, x)) && C(u, x)", "?u : (A(u, x) ∨ B(u, x)) ∧ C(u, x)"},
		{"?u : (A(u, x) ∧ B(u, x)) ∧ C(u, x)", "?u : (A(u, x) ∧ B(u, x)) ∧ C(u, x)"},
		{"?u : ¬A(u, x) ∧ !B(u, x) ∧ ~C(u, x) ∧ not D(u, x)", "?u : ¬A(u, x) ∧ ¬B(u, x) ∧ ¬C(u, x) ∧ ¬D(u, x)"},
		{"?u : not not A(u, x)", "?u : ¬¬A(u, x)"},
		{"?u : ¬(A(u, x) ∨ B(u, x))", "?u : ¬(A(u, x) ∨ B(u, x))"},
		{"?u : A(u, x) ∧ ∃a : R(a, u) ∨ S(a, u)", "?u : A(u, x) ∧ (∃a : R(a, u) ∨ S(a, u))"},
		{"?u : A(u, x) ∧ ¬∃a : R(a, u) ∨ S(a, u)", "?u : A(u, x) ∧ (¬∃a : R(a, u) ∨ S(a, u))"},
		{"?u : (∃a R(a, u)) ∧ A(u, x)", "?u : (∃a : R(a, u)) ∧ A(u, x)"},
		{"?u : A(u, x) → B(u, x) -> C(u, x)", "?u : ¬A(u, x) ∨ (¬B(u, x) ∨ C(u, x))"},
		{"?u : A(u, x) or B(u, x) implies C(u, x)", "?u : ¬(A(u, x) ∨ B(u, x)) ∨ C(u, x)"},
		{"?u : ∀a : R(a, u) → S(a, x)", "?u : ¬∃a : ¬(¬R(a, u) ∨ S(a, x))"},
		{"?u : forall a (R(a, u) => S(a, x))", "?u : ¬∃a : ¬(¬R(a, u) ∨ S(a, x))"},
		{"?u : ⊤ ∧ true and not false", "?u : ⊤ ∧ ⊤ ∧ ¬⊥"},
		{"?u : true(u, x) ∧ False Friend(u, x)", "?u : true(u, x) ∧ False Friend(u, x)"},

		// variables
		{"?u : ∃a, b : R(a, b) ∧ S(b, u)", "?u : ∃a, b : R(a, b) ∧ S(b, u)"},
		{"?u : ∃a b : R(a, b) ∧ S(b, u)", "?u : ∃a, b : R(a, b) ∧ S(b, u)"},
		{"?u : ∃a, b R(a, b) ∧ S(b, u)", "?u : ∃a, b : R(a, b) ∧ S(b, u)"},
		{"?u : exists a exists b : R(a, b) ∧ S(b, u)", "?u : ∃a : ∃b : R(a, b) ∧ S(b, u)"},
		{"?u : ∃a (∃b (R(a, b) ∧ S(b, u)))", "?u : ∃a : ∃b : R(a, b) ∧ S(b, u)"},
		{"?u : R(?x, u)", "?u : R(?x, u)"},
		{"?u : ∃a : R(a, u) ∧ (∃a : S(a, u))", "?u : ∃a : R(a, u) ∧ (∃a : S(a, u))"},
		{"?u : (∃a : R(a, u)) ∧ S(a, u)", "?u : (∃a : R(a, u)) ∧ S(a, u)"},
		{"?x' : ∃a_1, β : R(a_1, β) ∧ R(β, x')", "?x' : ∃a_1, β : R(a_1, β) ∧ R(β, x')"},

		// several answer variables, and none
		{"?x, ?y : R(x, y) & S(y, x)", "?x, ?y : R(x, y) ∧ S(y, x)"},
		{"?x, y, z . R(x, y)", "?x, ?y, ?z : R(x, y)"},
		{"?x ?y exists a: R(x, a) and R(y, a)", "?x, ?y : ∃a : R(x, a) ∧ R(y, a)"},
		{"Directed(Fellini, Roma)", "Directed(Fellini, Roma)"},
		{"  exists p: Directed(p, Roma)", "∃p : Directed(p, Roma)"},
		{"(∃a : Win(a, u))", "∃a : Win(a, u)"},
		{"? : Win(a, u)", "Win(a, u)"},
		{"? : C(a, b)", "? : C(a, b)"},
		{"? : (7up(a, b) ∨ R(a, b)) ∧ S(a, b)", "? : (7up(a, b) ∨ R(a, b)) ∧ S(a, b)"},
		{"(?x = y)", "? : ?x = y"},

		// names
		{"?u : R(u, Mercury (planet))", "?u : R(u, Mercury (planet))"},
		{"?u : R(u, AT&T) ∧ R(u, Yahoo!) ∧ R(u, Trinidad and Tobago)", "?u : R(u, AT&T) ∧ R(u, Yahoo!) ∧ R(u, Trinidad and Tobago)"},
		{`?u : R(u, "Washington, D.C.") ∧ R(u, 'O\'Brien "x" \\ \n')`, `?u : R(u, "Washington, D.C.") ∧ R(u, "O'Brien \"x\" \\ \n")`},
		{`?u : R(u, O'Brien) ∧ R(u, Dwayne "The Rock" Johnson)`, `?u : R(u, O'Brien) ∧ R(u, Dwayne "The Rock" Johnson)`},
		{"?u : /award/award_winner/awards_won./award/award_honor/award_winner(/m/0bp_b2, u)", "?u : /award/award_winner/awards_won./award/award_honor/award_winner(/m/0bp_b2, u)"},
		{"?u : http://x.org/a#b(u, http://x.org/?c=d&e=f) ∧ <http://x.org/a,(b>(u, <http://x.org/c,d)>)", "?u : http://x.org/a#b(u, http://x.org/?c=d&e=f) ∧ <http://x.org/a,(b>(u, <http://x.org/c,d)>)"},
		{"?u : http://x.org/p?a=b(u, x)", "?u : http://x.org/p?a=b(u, x)"},
		{"?u : ex:born-in(u, ex:Town)", "?u : ex:born-in(u, ex:Town)"},
		{"?u : born and died in(u, x)", "?u : born and died in(u, x)"},
		{`?u : "not in"(u, x) ∧ "a∧b"(u, x)`, `?u : "not in"(u, x) ∧ "a∧b"(u, x)`},
		{`?u : "R"(u, "plain")`, "?u : R(u, plain)"},
		{`?u : ∃a : R(a, "a") ∧ R(a, "?b") ∧ R(a, "#1") ∧ R(a, " x") ∧ R(a, u)`, `?u : ∃a : R(a, "a") ∧ R(a, "?b") ∧ R(a, "#1") ∧ R(a, " x") ∧ R(a, u)`},

		// inverses and ids
		{"?u : R^-1(u, x) ∧ S⁻¹(u, x) ∧ T^{-1} (u, x)", "?u : R^-1(u, x) ∧ S^-1(u, x) ∧ T^-1(u, x)"},
		{`?u : "R"^-1(u, x) ∧ "R^-1"(u, x) ∧ R^-1^-1(u, x)`, `?u : R^-1(u, x) ∧ "R^-1"(u, x) ∧ R(u, x)`},
		{"?u : #3(#12, u) ∧ #4^-1(u, #0)", "?u : #3(#12, u) ∧ #4^-1(u, #0)"},

		// equations
		{"?u : u = Turing Award ∨ u=Nobel Prize", "?u : u = Turing Award ∨ u = Nobel Prize"},
		{"?u : 'Mercury (planet)' = u", "?u : u = Mercury (planet)"},
		{"?u : R(u, x) ∧ u != y & u ≠ #7 and ¬ u = z", "?u : R(u, x) ∧ u ≠ y ∧ u ≠ #7 ∧ u ≠ z"},
		{`?u : u = "Trinidad and Tobago"`, `?u : u = "Trinidad and Tobago"`},
		{"?u : (u = x) and R(u, x)", "?u : u = x ∧ R(u, x)"},
		{"?u : ∃a : R(a, x) ∧ a = u ∧ ?b != a", "?u : ∃a : R(a, x) ∧ a = u ∧ ?b ≠ a"},
		{"?u : u = Sand and R(u, x)", "?u : u = Sand ∧ R(u, x)"},
	} {
		q, err := Parse(test.text)
		if err != nil {
			t.Errorf("%s\n\t%v", test.text, err)
			continue
		}
		if got := q.String(); got != test.want {
			t.Errorf("%s\n\tgives %s\n\twant  %s", test.text, got, test.want)
		}
		if again, err := Parse(q.String()); err != nil || !equalQueries(again, q) {
			t.Errorf("%s\n\tprints as %s and reads back as %v, %v", test.text, q, again, err)
		}
	}
}

func TestParseOperators(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"P[University](C(P[Win^-1]({Turing Award}), P[Field^-1]({Deep Learning})))", paperQuestion},
		{"𝒫[University](𝒞(𝒫[Win⁻¹]({ Turing Award }), 𝒫[Field^-1]({'Deep Learning'})))", paperQuestion},
		{"{Turing Award}", "?u : u = Turing Award"},
		{"{A, B}", "?u : u = A ∨ u = B"},
		{"P[R]({*})", "?u : ∃a : R(a, u)"},
		{"P[R](P[S](P[T]({x})))", "?u : ∃a, b : T(x, b) ∧ S(b, a) ∧ R(a, u)"},
		{"C(P[R]({x}), N(P[S](P[T]({y}))))", "?u : R(x, u) ∧ (¬∃a : T(y, a) ∧ S(a, u))"},
		{"P[R](D(P[S]({x}), {y}, N({z})))", "?u : ∃a : (S(x, a) ∨ a = y ∨ a ≠ z) ∧ R(a, u)"},
		{`P["a]b"^-1]({"a}b"})`, "?u : a]b(u, a}b)"},
		{"P[r[0]]({s{1}})", "?u : r[0](s{1}, u)"},
		{"P[#3]({#12})", "?u : #3(#12, u)"},
		{"P[R]({u})", `?u : R("u", u)`},
		{"D({*}, N({*}))", "?u : ⊤ ∨ ¬⊤"},
		{"((12, (3, 4)), (45, (6, -2)))", "?u : ∃a : #3(#12, a) ∧ #4(a, u) ∧ ¬#6(#45, u)"},
		{"((1, (2,)), (3, (4,)), (-1,))", "?u : #2(#1, u) ∨ #4(#3, u)"},
		{"(((1, (2,)), (3, (4,)), (-1,)), (5,))", "?u : ∃a : (#2(#1, a) ∨ #4(#3, a)) ∧ #5(a, u)"},
	} {
		q, err := Parse(test.text)
		if err != nil {
			t.Errorf("%s\n\t%v", test.text, err)
			continue
		}
		if got := q.String(); got != test.want {
			t.Errorf("%s\n\tgives %s\n\twant  %s", test.text, got, test.want)
		}
		if again, err := Parse(q.String()); err != nil || !equalQueries(again, q) {
			t.Errorf("%s\n\tprints as %s and reads back as %v, %v", test.text, q, again, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, test := range []struct {
		text, want string
		kind       kg.Kind
	}{
		{"", "query:1:1: expected a question, as in \"?u : ∃a : Win(a, Turing Award) ∧ University(a, u)\"", kg.Invalid},
		{"Win", `query:1:4: expected '(' and two arguments after "Win", found the end`, kg.Invalid},
		{"?", "query:1:2: expected the name of the answer variable after '?'", kg.Invalid},
		{"?u, : R(u, v)", "query:1:5: expected the name of the answer variable after '?'", kg.Invalid},
		{"?u, ?v, u : R(u, v)", "query:1:9: the answer variable u is named twice", kg.Invalid},
		{"?u :", "query:1:5: expected a relation with its arguments, ¬, ∃ or a parenthesis, found the end", kg.Invalid},
		{"?u : ∃a : Win(a)", "query:1:16: expected ',' and a second argument: a relation has two, found \")\"", kg.Invalid},
		{"?u : Win(a, b, c)", "query:1:14: expected ')' after the second argument (a name with a comma needs quotes), found \",\"", kg.Invalid},
		{"?u : Win(, b)", "query:1:10: expected a variable or the name of an entity", kg.Invalid},
		{"?u : Win(u, b", "query:1:14: expected ')' after the second argument", kg.Invalid},
		{"?u : Win", `query:1:9: expected '(' and two arguments after "Win", found the end`, kg.Invalid},
		{"?u : " + strings.Repeat("long ", 999), `query:1:5001: expected '(' and two arguments after "` + strings.Repeat("long ", 12) + `…", found the end`, kg.Invalid},
		{"?u : (Win(u, x)", "query:1:16: expected ')' to close the parenthesis, found the end", kg.Invalid},
		{"?u : Win(u, x) Field(u, y)", `query:1:16: expected ∧, ∨, → or the end of the query, found "Field"`, kg.Invalid},
		{"?u :\n  Win(u, x) ∧\n  ∃ : R(u, x)", "query:3:5: expected a variable after the quantifier", kg.Invalid},
		{"?u : ∃a, : R(a, u)", "query:1:10: expected a variable after the quantifier", kg.Invalid},
		{"?u : ∃and : R(and, u)", "query:1:7: expected a variable after the quantifier", kg.Invalid},
		{"?u : Win(u, 'x)", "query:1:13: the quote is not closed", kg.Invalid},
		{`?u : Win(u, "")`, "query:1:13: the name is empty", kg.Invalid},
		{`?u : Win(u, "\x")`, `query:1:15: expected \", \', \\, \n, \r or \t after the backslash`, kg.Invalid},
		{"P({x})", "query:1:2: expected '[' and a relation after P", kg.Invalid},
		{"C({x})", "query:1:1: expected two or more operands of C, found one", kg.Invalid},
		{"N({x}, {y})", "query:1:1: expected one operand of N, found 2", kg.Invalid},
		{"C({x}, y)", "query:1:8: expected {an entity}, {*}, P[a relation](…)", kg.Invalid},
		{"P[R]({})", "query:1:7: expected the name of an entity", kg.Invalid},
		{"P[]({x})", "query:1:3: expected a relation", kg.Invalid},
		{"P[R]({x}", "query:1:9: expected ')' after the operands, found the end", kg.Invalid},
		{"{x} {y}", "query:1:5: expected the end of the query", kg.Invalid},
		{"(12, (x,))", `query:1:7: expected an id, found "x"`, kg.Invalid},
		{"(12, (-7,))", `query:1:7: expected an id, found "-7"`, kg.Invalid},
		{"(12, 13)", "query:1:2: expected a tuple of an entity and its relations", kg.Invalid},
		{"((1, (2,)), (3, (4,)), (5,))", "query:1:24: expected a single tuple or entity before the relations", kg.Invalid},
		{"?u : " + strings.Repeat("(", 100000), "query:1:", kg.TooLarge},
		{"?u : " + strings.Repeat("¬", 100000), "query:1:", kg.TooLarge},
		{"?u : " + strings.Repeat("∃a", 100000), "query:1:", kg.TooLarge},
		{"?u : " + strings.Repeat("R(u, x) → ", 50000), "query:1:", kg.TooLarge},
		{"?u : " + strings.Repeat("R(u, x) ∧ ", 50000), "query:1:", kg.TooLarge},
		{strings.Repeat("N(", 100000), "query:1:", kg.TooLarge},
		{strings.Repeat("(", 100000) + "1", "query:1:", kg.TooLarge},
		{"?" + strings.Repeat("u", maxText), "query: the text has", kg.TooLarge},
	} {
		q, err := Parse(test.text)
		if err == nil || !strings.HasPrefix(err.Error(), test.want) || kg.KindOf(err) != test.kind {
			t.Errorf("%.50s\n\tgives %.100v, error %v (kind %d)\n\twant %s", test.text, q, err, kg.KindOf(err), test.want)
		}
	}
}

func TestErrorsHavePlaces(t *testing.T) {
	for text, want := range map[string]kg.Place{
		"?u : Win(u,\n Turing Award": {Name: Source, Line: 2, Column: 14},
		"?u : Win(u, x) ∧ ∨":         {Name: Source, Line: 1, Column: 18},
	} {
		_, err := Parse(text)
		var user *kg.Error
		if !errors.As(err, &user) || user.Place != want {
			t.Errorf("%q: %v, want it at %v", text, err, want)
		}
	}
}
