package term

import (
	"cmp"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/lacuna-kg/lacuna/internal/rdf"
)

// NumberKind is one of the types of numbers, in the order in which XPath promotes them.
type NumberKind uint8

const (
	IntegerKind NumberKind = iota
	DecimalKind
	FloatKind
	DoubleKind
)

// Number is the value of a number. Integers and decimals are exact and as long as they need be.
type Number struct {
	Kind  NumberKind
	exact *big.Rat // of an integer or decimal that is not whole
	whole int64    // of one without exact: most are small
	float float64  // of a float or double
}

// isFloat tells floats and doubles from exact numbers.
func (n Number) isFloat() bool { return n.Kind >= FloatKind }

// rat is the value of an exact number. It must not be changed.
func (n Number) rat() *big.Rat {
	if n.exact != nil {
		return n.exact
	}
	return new(big.Rat).SetInt64(n.whole)
}

const (
	xsdFloat        = rdf.XSD + "float"
	decimalDigits   = 18   // of a quotient of decimals after the point
	maxNumberDigits = 4096 // of exact numbers; beyond, arithmetic gives none
)

// integers are xsd:integer and the types derived from it, by the least and the greatest value; nil for no bound.
var integers = map[string][2]*big.Rat{
	"integer": {}, "nonPositiveInteger": {nil, rat("0")}, "negativeInteger": {nil, rat("-1")}, "nonNegativeInteger": {rat("0"), nil}, "positiveInteger": {rat("1"), nil},
	"long": {rat("-9223372036854775808"), rat("9223372036854775807")}, "unsignedLong": {rat("0"), rat("18446744073709551615")},
	"int": {rat("-2147483648"), rat("2147483647")}, "unsignedInt": {rat("0"), rat("4294967295")},
	"short": {rat("-32768"), rat("32767")}, "unsignedShort": {rat("0"), rat("65535")},
	"byte": {rat("-128"), rat("127")}, "unsignedByte": {rat("0"), rat("255")},
}

func rat(text string) *big.Rat {
	r, _ := new(big.Rat).SetString(text)
	return r
}

// isNumberType tells whether a type is one of numbers.
func isNumberType(datatype string) bool {
	name, xsd := strings.CutPrefix(datatype, rdf.XSD)
	_, integer := integers[name]
	return xsd && (integer || name == "decimal" || name == "float" || name == "double")
}

// numberOf reads a literal of a type of XML Schema as a number.
func numberOf(name, lexical string) (Number, bool) {
	switch {
	case name == "integer":
		return integerOf(lexical)
	case name == "decimal":
		if len(lexical) <= maxNumberDigits && isDecimal(lexical, true) {
			exact, ok := new(big.Rat).SetString(lexical)
			return Number{Kind: DecimalKind, exact: exact}, ok
		}
	case name == "float":
		f, ok := parseFloat(lexical, 32)
		return Number{Kind: FloatKind, float: f}, ok
	case name == "double":
		f, ok := parseFloat(lexical, 64)
		return Number{Kind: DoubleKind, float: f}, ok
	}
	bounds, derived := integers[name]
	if !derived {
		return Number{}, false
	}
	n, ok := integerOf(lexical)
	within := ok && (bounds[0] == nil || n.rat().Cmp(bounds[0]) >= 0) && (bounds[1] == nil || n.rat().Cmp(bounds[1]) <= 0)
	return n, within
}

func integerOf(lexical string) (Number, bool) {
	if whole, ok := smallInteger(lexical); ok {
		return Number{Kind: IntegerKind, whole: whole}, true
	}
	if len(lexical) > maxNumberDigits || !isDecimal(lexical, false) {
		return Number{}, false
	}
	exact, ok := new(big.Rat).SetString(lexical)
	return Number{Kind: IntegerKind, exact: exact}, ok
}

// smallInteger reads the digits of a number that surely fits.
func smallInteger(text string) (n int64, ok bool) {
	const surely = 18
	digits := text
	if text != "" && (text[0] == '-' || text[0] == '+') {
		digits = text[1:]
	}
	if digits == "" || len(digits) > surely {
		return 0, false
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return 0, false
		}
		n = 10*n + int64(digits[i]-'0')
	}
	if text[0] == '-' {
		n = -n
	}
	return n, true
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

func parseFloat(lexical string, bits int) (float64, bool) {
	switch lexical {
	case "INF", "+INF":
		return math.Inf(1), true
	case "-INF":
		return math.Inf(-1), true
	case "NaN":
		return math.NaN(), true
	}
	if strings.Trim(lexical, "+-.0123456789eE") != "" { // no hexadecimal, no "infinity"
		return 0, false
	}
	f, err := strconv.ParseFloat(lexical, bits)
	return f, err == nil || math.IsInf(f, 0)
}

// Whole is the number of an int.
func Whole(n int) Number { return Number{Kind: IntegerKind, whole: int64(n)} }

// DoubleOf is the number of a float64.
func DoubleOf(f float64) Number { return Number{Kind: DoubleKind, float: f} }

// Float is the number as a float64.
func (n Number) Float() float64 {
	switch {
	case n.isFloat():
		return n.float
	case n.exact == nil:
		return float64(n.whole)
	}
	f, _ := n.exact.Float64()
	return f
}

// Int is the number as an int, if it is a whole one that fits.
func (n Number) Int() (int, bool) {
	switch {
	case n.isFloat():
		return 0, false
	case n.exact == nil:
		return int(n.whole), true
	case !n.exact.IsInt() || !n.exact.Num().IsInt64():
		return 0, false
	}
	return int(n.exact.Num().Int64()), true
}

// Exact is the value of an integer or decimal, the same text for equal ones.
func (n Number) Exact() (value string, ok bool) {
	switch {
	case n.isFloat():
		return "", false
	case n.exact == nil:
		return strconv.FormatInt(n.whole, 10), true
	}
	return n.exact.RatString(), true
}

// IsNaN tells what is no number at all.
func (n Number) IsNaN() bool { return n.isFloat() && math.IsNaN(n.float) }

// Sign is -1, 0 or 1.
func (n Number) Sign() int {
	switch {
	case n.isFloat():
		return cmp.Compare(n.float, 0)
	case n.exact == nil:
		return cmp.Compare(n.whole, 0)
	}
	return n.exact.Sign()
}

// Compare compares in the wider of the two types, as XPath promotes them.
func (n Number) Compare(m Number) int {
	switch max(n.Kind, m.Kind) {
	case IntegerKind, DecimalKind:
		if n.exact == nil && m.exact == nil {
			return cmp.Compare(n.whole, m.whole)
		}
		return n.rat().Cmp(m.rat())
	case FloatKind:
		return cmp.Compare(float32(n.Float()), float32(m.Float()))
	}
	return cmp.Compare(n.Float(), m.Float())
}

// Arithmetic is n sign m, the sign being one of + - * /; false where it has no value.
func Arithmetic(sign string, n, m Number) (Number, bool) {
	kind := max(n.Kind, m.Kind)
	if kind >= FloatKind {
		return Number{Kind: kind}.rounded(floatArithmetic(sign, n.Float(), m.Float())), true
	}
	if whole, ok := wholeArithmetic(sign, n, m); ok {
		return Number{Kind: kind, whole: whole}, true
	}
	return exactArithmetic(kind, sign, n.rat(), m.rat())
}

// wholeArithmetic is that of small whole numbers, as long as nothing overflows.
func wholeArithmetic(sign string, n, m Number) (int64, bool) {
	const small = 1 << 31
	if n.exact != nil || m.exact != nil || n.whole >= small<<20 || n.whole <= -small<<20 || m.whole >= small || m.whole <= -small {
		return 0, false
	}
	switch sign {
	case "+":
		return n.whole + m.whole, true
	case "-":
		return n.whole - m.whole, true
	}
	return n.whole * m.whole, sign == "*" && n.whole < small && n.whole > -small
}

func exactArithmetic(kind NumberKind, sign string, n, m *big.Rat) (Number, bool) {
	out := new(big.Rat)
	switch sign {
	case "+":
		out.Add(n, m)
	case "-":
		out.Sub(n, m)
	case "*":
		out.Mul(n, m)
	case "/":
		if m.Sign() == 0 {
			return Number{}, false
		}
		kind = DecimalKind // also of integers
		out = truncated(out.Quo(n, m))
	}
	const bitsOfDigit = 4
	return Number{Kind: kind, exact: out}, out.Num().BitLen() < bitsOfDigit*maxNumberDigits && out.Denom().BitLen() < bitsOfDigit*maxNumberDigits
}

func floatArithmetic(sign string, x, y float64) float64 {
	switch sign {
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	}
	return x / y
}

// rounded gives a float of the kind's precision.
func (n Number) rounded(f float64) Number {
	if n.Kind == FloatKind {
		f = float64(float32(f))
	}
	n.float = f
	return n
}

// truncated cuts a quotient that has no end.
func truncated(r *big.Rat) *big.Rat {
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(decimalDigits), nil)
	scaled := new(big.Int).Mul(r.Num(), scale)
	return new(big.Rat).SetFrac(scaled.Quo(scaled, r.Denom()), scale)
}

// Negated is -n.
func (n Number) Negated() Number {
	if n.exact != nil {
		n.exact = new(big.Rat).Neg(n.exact)
	}
	n.whole, n.float = -n.whole, -n.float
	return n
}

// Rounded is the number by "ABS", "CEIL", "FLOOR" or "ROUND", of the same type.
func (n Number) Rounded(how string) Number {
	if how == "ABS" {
		if n.Sign() < 0 {
			return n.Negated()
		}
		n.float = math.Abs(n.float)
		return n
	}
	if n.isFloat() {
		functions := map[string]func(float64) float64{"CEIL": math.Ceil, "FLOOR": math.Floor, "ROUND": roundHalfUp}
		n.float = functions[how](n.float)
		return n
	}
	if n.exact != nil {
		n.exact = roundedExact(how, n.exact)
	}
	return n
}

// roundHalfUp rounds halves towards positive infinity, and keeps the sign of zero.
func roundHalfUp(f float64) float64 {
	if math.Abs(f) >= 1<<52 || math.IsNaN(f) {
		return f
	}
	return math.Copysign(math.Floor(f+0.5), f)
}

func roundedExact(how string, r *big.Rat) *big.Rat {
	x := new(big.Rat).Set(r)
	if how == "ROUND" {
		x.Add(x, big.NewRat(1, 2))
	}
	whole := new(big.Int).Div(x.Num(), x.Denom()) // rounds down, as the denominator is positive
	if how == "CEIL" && !x.IsInt() {
		whole.Add(whole, big.NewInt(1))
	}
	return new(big.Rat).SetInt(whole)
}

// As is the number in another type; false where that has no such value.
func (n Number) As(kind NumberKind) (Number, bool) {
	if kind >= FloatKind {
		return Number{Kind: kind}.rounded(n.Float()), true
	}
	exact := new(big.Rat).SetFloat64(n.float)
	switch {
	case !n.isFloat() && n.exact == nil:
		return Number{Kind: kind, whole: n.whole}, true
	case !n.isFloat():
		exact = n.exact
	case exact == nil:
		return Number{}, false
	}
	if kind == IntegerKind {
		exact = new(big.Rat).SetInt(new(big.Int).Quo(exact.Num(), exact.Denom()))
	} else {
		exact = truncated(exact)
	}
	return Number{Kind: kind, exact: exact}, true
}

// Term is the number as a literal in its canonical form.
func (n Number) Term() Term {
	switch n.Kind {
	case IntegerKind:
		if n.exact == nil {
			return Typed(strconv.FormatInt(n.whole, 10), XSDInteger)
		}
		return Typed(n.exact.Num().String(), XSDInteger)
	case DecimalKind:
		return Typed(decimalText(n.rat()), XSDDecimal)
	case FloatKind:
		return Typed(floatText(n.float, 32), xsdFloat)
	}
	return Typed(floatText(n.float, 64), XSDDouble)
}

func decimalText(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	digits, _ := r.FloatPrec() // exact: sums and products of decimals end
	return strings.TrimRight(r.FloatString(digits), "0")
}

// floatText is the canonical form of XML Schema: 1.5E3.
func floatText(f float64, bits int) string {
	switch {
	case math.IsInf(f, 1):
		return "INF"
	case math.IsInf(f, -1):
		return "-INF"
	case math.IsNaN(f):
		return "NaN"
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'E', -1, bits), "E")
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	sign := ""
	if strings.HasPrefix(exponent, "-") {
		sign = "-"
	}
	exponent = strings.TrimLeft(exponent, "+-0")
	if exponent == "" {
		exponent, sign = "0", ""
	}
	return mantissa + "E" + sign + exponent
}
