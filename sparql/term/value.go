package term

import (
	"strings"

	"github.com/lacuna-kg/lacuna/internal/rdf"
)

// Equal is the operator "=" (section 17.3): terms are equal by what they mean. It
// stays undecided for literals of a type that nobody knows, which can not be told apart.
func Equal(a, b Term) (equal, decided bool) {
	if a.Kind == Triple && b.Kind == Triple {
		return equalTriples(a, b)
	}
	if a.Kind != Literal || b.Kind != Literal {
		return a == b, true
	}
	x, y := valueOf(a), valueOf(b)
	return equalValues(a, b, &x, &y)
}

// equalTriples compares the parts of triple terms.
func equalTriples(a, b Term) (equal, decided bool) {
	x, _ := a.Parts()
	y, _ := b.Parts()
	decided = true
	for i := range x {
		same, sure := Equal(x[i], y[i])
		if sure && !same {
			return false, true
		}
		decided = decided && sure
	}
	return decided, decided
}

// Equal is Equal of the keys' terms.
func (k *SortKey) Equal(l *SortKey) (equal, decided bool) {
	if k.value == nil || l.value == nil {
		return Equal(k.term, l.term)
	}
	return equalValues(k.term, l.term, k.value, l.value)
}

func equalValues(a, b Term, x, y *value) (equal, decided bool) {
	switch {
	case x.class == text || y.class == text:
		return x.class == y.class && a.Value == b.Value && strings.EqualFold(a.Language, b.Language), true
	case x.class == unknown || y.class == unknown:
		return a == b, a == b
	case x.class != y.class:
		return false, true
	case x.class == numeric:
		return x.number.Compare(y.number) == 0 && !x.number.IsNaN() && !y.number.IsNaN(), true
	case x.class == boolean:
		return x.truth == y.truth, true
	case x.class == duration:
		return x.span == y.span, true
	case x.class == dateTime, x.class == date, x.class == timeOfDay:
		order, decided := x.moment.compare(y.moment)
		return order == 0 && decided, decided
	}
	return a.Value == b.Value, true
}

// value is what a literal means.
type value struct {
	class  class
	truth  bool
	number Number
	moment Moment
	span   Span
}

// class is a space of values, in the order in which ORDER BY puts them.
type class uint8

const (
	numeric class = iota
	boolean
	dateTime
	date
	timeOfDay
	duration
	plain   // a string
	text    // in a language
	unknown // of another type, or not a proper literal of its type
)

func valueOf(t Term) (v value) {
	v.read(t)
	return v
}

// read sets a value to what a literal means.
func (v *value) read(t Term) {
	*v = value{class: unknown}
	if t.Language != "" {
		v.class = text
		return
	}
	if t.Datatype == "" {
		v.class = plain
		return
	}
	name, xsd := strings.CutPrefix(t.Datatype, rdf.XSD)
	if !xsd {
		return
	}
	ok := false
	if v.number, ok = numberOf(name, t.Value); ok {
		v.class = numeric
		return
	}
	switch name {
	case "boolean":
		if lexical := t.Value; lexical == "true" || lexical == "false" || lexical == "1" || lexical == "0" {
			v.class, v.truth = boolean, lexical == "true" || lexical == "1"
		}
	case "dateTime":
		v.readMoment(dateTime, true, true, t.Value)
	case "date":
		v.readMoment(date, true, false, t.Value)
	case "time":
		v.readMoment(timeOfDay, false, true, t.Value)
	case "duration", "dayTimeDuration", "yearMonthDuration":
		if v.span, ok = parseSpan(name, t.Value); ok {
			v.class = duration
		}
	}
}

func (v *value) readMoment(as class, hasDay, hasClock bool, lexical string) {
	ok := false
	if v.moment, ok = parseMoment(hasDay, hasClock, lexical); ok {
		v.class = as
	}
}

// Order is the operator "<" (section 17.3): it stays undecided between values that have no order.
func Order(a, b Term) (order int, decided bool) {
	k, l := SortKeyOf(a), SortKeyOf(b)
	return k.Order(&l)
}

// Order is Order of the keys' terms.
func (k *SortKey) Order(l *SortKey) (order int, decided bool) {
	x, y := k.value, l.value
	if x == nil || y == nil || x.class != y.class {
		return 0, false
	}
	switch x.class {
	case numeric:
		if x.number.IsNaN() || y.number.IsNaN() {
			return 0, false
		}
		return x.number.Compare(y.number), true
	case boolean:
		return compareTruth(x.truth, y.truth), true
	case plain:
		return strings.Compare(k.term.Value, l.term.Value), true
	case dateTime, date, timeOfDay:
		return x.moment.compare(y.moment)
	case duration:
		return x.span.compare(y.span)
	}
	return 0, false
}

// HasNaN tells whether two keys are numbers and one of them is NaN, which is neither less nor greater.
func (k *SortKey) HasNaN(l *SortKey) bool {
	x, y := k.value, l.value
	return x != nil && y != nil && x.class == numeric && y.class == numeric && (x.number.IsNaN() || y.number.IsNaN())
}

// Truth is the effective boolean value of a term (section 17.2.2), undecided where it has none.
func Truth(t Term) (truth, decided bool) {
	if t.Kind != Literal || t.Language != "" {
		return t.Kind == Literal && t.Value != "", t.Kind == Literal
	}
	if t.Datatype == XSDBoolean && (t.Value == "true" || t.Value == "false") { // what most conditions give
		return t.Value == "true", true
	}
	switch x := valueOf(t); {
	case x.class == numeric:
		return !x.number.IsNaN() && x.number.Sign() != 0, true
	case x.class == boolean:
		return x.truth, true
	case x.class == plain:
		return t.Value != "", true
	case t.Datatype == XSDBoolean, isNumberType(t.Datatype):
		return false, true // not a proper literal of its type
	}
	return false, false
}

// NumberOf is the number that a literal means, if it is one.
func NumberOf(t Term) (Number, bool) {
	x := valueOf(t)
	return x.number, t.Kind == Literal && x.class == numeric
}

// MomentOf is the point in time that a literal of xsd:dateTime means.
func MomentOf(t Term) (Moment, bool) {
	x := valueOf(t)
	return x.moment, t.Kind == Literal && (x.class == dateTime || x.class == date || x.class == timeOfDay)
}
