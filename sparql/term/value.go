package term

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/lacuna-kg/lacuna/internal/rdf"
)

// Equal is the operator "=" (section 17.3): terms are equal by what they mean. It
// stays undecided for literals of a type that nobody knows, which can not be told apart.
func Equal(a, b Term) (equal, decided bool) {
	if a.Kind != Literal || b.Kind != Literal {
		return a == b, true
	}
	x, y := valueOf(a), valueOf(b)
	switch {
	case x.class == text || y.class == text:
		return x.class == y.class && a.Value == b.Value && strings.EqualFold(a.Language, b.Language), true
	case x.class == unknown || y.class == unknown:
		return a == b, a == b
	case x.class != y.class:
		return false, true
	case x.class == numeric:
		return equalNumbers(x, y), true
	case x.class == boolean:
		return x.truth == y.truth, true
	}
	return a.Value == b.Value, true
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
