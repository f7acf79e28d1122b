package term

import "strings"

// A triple term of RDF 1.2 has as its value the three terms that it is made of, as N-Triples writes them, so that it is a key as others are.

// TripleOf is the triple term of three terms; ok is false for what is no triple. Languages are in small letters, as their case does not count.
func TripleOf(subject, predicate, object Term) (t Term, ok bool) {
	if object.Kind == Triple && strings.Count(object.Value, tripleStart) >= maxNesting {
		return Term{}, false
	}
	if subject.Kind != IRI && subject.Kind != Blank || predicate.Kind != IRI || object.Kind == Unbound {
		return Term{}, false
	}
	b := make([]byte, 0, len(subject.Value)+len(predicate.Value)+len(object.Value)+len(object.Datatype)+16)
	b = append(subject.Append(b), ' ')
	b = append(predicate.Append(b), ' ')
	return Term{Kind: Triple, Value: string(object.Folded().Append(b))}, true
}

// Parts are the terms of a triple term; ok is false for any other term.
func (t Term) Parts() (parts [3]Term, ok bool) {
	if t.Kind != Triple {
		return parts, false
	}
	rest := t.Value
	for i := range parts {
		if i > 0 {
			if rest, ok = strings.CutPrefix(rest, " "); !ok {
				return parts, false
			}
		}
		length := termLength(rest)
		if length == 0 {
			return parts, false
		}
		if parts[i], ok = parseTerm(rest[:length]); !ok {
			return parts, false
		}
		rest = rest[length:]
	}
	return parts, rest == ""
}

const (
	tripleStart, tripleEnd = "<<( ", " )>>"
	maxNesting             = 100 // of triple terms within each other
)

// parseTripleName reads the name that a triple term has in a graph. What is not exactly one is none.
func parseTripleName(name string) (Term, bool) {
	inner, begins := strings.CutPrefix(name, tripleStart)
	inner, ends := strings.CutSuffix(inner, tripleEnd)
	if !begins || !ends || strings.Count(name, tripleStart) > 2*maxNesting {
		return Term{}, false
	}
	parts, ok := Term{Kind: Triple, Value: inner}.Parts()
	if !ok {
		return Term{}, false
	}
	t, ok := TripleOf(parts[0], parts[1], parts[2])
	return t, ok && t.Value == inner
}

// parseTerm reads a term as String writes it.
func parseTerm(text string) (Term, bool) {
	switch {
	case strings.HasPrefix(text, tripleStart):
		return parseTripleName(text)
	case strings.HasPrefix(text, "<"):
		iri := text[1 : len(text)-1]
		return Term{Kind: IRI, Value: iri}, IsIRI(iri)
	case strings.HasPrefix(text, "_:"):
		return Term{Kind: Blank, Value: text[2:]}, isBlank(text)
	}
	return parseLiteralName(text)
}

// termLength is the length of the term that a text begins with, 0 where it begins with none.
func termLength(text string) int {
	switch {
	case strings.HasPrefix(text, tripleStart):
		return tripleLength(text)
	case strings.HasPrefix(text, "<"):
		return strings.IndexByte(text, '>') + 1
	case strings.HasPrefix(text, "_:"):
		if end := strings.IndexByte(text, ' '); end >= 0 {
			return end
		}
		return len(text)
	case strings.HasPrefix(text, `"`):
		return literalLength(text)
	}
	return 0
}

func tripleLength(text string) int {
	at := len(tripleStart)
	for i := range 3 {
		if i > 0 && !strings.HasPrefix(text[at:], " ") {
			return 0
		}
		if i > 0 {
			at++
		}
		length := termLength(text[at:])
		if length == 0 {
			return 0
		}
		at += length
	}
	if !strings.HasPrefix(text[at:], tripleEnd) {
		return 0
	}
	return at + len(tripleEnd)
}

// literalLength passes over the quotes and what follows them: languages and types have no space.
func literalLength(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			if end := strings.IndexByte(text[i:], ' '); end >= 0 {
				return i + end
			}
			return len(text)
		}
	}
	return 0
}

// LanguageParts are the language of a text and, where it has one, the direction that it is written in.
func (t Term) LanguageParts() (language, direction string) {
	language, direction, _ = strings.Cut(t.Language, "--")
	return language, direction
}
