package read

import (
	"bytes"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/internal/rdf"
)

// Dates as people write them, 31/01/2020 or 1/31/2020: which number is the day, no single cell may tell, but a column does.
// The forms have the words of CSVW.
const (
	dayFirst   = "d/M/yyyy"
	monthFirst = "M/d/yyyy"
	monthWord  = "MMM d yyyy" // or the day before the month, which is a word; read as a date only where the plan says so
)

var dateForms = []string{dayFirst, monthFirst, monthWord}

// dateForm finds in what order the dates of a column stand: "" where its cells are no such dates, or where no day above
// twelve tells, or the marks between the numbers differ. A point between the numbers is only written after the day.
func dateForm(stats *columnStats) string {
	dates, dayAhead, dayBehind, marks := 0, 0, 0, map[byte]bool{}
	for value := range stats.values {
		first, second, mark, ok := slashedDate([]byte(value))
		if !ok {
			continue
		}
		dates++
		marks[mark] = true
		switch {
		case first > 12:
			dayAhead++
		case second > 12:
			dayBehind++
		}
	}
	if len(marks) != 1 || dates*20 < stats.different()*19 {
		return ""
	}
	switch {
	case dayBehind == 0 && (dayAhead > 0 || marks['.']):
		return dayFirst
	case dayAhead == 0 && !marks['.'] && dayBehind > 0:
		return monthFirst
	}
	return ""
}

var monthNames = []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}

// wordedDate reads Jan 31 2020, January 31, 2020 and 31 Jan 2020.
func wordedDate(text []byte) (day, month int, year []byte, ok bool) {
	if len(text) > 30 {
		return 0, 0, nil, false
	}
	fields := bytes.Fields(bytes.ReplaceAll(text, []byte(","), []byte(" ")))
	if len(fields) != 3 || len(fields[2]) != 4 || countDigits(fields[2]) != 4 {
		return 0, 0, nil, false
	}
	number, word := fields[1], fields[0]
	if countDigits(number) == 0 {
		number, word = word, number
	}
	month = 1 + slices.IndexFunc(monthNames, func(name string) bool {
		written := strings.ToLower(string(word))
		return written == name || written == name[:3]
	})
	day = smallNumber(number)
	return day, month, fields[2], month > 0 && len(number) <= 2 && countDigits(number) == len(number) && day >= 1 && day <= 31
}

// slashedDate reads two numbers and a year, the same mark between them; one of the two has to be a month.
func slashedDate(text []byte) (first, second int, mark byte, ok bool) {
	n := countDigits(text)
	if n < 1 || n > 2 || len(text) < n+6 {
		return 0, 0, 0, false
	}
	mark = text[n]
	rest := text[n+1:]
	m := countDigits(rest)
	if m < 1 || m > 2 || len(rest) != m+5 || rest[m] != mark || mark != '/' && mark != '.' && mark != '-' || !shaped(rest[m+1:], "dddd") {
		return 0, 0, 0, false
	}
	first, second = smallNumber(text[:n]), smallNumber(rest[:m])
	return first, second, mark, first >= 1 && second >= 1 && first <= 31 && second <= 31 && min(first, second) <= 12
}

func smallNumber(digits []byte) (n int) {
	for _, d := range digits {
		if rdf.IsDigit(rune(d)) {
			n = n*10 + int(d-'0')
		}
	}
	return n
}

// appendISODate writes a date of a form as ISO 8601 has it, and anything else as it stands.
func appendISODate(to, text []byte, form string) []byte {
	if form == monthWord {
		day, month, year, ok := wordedDate(text)
		if !ok {
			return append(to, text...)
		}
		return appendDate(to, year, month, day)
	}
	day, month, _, ok := slashedDate(text)
	if form == monthFirst {
		day, month = month, day
	}
	if !ok || month > 12 {
		return append(to, text...)
	}
	return appendDate(to, text[len(text)-4:], month, day)
}

func appendDate(to, year []byte, month, day int) []byte {
	to = append(append(to, year...), '-')
	return appendTwo(append(appendTwo(to, month), '-'), day)
}

func appendTwo(to []byte, n int) []byte { return append(to, byte('0'+n/10), byte('0'+n%10)) }
