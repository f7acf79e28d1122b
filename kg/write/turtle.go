package write

import (
	"bufio"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/internal/rdf"
	"github.com/lacuna-kg/lacuna/kg"
)

// turtle writes Turtle; with graphs that is TriG. What is said of one subject stands together.
type turtle struct {
	out      *bufio.Writer
	prefixes []kg.Prefix // longest IRI first
	subject  string      // that the last statement is about, "" before the first
	within   bool        // a graph with a name
}

func newTurtle(out *bufio.Writer, prefixes []kg.Prefix) *turtle {
	t := &turtle{out: out}
	for _, p := range prefixes {
		if fit := rdf.SchemeLength(p.IRI) > 0 && !strings.ContainsAny(p.IRI, "<>\"{}|^`\\ "); fit {
			out.WriteString("@prefix " + p.Name + ": <" + p.IRI + "> .\n")
			t.prefixes = append(t.prefixes, p)
		}
	}
	slices.SortStableFunc(t.prefixes, func(a, b kg.Prefix) int { return len(b.IRI) - len(a.IRI) })
	return t
}

func (t *turtle) graph(name string) {
	t.end()
	if name != "" {
		t.out.WriteString(t.short(name) + " {\n")
		t.within = true
	}
}

// end ends the statements of a subject, and the graph that they stand in.
func (t *turtle) end() {
	if t.subject != "" {
		t.out.WriteString(" .\n")
	}
	if t.within {
		t.out.WriteString("}\n")
	}
	t.subject, t.within = "", false
}

func (t *turtle) state(s *statement) {
	switch t.subject {
	case s.subject:
		t.out.WriteString(" ;\n\t")
	case "":
		t.out.WriteString(t.short(s.subject) + " ")
	default:
		t.out.WriteString(" .\n" + t.short(s.subject) + " ")
	}
	t.subject = s.subject
	t.out.WriteString(t.short(s.predicate) + " " + t.short(s.object))
	for _, a := range s.about {
		t.annotation(a)
	}
}

// annotation writes the node of a statement, whose name keeps apart what nothing else does, and what it says.
func (t *turtle) annotation(a about) {
	node := a.node
	if node == "" {
		node = a.fresh
	}
	t.out.WriteString(" ~ " + t.short(node))
	for i, said := range a.said {
		if i == 0 {
			t.out.WriteString(" {| ")
		} else {
			t.out.WriteString(" ; ")
		}
		t.out.WriteString(t.short(said[0]) + " " + t.short(said[1]))
	}
	if len(a.said) > 0 {
		t.out.WriteString(" |}")
	}
}

// short writes an IRI by its prefix where that is safe, anything else as it is.
func (t *turtle) short(term string) string {
	if !strings.HasPrefix(term, "<") || strings.HasPrefix(term, "<<") {
		return term
	}
	iri := term[1 : len(term)-1]
	for _, p := range t.prefixes {
		if local, ok := strings.CutPrefix(iri, p.IRI); ok && isLocal(local) {
			return p.Name + ":" + local
		}
	}
	return term
}

// isLocal tells the names that need no escapes.
func isLocal(name string) bool {
	for i, char := range name {
		if !rdf.IsLetter(char) && !rdf.IsDigit(char) && char != '_' && (char != '-' || i == 0) {
			return false
		}
	}
	return name != ""
}
