package read

import (
	"github.com/lacuna-kg/lacuna/internal/rdf"
)

// Dates as people write them, 31/01/2020 or 1/31/2020: which number is the day, no single cell may tell, but a column does.
// The forms have the words of CSVW.
const (
	dayFirst   = "d/M/yyyy"
	monthFirst = "M/d/yyyy"
)

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
	day, month, _, ok := slashedDate(text)
	if form == monthFirst {
		day, month = month, day
	}
	if !ok || month > 12 {
		return append(to, text...)
	}
	to = append(append(to, text[len(text)-4:]...), '-')
	return appendTwo(append(appendTwo(to, month), '-'), day)
}

func appendTwo(to []byte, n int) []byte { return append(to, byte('0'+n/10), byte('0'+n%10)) }
