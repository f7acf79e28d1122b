package explain

import "unicode/utf8"

// ChainLine is a line of the grounding in words, with what it rests on below it.
type ChainLine struct {
	Text        string // a fact, or the answer itself
	Variable    string // "a = Yann LeCun": what the line below this one assigns
	Probability float32
	Known       bool
	Negated     bool // the line is about a set that the entity is not in
	Aside       bool // an alternative that was not followed
	Link        int  // its number in Links, -1 without
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
	return Standing(l.Known, l.Probability)
}

// Chain tells the grounding from the answer down: every link as a fact, below it what is
// said of the entity it came from. Conjunctions need no line of their own.
func (e *Explanation) Chain() []ChainLine {
	if e.Derivation != nil {
		return []ChainLine{e.derivation()}
	}
	root := ChainLine{
		Text: e.Answer.Entity, Probability: e.Answer.Probability, Known: e.Answer.Known, Link: -1,
		Of: e.conditions(e.Grounding),
	}
	if v := e.Grounding.Variable; v != "" {
		root.Text = v + " = " + root.Text
	}
	return []ChainLine{root}
}

// conditions are the lines about the entity of a step.
func (e *Explanation) conditions(s *Step) []ChainLine {
	switch s.Op {
	case "project":
		return []ChainLine{e.projection(s)}
	case "and", "or", "not":
		if s.Negated && len(s.Of) == 0 || s.Aside {
			return []ChainLine{e.line(s, "in "+Set{Op: s.Op}.label())}
		}
		var lines []ChainLine
		for i := range s.Of {
			lines = append(lines, e.conditions(&s.Of[i])...)
		}
		return lines
	case "entity":
		if s.Negated {
			return []ChainLine{e.line(s, s.Entity+" itself")}
		}
	}
	return nil
}

func (e *Explanation) line(s *Step, text string) ChainLine {
	return ChainLine{Text: text, Probability: s.Probability, Known: s.Known, Negated: s.Negated, Aside: s.Aside, Link: -1}
}

func (e *Explanation) fact(s *Step, f Fact) ChainLine {
	line := e.line(s, f.String())
	f.Relation = ShortRelation(f.Relation)
	line.brief = f.String()
	return line
}

// projection is the line of a link, or of a set that nothing worth naming leads to.
func (e *Explanation) projection(s *Step) ChainLine {
	if s.Link == nil {
		from := "…"
		if len(s.Of) > 0 {
			from = s.Of[0].Entity
		}
		return e.fact(s, Link{Head: from, Relation: s.Relation, Tail: s.Entity}.Fact())
	}
	link := e.Links[*s.Link]
	line := e.fact(s, link.Fact())
	line.Link = *s.Link
	if !s.Negated { // where denied, what counts is how little the set has of the entity
		line.Probability, line.Known = link.Probability, link.Known
	}
	source := &s.Of[0]
	if source.Variable != "" && source.Op != "entity" {
		line.Variable = source.Variable + " = " + source.Entity
	}
	if source.Op != "entity" { // the fact names it
		line.Of = e.conditions(source)
	}
	return line
}
