package results

import (
	"bufio"
	"encoding/xml"
	"strings"

	"github.com/lacuna-kg/lacuna/sparql/term"
)

// xmlWriter writes the SPARQL Query Results XML Format. Characters that XML has no
// way to write, such as most control characters, become U+FFFD.
type xmlWriter struct {
	out  *bufio.Writer
	vars []string
	cut  *Cut // nil for none

	warnings func() []string // see Results
}

const xmlStart = `<?xml version="1.0" encoding="UTF-8"?>
<sparql xmlns="http://www.w3.org/2005/sparql-results#">
`

// start begins the document, with a comment on what was left out.
func (w *xmlWriter) start() {
	w.out.WriteString(xmlStart)
	if w.cut != nil {
		w.out.WriteString("<!-- cut: " + w.cut.String() + " -->\n")
	}
}

func (w *xmlWriter) boolean(truth bool) {
	text := "false"
	if truth {
		text = "true"
	}
	w.start()
	w.out.WriteString("<head/>\n<boolean>" + text + "</boolean>\n")
	w.close()
}

// close ends the document, with comments on what the graph lacks.
func (w *xmlWriter) close() {
	for _, text := range w.warnings() {
		w.out.WriteString("<!-- warning: ")
		w.text(strings.ReplaceAll(text, "--", "- -")) // which would end the comment
		w.out.WriteString(" -->\n")
	}
	w.out.WriteString("</sparql>\n")
}

func (w *xmlWriter) head(vars []string) {
	w.vars = vars
	w.start()
	w.out.WriteString("<head>")
	for _, name := range vars {
		w.out.WriteString(`<variable name="`)
		w.text(name)
		w.out.WriteString(`"/>`)
	}
	w.out.WriteString("</head>\n<results>\n")
}

func (w *xmlWriter) row(terms []term.Term) {
	w.out.WriteString("<result>")
	for i, t := range terms {
		if t.Kind == term.Unbound {
			continue
		}
		w.out.WriteString(`<binding name="`)
		w.text(w.vars[i])
		w.out.WriteString(`">`)
		w.term(t)
		w.out.WriteString("</binding>")
	}
	w.out.WriteString("</result>\n")
}

func (w *xmlWriter) term(t term.Term) {
	if t.Kind == term.Triple {
		w.triple(t)
		return
	}
	element := map[term.Kind]string{term.Blank: "bnode", term.IRI: "uri", term.Literal: "literal"}[t.Kind]
	w.out.WriteString("<" + element)
	switch {
	case t.Language != "":
		language, direction := t.LanguageParts()
		w.out.WriteString(` xml:lang="`)
		w.text(language)
		w.out.WriteByte('"')
		if direction != "" {
			w.out.WriteString(` xmlns:its="http://www.w3.org/2005/11/its" its:version="2.0" its:dir="` + direction + `"`)
		}
	case t.Datatype != "":
		w.out.WriteString(` datatype="`)
		w.text(t.Datatype)
		w.out.WriteByte('"')
	}
	w.out.WriteByte('>')
	w.text(t.Value)
	w.out.WriteString("</" + element + ">")
}

// triple writes a triple term.
func (w *xmlWriter) triple(t term.Term) {
	w.out.WriteString("<triple>")
	parts, _ := t.Parts()
	for i, name := range []string{"subject", "predicate", "object"} {
		w.out.WriteString("<" + name + ">")
		w.term(parts[i])
		w.out.WriteString("</" + name + ">")
	}
	w.out.WriteString("</triple>")
}

// text escapes; an error stays in the buffered writer.
func (w *xmlWriter) text(text string) { _ = xml.EscapeText(w.out, []byte(text)) }

func (w *xmlWriter) end() {
	w.out.WriteString("</results>\n")
	w.close()
}
