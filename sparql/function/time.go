package function

import (
	"strings"

	"github.com/lacuna-kg/lacuna/internal/rdf"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

const (
	xsdDateTime = rdf.XSD + "dateTime"
	xsdDate     = rdf.XSD + "date"
	xsdTime     = rdf.XSD + "time"
)

// ofTime are the functions on dates and times (section 17.4.5).
var ofTime = map[string]Function{
	"NOW": func(env *Env, _ []term.Term) (term.Term, bool) {
		return term.Typed(env.Now.UTC().Format("2006-01-02T15:04:05.000Z"), xsdDateTime), true
	},
	"YEAR":    component(xsdDate, func(m term.Moment) int { return m.Year }),
	"MONTH":   component(xsdDate, func(m term.Moment) int { return m.Month }),
	"DAY":     component(xsdDate, func(m term.Moment) int { return m.Day }),
	"HOURS":   component(xsdTime, func(m term.Moment) int { return m.Hour }),
	"MINUTES": component(xsdTime, func(m term.Moment) int { return m.Minute }),
	"SECONDS": func(env *Env, a []term.Term) (term.Term, bool) {
		m, ok := term.MomentOf(a[0])
		n, isNumber := term.NumberOf(term.Typed(m.Seconds, term.XSDDecimal))
		if !ok || !isNumber {
			return term.Term{}, false
		}
		return n.Term(), true
	},
	"TIMEZONE": func(_ *Env, a []term.Term) (term.Term, bool) {
		m, ok := term.MomentOf(a[0])
		zone, zoned := m.ZoneDuration()
		return term.Typed(zone, rdf.XSD+"dayTimeDuration"), ok && zoned
	},
	"TZ": func(_ *Env, a []term.Term) (term.Term, bool) {
		m, ok := term.MomentOf(a[0])
		return text(m.Zone), ok
	},
}

// component takes a whole number out of an xsd:dateTime, or out of the other type that has it.
func component(also string, of func(term.Moment) int) Function {
	return func(_ *Env, a []term.Term) (term.Term, bool) {
		m, ok := term.MomentOf(a[0])
		return term.Integer(of(m)), ok && (a[0].Datatype == xsdDateTime || a[0].Datatype == also)
	}
}

// toMoment casts to one of the types of dates and times.
func toMoment(datatype string) Function {
	return func(_ *Env, a []term.Term) (term.Term, bool) {
		if a[0].Kind != term.Literal || a[0].Language != "" {
			return term.Term{}, false
		}
		lexical := strings.TrimSpace(a[0].Value)
		day, clock, both := strings.Cut(lexical, "T")
		m, _ := term.MomentOf(a[0])
		switch from := a[0].Datatype; {
		case from == datatype || from == "":
		case from == xsdDateTime && datatype == xsdDate && both:
			lexical = day + m.Zone
		case from == xsdDateTime && datatype == xsdTime && both:
			lexical = clock
		case from == xsdDate && datatype == xsdDateTime:
			lexical = strings.TrimSuffix(lexical, m.Zone) + "T00:00:00" + m.Zone
		default:
			return term.Term{}, false
		}
		out := term.Typed(lexical, datatype)
		_, ok := term.MomentOf(out)
		return out, ok
	}
}
