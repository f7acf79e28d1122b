package rdf

// Quoted is the name of a string without a type or a language: the text in quotes, escaped.
func Quoted(text string) string {
	name := append(make([]byte, 0, len(text)+2), '"')
	for _, char := range text {
		name = AppendEscaped(name, char)
	}
	return string(append(name, '"'))
}

// LexicalForm is the text within the quotes of a literal's name.
func LexicalForm(literal []byte) []byte {
	var text []byte
	for i := 1; i < len(literal) && literal[i] != '"'; i++ {
		char := literal[i]
		if char == '\\' && i+1 < len(literal) {
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
