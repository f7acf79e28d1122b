package query

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
)

func TestPasses(t *testing.T) {
	vocabulary := letters()
	for _, test := range []struct {
		pass       func(Expr) Expr
		text, want string
	}{
		{doubleNegation, "N(N(N({x})))", "N({x})"},
		{doubleNegation, "P[R](N(N({x})))", "P[R]({x})"},
		{flatten, "C(C({x}, {y}), C({z}, C({x}, {y})))", "C({x}, {y}, {z}, {x}, {y})"},
		{flatten, "D(D({x}, {y}), C({z}, D({x}, {y})))", "D({x}, {y}, C({z}, D({x}, {y})))"},
		{deMorgan, "C(N({x}), N({y}))", "N(D({x}, {y}))"},
		{deMorgan, "D(N({x}), N({y}), N({z}))", "N(C({x}, {y}, {z}))"},
		{deMorgan, "C(N({x}), {z}, N({y}))", "C({z}, N(D({x}, {y})))"},
		{deMorgan, "C(N({x}), {z})", "C(N({x}), {z})"},
		{deMorgan, "N(C({x}, {z}))", "N(C({x}, {z}))"},
		{dropUniverse, "C({*}, {x})", "{x}"},
		{dropUniverse, "D({y}, {*}, {x})", "{*}"},
		{dropUniverse, "C({y}, N({*}), {x})", "N({*})"},
		{dropUniverse, "P[R](D(N({*}), {x}, N({*})))", "P[R]({x})"},
		{dropUniverse, "C({*}, {*})", "{*}"},
	} {
		e := exprOf(resolvedOperation(t, test.text, vocabulary))
		if got := FormatOperators(test.pass(e), vocabulary); got != test.want {
			t.Errorf("%s becomes %s, want %s", test.text, got, test.want)
		}
	}
}

// resolvedOperation reads the operator notation as it stands, without the way over logic.
func resolvedOperation(t *testing.T, text string, vocabulary *kg.Vocabulary) operation {
	t.Helper()
	o, err := newScanner("query", text).operation()
	if err != nil {
		t.Fatal(err)
	}
	var resolve func(o *operation)
	resolve = func(o *operation) {
		if o.kind == AnchorKind {
			id, _ := vocabulary.Entities.Names.Find(o.entity.Text)
			o.entity = Name{ID: id, ByID: true}
		}
		if o.kind == ProjectionKind {
			id, _ := vocabulary.Relations.Names.Find(o.relation.Text)
			o.relation.Name = Name{ID: uint32(kg.Forward(id)), ByID: true}
		}
		for i := range o.of {
			resolve(&o.of[i])
		}
	}
	resolve(&o)
	return o
}

func TestRewriteReachesAFixedPoint(t *testing.T) {
	e := Expr(Anchor{1})
	for range 200 { // each level is one rule's work after another's
		e = Complement{Intersection{[]Expr{Complement{e}, Complement{Universe{}}, Complement{Anchor{2}}}}}
	}
	once := Rewrite(e, Passes...)
	if again := Rewrite(once, Passes...); !Equal(once, again) {
		t.Error("a rewritten expression is rewritten again")
	}
	if got := Rewrite(e); !Equal(got, e) {
		t.Error("without passes the expression changes")
	}
}

// TestPassesHoldInAllLogics compares each pass alone and all together with the
// unchanged expression, on random fuzzy relations.
func TestPassesHoldInAllLogics(t *testing.T) {
	const size, relations = 4, 4
	rng := rand.New(rand.NewPCG(15, 16))
	passes := map[string]Pass{
		"double negation": doubleNegation, "flatten": flatten, "De Morgan": deMorgan, "universe": dropUniverse,
		"all":       func(e Expr) Expr { return Rewrite(e, Passes...) },
		"canonical": Canonical,
	}
	changed := map[string]int{}
	for range 5000 {
		e := randomExpr(rng, 2+rng.IntN(5), size, relations)
		for _, name := range slices.Sorted(maps.Keys(passes)) {
			rewritten := passes[name](e)
			if !Equal(rewritten, e) {
				changed[name]++
			}
			weight := randomWeights(rng.Float64, size, relations)
			for _, l := range logics {
				compareSets(t, l, name, e, rewritten, l.set(e, size, weight), l.set(rewritten, size, weight))
			}
		}
	}
	for name := range passes {
		if changed[name] < 100 {
			t.Errorf("%s changed only %d expressions", name, changed[name])
		}
	}
}

func randomWeights(draw func() float64, size, relations int) func(kg.Entity, kg.Relation, kg.Entity) float64 {
	weights := make([]float64, size*relations*size)
	for i := range weights {
		weights[i] = draw()
	}
	return func(h kg.Entity, r kg.Relation, t kg.Entity) float64 {
		return weights[(int(h)*relations+int(r))*size+int(t)]
	}
}

func compareSets(t *testing.T, l logic, pass string, e, rewritten Expr, want, got []float64) {
	t.Helper()
	for i := range want {
		if math.Abs(want[i]-got[i]) > 1e-9 {
			t.Fatalf("%s logic, %s:\n%s is %v\n%s is %v", l.name, pass, FormatOperators(e, nil), want, FormatOperators(rewritten, nil), got)
		}
	}
}

// TestDuplicatesCount shows why dropping duplicates is not among Passes.
func TestDuplicatesCount(t *testing.T) {
	half := func(kg.Entity, kg.Relation, kg.Entity) float64 { return 0.5 }
	once := Projection{Relation: 0, Of: Anchor{0}}
	twice := Intersection{[]Expr{once, once}}
	for _, l := range logics {
		same := l.set(twice, 1, half)[0] == l.set(once, 1, half)[0]
		if same != (l.name == "Gödel") {
			t.Errorf("%s logic: C(x, x) equals x: %v", l.name, same)
		}
	}
}
