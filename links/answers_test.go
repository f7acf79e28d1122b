package links

import (
	"encoding/json"
	"maps"
	"math"
	"testing"

	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/plan"
	"github.com/lacuna-kg/lacuna/query"
)

// program compiles a question of a shape.
func program(t *testing.T, shape string) *plan.Program {
	t.Helper()
	template, err := query.ParseShape(shape)
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]uint32, template.Slots)
	for i := range ids {
		ids[i] = uint32(i)
	}
	return plan.Compile(template.Fill(ids), plan.Options{})
}

func TestKindOf(t *testing.T) {
	for shape, want := range map[string]Kind{
		"1p": OneStep, "2p": TwoSteps, "3p": ThreeSteps, "2u": OneStep, "up": TwoSteps,
		"2i": Intersection, "3i": Intersection, "pi": IntersectionOfSteps, "ip": StepsFromIntersection,
		"2in": Negation, "3in": Negation, "pin": NegationOfSteps, "pni": NegationOfSteps, "inp": StepsFromNegation,
	} {
		if got := KindOf(program(t, shape)); got != want {
			t.Errorf("%s: %v, expected %v", shape, got, want)
		}
	}
}

// Lines keep what is known, what is certain and what is impossible, and the order of the rest.
func TestAnswersKeepTheOrder(t *testing.T) {
	usual := UsualAnswers()
	if err := usual.Check(); err != nil {
		t.Fatal(err)
	}
	degrees := fuzzy.Set{1, 0.9, 0.5, 0.49, 0.01, 0, 1, 0.3}
	for _, known := range []fuzzy.Set{{1, 0, 0, 0, 0, 0, 0, 1}, make(fuzzy.Set, len(degrees))} {
		for _, shape := range []string{"1p", "2p", "3p", "2i", "pi", "ip", "2in", "pin", "inp"} {
			got := usual.Of(program(t, shape), fuzzy.ViewOf(degrees), fuzzy.ViewOf(known)).Dense()
			if got[0] != 1 || got[5] != 0 || got[6] != 1 || known[7] > 0 && got[7] != degrees[7] {
				t.Errorf("%s: %v of %v", shape, got, degrees)
			}
			for e := 2; e < 5; e++ {
				if got[e] >= got[e-1] {
					t.Errorf("%s: %v of %v", shape, got, degrees)
				}
			}
		}
	}
}

func TestAnswersAsText(t *testing.T) {
	text, err := json.Marshal(UsualAnswers())
	if err != nil {
		t.Fatal(err)
	}
	var back Answers
	if err := json.Unmarshal(text, &back); err != nil || !maps.Equal(back, UsualAnswers()) {
		t.Errorf("%v, %v", back, err)
	}
	if err := json.Unmarshal([]byte(`{"seven steps": {}}`), &back); err == nil {
		t.Error("an unknown kind was read")
	}
	if err := (Answers{TwoSteps: {Some: Line{Slope: 1}, None: Line{Slope: -1}}}).Check(); err == nil {
		t.Error("a falling line passed")
	}
}

// A question that is joined is of a kind by its answers and its negations, wherever these are.
func TestKindOfJoin(t *testing.T) {
	for text, want := range map[string]Kind{
		"?u : ∃a : #0(a, u) ∧ #2(a, u)":            NoTree,
		"?x, ?y : #0(x, y)":                        NoTree,
		"?u : #0(#0, u) ∧ ¬(∃a : #0(a, a))":        NoTreeWithNegation,
		"?u : ∃a : #0(a, u) ∧ (#2(u, u) ∨ ¬u = a)": NoTreeWithNegation,
		"∃a : #0(a, a) ∧ ¬#2(a, #1)":               YesOrNo,
	} {
		q, err := query.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		normal, err := query.Normalise(q)
		if err != nil {
			t.Fatal(err)
		}
		if got := KindOfJoin(normal); got != want {
			t.Errorf("%s: %v, expected %v", text, got, want)
		}
	}
}

// A line and its inverse keep the order and each other's word, and a straight one keeps every bit.
func TestLineAt(t *testing.T) {
	degrees := []float64{0, 1e-9, 0.001, 0.1, 1.0 / 3, 0.5, 0.9, 1 - 1e-9, 1}
	for kind, lines := range UsualAnswers() {
		for _, line := range []Line{lines.Some, lines.None} {
			last := -1.0
			for _, d := range degrees {
				p := line.At(d)
				if p <= last || math.Abs(line.Degree(p)-d) > 1e-6 {
					t.Errorf("%v: %v comes to %v after %v and back to %v", kind, d, p, last, line.Degree(p))
				}
				last = p
			}
		}
	}
	for _, d := range degrees {
		if p := (Line{Slope: 1}).At(d); p != d || (Line{Slope: 1}).Degree(p) != d {
			t.Errorf("%v comes to %v", d, p)
		}
	}
}

// Where nobody is stated to be both of two things and the question goes on from who is, what the likeliest leads to is likely, however unlikely it is that
// just this one is both; what others lead to is not.
func TestStepsFromAMeetingThatIsNotStated(t *testing.T) {
	nobody := fuzzy.ViewOf(make(fuzzy.Set, 4))
	for _, likeliest := range []float32{0.2, 0.02} {
		degrees := fuzzy.Set{likeliest, likeliest, likeliest / 20, 0}
		got := UsualAnswers().Of(program(t, "ip"), fuzzy.ViewOf(degrees), nobody).Dense()
		if got[0] < 0.6 || got[1] != got[0] || got[2] > 0.25 || got[3] != 0 {
			t.Errorf("%v come to %v", degrees, got)
		}
	}
}
