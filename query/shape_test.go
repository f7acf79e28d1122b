package query

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
)

// betaeStructures are the query structures of BetaE's public code, by name.
var betaeStructures = map[string]string{
	"1p":  "('e', ('r',))",
	"2p":  "('e', ('r', 'r'))",
	"3p":  "('e', ('r', 'r', 'r'))",
	"2i":  "(('e', ('r',)), ('e', ('r',)))",
	"3i":  "(('e', ('r',)), ('e', ('r',)), ('e', ('r',)))",
	"ip":  "((('e', ('r',)), ('e', ('r',))), ('r',))",
	"pi":  "(('e', ('r', 'r')), ('e', ('r',)))",
	"2in": "(('e', ('r',)), ('e', ('r', 'n')))",
	"3in": "(('e', ('r',)), ('e', ('r',)), ('e', ('r', 'n')))",
	"inp": "((('e', ('r',)), ('e', ('r', 'n'))), ('r',))",
	"pin": "(('e', ('r', 'r')), ('e', ('r', 'n')))",
	"pni": "(('e', ('r', 'r', 'n')), ('e', ('r',)))",
	"2u":  "(('e', ('r',)), ('e', ('r',)), ('u',))",
	"up":  "((('e', ('r',)), ('e', ('r',)), ('u',)), ('r',))",
}

func TestPublicShapes(t *testing.T) {
	if len(Shapes) != 14 || len(betaeStructures) != 14 {
		t.Fatalf("%d shapes, %d structures", len(Shapes), len(betaeStructures))
	}
	for _, name := range Shapes {
		named, err := ParseShape(name)
		if err != nil {
			t.Fatal(err)
		}
		structure, err := ParseShape(betaeStructures[name])
		if err != nil {
			t.Fatal(err)
		}
		if named.Code() != structure.Code() {
			t.Errorf("%s: name and structure give different trees, %s and %s", name, named.Code(), structure.Code())
		}
		if got := structure.String(); got != name {
			t.Errorf("shape of %s is %s", name, got)
		}
		if named.Negates() != strings.Contains(name, "n") {
			t.Errorf("%s negates: %v", name, named.Negates())
		}
	}
}

func TestShapeNames(t *testing.T) {
	for _, test := range []struct{ tree, want string }{
		{"P(C(P(e), N(P(e))))", "inp"},
		{"𝒫(𝒞(𝒩(𝒫({e})), 𝒫(e)))", "inp"},
		{"C(N(P(P(e))), P(e))", "pni"},
		{"C(P(e), P(P(e)))", "pi"},
		{"C(C(P(e), P(e)), P(e))", "3i"},
		{"N(N(P(e)))", "1p"},
		{"4p", "4p"}, {"4I", "4i"}, {"7u", "7u"}, {"5in", "5in"},
		{"e", "e"}, {"{*}", "all"}, {"p(*)", "p(all)"},
		{"p(p(i(1p, p(e))))", "2p(2i)"},
		{"n(1p)", "n(1p)"},
		{"i(n(2p), 2p)", "i(2p,n(2p))"},
		{"u(ip, 1p)", "u(1p,ip)"},
		{"d(p(c(p(e),p(e))), 1p)", "u(1p,ip)"},
		{"i(n(1p), 1p, n(1p))", "i(1p,n(1p),n(1p))"},
		{"u(1p, n(1p))", "u(1p,n(1p))"},
		{"((((e,(r,)),(e,(r,n))),(r,r)),(e,(n,)))", "i(2p(2in),n(e))"},
	} {
		template, err := ParseShape(test.tree)
		if err != nil {
			t.Errorf("%s: %v", test.tree, err)
			continue
		}
		if got := template.String(); got != test.want {
			t.Errorf("shape of %s is %s, want %s", test.tree, got, test.want)
		}
	}
}

func TestShapeErrors(t *testing.T) {
	for _, test := range []struct {
		shape, want string
		kind        kg.Kind
	}{
		{"", "shape:1:1: expected a shape, found the end", kg.Invalid},
		{"0p", `shape:1:1: no shape is named "0p"`, kg.Invalid},
		{"0p(e)", `shape:1:1: expected p or n`, kg.Invalid},
		{"1i", `shape:1:1: no shape is named "1i"`, kg.Invalid},
		{"pp", `shape:1:1: no shape is named "pp"`, kg.Invalid},
		{"p(1p, 1p)", `shape:1:1: expected p or n with one operand`, kg.Invalid},
		{"p(i(1p))", `shape:1:3: expected p or n with one operand`, kg.Invalid},
		{"2i(1p, 1p)", `shape:1:1: expected p or n`, kg.Invalid},
		{"p(1p", "shape:1:5: expected ')' after the operands, found the end", kg.Invalid},
		{"1p 2p", `shape:1:4: expected the end of the shape, found "2p"`, kg.Invalid},
		{"(e)", "shape:1:1: expected a tuple of an entity", kg.Invalid},
		{"(e,(x,))", `shape:1:5: expected 'r', found "x"`, kg.Invalid},
		{"(r,(r,))", `shape:1:2: expected 'e', found "r"`, kg.Invalid},
		{"(('e,('r',)))", `shape:1:5: expected '('`, kg.Invalid},
		{"99999999999999999999p", "shape:1:1: nested deeper", kg.TooLarge},
		{"600p(600p(e))", "shape: nested deeper", kg.TooLarge},
		{"99999i", "shape:1:1: more than the limit", kg.TooLarge},
		{strings.Repeat("n(", 5000), "shape:1:2001: nested deeper", kg.TooLarge},
		{"(e,(" + strings.Repeat("r,", 3000) + "))", "shape:1:1: nested deeper", kg.TooLarge},
		{strings.Repeat(" ", maxText+1), "shape: the text has", kg.TooLarge},
	} {
		_, err := ParseShape(test.shape)
		if err == nil || !strings.HasPrefix(err.Error(), test.want) || kg.KindOf(err) != test.kind {
			t.Errorf("%.40s: got error %v (kind %d), want %s", test.shape, err, kg.KindOf(err), test.want)
		}
	}
}

func TestShapeRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		e := randomExpr(rng, 2+rng.IntN(5), 3, 4)
		name := ShapeOf(e)
		if other := ShapeOf(shuffled(rng, e)); other != name {
			t.Fatalf("the order of operands changes the shape from %s to %s", name, other)
		}
		parsed, err := ParseShape(name)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		template, _ := Split(e)
		if !Equal(Canonical(empty(parsed)), Canonical(empty(template))) {
			t.Fatalf("%s is the name of %s and reads as %s", name, template.Code(), parsed.Code())
		}
	}
}

// empty is the expression of a template with all ids zero.
func empty(t *Template) Expr { return t.Fill(make([]uint32, t.Slots)) }

func FuzzParseShape(f *testing.F) {
	for _, structure := range betaeStructures {
		f.Add(structure)
	}
	for _, name := range Shapes {
		f.Add(name)
	}
	f.Add("P(C(P(e), N(P({*}))))")
	f.Fuzz(func(t *testing.T, text string) {
		template, err := ParseShape(text)
		if err != nil {
			return
		}
		name := template.String()
		again, err := ParseShape(name)
		if err != nil {
			t.Fatalf("%q is named %s, which does not parse: %v", text, name, err)
		}
		if again.String() != name {
			t.Fatalf("%q is named %s, which reads as %s", text, name, again)
		}
	})
}

func BenchmarkShapeOf(b *testing.B) {
	e := fromTuples(b, "(((12, (3,)), (45, (6, -2))), (7,))")
	for b.Loop() {
		ShapeOf(e)
	}
}

func BenchmarkKey(b *testing.B) {
	e := fromTuples(b, "(((12, (3,)), (45, (6, -2))), (7,))")
	for b.Loop() {
		Key(e)
	}
}

func TestSplitShapes(t *testing.T) {
	got := SplitShapes("1p,P(C(P(e), P(e))),2in", "3p")
	if want := []string{"1p", "P(C(P(e), P(e)))", "2in", "3p"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := SplitShapes(); got != nil {
		t.Errorf("%q of no list", got)
	}
}
