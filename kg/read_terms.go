package kg

import (
	"bytes"
	"unicode/utf8"
)

// The parts of RDF that N-Triples and Turtle share: characters of names, escapes,
// and the form in which terms become names of entities and relations.

const (
	rdfsLabel  = "http://www.w3.org/2000/01/rdf-schema#label"
	rdfPrefix  = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	xsdPrefix  = "http://www.w3.org/2001/XMLSchema#"
	xsdString  = xsdPrefix + "string"
	stringType = "^^<" + xsdString + ">"
)

// state takes a statement of RDF. A label of something is not a fact about the
// world but its readable name, so that it becomes that and no triple.
func (l *loader) state(part split, subject, predicate, object []byte) {
	if string(predicate) == rdfsLabel && object[0] == '"' {
		l.report.LabelTriples++
		l.labels.add(subject, lexicalForm(object))
		return
	}
	l.facts[part] = append(l.facts[part], Triple{
		Entity(l.entities.Intern(subject)), Forward(l.relations.Intern(predicate)), Entity(l.entities.Intern(object)),
	})
}

// appendEscaped adds a character of a literal as the name of the literal has it:
// only what would end the literal or its line is escaped, so that equal literals
// have equal names however they were written.
func appendEscaped(to []byte, char rune) []byte {
	switch char {
	case '"':
		return append(to, `\"`...)
	case '\\':
		return append(to, `\\`...)
	case '\n':
		return append(to, `\n`...)
	case '\r':
		return append(to, `\r`...)
	}
	return utf8.AppendRune(to, char)
}

// lexicalForm is the text within a literal's quotes.
func lexicalForm(literal []byte) []byte {
	var text []byte
	for i := 1; i < len(literal) && literal[i] != '"'; i++ {
		char := literal[i]
		if char == '\\' {
			i++
			char = literal[i]
			switch char {
			case 'n':
				char = '\n'
			case 'r':
				char = '\r'
			}
		}
		text = append(text, char)
	}
	return text
}

// dropStringType leaves out the type that a literal without one has anyway.
func dropStringType(literal []byte) []byte { return bytes.TrimSuffix(literal, []byte(stringType)) }

// echar gives the character of a one-letter escape.
func echar(letter rune) (char rune, ok bool) {
	switch letter {
	case 't':
		return '\t', true
	case 'b':
		return '\b', true
	case 'n':
		return '\n', true
	case 'r':
		return '\r', true
	case 'f':
		return '\f', true
	case '"', '\'', '\\':
		return letter, true
	}
	return 0, false
}

// ucharDigits is the number of hexadecimal digits after \u and \U, 0 for other letters.
func ucharDigits(letter rune) int {
	switch letter {
	case 'u':
		return 4
	case 'U':
		return 8
	}
	return 0
}

func hexDigit(char rune) (value rune, ok bool) {
	switch {
	case '0' <= char && char <= '9':
		return char - '0', true
	case 'a' <= char && char <= 'f':
		return char - 'a' + 10, true
	case 'A' <= char && char <= 'F':
		return char - 'A' + 10, true
	}
	return 0, false
}

// escapedRune tells whether a character may come from \u: surrogates are none, and NUL is refused as everywhere.
func escapedRune(char rune) bool { return char != 0 && utf8.ValidRune(char) }

// inIRI tells whether a character may stand in an IRI.
func inIRI(char rune) bool {
	switch char {
	case '<', '>', '"', '{', '}', '|', '^', '`', '\\':
		return false
	}
	return char > ' '
}

func isLetter(char rune) bool { return 'a' <= char|0x20 && char|0x20 <= 'z' && char < 0x80 }
func isDigit(char rune) bool  { return '0' <= char && char <= '9' }

// nameBase is PN_CHARS_BASE of both grammars.
func nameBase(char rune) bool {
	if char < 0x80 {
		return isLetter(char)
	}
	for _, r := range nameBaseRanges {
		if char <= r[1] {
			return char >= r[0]
		}
	}
	return false
}

var nameBaseRanges = [][2]rune{
	{0xC0, 0xD6}, {0xD8, 0xF6}, {0xF8, 0x2FF}, {0x370, 0x37D}, {0x37F, 0x1FFF}, {0x200C, 0x200D},
	{0x2070, 0x218F}, {0x2C00, 0x2FEF}, {0x3001, 0xD7FF}, {0xF900, 0xFDCF}, {0xFDF0, 0xFFFD}, {0x10000, 0xEFFFF},
}

// nameChar is PN_CHARS.
func nameChar(char rune) bool {
	return nameBase(char) || char == '_' || char == '-' || isDigit(char) ||
		char == 0xB7 || 0x300 <= char && char <= 0x36F || char == 0x203F || char == 0x2040
}

// blankStart tells whether a blank node's label may begin with the character.
func blankStart(char rune) bool { return nameBase(char) || char == '_' || isDigit(char) }
