package explain

import (
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/plan"
	"github.com/lacuna-kg/lacuna/query"
)

// letters is a graph with relations R, S and T between the entities A to E.
func letters(t *testing.T, facts ...string) *kg.Graph {
	t.Helper()
	text := "A\tR\tB\nA\tS\tC\nA\tT\tD\nA\tR\tE\n" + strings.Join(facts, "\n")
	splits, err := kg.ReadFrom(t.Context(), strings.NewReader(text), "letters.tsv", kg.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return splits.Train
}

func compiled(t *testing.T, g *kg.Graph, text string, passes []query.Pass) (*query.Query, *plan.Program) {
	t.Helper()
	q, err := query.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if q, err = query.Resolve(q, g.Vocabulary); err != nil {
		t.Fatal(err)
	}
	expr, err := query.Decompose(q)
	if err != nil {
		t.Fatal(err)
	}
	return q, plan.Compile(query.Rewrite(expr, passes...), plan.Options{})
}

// Each variable stands where its set is complete; the listing is read from the anchors on.
func TestVariables(t *testing.T) {
	g := letters(t)
	for _, test := range []struct{ question, want string }{
		{"?u : R(A, u)", "entity, project u"},
		{"?u : exists a, b: R(A, a) & S(a, b) & T(b, u)", "entity, project a, project b, project u"},
		{"?u : exists a: R(A, a) & S(a, u) & T(B, u)", "entity, project a, project, entity, project, and u"},
		{"?u : exists a: S(u, a) & R(A, a) & T(a, B) & T(a, C)", "entity, project, entity, project, and, entity, project, and a, project u"},
		{"?u : R(A, u) & !exists a: S(a, u) & T(B, a)", "entity, project, entity, project a, project, not, and u"},
		{"?u : exists a: S(a, u) & (R(A, a) | T(B, a))", "entity, project, entity, project, or a, project u"},
		{"?u : exists a, b: R(a, u) & R(b, u) & S(A, a) & T(B, b)", "entity, project a, project, entity, project b, project, and u"},
		{"?u : R(A, u) & !S(A, u) & !T(A, u)", "entity, project, entity, project, entity, project, or, not, and u"},
		{"P[R](P[S]({A}))", "entity, project a, project u"},
		{"?u : exists a: R(a, u) & a = A", "entity a, project u"},
	} {
		q, p := compiled(t, g, test.question, query.Passes)
		names, err := Variables(q, query.Passes, p)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i, in := range p.Code {
			got = append(got, strings.TrimSpace(in.Op.String()+" "+names[i]))
		}
		if text := strings.Join(got, ", "); text != test.want {
			t.Errorf("%s: %s, expected %s", test.question, text, test.want)
		}
	}
}

// Sharing looks through the order of operands, where names could be mixed up.
func TestVariablesOfSharedParts(t *testing.T) {
	g := letters(t)
	q, p := compiled(t, g, "?u : exists a, b, c, d: R(a, u) & S(b, a) & R(A, b) & T(c, u) & S(d, c) & R(A, d)", query.Passes)
	names, err := Variables(q, query.Passes, p)
	if err != nil {
		t.Fatal(err)
	}
	var shared []string
	for i, in := range p.Code {
		if in.Op == plan.Project && in.Relation == kg.Forward(0) && p.Code[p.Inputs[i][0]].Op == plan.Entity {
			shared = append(shared, names[i])
		}
	}
	if len(shared) != 1 || shared[0] != "b" {
		t.Errorf("the shared set of b and d is named %q", shared)
	}
}

func TestReadable(t *testing.T) {
	g := letters(t)
	q, _ := compiled(t, g, "P[#1](C(P[#0]({#0}), N({#2})))", nil)
	if got, want := Readable(q, g.Vocabulary), "?u : ∃a : R(A, a) ∧ a ≠ C ∧ R(u, a)"; got != want {
		t.Errorf("%s, expected %s", got, want)
	}
}
