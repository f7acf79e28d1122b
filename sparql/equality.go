package sparql

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/lacuna-kg/lacuna/internal/rdf"
)

// equal is the operator "=" (section 17.3): terms are equal by what they mean, and
// literals of a type that nobody knows can not be told apart.
func (e *evaluator) equal(a, b node) truth {
	if _, entity := a.entity(); a == b && entity && !strings.HasPrefix(e.graph.Entities.Names.At(uint32(a-1)), `"`) {
		return yes // the usual case, without making terms
	}
	return equalTerms(e.term(a), e.term(b))
}

func equalTerms(a, b Term) truth {
	if a.Kind != Literal || b.Kind != Literal {
		return truthOf(a == b)
	}
	x, y := valueOf(a), valueOf(b)
	switch {
	case x.class == text || y.class == text:
		return truthOf(x.class == y.class && a.Value == b.Value && strings.EqualFold(a.Language, b.Language))
	case x.class == unknown || y.class == unknown:
		if a == b {
			return yes
		}
		return undecided
	case x.class != y.class:
		return no
	case x.class == numeric:
		return truthOf(equalNumbers(x, y))
	case x.class == boolean:
		return truthOf(x.truth == y.truth)
	}
	return truthOf(a.Value == b.Value)
}

// value is what a literal means.
type value struct {
	class     class
	truth     bool
	exact     *big.Rat // of an integer or decimal
	float     float64  // of a float or double
	precision int      // 0 for exact numbers, 32 for float, 64 for double
}

// class is a space of values, in the order in which ORDER BY puts them.
type class uint8

const (
	numeric class = iota
	boolean
	plain   // a string
	text    // in a language
	unknown // of another type, or not a proper literal of its type
)

// integers are the types derived from xsd:integer, and itself.
var integers = map[string]bool{
	"integer": true, "nonPositiveInteger": true, "negativeInteger": true, "long": true, "int": true, "short": true, "byte": true,
	"nonNegativeInteger": true, "unsignedLong": true, "unsignedInt": true, "unsignedShort": true, "unsignedByte": true, "positiveInteger": true,
}

func valueOf(t Term) value {
	if t.Language != "" {
		return value{class: text}
	}
	if t.Datatype == "" {
		return value{class: plain}
	}
	name, xsd := strings.CutPrefix(t.Datatype, rdf.XSD)
	switch {
	case !xsd:
	case name == "boolean":
		if lexical := t.Value; lexical == "true" || lexical == "false" || lexical == "1" || lexical == "0" {
			return value{class: boolean, truth: lexical == "true" || lexical == "1"}
		}
	case integers[name] && isDecimal(t.Value, false), name == "decimal" && isDecimal(t.Value, true):
		exact, ok := new(big.Rat).SetString(t.Value)
		if ok {
			return value{class: numeric, exact: exact}
		}
	case name == "float":
		return floatValue(t.Value, 32)
	case name == "double":
		return floatValue(t.Value, 64)
	}
	return value{class: unknown}
}

// isDecimal tells whether a text is a sign and digits, with one point among them if it may have one.
func isDecimal(text string, point bool) bool {
	text = strings.TrimLeft(text[:min(1, len(text))], "+-") + text[min(1, len(text)):]
	if point {
		text = strings.Replace(text, ".", "", 1)
	}
	for _, char := range text {
		if !rdf.IsDigit(char) {
			return false
		}
	}
	return text != ""
}

func floatValue(lexical string, precision int) value {
	special := map[string]float64{"INF": math.Inf(1), "+INF": math.Inf(1), "-INF": math.Inf(-1), "NaN": math.NaN()}
	f, ok := special[lexical]
	if !ok {
		if strings.Trim(lexical, "+-.0123456789eE") != "" { // no hexadecimal, no "infinity"
			return value{class: unknown}
		}
		var err error
		if f, err = strconv.ParseFloat(lexical, precision); err != nil && !math.IsInf(f, 0) {
			return value{class: unknown}
		}
	}
	return value{class: numeric, float: f, precision: precision}
}

// equalNumbers compares in the wider of the two types, as XPath promotes them.
func equalNumbers(x, y value) bool {
	switch max(x.precision, y.precision) {
	case 0:
		return x.exact.Cmp(y.exact) == 0
	case 32:
		return float32(x.asFloat()) == float32(y.asFloat())
	}
	return x.asFloat() == y.asFloat()
}

func (x value) asFloat() float64 {
	if x.precision == 0 {
		f, _ := x.exact.Float64()
		return f
	}
	return x.float
}
