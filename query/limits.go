package query

import "github.com/lacuna-kg/lacuna/kg"

// Limits on what is read from a text. They are far beyond any question a person
// writes, and keep a hostile one from exhausting memory or the stack.
const (
	maxText  = 1 << 20 // bytes
	maxDepth = 1000    // nested operators, parentheses or quantifiers
	maxNodes = 20000   // operators, atoms and terms
)

func checkText(source, text string) error {
	if len(text) > maxText {
		return kg.Errorf(kg.TooLarge, source, "the text has %d bytes, the limit is %d", len(text), maxText)
	}
	return nil
}

func tooDeep(at kg.Place) error {
	return kg.ErrorAt(kg.TooLarge, at, "nested deeper than the limit of %d", maxDepth)
}

func tooMany(at kg.Place) error {
	return kg.ErrorAt(kg.TooLarge, at, "more than the limit of %d operators and terms", maxNodes)
}
