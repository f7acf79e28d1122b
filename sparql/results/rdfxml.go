package results

import (
	"bufio"
	"encoding/xml"
	"strings"
	"unicode/utf8"

	"github.com/lacuna-kg/lacuna/internal/rdf"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// rdfxmlWriter writes RDF/XML, a description a triple. A predicate that ends in no name of
// XML has no form in it: its triples are left out, and a comment says so.
type rdfxmlWriter struct{ out *bufio.Writer }

func (w *rdfxmlWriter) boolean(bool) {}

func (w *rdfxmlWriter) head([]string) {
	w.out.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rdf:RDF xmlns:rdf=\"" + rdf.Namespace + "\">\n")
}

func (w *rdfxmlWriter) end() { w.out.WriteString("</rdf:RDF>\n") }

func (w *rdfxmlWriter) row(terms []term.Term) {
	namespace, local := splitIRI(terms[1].Value)
	if local == "" {
		w.out.WriteString("<!-- a triple whose predicate has no form in RDF/XML -->\n")
		return
	}
	w.out.WriteString("<rdf:Description")
	w.node(terms[0], "rdf:about")
	w.out.WriteString("><p:" + local)
	w.attribute("xmlns:p", namespace)
	w.object(terms[2], local)
	w.out.WriteString("</rdf:Description>\n")
}

// node writes an IRI or a blank node as an attribute.
func (w *rdfxmlWriter) node(t term.Term, iri string) {
	if t.Kind == term.Blank {
		w.attribute("rdf:nodeID", xmlLabel(t.Value))
		return
	}
	w.attribute(iri, t.Value)
}

func (w *rdfxmlWriter) object(t term.Term, local string) {
	if t.Kind != term.Literal {
		w.node(t, "rdf:resource")
		w.out.WriteString("/>")
		return
	}
	switch {
	case t.Language != "":
		w.attribute("xml:lang", t.Language)
	case t.Datatype != "":
		w.attribute("rdf:datatype", t.Datatype)
	}
	w.out.WriteByte('>')
	_ = xml.EscapeText(w.out, []byte(t.Value)) // an error stays in the buffered writer
	w.out.WriteString("</p:" + local + ">")
}

func (w *rdfxmlWriter) attribute(name, value string) {
	w.out.WriteString(" " + name + `="`)
	_ = xml.EscapeText(w.out, []byte(value))
	w.out.WriteByte('"')
}

// splitIRI parts an IRI before the longest name of XML at its end.
func splitIRI(iri string) (namespace, local string) {
	from := len(iri)
	for at := len(iri); at > 0; {
		char, size := utf8.DecodeLastRuneInString(iri[:at])
		if !rdf.NameChar(char) {
			break
		}
		at -= size
		if rdf.NameBase(char) || char == '_' {
			from = at
		}
	}
	return iri[:from], iri[from:]
}

// xmlLabel is the label of a blank node as a name of XML: one that begins with a letter.
func xmlLabel(label string) string { return "b" + strings.ReplaceAll(label, ":", "_") }
