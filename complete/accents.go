package complete

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// plain is a character in lower case and without its accents: the letter that people
// type where a keyboard lacks it. Characters that are composed of anything but a letter
// and accents, such as Korean syllables, stay as they are.
func plain(r rune) rune {
	if parts := norm.NFD.PropertiesString(string(r)).Decomposition(); parts != nil {
		if letter, size := utf8.DecodeRune(parts); onlyAccents(parts[size:]) {
			r = letter
		}
	}
	return withoutStroke(unicode.ToLower(r))
}

func onlyAccents(marks []byte) bool {
	for _, r := range string(marks) {
		if !isAccent(r) {
			return false
		}
	}
	return true
}

// isAccent tells the combining diacritical marks, which letters are decomposed into.
func isAccent(r rune) bool { return r >= 0x300 && r <= 0x36f }

// withoutStroke is for the letters that Unicode does not decompose, though people take them for accented ones.
func withoutStroke(r rune) rune {
	switch r {
	case 'đ', 'ð':
		return 'd'
	case 'ħ':
		return 'h'
	case 'ı':
		return 'i'
	case 'ŀ', 'ł':
		return 'l'
	case 'ŉ':
		return 'n'
	case 'ø':
		return 'o'
	case 'ß':
		return 's'
	case 'ŧ':
		return 't'
	}
	return r
}
