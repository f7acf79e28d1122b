package results

import (
	"bufio"

	"github.com/lacuna-kg/lacuna/sparql/term"
)

// ntriplesWriter writes N-Triples.
type ntriplesWriter struct{ out *bufio.Writer }

func (w *ntriplesWriter) boolean(bool)  {}
func (w *ntriplesWriter) head([]string) {}
func (w *ntriplesWriter) end()          {}

func (w *ntriplesWriter) row(terms []term.Term) {
	w.out.WriteString(terms[0].String() + " " + terms[1].String() + " " + terms[2].String() + " .\n")
}

// turtleWriter writes Turtle: what is said of one subject in a row stands together.
type turtleWriter struct {
	out     *bufio.Writer
	subject term.Term
}

func (w *turtleWriter) boolean(bool)  {}
func (w *turtleWriter) head([]string) {}

func (w *turtleWriter) row(terms []term.Term) {
	switch {
	case w.subject == terms[0]:
		w.out.WriteString(" ;\n\t")
	case w.subject.Kind != term.Unbound:
		w.out.WriteString(" .\n" + terms[0].String() + " ")
	default:
		w.out.WriteString(terms[0].String() + " ")
	}
	w.subject = terms[0]
	w.out.WriteString(terms[1].String() + " " + terms[2].String())
}

func (w *turtleWriter) end() {
	if w.subject.Kind != term.Unbound {
		w.out.WriteString(" .\n")
	}
}
