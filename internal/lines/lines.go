// Package lines breaks text for people into lines that fit a window.
package lines

import (
	"strings"
	"unicode/utf8"
)

// Fill puts words into lines of at most so many characters, but for words that are longer. Lines after the first are indented.
func Fill(words []string, width int, indent string) string {
	var text strings.Builder
	at := 0
	for i, word := range words {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case at+1+n > width:
			text.WriteString("\n" + indent)
			at = utf8.RuneCountInString(indent)
		default:
			text.WriteByte(' ')
			at++
		}
		text.WriteString(word)
		at += n
	}
	return text.String()
}
