package query

import (
	"math/rand/v2"
	"testing"
)

// awkwardNames are names that would be read as something else in one place or another.
var awkwardNames = []string{
	"x", "a", "u", "Turing Award", "Mercury (planet)", "((", "a)b", "a, b", "and", "Not", "x and y", "exists",
	"forall x", "true", "?a", "?", "#1", "#x", "R^-1", "^-1", "⁻¹", " lead", "trail ", "two  spaces", "new\nline", `"`, "'s", `\`,
	"=", "a=b", "a = b", "u≠v", "!=", "!", "~x", "¬", "∃a", "a∧b", "x|y", "a->b", "<http://x.org/a,b>", "<a b>", "<", "[", "]]", "{x}", "}",
	"*", "http://x.org/a?b=c#d", "P[R]", "\xff", "é", "“x”", "Å and B", "a:b", "a.", ":", ",", "∨", "x => y", "/\\",
}

// randomFormula draws a formula over the variables in scope and some that nothing binds.
func randomFormula(rng *rand.Rand, depth int, scope []string) Formula {
	if depth <= 1 {
		return randomAtom(rng, scope)
	}
	of := func() []Formula {
		list := make([]Formula, 2+rng.IntN(2))
		for i := range list {
			list[i] = randomFormula(rng, depth-1-rng.IntN(2), scope)
		}
		return list
	}
	switch rng.IntN(8) {
	case 0, 1:
		return And{of()}
	case 2:
		return Or{of()}
	case 3, 4:
		return Not{randomFormula(rng, depth-1, scope)}
	case 5, 6:
		vars := make([]Variable, 1+rng.IntN(2))
		for i := range vars {
			vars[i].Name = []string{"a", "b", "c", "u", "x"}[rng.IntN(5)]
			scope = append(scope[:len(scope):len(scope)], vars[i].Name)
		}
		return Exists{vars, randomFormula(rng, depth-1, scope)}
	}
	return []Formula{And{}, Or{}}[rng.IntN(2)]
}

func randomQuery(rng *rand.Rand) *Query {
	q, scope := &Query{}, []string{"free"}
	for _, name := range []string{"u", "x", "Q"}[:rng.IntN(4)] {
		q.Answers, scope = append(q.Answers, Variable{Name: name}), append(scope, name)
	}
	q.Body = randomFormula(rng, 1+rng.IntN(5), scope)
	return q
}

func randomAtom(rng *rand.Rand, scope []string) Formula {
	if rng.IntN(4) == 0 {
		return randomEquation(rng, scope)
	}
	return Atom{Relation: RelationName{randomName(rng), rng.IntN(3) == 0}, From: randomTerm(rng, scope), To: randomTerm(rng, scope)}
}

// randomEquation has a variable on the left, as what is read does.
func randomEquation(rng *rand.Rand, scope []string) Formula {
	return Equals{randomVariable(rng, scope), randomTerm(rng, scope)}
}

func randomTerm(rng *rand.Rand, scope []string) Term {
	if rng.IntN(2) == 0 {
		return randomVariable(rng, scope)
	}
	return Constant{randomName(rng)}
}

func randomVariable(rng *rand.Rand, scope []string) Variable {
	if rng.IntN(4) == 0 {
		return Variable{Name: []string{"a", "b", "z"}[rng.IntN(3)]}
	}
	return Variable{Name: scope[rng.IntN(len(scope))]}
}

func randomName(rng *rand.Rand) Name {
	if rng.IntN(10) == 0 {
		return Name{ID: rng.Uint32(), ByID: true}
	}
	return Name{Text: awkwardNames[rng.IntN(len(awkwardNames))]}
}

func TestStringReadsBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 20000 {
		q := randomQuery(rng)
		again, err := Parse(q.String())
		if err != nil {
			t.Fatalf("%s\n\t%v", q, err)
		}
		if !equalQueries(again, q) {
			t.Fatalf("%#v\nprints as %s and reads back as\n%#v", q, q, again)
		}
	}
}

func TestOperatorNotationReadsBack(t *testing.T) {
	vocabulary := vocabularyOf(awkwardNames, awkwardNames)
	rng := rand.New(rand.NewPCG(7, 8))
	for range 20000 {
		e := randomExpr(rng, 1+rng.IntN(4), len(awkwardNames), 2*len(awkwardNames))
		for _, text := range []string{FormatOperators(e, vocabulary), FormatOperators(e, nil)} {
			checkReadsBack(t, text, e, vocabulary)
		}
		for _, q := range []*Query{FromExpr(e, vocabulary), FromExpr(e, nil)} {
			checkReadsBack(t, q.String(), e, vocabulary)
		}
	}
}

// fromTuples reads BetaE's notation as it stands, without the way over logic.
func fromTuples(tb testing.TB, text string) Expr {
	tb.Helper()
	o, err := parseTuples(text)
	if err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
	return exprOf(o)
}

func TestTuplesReadBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	expressible := 0
	for range 20000 {
		e := randomExpr(rng, 1+rng.IntN(5), 1000, 500)
		text, err := FormatTuples(e)
		if err != nil {
			continue
		}
		expressible++
		if again := fromTuples(t, text); !Equal(again, e) {
			t.Fatalf("%v prints as %s and reads back as %v", e, text, again)
		}
	}
	if expressible < 2000 {
		t.Errorf("only %d expressions were printed", expressible)
	}
	const pin = "((12, (3, 4)), (45, (6, -2)))"
	e := fromTuples(t, pin)
	if ShapeOf(e) != "pin" {
		t.Fatalf("%s: %v", pin, e)
	}
	if text, err := FormatTuples(e); err != nil || text != pin {
		t.Errorf("%s prints as %s, %v", pin, text, err)
	}
	if text, err := FormatTuples(Intersection{[]Expr{Anchor{1}, Projection{Relation: 2, Of: Anchor{3}}}}); err == nil {
		t.Errorf("a bare entity prints as %s", text)
	}
}
