package explain

import "unicode/utf8"

// ChainLine is a line of the derivation in words, with what it rests on below it.
type ChainLine struct {
	Text        string // a fact, or the answer itself
	Variable    string // "a = Yann LeCun": what the line below this one assigns
	Probability float32
	Known       bool
	Implied     string // the rules by which it is, where the graph does not state it
	Negated     bool   // the line is about a set that the entity is not in
	Aside       bool   // an alternative that was not followed
	Link        int    // its number in Links, -1 without
	Of          []ChainLine

	brief string // the text with the last part of its relation only
}

// Brief is the text where so many characters have room for it, else with a short name of its relation.
func (l ChainLine) Brief(most int) string {
	if l.brief == "" || utf8.RuneCountInString(l.Text) <= most {
		return l.Text
	}
	return l.brief
}

// Prefix is what stands before the text: that it is denied, or only an alternative.
func (l ChainLine) Prefix() string {
	switch {
	case l.Negated && l.Aside:
		return "nor "
	case l.Negated:
		return "not "
	case l.Aside:
		return "less: "
	}
	return ""
}

// Standing says what speaks for the line: the graph, the model, or nothing. Of what is
// denied it says that the probability is that of being in the set.
func (l ChainLine) Standing() string {
	if l.Negated {
		return "in it"
	}
	return Standing(l.Known, l.Implied, l.Probability)
}

// Chain tells the derivation: the values of all variables, below them every link, in the order of the question.
func (e *Explanation) Chain() []ChainLine { return []ChainLine{e.derivation()} }
