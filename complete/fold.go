package complete

import (
	"unicode"
	"unicode/utf8"
)

// fold appends a name as it is compared: in lower case, without accents, with blanks for whatever parts words.
func fold(text []byte, name string) []byte {
	for _, r := range name {
		switch {
		case r >= 0x300 && r <= 0x36f: // an accent by itself, as decomposed text has it
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			text = utf8.AppendRune(text, plain(unicode.ToLower(r)))
		default:
			text = append(text, ' ')
		}
	}
	return text
}

// folded folds a name or what was typed of it; blanks before it mean nothing.
func folded(name string) []byte {
	text := fold(nil, name)
	for len(text) > 0 && text[0] == ' ' {
		text = text[1:]
	}
	return text
}
