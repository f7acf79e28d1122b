package term

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lacuna-kg/lacuna/internal/rdf"
)

// Kind tells the kinds of RDF terms apart.
type Kind uint8

// The kinds; the zero Term is no term, the value of an unbound variable.
const (
	Unbound Kind = iota
	Blank
	IRI
	Literal
	Triple
)

// Term is a term of RDF. Equal terms are equal values, so that terms serve as keys.
type Term struct {
	Kind     Kind
	Value    string // the terms of a triple term (see TripleOf), the IRI, the label of a blank node without "_:", or the text of a literal
	Datatype string // of a literal: an IRI, "" for a string or a text in a language
	Language string
}

const xsdString = rdf.XSD + "string"

// The types of literals that queries write without quotes.
const (
	XSDInteger = rdf.XSD + "integer"
	XSDDecimal = rdf.XSD + "decimal"
	XSDDouble  = rdf.XSD + "double"
	XSDBoolean = rdf.XSD + "boolean"
)

// Typed is a literal of a type, "" for a string. A string is the same with its type and without.
func Typed(value, datatype string) Term {
	if datatype == xsdString {
		datatype = ""
	}
	return Term{Kind: Literal, Value: value, Datatype: datatype}
}

// Integer is the literal of a whole number.
func Integer(n int) Term { return Typed(strconv.Itoa(n), XSDInteger) }

// String writes the term as N-Triples and SPARQL have it.
func (t Term) String() string {
	switch t.Kind {
	case Blank:
		return "_:" + t.Value
	case IRI:
		return "<" + t.Value + ">"
	case Literal:
		return literalName(t)
	case Triple:
		return tripleStart + t.Value + tripleEnd
	}
	return "UNDEF"
}

// literalName is also the name that package kg gives to a literal.
func literalName(t Term) string {
	return string(appendLiteral(make([]byte, 0, len(t.Value)+len(t.Datatype)+8), t))
}

func appendLiteral(name []byte, t Term) []byte {
	name = append(name, '"')
	if strings.IndexFunc(t.Value, func(char rune) bool { return char < ' ' || char == '"' || char == '\\' || char == utf8.RuneError }) < 0 {
		name = append(name, t.Value...)
	} else {
		for _, char := range t.Value {
			name = rdf.AppendEscaped(name, char)
		}
	}
	name = append(name, '"')
	switch {
	case t.Language != "":
		name = append(append(name, '@'), t.Language...)
	case t.Datatype != "":
		name = append(append(append(name, "^^<"...), t.Datatype...), '>')
	}
	return name
}

// Append adds what String writes.
func (t Term) Append(to []byte) []byte {
	switch t.Kind {
	case Blank:
		return append(append(to, "_:"...), t.Value...)
	case IRI:
		return append(append(append(to, '<'), t.Value...), '>')
	case Literal:
		return appendLiteral(to, t)
	case Triple:
		return append(append(append(to, tripleStart...), t.Value...), tripleEnd...)
	}
	return append(to, "UNDEF"...)
}

// parseLiteralName is the way back. What is not exactly the name of a literal,
// such as an entity of a table that only begins with a quote, is none.
func parseLiteralName(name string) (Term, bool) {
	if t, ok := parsePlainly(name); ok {
		return t, true
	}
	text, suffix, ok := cutQuoted(name)
	if !ok {
		return Term{}, false
	}
	t := Term{Kind: Literal, Value: text}
	switch {
	case suffix == "":
	case strings.HasPrefix(suffix, "@"):
		t.Language = suffix[1:]
	case strings.HasPrefix(suffix, "^^<") && strings.HasSuffix(suffix, ">"):
		t.Datatype = suffix[3 : len(suffix)-1]
	}
	whole := t.Datatype == "" || IsIRI(t.Datatype)
	return t, whole && (t.Language == "" || IsLanguage(t.Language)) && literalName(t) == name
}

// parsePlainly is the usual case, without a copy: a text of printable ASCII without escapes, with
// no suffix or a type of XML Schema.
func parsePlainly(name string) (Term, bool) {
	if len(name) < 2 || name[0] != '"' {
		return Term{}, false
	}
	end := 1
	for end < len(name) && name[end] != '"' {
		if name[end] < ' ' || name[end] > '~' || name[end] == '\\' {
			return Term{}, false
		}
		end++
	}
	switch {
	case end == len(name):
		return Term{}, false
	case end == len(name)-1:
		return Term{Kind: Literal, Value: name[1:end]}, true
	}
	datatype, ok := strings.CutPrefix(name[end+1:], "^^<"+rdf.XSD)
	if !ok || !strings.HasSuffix(datatype, ">") {
		return Term{}, false
	}
	for i := range len(datatype) - 1 {
		if !rdf.IsLetter(rune(datatype[i])) {
			return Term{}, false
		}
	}
	return Term{Kind: Literal, Value: name[1:end], Datatype: name[end+4 : len(name)-1]}, true
}

// cutQuoted takes the text between quotes, its escapes resolved, and what follows.
func cutQuoted(name string) (text, suffix string, ok bool) {
	if !strings.HasPrefix(name, `"`) {
		return "", "", false
	}
	var b strings.Builder
	for i := 1; i < len(name); i++ {
		switch char := name[i]; char {
		case '"':
			return b.String(), name[i+1:], true
		case '\\':
			escaped, size, known := rdf.CutEscape(name[i:])
			if !known {
				return "", "", false
			}
			b.WriteRune(escaped)
			i += size - 1
		default:
			b.WriteByte(char)
		}
	}
	return "", "", false
}

// IsLanguage tells whether a text is a language tag: letters, then parts of letters and digits; of RDF 1.2 a direction may follow, as in en--ltr.
func IsLanguage(tag string) bool {
	tag, direction, directed := strings.Cut(tag, "--")
	if directed && direction != "ltr" && direction != "rtl" {
		return false
	}
	i := 0
	for part := range strings.SplitSeq(tag, "-") {
		if part == "" {
			return false
		}
		for _, char := range part {
			if !rdf.IsLetter(char) && (i == 0 || !rdf.IsDigit(char)) {
				return false
			}
		}
		i++
	}
	return true
}

// fitInIRI are the characters of ASCII that an IRI may have.
var fitInIRI = func() (fit [utf8.RuneSelf]bool) {
	for char := range fit {
		fit[char] = rdf.InIRI(rune(char))
	}
	return fit
}()

// IsIRI tells whether a name is an absolute IRI, as the grammar of SPARQL has it.
func IsIRI(name string) bool {
	if rdf.SchemeLength(name) == 0 {
		return false
	}
	for i, char := range name {
		if char < utf8.RuneSelf && fitInIRI[name[i]] {
			continue
		}
		if !rdf.InIRI(char) || char == utf8.RuneError {
			return false
		}
	}
	return true
}

// isBlank tells whether a name is that of a blank node, "_:" and a label.
func isBlank(name string) bool {
	label, ok := strings.CutPrefix(name, "_:")
	if !ok || label == "" || strings.HasSuffix(label, ".") {
		return false
	}
	for i, char := range label {
		if i == 0 && !rdf.BlankStart(char) || !rdf.NameChar(char) && char != '.' {
			return false
		}
	}
	return true
}
