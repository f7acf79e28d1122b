package term

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/lacuna-kg/lacuna/internal/rdf"
	"github.com/lacuna-kg/lacuna/kg"
)

// Namespace begins the IRI of a name that is no IRI itself, as the names of a
// table are: Turing Award is <urn:lacuna:Turing%20Award>. The prefix ":" stands
// for it where a query does not say otherwise, and so does the lack of a BASE.
const Namespace = "urn:lacuna:"

// OfEntity is the term that an entity's name stands for. Different names give different terms.
func OfEntity(name string) Term {
	if t, ok := parseLiteralName(name); ok {
		return t
	}
	if isBlank(name) {
		return Term{Kind: Blank, Value: name[2:]}
	}
	if t, ok := parseTripleName(name); ok {
		return t
	}
	return OfRelation(name)
}

// OfRelation is the term that a relation's name stands for, always an IRI.
func OfRelation(name string) Term {
	if IsIRI(name) && !strings.HasPrefix(name, Namespace) {
		return Term{Kind: IRI, Value: name}
	}
	return Term{Kind: IRI, Value: Namespace + percentEncode(name)}
}

// EntityName is the name an entity of this term has, if the graph has it.
func EntityName(t Term) string {
	switch t.Kind {
	case Literal:
		return literalName(t)
	case Blank, Triple:
		return t.String()
	}
	return iriName(t.Value)
}

// iriName takes the namespace of plain names off an IRI.
func iriName(iri string) string {
	if local, ok := strings.CutPrefix(iri, Namespace); ok {
		if name, ok := percentDecode(local); ok {
			return name
		}
	}
	return iri
}

// CanonicalIRI writes an IRI of our namespace as results print it: people may
// encode more characters than need be, and mean the same name.
func CanonicalIRI(iri string) string {
	local, ok := strings.CutPrefix(iri, Namespace)
	if !ok {
		return iri
	}
	name, ok := percentDecode(local)
	if !ok {
		return iri
	}
	return Namespace + percentEncode(name)
}

// percentEncode keeps letters of every script and what RFC 3986 allows within a
// path, and encodes the rest byte by byte.
func percentEncode(name string) string {
	const allowed = "-._~:/@!$&'()*+,;="
	var b strings.Builder
	for i, char := range name {
		size := utf8.RuneLen(char)
		switch {
		case char == utf8.RuneError:
			_, size = utf8.DecodeRuneInString(name[i:])
		case rdf.IsLetter(char), rdf.IsDigit(char), char < utf8.RuneSelf && strings.ContainsRune(allowed, char),
			char >= 0xA0 && rdf.NameChar(char):
			b.WriteRune(char)
			continue
		}
		for _, octet := range []byte(name[i : i+size]) {
			fmt.Fprintf(&b, "%%%02X", octet)
		}
	}
	return b.String()
}

// percentDecode is the way back; ok is false where the outcome is no name that a graph could have.
func percentDecode(local string) (name string, ok bool) {
	b := make([]byte, 0, len(local))
	for i := 0; i < len(local); i++ {
		if local[i] != '%' {
			b = append(b, local[i])
			continue
		}
		if i+2 >= len(local) {
			return "", false
		}
		high, first := rdf.HexDigit(rune(local[i+1]))
		low, second := rdf.HexDigit(rune(local[i+2]))
		if !first || !second {
			return "", false
		}
		b = append(b, byte(high<<4|low))
		i += 2
	}
	return string(b), utf8.Valid(b)
}

// FindEntity gives the entity that a term names. The name must mean the term in
// turn: <urn:lacuna:%22a%22> is not the literal "a". A language is the same in any case of
// its letters; tried are those in which people write them.
func FindEntity(v *kg.Vocabulary, t Term) (kg.Entity, bool) {
	id, ok := FindName(v.Entities.Names, t)
	return kg.Entity(id), ok
}

// FindName is FindEntity in any list of names of entities.
func FindName(names *kg.Names, t Term) (id uint32, ok bool) {
	id, ok = findExactly(names, t)
	if ok || t.Language == "" {
		return id, ok
	}
	for _, language := range []string{strings.ToLower(t.Language), conventional(t.Language), strings.ToUpper(t.Language)} {
		t.Language = language
		if id, ok := findExactly(names, t); ok {
			return id, true
		}
	}
	return 0, false
}

func findExactly(names *kg.Names, t Term) (uint32, bool) {
	name := EntityName(t)
	id, ok := names.Find(name)
	return id, ok && OfEntity(name) == t
}

// conventional writes a tag by the convention of BCP 47: en-GB, zh-Hant-TW.
func conventional(tag string) string {
	parts := strings.Split(strings.ToLower(tag), "-")
	for i, part := range parts[1:] {
		switch len(part) {
		case 2:
			parts[i+1] = strings.ToUpper(part)
		case 4:
			parts[i+1] = strings.ToUpper(part[:1]) + part[1:]
		}
	}
	return strings.Join(parts, "-")
}

// Same tells whether two terms are one: the case of a language's letters does not count.
func Same(a, b Term) bool { return a.Folded() == b.Folded() }

// Folded is the term with its language in small letters, as a key.
func (t Term) Folded() Term {
	t.Language = strings.ToLower(t.Language)
	return t
}

// FindRelation gives the base relation that a term names.
func FindRelation(v *kg.Vocabulary, t Term) (base uint32, ok bool) {
	if t.Kind != IRI {
		return 0, false
	}
	name := iriName(t.Value)
	id, ok := v.Relations.Names.Find(name)
	return id, ok && OfRelation(name) == t
}

// PlainName is the name that an IRI stands for in the graph, for people to read.
func (t Term) PlainName() string { return iriName(t.Value) }
