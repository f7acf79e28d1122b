package rdf

import (
	"strings"
	"unicode/utf8"
)

// Quoted is the name of a string without a type or a language: the text in quotes, escaped.
func Quoted(text string) string {
	name := append(make([]byte, 0, len(text)+2), '"')
	for _, char := range text {
		name = AppendEscaped(name, char)
	}
	return string(append(name, '"'))
}

// escapedNUL is how names of literals have the character that no name may have.
const escapedNUL = `\u0000`

// CutEscape gives the character of the escape at the beginning of a part of a literal's
// name, backslash included, and how many bytes it takes. ok is false for no escape of names.
func CutEscape(text string) (char rune, size int, ok bool) {
	if strings.HasPrefix(text, escapedNUL) {
		return 0, len(escapedNUL), true
	}
	if len(text) < 2 {
		return 0, 0, false
	}
	char, ok = Echar(rune(text[1]))
	return char, 2, ok
}

// Readable is the text within the quotes of a literal's name, for people.
func Readable(literal string) string {
	var text strings.Builder
	for i := 1; i < len(literal) && literal[i] != '"'; i++ {
		if literal[i] != '\\' {
			text.WriteByte(literal[i])
			continue
		}
		char, size, _ := CutEscape(literal[i:])
		if char == 0 {
			char = utf8.RuneError
		}
		text.WriteRune(char)
		i += max(size, 1) - 1
	}
	return text.String()
}
