package read

import (
	"bytes"
	"regexp"
	"slices"
)

// What of a column are values in the forms that other programs write: a comma for the
// point of a number is read where it can mean nothing else; what could mean two
// things, such as 3/4/2026 or 1,200, stays a name, and is said.

func isValue(cell string) bool { return literalType([]byte(cell)) != "" }

var (
	decimalComma = regexp.MustCompile(`^[-+]?(0|[1-9][0-9]*),[0-9]+$`)
	// inThousands may be a number with a comma for the point, or a thousand times as much.
	inThousands = regexp.MustCompile(`^[-+]?[1-9][0-9]{0,2},[0-9]{3}$`)
	onlyDigits  = regexp.MustCompile(`^[0-9]+$`)
	likeNumber  = regexp.MustCompile(`^[-+]?[$€£¥]? ?([0-9]+|[0-9]{1,3}([.,' \x{a0}\x{202f}][0-9]{3})+)([.,][0-9]+)? ?[%$€£¥]?$`)
	likeDate    = regexp.MustCompile(`^[0-9]{1,4}[./-][0-9]{1,2}[./-][0-9]{1,4}$`)
)

// commaColumn tells of a column of numbers with a comma for the point, one of them surely so.
func commaColumn(rows [][]string, column int) bool {
	return allCells(rows, column, func(cell string) bool { return decimalComma.MatchString(cell) || numberType([]byte(cell)) == "integer" }) &&
		slices.ContainsFunc(rows, func(row []string) bool {
			return column < len(row) && decimalComma.MatchString(row[column]) && !inThousands.MatchString(row[column])
		})
}

// unreadColumn tells of a column whose names look like numbers or dates; codes of digits alone do not.
func unreadColumn(rows [][]string, column int) bool {
	return allCells(rows, column, func(cell string) bool { return likeNumber.MatchString(cell) || likeDate.MatchString(cell) }) &&
		!allCells(rows, column, onlyDigits.MatchString)
}

// appendWithPoint writes a number that has a comma with a point, and anything else as it stands.
func appendWithPoint(to, number []byte) []byte {
	at := bytes.IndexByte(number, ',')
	to = append(to, number...)
	if at >= 0 && decimalComma.Match(number) {
		to[len(to)-len(number)+at] = '.'
	}
	return to
}

// delimiterLine is how a table tells Excel its delimiter, in a line before the first.
var delimiterLine = regexp.MustCompile(`^"?sep=([,;|\t])"?\r?\n`)

// cutDelimiterLine takes Excel's line from the front of a table, if it is there.
func cutDelimiterLine(sample []byte) (delimiter byte, rest []byte, found bool) {
	match := delimiterLine.FindSubmatch(sample)
	if match == nil {
		return 0, sample, false
	}
	return match[1][0], sample[len(match[0]):], true
}
