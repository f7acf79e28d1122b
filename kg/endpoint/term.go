package endpoint

import (
	"strings"
	"unicode/utf8"

	"github.com/lacuna-kg/lacuna/internal/rdf"
)

// term is a value of SPARQL's results in JSON.
type term struct {
	Type     string `json:"type"`
	Value    string `json:"value"`
	Language string `json:"xml:lang"`
	Datatype string `json:"datatype"`
}

// append adds the term as N-Triples has it; ok passes through, and is false for what is no term.
func (t term) append(to []byte, ok bool) ([]byte, bool) {
	switch {
	case !ok:
		return to, false
	case t.Type == "uri":
		return append(append(append(to, '<'), t.Value...), '>'), isIRI(t.Value)
	case t.Type == "bnode":
		return appendLabel(to, t.Value), t.Value != ""
	case t.Type == "literal" || t.Type == "typed-literal":
		return t.appendLiteral(to)
	}
	return to, false
}

// appendLabel adds a blank node; what a label may not have becomes '_'.
func appendLabel(to []byte, label string) []byte {
	to = append(to, "_:n"...)
	for _, char := range strings.TrimPrefix(label, "_:") {
		if !rdf.NameChar(char) {
			char = '_'
		}
		to = utf8.AppendRune(to, char)
	}
	return to
}

func (t term) appendLiteral(to []byte) ([]byte, bool) {
	to = append(to, '"')
	for _, char := range t.Value {
		if char == 0 {
			return to, false
		}
		to = rdf.AppendEscaped(to, char)
	}
	to = append(to, '"')
	switch {
	case t.Language != "":
		return append(append(to, '@'), t.Language...), isLanguage(t.Language)
	case t.Datatype != "":
		return append(append(append(to, "^^<"...), t.Datatype...), '>'), isIRI(t.Datatype)
	}
	return to, true
}

// isLanguage tells a language tag: letters, then parts of letters and digits behind hyphens.
func isLanguage(tag string) bool {
	for i, part := range strings.Split(tag, "-") {
		if part == "" {
			return false
		}
		for _, char := range part {
			if !rdf.IsLetter(char) && (i == 0 || !rdf.IsDigit(char)) {
				return false
			}
		}
	}
	return true
}
