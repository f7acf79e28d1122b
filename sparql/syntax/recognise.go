package syntax

import "strings"

// Recognise tells whether a text is meant as a query of SPARQL, right or wrong: it begins with
// a word that SPARQL begins with and goes on with what such a query has.
func Recognise(text string) bool {
	tokens, err := lex(strings.TrimSpace(text), maxTokens)
	if err != nil || len(tokens) < 2 {
		return err != nil && strings.Contains(text, "{") && beginsAsQuery(text)
	}
	return tokens[0].kind == wordToken && beginsAsQuery(tokens[0].text) && !(tokens[1].kind == symbolToken && tokens[1].text == "(" && !strings.EqualFold(tokens[0].text, "select"))
}

// beginsAsQuery looks at the first word.
func beginsAsQuery(text string) bool {
	word, _, _ := strings.Cut(strings.TrimLeft(text, " \t\r\n")+" ", " ")
	switch strings.ToUpper(word) {
	case "SELECT", "ASK", "CONSTRUCT", "DESCRIBE", "PREFIX", "BASE":
		return true
	}
	return false
}
