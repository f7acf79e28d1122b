// Package rdf holds what the readers of RDF and of SPARQL share: characters of
// names, escapes, the form in which a literal is the name of an entity, and the
// resolution of relative IRIs. It knows no graph.
package rdf

import "unicode/utf8"

// The namespaces of the terms that have a meaning here.
const (
	Namespace = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	RDFS      = "http://www.w3.org/2000/01/rdf-schema#"
	XSD       = "http://www.w3.org/2001/XMLSchema#"
)

// AppendEscaped adds a character of a literal as the name of the literal has it:
// only what would end the literal, its line or, as NUL does, all text elsewhere is
// escaped, so that equal literals have equal names however they were written.
func AppendEscaped(to []byte, char rune) []byte {
	switch char {
	case '"':
		return append(to, `\"`...)
	case '\\':
		return append(to, `\\`...)
	case '\n':
		return append(to, `\n`...)
	case '\r':
		return append(to, `\r`...)
	case 0:
		return append(to, escapedNUL...)
	}
	return utf8.AppendRune(to, char)
}

// Echar gives the character of a one-letter escape.
func Echar(letter rune) (char rune, ok bool) {
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

// UcharDigits is the number of hexadecimal digits after \u and \U, 0 for other letters.
func UcharDigits(letter rune) int {
	switch letter {
	case 'u':
		return 4
	case 'U':
		return 8
	}
	return 0
}

func HexDigit(char rune) (value rune, ok bool) {
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

// EscapedRune tells whether a character may come from \u: surrogates are none.
func EscapedRune(char rune) bool { return utf8.ValidRune(char) }

// InIRI tells whether a character may stand in an IRI.
func InIRI(char rune) bool {
	switch char {
	case '<', '>', '"', '{', '}', '|', '^', '`', '\\':
		return false
	}
	return char > ' '
}

func IsLetter(char rune) bool { return 'a' <= char|0x20 && char|0x20 <= 'z' && char < 0x80 }
func IsDigit(char rune) bool  { return '0' <= char && char <= '9' }

// NameBase is PN_CHARS_BASE of both grammars.
func NameBase(char rune) bool {
	if char < 0x80 {
		return IsLetter(char)
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

// NameChar is PN_CHARS.
func NameChar(char rune) bool {
	return NameBase(char) || char == '_' || char == '-' || IsDigit(char) ||
		char == 0xB7 || 0x300 <= char && char <= 0x36F || char == 0x203F || char == 0x2040
}

// BlankStart tells whether a blank node's label may begin with the character.
func BlankStart(char rune) bool { return NameBase(char) || char == '_' || IsDigit(char) }
