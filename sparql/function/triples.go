package function

import "github.com/lacuna-kg/lacuna/sparql/term"

// ofTriples are the functions that SPARQL 1.2 adds: of triple terms, and of texts that have a direction.
var ofTriples = map[string]Function{
	"TRIPLE": func(env *Env, a []term.Term) (term.Term, bool) {
		length := 32
		for _, part := range a {
			length += 2 * (len(part.Value) + len(part.Datatype) + len(part.Language))
		}
		if !env.Meter.Text(length) {
			return term.Term{}, false
		}
		return term.TripleOf(a[0], a[1], a[2])
	},
	"SUBJECT":   partOf(0),
	"PREDICATE": partOf(1),
	"OBJECT":    partOf(2),
	"ISTRIPLE":  func(_ *Env, a []term.Term) (term.Term, bool) { return Boolean(a[0].Kind == term.Triple), true },
	"LANGDIR": func(_ *Env, a []term.Term) (term.Term, bool) {
		_, direction := a[0].LanguageParts()
		return text(direction), a[0].Kind == term.Literal
	},
	"HASLANG": func(_ *Env, a []term.Term) (term.Term, bool) {
		return Boolean(a[0].Kind == term.Literal && a[0].Language != ""), true
	},
	"HASLANGDIR": func(_ *Env, a []term.Term) (term.Term, bool) {
		_, direction := a[0].LanguageParts()
		return Boolean(a[0].Kind == term.Literal && direction != ""), true
	},
	"STRLANGDIR": func(_ *Env, a []term.Term) (term.Term, bool) {
		if !isPlain(a[0]) || !isPlain(a[1]) || !isPlain(a[2]) || a[2].Value == "" {
			return term.Term{}, false
		}
		language := a[1].Value + "--" + a[2].Value
		return term.Term{Kind: term.Literal, Value: a[0].Value, Language: language}, term.IsLanguage(a[1].Value) && term.IsLanguage(language)
	},
}

func partOf(i int) Function {
	return func(env *Env, a []term.Term) (term.Term, bool) {
		if !env.Meter.SpendOn(len(a[0].Value)) || !env.Meter.Text(len(a[0].Value)) {
			return term.Term{}, false
		}
		parts, ok := a[0].Parts()
		return parts[i], ok
	}
}
