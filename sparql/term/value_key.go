package term

// ValueKey is the same for all terms that are equal by "=", so that these can be looked up. Some that are not
// equal share one.
type ValueKey struct {
	kind     Kind
	class    class
	text     string // of an IRI, a blank node, a string or what has no value
	of       string // its type or language
	number   float32
	instant  int64
	span     Span
	isTruthy bool
}

// ValueKeyOf gives the key of a term; ok is false for what equals nothing, not even itself.
func ValueKeyOf(t Term) (k ValueKey, ok bool) {
	k.kind = t.Kind
	if t.Kind != Literal {
		k.text = t.Value
		return k, true
	}
	x := valueOf(t)
	k.class = x.class
	switch x.class {
	case numeric:
		k.number = float32(x.number.Float()) // floats compare by that, and all that is more exact is equal there, too
		return k, !x.number.IsNaN()
	case boolean:
		k.isTruthy = x.truth
	case dateTime, date, timeOfDay:
		k.instant = x.moment.instant()
	case duration:
		k.span = x.span
	case text:
		k.text, k.of = t.Value, t.Folded().Language
	default:
		k.text, k.of = t.Value, t.Datatype
	}
	return k, true
}
