package results

import (
	"bufio"

	"github.com/lacuna-kg/lacuna/sparql/term"
)

// ntriplesWriter writes N-Triples.
type ntriplesWriter struct {
	out  *bufio.Writer
	line []byte // of the last row, whose memory serves the next
}

func (w *ntriplesWriter) boolean(bool)  {}
func (w *ntriplesWriter) head([]string) {}
func (w *ntriplesWriter) end()          {}

func (w *ntriplesWriter) row(terms []term.Term) {
	line := append(terms[0].Append(w.line[:0]), ' ')
	line = append(terms[1].Append(line), ' ')
	w.line = append(terms[2].Append(line), " .\n"...)
	_, _ = w.out.Write(w.line) // an error stays in the buffered writer
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
