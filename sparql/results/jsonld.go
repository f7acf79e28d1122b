package results

import (
	"bufio"

	"github.com/lacuna-kg/lacuna/internal/rdf"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// jsonldWriter writes JSON-LD in its expanded form, without a context: an object a triple.
type jsonldWriter struct {
	out  *bufio.Writer
	rows int
}

func (w *jsonldWriter) boolean(bool)  {}
func (w *jsonldWriter) head([]string) { w.out.WriteByte('[') }
func (w *jsonldWriter) end()          { w.out.WriteString("\n]\n") }

func (w *jsonldWriter) row(terms []term.Term) {
	if w.rows++; w.rows > 1 {
		w.out.WriteByte(',')
	}
	w.out.WriteString("\n" + `{"@id":` + quoteJSON(idOf(terms[0])) + ",")
	if object := terms[2]; terms[1].Value == rdf.Namespace+"type" && object.Kind != term.Literal {
		w.out.WriteString(`"@type":[` + quoteJSON(idOf(object)) + "]}")
		return
	}
	w.out.WriteString(quoteJSON(terms[1].Value) + ":[")
	w.object(terms[2])
	w.out.WriteString("]}")
}

func (w *jsonldWriter) object(t term.Term) {
	if t.Kind != term.Literal {
		w.out.WriteString(`{"@id":` + quoteJSON(idOf(t)) + "}")
		return
	}
	w.out.WriteString(`{"@value":` + quoteJSON(t.Value))
	switch {
	case t.Language != "":
		w.out.WriteString(`,"@language":` + quoteJSON(t.Language))
	case t.Datatype != "":
		w.out.WriteString(`,"@type":` + quoteJSON(t.Datatype))
	}
	w.out.WriteByte('}')
}

// idOf is how JSON-LD names a node.
func idOf(t term.Term) string {
	if t.Kind == term.Blank {
		return "_:" + t.Value
	}
	return t.Value
}
