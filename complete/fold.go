package complete

import (
	"sync"
	"unicode"
	"unicode/utf8"
)

// fold appends a name as it is compared: in lower case, without accents, with blanks for whatever parts words.
func fold(text []byte, name string) []byte {
	common := commonCharacters()
	for _, r := range name {
		if int(r) < len(common) {
			r = common[r]
		} else {
			r = foldCharacter(r)
		}
		if r != dropped {
			text = utf8.AppendRune(text, r)
		}
	}
	return text
}

// dropped stands for a character that is not compared. No name holds it: zeros end names in the index.
const dropped = 0

// foldCharacter is a character as it is compared.
func foldCharacter(r rune) rune {
	switch {
	case isAccent(r): // by itself, as decomposed text has it
		return dropped
	case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
		return plain(r)
	}
	return ' '
}

// commonCharacters is foldCharacter of the alphabets, looked up instead of computed: an
// index of millions of names folds every character of theirs.
var commonCharacters = sync.OnceValue(func() *[0x2000]rune {
	var table [0x2000]rune
	for r := range table {
		table[r] = foldCharacter(rune(r))
	}
	return &table
})

// folded folds a name or what was typed of it; blanks before it mean nothing.
func folded(name string) []byte {
	text := fold(nil, name)
	for len(text) > 0 && text[0] == ' ' {
		text = text[1:]
	}
	return text
}
