package function

import (
	"math"
	"strconv"
	"strings"

	"github.com/lacuna-kg/lacuna/internal/rdf"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// casts are the constructors of XML Schema's types (section 17.5).
var casts = map[string]Function{
	rdf.XSD + "string": toString,
	term.XSDBoolean:    toBoolean,
	term.XSDInteger:    toNumber(term.XSDInteger, term.IntegerKind),
	term.XSDDecimal:    toNumber(term.XSDDecimal, term.DecimalKind),
	rdf.XSD + "float":  toNumber(rdf.XSD+"float", term.FloatKind),
	term.XSDDouble:     toNumber(term.XSDDouble, term.DoubleKind),
	xsdDateTime:        toMoment(xsdDateTime),
	xsdDate:            toMoment(xsdDate),
	xsdTime:            toMoment(xsdTime),
}

func toString(_ *Env, a []term.Term) (term.Term, bool) {
	n, isNumber := term.NumberOf(a[0])
	truth, _ := term.Truth(a[0])
	switch {
	case a[0].Kind == term.Blank:
		return term.Term{}, false
	case isNumber && n.Kind >= term.FloatKind:
		return text(floatString(n)), true
	case isNumber:
		return text(n.Term().Value), true
	case a[0].Datatype == term.XSDBoolean && len(a[0].Value) == 1:
		return text(Boolean(truth).Value), true
	}
	return text(a[0].Value), true
}

// floatString is XPath's: without an exponent where the number is neither large nor small.
func floatString(n term.Number) string {
	size, bits := math.Abs(n.Float()), 64
	if n.Kind == term.FloatKind {
		bits = 32
	}
	if size == 0 || size >= 1e-6 && size < 1e6 {
		return strconv.FormatFloat(n.Float(), 'f', -1, bits)
	}
	return n.Term().Value
}

func toBoolean(_ *Env, a []term.Term) (term.Term, bool) {
	n, isNumber := term.NumberOf(a[0])
	switch {
	case a[0].Kind != term.Literal || a[0].Language != "":
		return term.Term{}, false
	case isNumber:
		return Boolean(n.Sign() != 0 && !n.IsNaN()), true
	case a[0].Datatype != "" && a[0].Datatype != term.XSDBoolean:
		return term.Term{}, false
	}
	switch strings.TrimSpace(a[0].Value) {
	case "true", "1":
		return Boolean(true), true
	case "false", "0":
		return Boolean(false), true
	}
	return term.Term{}, false
}

func toNumber(datatype string, kind term.NumberKind) Function {
	return func(_ *Env, a []term.Term) (term.Term, bool) {
		from := a[0]
		switch {
		case from.Kind != term.Literal || from.Language != "":
			return term.Term{}, false
		case from.Datatype == "":
			from = term.Typed(strings.TrimSpace(from.Value), datatype)
		case from.Datatype == term.XSDBoolean:
			truth, _ := term.Truth(from)
			from = term.Integer(map[bool]int{true: 1}[truth])
		}
		n, ok := term.NumberOf(from)
		if !ok {
			return term.Term{}, false
		}
		if n, ok = n.As(kind); !ok {
			return term.Term{}, false
		}
		return n.Term(), true
	}
}
