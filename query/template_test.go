package query

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
)

// TestSplitAndFill holds that templates and ids are all there is to an expression, that
// the code of a template reads back, and that its measures are those of the expression.
func TestSplitAndFill(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	var together Templates
	byCode := map[string]*Template{}
	for range 20000 {
		e := randomExpr(rng, 1+rng.IntN(6), 1000, 50)
		template, ids := Split(e)
		if back := template.Fill(ids); !Equal(back, e) {
			t.Fatalf("%s came back as %s", FormatOperators(e, nil), FormatOperators(back, nil))
		}
		read, err := ParseTemplate(template.Code())
		if err != nil || read.Code() != template.Code() || !Equal(read.Fill(ids), e) {
			t.Fatalf("%q read back as %v, %v", template.Code(), read, err)
		}
		checkMeasures(t, template, e, ids)
		shared, same := together.Split(e)
		if known := byCode[template.Code()]; known != nil && known != shared || !slices.Equal(same, ids) {
			t.Fatalf("%q is a new template, or has the ids %v and not %v", template.Code(), same, ids)
		}
		byCode[template.Code()] = shared
		if shape := together.ShapeOf(e); shape != template.String() || shape != ShapeOf(e) {
			t.Fatalf("the shape of %q is %s, %s and %s", template.Code(), shape, template, ShapeOf(e))
		}
	}
}

// checkMeasures compares a template and those under it with an expression and its operands.
func checkMeasures(t *testing.T, template *Template, e Expr, ids []uint32) {
	t.Helper()
	own := ids[:0]
	switch e := e.(type) {
	case Anchor:
		own = []uint32{uint32(e.Entity)}
	case Projection:
		own = []uint32{uint32(e.Relation)}
	}
	operands := Operands(e)
	if template.Slots != len(ids) || len(template.Of) != len(operands) || !slices.Equal(ids[:len(own)], own) {
		t.Fatalf("%q has %d slots for %v, %d operands", template.Code(), template.Slots, ids, len(template.Of))
	}
	nodes, depth := 1, 0
	relations := slices.Repeat([]bool{template.Kind == ProjectionKind}, len(own))
	_, negates := e.(Complement)
	rest := ids[len(own):]
	for i, operand := range template.Of {
		checkMeasures(t, operand, operands[i], rest[:operand.Slots])
		rest = rest[operand.Slots:]
		n, d := operand.Size()
		nodes, depth = nodes+n, max(depth, d)
		relations = append(relations, operand.Relations()...)
		negates = negates || operand.Negates()
	}
	if n, d := template.Size(); n != nodes || d != depth+1 {
		t.Fatalf("%q has %d operations, %d deep; its parts give %d and %d", template.Code(), n, d, nodes, depth+1)
	}
	if !slices.Equal(template.Relations(), relations) || template.Negates() != negates {
		t.Fatalf("%q: relations %v, negates %v", template.Code(), template.Relations(), template.Negates())
	}
}

func TestTemplateCodes(t *testing.T) {
	for _, test := range []struct{ shape, want string }{
		{"2in", "i2penpe"}, {"up", "pu2pepe"}, {"p(all)", "pa"}, {"12i", "i12" + strings.Repeat("pe", 12)},
	} {
		template, err := ParseShape(test.shape)
		if err != nil || template.Code() != test.want {
			t.Errorf("the code of %s is %q, %v; want %q", test.shape, template.Code(), err, test.want)
		}
	}
	for _, code := range []string{"", "x", "p", "i", "i1e", "i02ee", "i2e", "i2eee", "ee", "n", "i99999e", "u2", "i2ee\n", "i99999999999999999999ee"} {
		if template, err := ParseTemplate(code); err == nil {
			t.Errorf("%q was read as %s", code, template)
		}
	}
	deep := strings.Repeat("n", maxDepth) + "e"
	if _, err := ParseTemplate(deep); err != nil {
		t.Errorf("the deepest template: %v", err)
	}
	if _, err := ParseTemplate("n" + deep); kg.KindOf(err) != kg.TooLarge {
		t.Errorf("a template beyond the depth limit: %v", err)
	}
	if _, err := ParseTemplate("i20000" + strings.Repeat("e", 20000)); kg.KindOf(err) != kg.TooLarge {
		t.Errorf("a template beyond the size limit: %v", err)
	}
}

func BenchmarkSplit(b *testing.B) {
	template, err := ParseShape("inp")
	if err != nil {
		b.Fatal(err)
	}
	e := empty(template)
	var templates Templates
	b.Run("split", func(b *testing.B) {
		for b.Loop() {
			templates.Split(e)
		}
	})
	b.Run("fill", func(b *testing.B) {
		ids := make([]uint32, template.Slots)
		for b.Loop() {
			template.Fill(ids)
		}
	})
}
