// Package function has what the operators and functions of SPARQL's expressions mean, on
// terms (section 17 of the recommendation). A function that has no value for its arguments
// gives none: that is the error of the recommendation, which the logic of three of package
// eval takes up. What must not look at all of its arguments, such as IF and COALESCE, is
// there and not here.
package function

import (
	"crypto/sha256"
	"strings"
	"time"

	"github.com/lacuna-kg/lacuna/internal/rdf"
	"github.com/lacuna-kg/lacuna/sparql/limit"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// Function gives the value for arguments that all have one; ok is false for an error.
type Function func(env *Env, args []term.Term) (value term.Term, ok bool)

// Env is what functions see beside their arguments.
type Env struct {
	Base    string // that relative IRIs are resolved against
	Now     time.Time
	Random  func() float64
	Blank   func(label string) term.Term // a new node, the same for a label within one solution; "" for one of its own
	Meter   *limit.Meter                 // that texts are counted on before they are made; nil for no limits
	regexps patterns
}

// Find gives a function by its name in capitals, an operator by its sign, or a cast by the
// IRI of its type.
func Find(name string) (Function, bool) {
	for _, table := range []map[string]Function{operators, ofTerms, ofTriples, ofStrings, ofNumbers, ofTime, hashes, casts} {
		if f, ok := table[name]; ok {
			return f, true
		}
	}
	return nil, false
}

// Boolean is the literal of a truth value.
func Boolean(truth bool) term.Term {
	if truth {
		return term.Typed("true", term.XSDBoolean)
	}
	return term.Typed("false", term.XSDBoolean)
}

func text(value string) term.Term { return term.Typed(value, "") }

// isString tells strings, with a language or without.
func isString(t term.Term) bool { return t.Kind == term.Literal && t.Datatype == "" }

// isPlain tells strings without a language.
func isPlain(t term.Term) bool { return isString(t) && t.Language == "" }

var operators = map[string]Function{
	"=": func(_ *Env, a []term.Term) (term.Term, bool) {
		equal, decided := term.Equal(a[0], a[1])
		return Boolean(equal), decided
	},
	"!=": func(_ *Env, a []term.Term) (term.Term, bool) {
		equal, decided := term.Equal(a[0], a[1])
		return Boolean(!equal), decided
	},
	"<":  ordering(func(order int) bool { return order < 0 }),
	">":  ordering(func(order int) bool { return order > 0 }),
	"<=": ordering(func(order int) bool { return order <= 0 }),
	">=": ordering(func(order int) bool { return order >= 0 }),
	"+":  arithmetic("+"),
	"-":  arithmetic("-"),
	"*":  arithmetic("*"),
	"/":  arithmetic("/"),
	"unary -": func(_ *Env, a []term.Term) (term.Term, bool) {
		n, ok := term.NumberOf(a[0])
		if !ok {
			return term.Term{}, false
		}
		return n.Negated().Term(), true
	},
	"unary +": func(_ *Env, a []term.Term) (term.Term, bool) {
		_, ok := term.NumberOf(a[0])
		return a[0], ok
	},
}

func ordering(holds func(order int) bool) Function {
	return func(_ *Env, a []term.Term) (term.Term, bool) {
		x, y := term.SortKeyOf(a[0]), term.SortKeyOf(a[1])
		if x.HasNaN(&y) {
			return Boolean(false), true
		}
		order, decided := x.Order(&y)
		return Boolean(holds(order)), decided
	}
}

func arithmetic(sign string) Function {
	return func(_ *Env, a []term.Term) (term.Term, bool) { return Arithmetic(sign, a[0], a[1]) }
}

// Arithmetic is a sign b for numbers.
func Arithmetic(sign string, a, b term.Term) (term.Term, bool) {
	n, first := term.NumberOf(a)
	m, second := term.NumberOf(b)
	if !first || !second {
		return term.Term{}, false
	}
	out, ok := term.Arithmetic(sign, n, m)
	if !ok {
		return term.Term{}, false
	}
	return out.Term(), true
}

// ofTerms are the functions on RDF terms (section 17.4.2).
var ofTerms = map[string]Function{
	"SAMETERM":  func(_ *Env, a []term.Term) (term.Term, bool) { return Boolean(term.Same(a[0], a[1])), true },
	"ISIRI":     func(_ *Env, a []term.Term) (term.Term, bool) { return Boolean(a[0].Kind == term.IRI), true },
	"ISBLANK":   func(_ *Env, a []term.Term) (term.Term, bool) { return Boolean(a[0].Kind == term.Blank), true },
	"ISLITERAL": func(_ *Env, a []term.Term) (term.Term, bool) { return Boolean(a[0].Kind == term.Literal), true },
	"ISNUMERIC": func(_ *Env, a []term.Term) (term.Term, bool) {
		_, numeric := term.NumberOf(a[0])
		return Boolean(numeric), true
	},
	"STR": func(_ *Env, a []term.Term) (term.Term, bool) {
		return text(a[0].Value), a[0].Kind != term.Blank && a[0].Kind != term.Triple
	},
	"LANG": func(_ *Env, a []term.Term) (term.Term, bool) {
		language, _ := a[0].LanguageParts()
		return text(language), a[0].Kind == term.Literal
	},
	"DATATYPE": func(_ *Env, a []term.Term) (term.Term, bool) {
		return term.Term{Kind: term.IRI, Value: datatype(a[0])}, a[0].Kind == term.Literal
	},
	"IRI":         toIRI,
	"BNODE":       toBlank,
	"STRDT":       withType,
	"STRLANG":     withLanguage,
	"LANGMATCHES": languageMatches,
}

func datatype(t term.Term) string {
	switch _, direction := t.LanguageParts(); {
	case direction != "":
		return rdf.Namespace + "dirLangString"
	case t.Language != "":
		return rdf.Namespace + "langString"
	case t.Datatype == "":
		return rdf.XSD + "string"
	}
	return t.Datatype
}

func toIRI(env *Env, a []term.Term) (term.Term, bool) {
	if a[0].Kind == term.IRI {
		return a[0], true
	}
	if !isPlain(a[0]) || strings.IndexFunc(a[0].Value, func(c rune) bool { return !rdf.InIRI(c) }) >= 0 {
		return term.Term{}, false
	}
	iri := a[0].Value
	if !env.Meter.Text(longest(env.Base, iri)) {
		return term.Term{}, false
	}
	switch {
	case rdf.SchemeLength(iri) > 0:
	case env.Base == "" || strings.HasPrefix(env.Base, term.Namespace):
		iri = term.Namespace + iri
	default:
		iri = rdf.ResolveIRI(env.Base, iri)
	}
	return term.Term{Kind: term.IRI, Value: term.CanonicalIRI(iri)}, true
}

// longest is the most that an IRI takes when it is resolved and written in its canonical form, where others than its own
// characters are encoded.
func longest(base, iri string) int {
	if rdf.SchemeLength(iri) > 0 && !strings.HasPrefix(iri, term.Namespace) {
		return 0 // it stays as it is
	}
	return len(base) + len(term.Namespace) + len("%00")*len(iri)
}

func toBlank(env *Env, a []term.Term) (term.Term, bool) {
	if len(a) == 0 {
		return env.Blank(""), true
	}
	if !isPlain(a[0]) || !env.Meter.Text(len(a[0].Value)) {
		return term.Term{}, false
	}
	label := a[0].Value
	if len(label) > sha256.Size { // it is kept for as long as its solution
		sum := sha256.Sum256([]byte(label))
		label = string(sum[:])
	}
	return env.Blank("label " + label), true
}

func withType(_ *Env, a []term.Term) (term.Term, bool) {
	return term.Typed(a[0].Value, a[1].Value), isPlain(a[0]) && a[1].Kind == term.IRI
}

func withLanguage(_ *Env, a []term.Term) (term.Term, bool) {
	return term.Term{Kind: term.Literal, Value: a[0].Value, Language: a[1].Value}, isPlain(a[0]) && isPlain(a[1]) && term.IsLanguage(a[1].Value) && !strings.Contains(a[1].Value, "--")
}

// languageMatches is basic filtering: a range matches the tags that it begins.
func languageMatches(_ *Env, a []term.Term) (term.Term, bool) {
	tag, wanted := strings.ToLower(a[0].Value), strings.ToLower(a[1].Value)
	matches := tag == wanted || strings.HasPrefix(tag, wanted+"-") || wanted == "*"
	return Boolean(tag != "" && matches), isPlain(a[0]) && isPlain(a[1])
}
