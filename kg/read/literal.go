package read

import (
	"bytes"

	"github.com/lacuna-kg/lacuna/internal/rdf"
)

// literalType is the type of XML Schema that a cell's text is a value of: integer,
// decimal, double, date, dateTime or boolean; "" for any other text. A number that
// begins with zeros is none, as it is a code (007, 04109) whose zeros count.
func literalType(cell []byte) string {
	if len(cell) == 0 || len(cell) > 40 {
		return ""
	}
	switch first := cell[0]; {
	case first == 't' || first == 'T' || first == 'f' || first == 'F':
		if bytes.EqualFold(cell, []byte("true")) || bytes.EqualFold(cell, []byte("false")) {
			return "boolean"
		}
		return ""
	case len(cell) >= 10 && cell[4] == '-' && rdf.IsDigit(rune(first)):
		return timeType(cell)
	}
	return numberType(cell)
}

func numberType(cell []byte) string {
	rest := cell
	if rest[0] == '-' || rest[0] == '+' {
		rest = rest[1:]
	}
	whole := countDigits(rest)
	if whole > 1 && rest[0] == '0' {
		return ""
	}
	rest = rest[whole:]
	kind, fraction := "integer", 0
	if len(rest) > 0 && rest[0] == '.' {
		kind, fraction = "decimal", countDigits(rest[1:])
		rest = rest[1+fraction:]
	}
	if whole == 0 && fraction == 0 || kind == "decimal" && fraction == 0 {
		return ""
	}
	if len(rest) == 0 {
		return kind
	}
	if rest[0]|0x20 != 'e' {
		return ""
	}
	rest = rest[1:]
	if len(rest) > 0 && (rest[0] == '-' || rest[0] == '+') {
		rest = rest[1:]
	}
	if digits := countDigits(rest); digits == 0 || digits < len(rest) {
		return ""
	}
	return "double"
}

func countDigits(text []byte) int {
	n := 0
	for n < len(text) && rdf.IsDigit(rune(text[n])) {
		n++
	}
	return n
}

// timeType tells dates as ISO 8601 has them, 2026-01-31, alone or with a time behind
// T or a blank. Other orders of day and month cannot be told apart and stay names.
func timeType(cell []byte) string {
	if !shaped(cell[:10], "dddd-dd-dd") || !within(cell[5:7], 1, 12) || !within(cell[8:10], 1, 31) {
		return ""
	}
	if len(cell) == 10 {
		return "date"
	}
	if len(cell) == 16 && (cell[10] == 'T' || cell[10] == ' ') && shaped(cell[11:], "dd:dd") && within(cell[11:13], 0, 23) && within(cell[14:16], 0, 59) {
		return "dateTime" // without seconds, which appendLiteral adds
	}
	if len(cell) < 19 || cell[10] != 'T' && cell[10] != ' ' || !shaped(cell[11:19], "dd:dd:dd") ||
		!within(cell[11:13], 0, 23) || !within(cell[14:16], 0, 59) || !within(cell[17:19], 0, 59) {
		return ""
	}
	rest := cell[19:]
	if len(rest) > 1 && rest[0] == '.' {
		rest = rest[1+countDigits(rest[1:]):]
	}
	if len(rest) == 0 || string(rest) == "Z" || len(rest) == 6 && (rest[0] == '+' || rest[0] == '-') && shaped(rest[1:], "dd:dd") {
		return "dateTime"
	}
	return ""
}

// shaped tells whether text has digits where shape has d, and the same characters elsewhere.
func shaped(text []byte, shape string) bool {
	for i := range len(shape) {
		if shape[i] == 'd' && !rdf.IsDigit(rune(text[i])) || shape[i] != 'd' && text[i] != shape[i] {
			return false
		}
	}
	return len(text) == len(shape)
}

// within tells whether two digits are a number in a range.
func within(digits []byte, least, most int) bool {
	value := int(digits[0]-'0')*10 + int(digits[1]-'0')
	return least <= value && value <= most
}

// appendLiteral writes a value as the name of a literal: "text"^^<type>, without type for strings.
func appendLiteral(to, text []byte, kind string) []byte {
	to = append(to, '"')
	switch kind {
	case "boolean":
		text = bytes.ToLower(text)
	case "dateTime":
		text = bytes.Replace(text, []byte(" "), []byte("T"), 1)
		if len(text) == len("2026-01-31T12:30") {
			text = append(text[:len(text):len(text)], ":00"...)
		}
	}
	for _, char := range string(text) {
		to = rdf.AppendEscaped(to, char)
	}
	to = append(to, '"')
	if kind == "" || kind == "string" {
		return to
	}
	return append(append(append(to, "^^<"+rdf.XSD...), kind...), '>')
}

// isMissing tells the marks by which programs write that a value is not there.
func isMissing(cell []byte) bool {
	switch string(cell) {
	case "", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", `\N`, "<NA>":
		return true
	}
	return false
}
