package query

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna/kg"
)

// letters is a vocabulary of entities x, y, z and relations A to E, R, S, T.
func letters() *kg.Vocabulary {
	return vocabularyOf(strings.Fields("x y z"), strings.Fields("A B C D E R S T"))
}

func TestDecompose(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"?u : R(x, u)", "P[R]({x})"},
		{"?u : R(u, x)", "P[R^-1]({x})"},
		{"?u : R^-1(x, u)", "P[R^-1]({x})"},
		{"?u : u = x", "{x}"},
		{"?u : ∃a : R(a, u)", "P[R]({*})"},
		{"?u : ∃a, b : R(x, a) ∧ S(a, b) ∧ T(b, u)", "P[T](P[S](P[R]({x})))"},
		{"?u : ∃a : R(x, a) ∧ ∃b : S(a, b) ∧ T(b, u)", "P[T](P[S](P[R]({x})))"},
		{"?u : ∃a : T(a, u) ∧ S(u, z) ∧ R(a, x)", "C(P[T](P[R^-1]({x})), P[S^-1]({z}))"},
		{"?u : R(x, u) ∧ ¬S(y, u)", "C(P[R]({x}), N(P[S]({y})))"},
		{"?u : R(x, u) ∧ u ≠ y", "C(P[R]({x}), N({y}))"},
		{"?u : R(x, u) ∧ ¬∃a : S(a, u) ∧ T(y, a)", "C(P[R]({x}), N(P[S](P[T]({y}))))"},
		{"?u : ∃a : R(a, u) ∧ ¬S(y, a)", "P[R](N(P[S]({y})))"},
		{"?u : R(x, u) ∧ ∀a : S(a, u) → T(a, z)", "C(P[R]({x}), N(P[S](N(P[T^-1]({z})))))"},
		{"?u : R(x, u) ∧ (S(y, u) ∨ T(z, u))", "C(P[R]({x}), D(P[S]({y}), P[T]({z})))"},

		// ∨ between variables is distributed within its component only
		{"?u : ∃a : A(x, a) ∧ (R(a, u) ∨ S(a, u))", "D(P[R](P[A]({x})), P[S](P[A]({x})))"},
		{"?u : ∃a : A(x, a) ∧ (R(a, u) ∨ S(a, u)) ∧ B(y, u)", "C(D(P[R](P[A]({x})), P[S](P[A]({x}))), P[B]({y}))"},
		{"?u : ∃a, b : R(a, u) ∧ A(x, b) ∧ (S(b, a) ∨ T(a, b))", "P[R](D(P[S](P[A]({x})), P[T^-1](P[A]({x}))))"},
		{"?u : ∃a : R(a, u) ∨ S(x, u)", "D(P[R]({*}), P[S]({x}))"},
		{"?u : ∃a : ¬(¬R(a, u) ∨ ¬A(x, a))", "P[R](P[A]({x}))"},
		{"?u : ∃a : R(a, u) ∧ ¬(¬A(x, a) ∧ ¬¬(B(y, a) ∧ ¬S(x, u)))", "D(P[R](P[A]({x})), P[R](N(P[B]({y}))), C(P[R]({*}), P[S]({x})))"},

		// names of variables may be used again
		{"?u : ∃a : R(a, u) ∧ (∃a : S(a, u) ∧ A(x, a)) ∧ B(x, a)", "C(P[R](P[B]({x})), P[S](P[A]({x})))"},
		{"?u : (∃a : R(a, u) ∧ A(x, a)) ∧ (∃a : R(a, u) ∧ A(x, a))", "C(P[R](P[A]({x})), P[R](P[A]({x})))"},
		{"?u : ∃a : R(a, u) ∧ ∃u : S(u, a) ∧ A(x, u)", "P[R](P[S](P[A]({x})))"},

		// truth values, double negation, a bound hidden in negation
		{"?u : ⊥ ∧ R(x, u)", "N({*})"},
		{"?u : R(x, u) ∧ ⊤", "P[R]({x})"},
		{"?u : ¬¬R(x, u)", "N(N(P[R]({x})))"},
		{"?u : ¬(¬R(x, u) ∨ S(y, u))", "N(D(N(P[R]({x})), P[S]({y})))"},
	} {
		q, err := Parse(test.text)
		if err != nil {
			t.Fatal(err)
		}
		e, err := Bind(q, letters())
		if err != nil {
			t.Errorf("%s\n\t%v", test.text, err)
			continue
		}
		if got := FormatOperators(e, letters()); got != test.want {
			t.Errorf("%s\n\tgives %s\n\twant  %s", test.text, got, test.want)
		}
	}
}

// A list of entities is the union of their sets, and an empty one is false; in a normal form it stays a list, and in text it is written out.
func TestAmong(t *testing.T) {
	u := Variable{Name: "u"}
	link := Atom{Relation: RelationName{Name: Name{ByID: true}}, From: Constant{Name{ByID: true}}, To: u}
	for _, test := range []struct {
		f                  Formula
		set, normal, write string
	}{
		{Among{u, []kg.Entity{1, 2}}, "D({y}, {z})", "?u : u ∈ [1 2]", "?u : u = #1 ∨ u = #2"},
		{And{[]Formula{link, Among{u, []kg.Entity{2}}}}, "C(P[A]({x}), {z})", "?u : #0(#0, u) ∧ u ∈ [2]", "?u : #0(#0, u) ∧ u = #2"},
		{And{[]Formula{link, Not{Among{u, []kg.Entity{1, 2}}}}}, "C(P[A]({x}), N(D({y}, {z})))", "?u : #0(#0, u) ∧ ¬u ∈ [1 2]", "?u : #0(#0, u) ∧ ¬(u = #1 ∨ u = #2)"},
		{And{[]Formula{link, Among{Variable: u}}}, "N({*})", "?u : ⊥", "?u : #0(#0, u) ∧ ⊥"},
	} {
		q := &Query{[]Variable{u}, test.f}
		if got := q.String(); got != test.write {
			t.Errorf("is written %s, want %s", got, test.write)
		}
		e, err := Decompose(q)
		if err != nil || FormatOperators(e, letters()) != test.set {
			t.Errorf("%s\n\tgives %v, %v\n\twant  %s", q, e, err, test.set)
		}
		n, err := Normalise(q)
		if err != nil || n.String() != test.normal {
			t.Errorf("%s\n\tis normally %v, %v\n\twant %s", q, n, err, test.normal)
		}
	}
}

func TestDecomposeErrors(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"?u : R(x, y)", "query:1:1: the answer variable u does not occur in the query"},
		{"?u : ∃u : R(x, u)", "query:1:1: the answer variable u does not occur in the query"},
		{"?u : ∃a : R(a, x)", "query:1:1: the answer variable u does not occur in the query"},
		{"?u : R(u, x) ∧ R(x, y)", "query:1:16: R(x, y) has no variable, so that it says nothing of the answer u"},
		{"?u : R(u, ?b)", "query:1:11: the variable b is free, beside the answer variable u: bind it by ∃b"},
		{"?u : R(u, ?b) ∧ S(?b, x)", "query:1:11: the variable b is free, beside the answer variable u: bind it by ∃b"},
		{"?u : R(u, x) ∧ ?b = y", "query:1:16: the variable b is free, beside the answer variable u: bind it by ∃b"},
		{"?u : ∃a, b : R(a, u)", "query:1:10: the variable b is quantified and not used"},
		{"?u : ∃a, a : R(a, u)", "query:1:7: the variable a is quantified and not used"},
		{"?u : R(u, u)", "query:1:6: R(u, u) links the variable u to itself, a cycle: only variables that form a tree can be answered"},
		{"?u : ∃a : R(a, u) ∧ S(u, a)", "query:1:21: the variables u and a are linked twice, by R and S, a cycle: only variables that form a tree can be answered"},
		{"?u : ∃a, b, c : R(a, b) ∧ S(b, c) ∧ T(c, a) ∧ A(a, u)", "query:1:37: the variables a, b and c form a cycle: only variables that form a tree can be answered"},
		{"?u : ∃a, b, c : R(u, b) ∧ S(b, c) ∧ T(c, a) ∧ A(a, u)", "query:1:47: the variables u, b, c and a form a cycle: only variables that form a tree can be answered"},
		{"?u : R(u, x) ∧ ∃a : S(a, x)", "query:1:17: the variable a is not connected to the answer variable u: add a relation on the way between them"},
		{"?u : ∃a, b : R(u, a) ∧ S(b, x)", "query:1:10: the variable b is not connected to the answer variable u: add a relation on the way between them"},
		{"?u : ∃a : A(a, x) ∧ (R(a, u) ∨ S(u, x))", "query:1:7: the variable a is not connected to the answer variable u: add a relation on the way between them"},
		{"?u : ¬R(u, x)", "query:1:1: the answer variable u is bound only under negation, so that nearly all entities would answer: say also what u is, without ¬"},
		{"?u : R(u, x) ∨ ¬S(u, x)", "query:1:1: the answer variable u is bound only under negation"},
		{"?u : u ≠ x ∧ ¬∃a : R(a, u)", "query:1:1: the answer variable u is bound only under negation"},
		{"?u : R(u, x) ∨ ⊤", "query:1:1: the answer variable u is bound only under negation"},
		{"?u : ∃a : A(a, x) ∧ ¬R(a, u)", "query:1:22: ¬R(a, u) links the variables u and a inside ∃a, which no set operation expresses: to say that there is no such a, write ¬∃a: (…)"},
		{"?u : B(u, x) ∧ ∃a : A(a, x) ∧ ¬∃b : R(a, b) ∧ S(b, u)", "query:1:37: a ¬∃ links the variables u and a inside ∃a, which no set operation expresses"},
		{"?u : R(u, x) ∧ ∀a : S(a, u)", "query:1:21: ¬S(a, u) links the variables u and a inside ∃a"},
	} {
		q, err := Parse(test.text)
		if err != nil {
			t.Fatal(err)
		}
		e, err := Bind(q, letters())
		if err == nil || !strings.HasPrefix(err.Error(), test.want) || kg.KindOf(err) != kg.Invalid {
			t.Errorf("%s\n\tgives %v, %v (kind %d)\n\twant  %s", test.text, e, err, kg.KindOf(err), test.want)
		}
	}
}

func TestDecomposeNeedsIDs(t *testing.T) {
	for _, text := range []string{"?u : R(#1, u)", "?u : #1(x, u)", "?u : #1(u, x)", "?u : u = x"} {
		q, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if e, err := Decompose(q); err == nil {
			t.Errorf("%s with names gives %v", text, e)
		}
	}
}

// TestDecomposeLimits holds that hostile queries end soon, whatever with.
func TestDecomposeLimits(t *testing.T) {
	disjunctions := "?u : ∃a : A(x, a)" + strings.Repeat(" ∧ (R(a, u) ∨ S(a, u))", 40)
	distributed := "?u : ∃a : R(a, u)" + strings.Repeat(" ∧ (A(a, x) ∨ B(u, x))", 40)
	negated := "?u : ∃a : R(a, u)" + strings.Repeat(" ∧ ¬(A(a, x) ∧ B(u, x))", 40)
	chain := &strings.Builder{}
	chain.WriteString("?u : ∃a0 : R(a0, u)")
	for i := range 3000 {
		fmt.Fprintf(chain, " ∧ ∃a%d : R(a%d, a%d)", i+1, i+1, i)
	}
	flat := &strings.Builder{}
	flat.WriteString("?u : ∃a0")
	for i := range 3000 {
		fmt.Fprintf(flat, ", a%d", i+1)
	}
	flat.WriteString(" : R(a0, u)")
	for i := range 3000 {
		fmt.Fprintf(flat, " ∧ R(a%d, a%d)", i+1, i)
	}
	for _, text := range []string{disjunctions, distributed, negated, chain.String(), flat.String()} {
		start := time.Now()
		q, err := Parse(text)
		if err == nil {
			_, err = Bind(q, letters())
		}
		if err == nil {
			t.Errorf("%.60s… is answered", text)
		}
		t.Logf("%.40s…: %v after %v", text, err, time.Since(start))
	}
}

// TestDecompositionIsTrue compares the sets of decomposed queries with the truth
// of their formulas under all assignments, on random graphs.
func TestDecompositionIsTrue(t *testing.T) {
	const size, relations = 3, 2
	for name, draw := range map[string]func(*rand.Rand) Formula{
		"trees":   func(rng *rand.Rand) Formula { return (&treeDrawer{rng, relations, 0}).about("u", 4) },
		"any":     func(rng *rand.Rand) Formula { return drawAny(rng, 1+rng.IntN(5), []string{"u"}) },
		"negated": func(rng *rand.Rand) Formula { return Not{(&treeDrawer{rng, relations, 0}).about("u", 4)} },
	} {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(13, 14))
			decomposed, refused := 0, map[string]int{}
			for range 30000 {
				q := &Query{[]Variable{{Name: "u"}}, draw(rng)}
				e, err := Decompose(q)
				if err != nil {
					refused[strings.Join(strings.Fields(err.Error())[4:8], " ")]++
					continue
				}
				decomposed++
				for range 3 {
					m := randomModel(rng, size, relations)
					if got, want := m.crispSet(e), m.answers(q); !slices.Equal(got, want) {
						t.Fatalf("%s\nis answered by %v\nand %s gives %v\non %v", q, want, FormatOperators(e, nil), got, m.facts)
					}
				}
			}
			t.Logf("%d decomposed, refused: %v", decomposed, refused)
			if decomposed < 500 {
				t.Errorf("only %d of the queries were decomposed", decomposed)
			}
		})
	}
}

// treeDrawer draws formulas whose variables form a tree.
type treeDrawer struct {
	rng       *rand.Rand
	relations int
	variables int
}

// about draws a formula with the one free variable v.
func (d *treeDrawer) about(v string, depth int) Formula {
	if depth <= 1 {
		return d.unit(v)
	}
	switch d.rng.IntN(9) {
	case 0:
		return d.unit(v)
	case 1:
		return And{[]Formula{d.about(v, depth-1), d.about(v, depth-1)}}
	case 2:
		return Or{[]Formula{d.about(v, depth-1), d.about(v, depth-1)}}
	case 3:
		return Not{d.about(v, depth-1)}
	}
	d.variables++
	a := "a" + string(rune('0'+d.variables%3)) // soon used again, inside and beside
	if a == v {
		a = "b"
	}
	if d.rng.IntN(6) == 0 { // ∀a: link → about
		return Not{Exists{[]Variable{{Name: a}}, Not{Or{[]Formula{Not{d.link(a, v, depth-1)}, d.about(a, depth-1)}}}}}
	}
	return Exists{[]Variable{{Name: a}}, d.conjoin(d.link(a, v, depth-1), a, v, depth)}
}

// conjoin adds conjuncts about either variable, in any order and nesting.
func (d *treeDrawer) conjoin(link Formula, a, v string, depth int) Formula {
	parts := []Formula{link}
	for range d.rng.IntN(3) {
		parts = append(parts, d.about([]string{a, v}[d.rng.IntN(2)], depth-1))
	}
	d.rng.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	switch {
	case len(parts) == 1:
		return parts[0]
	case len(parts) == 3 && d.rng.IntN(2) == 0:
		return And{[]Formula{parts[0], And{parts[1:]}}}
	}
	return And{parts}
}

// link draws what joins a to v: an atom, a case distinction, a way over another variable, or a doubly negated one.
func (d *treeDrawer) link(a, v string, depth int) Formula {
	if depth <= 1 {
		return d.edge(a, v)
	}
	switch d.rng.IntN(8) {
	case 0, 1:
		return Or{[]Formula{d.link(a, v, depth-1), And{[]Formula{d.link(a, v, depth-1), d.about(a, depth-2)}}}}
	case 2:
		return Not{And{[]Formula{Not{d.link(a, v, depth-1)}, Not{d.link(a, v, depth-1)}}}}
	case 3:
		return Not{Or{[]Formula{Not{d.link(a, v, depth-1)}, d.about(a, depth-1)}}}
	case 4:
		return Exists{[]Variable{{Name: "w"}}, And{[]Formula{d.edge(a, "w"), d.link("w", v, depth-2)}}}
	case 5:
		return Or{[]Formula{d.link(a, v, depth-1), d.about(v, depth-1)}}
	}
	return d.edge(a, v)
}

func (d *treeDrawer) edge(a, v string) Formula {
	if d.rng.IntN(2) == 0 {
		a, v = v, a
	}
	return Atom{Relation: d.relation(), From: Variable{Name: a}, To: Variable{Name: v}}
}

func (d *treeDrawer) unit(v string) Formula {
	c := Constant{Name{ID: uint32(d.rng.IntN(3)), ByID: true}}
	switch d.rng.IntN(5) {
	case 0:
		return Equals{Variable{Name: v}, c}
	case 1, 2:
		return Atom{Relation: d.relation(), From: c, To: Variable{Name: v}}
	}
	return Atom{Relation: d.relation(), From: Variable{Name: v}, To: c}
}

func (d *treeDrawer) relation() RelationName {
	return RelationName{Name{ID: uint32(d.rng.IntN(2 * d.relations)), ByID: true}, d.rng.IntN(4) == 0}
}

// drawAny draws formulas of all kinds, most of which no operators express.
func drawAny(rng *rand.Rand, depth int, scope []string) Formula {
	d := &treeDrawer{rng: rng, relations: 2}
	if depth <= 1 {
		x, y := scope[rng.IntN(len(scope))], scope[rng.IntN(len(scope))]
		if x == y {
			return d.unit(x)
		}
		return d.edge(x, y)
	}
	inner := func() Formula { return drawAny(rng, depth-1-rng.IntN(2), scope) }
	switch rng.IntN(12) {
	case 0:
		return Not{inner()}
	case 1, 2:
		return Or{[]Formula{inner(), inner()}}
	case 3:
		return []Formula{And{}, Or{}}[rng.IntN(2)]
	case 4, 5, 6:
		a := string(rune('a' + rng.IntN(3)))
		return Exists{[]Variable{{Name: a}}, drawAny(rng, depth-1, append(scope[:len(scope):len(scope)], a))}
	}
	return And{[]Formula{inner(), inner()}}
}
