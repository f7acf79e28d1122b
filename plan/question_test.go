package plan

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// letters is a vocabulary of the entities A to E and the relations R, S and T.
func letters() *kg.Vocabulary {
	return vocabularyOf([]string{"A", "B", "C", "D", "E"}, []string{"R", "S", "T"})
}

func ask(t *testing.T, text string, opts Options) *Question {
	t.Helper()
	q, err := query.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	question, err := NewQuestion(q, letters(), opts)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return question
}

// variables lists the instructions of a program with the variables that they complete.
func variables(p *Program) string {
	var list []string
	for _, in := range p.Code {
		list = append(list, strings.TrimSpace(in.Op.String()+" "+in.Variable))
	}
	return strings.Join(list, ", ")
}

// Each variable stands where its set is complete; the listing is read from the anchors on.
func TestVariables(t *testing.T) {
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
		// What b and d share is computed once and keeps the name of the first.
		{
			"?u : exists a, b, c, d: R(a, u) & S(b, a) & R(A, b) & T(c, u) & S(d, c) & R(A, d)",
			"entity, project b, project a, project, load, project, and u",
		},
	} {
		if got := variables(ask(t, test.question, Options{Rewrites: query.Passes}).Program); got != test.want {
			t.Errorf("%s: %s, expected %s", test.question, got, test.want)
		}
	}
}

// An expression of a benchmark runs as it stands, however its operands nest, and its variables are those of its formula.
func TestQuestionOfAnExpression(t *testing.T) {
	nested := query.Intersection{Of: []query.Expr{learners, query.Intersection{Of: []query.Expr{winners, project(2, project(3, query.Universe{}))}}}}
	q := QuestionOf(project(4, nested), Options{NoSharing: true})
	if got, want := q.Query.String(), "?u : ∃a, b, c : #3(#1, a) ∧ #1(#0, a) ∧ #3(c, b) ∧ #2(b, a) ∧ #4(a, u)"; got != want {
		t.Errorf("its query is %s, expected %s", got, want)
	}
	if got, want := variables(q.Program), "entity, project, entity, project, everything c, project b, project, and, and a, project u"; got != want {
		t.Errorf("its program is %s, expected %s", got, want)
	}
}

// TestVariablesAreThoseOfTheAtoms compares with another way to find the variables: by
// decomposing the question a second time with every atom under a relation of its own.
func TestVariablesAreThoseOfTheAtoms(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	named := 0
	for range 3000 {
		text := "?u : " + (&formulas{rng: rng}).about("u", 4)
		for _, opts := range []Options{{}, {Rewrites: query.Passes}, {Rewrites: query.AnyNegation}, {NoSharing: true}} {
			parsed, err := query.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			q, err := NewQuestion(parsed, letters(), opts)
			if err != nil {
				continue // only under negation
			}
			want := variablesByMarks(t, q, opts.Rewrites)
			for i, in := range q.Program.Code {
				if in.Variable != want[i] {
					t.Fatalf("%s: instruction %d of\n%scompletes %q, expected %q", text, i, q.Program.Listing(letters()), in.Variable, want[i])
				}
				if in.Variable != "" {
					named++
				}
			}
		}
	}
	if named < 10_000 {
		t.Errorf("only %d variables were compared", named)
	}
}

// formulas draws formulas whose variables form a tree, names of variables used again.
type formulas struct{ rng *rand.Rand }

// about draws a formula with the one free variable v.
func (f *formulas) about(v string, depth int) string {
	if depth <= 1 {
		return f.link(string(rune('A'+f.rng.IntN(2))), v)
	}
	switch f.rng.IntN(8) {
	case 0:
		return f.about(v, 1)
	case 1:
		return "(" + f.about(v, depth-1) + " & " + f.about(v, depth-1) + ")"
	case 2:
		return "(" + f.about(v, depth-1) + " | " + f.about(v, depth-1) + ")"
	case 3:
		return "!(" + f.about(v, depth-1) + ")"
	case 4: // distributed over ∨
		a := f.fresh(v)
		return fmt.Sprintf("(exists %s: %s & (%s | %s))", a, f.about(a, depth-1), f.link(a, v), f.link(v, a))
	case 5:
		a := f.fresh(v)
		return fmt.Sprintf("(exists %s: %s & %s = C)", a, f.link(a, v), a)
	}
	a := f.fresh(v)
	return fmt.Sprintf("(exists %s: %s & %s & %s)", a, f.about(a, depth-1), f.link(a, v), f.about(a, depth-2))
}

// fresh is a variable other than v, one of few.
func (f *formulas) fresh(v string) string {
	names := slices.DeleteFunc([]string{"a", "b", "c", "d"}, func(name string) bool { return name == v })
	return names[f.rng.IntN(len(names))]
}

func (f *formulas) link(x, y string) string {
	if f.rng.IntN(2) == 0 {
		x, y = y, x
	}
	return string(rune('R'+f.rng.IntN(3))) + "(" + x + ", " + y + ")"
}

// variablesByMarks walks the program along two expressions of one form: the question's, and one
// in which the relation of a projection tells the atom that it came from.
func variablesByMarks(t *testing.T, q *Question, passes []query.Pass) []string {
	t.Helper()
	resolved, err := query.Resolve(q.Query, letters())
	if err != nil {
		t.Fatal(err)
	}
	n := namer{program: q.Program, names: make([]string, len(q.Program.Code)), seen: make([]bool, len(q.Program.Code))}
	marked, err := query.Decompose(&query.Query{Answers: q.Query.Answers, Body: query.Map(resolved.Body, n.mark)})
	if err != nil {
		t.Fatal(err)
	}
	n.walk(q.Program.Result(), query.Rewrite(q.Expr, passes...), query.Rewrite(marked, passes...), q.Query.Answers[0].Name)
	return n.names
}

type namer struct {
	program *Program
	atoms   []query.Atom // by the base relation that marks them
	names   []string
	seen    []bool
}

func (n *namer) mark(f query.Formula) query.Formula {
	atom, ok := f.(query.Atom)
	if !ok {
		return f
	}
	n.atoms = append(n.atoms, atom)
	atom.Relation.ID = uint32(kg.Forward(uint32(len(n.atoms) - 1)))
	return atom
}

// operand is the variable that a marked projection goes from, "" for a constant.
func (n *namer) operand(mark kg.Relation) string {
	atom := n.atoms[mark.Base()]
	term := atom.From
	if mark.IsInverse() {
		term = atom.To
	}
	v, _ := term.(query.Variable)
	return v.Name
}

// walk names instruction i, which computes e, unless it was met before.
func (n *namer) walk(i int, e, marked query.Expr, name string) {
	if n.seen[i] {
		return
	}
	n.seen[i], n.names[i] = true, name
	inputs, of, mark := n.program.Inputs[i], query.Operands(e), query.Operands(marked)
	switch n.program.Code[i].Op {
	case Project:
		n.walk(inputs[0], of[0], mark[0], n.operand(marked.(query.Projection).Relation))
	case Not:
		n.walk(inputs[0], of[0], mark[0], "")
	case And, Or:
		n.fold(i, of, mark)
	}
}

// fold follows a chain of ∧ or ∨ that was made of several operands, from the last.
func (n *namer) fold(i int, of, marked []query.Expr) {
	last, inputs := len(of)-1, n.program.Inputs[i]
	if last == 1 {
		n.walk(inputs[0], of[0], marked[0], "")
	} else if !n.seen[inputs[0]] {
		n.seen[inputs[0]] = true
		n.fold(inputs[0], of[:last], marked[:last])
	}
	n.walk(inputs[1], of[last], marked[last], "")
}
