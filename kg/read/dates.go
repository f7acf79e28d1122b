package read

import (
	"bytes"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/internal/rdf"
)

// Dates as people write them, 31/01/2020, 1/31/2020 or 2020/01/31, perhaps with a time behind: which number is the day, no
// single cell may tell, but a column does. The forms have the words of CSVW.
const (
	dayFirst   = "d/M/yyyy"
	monthFirst = "M/d/yyyy"
	yearFirst  = "yyyy/M/d"
	monthWord  = "MMM d yyyy" // or the day before the month, which is a word; read as a date only where the plan says so
)

var dateForms = []string{dayFirst, monthFirst, yearFirst, monthWord}

// dateForm finds in what order the dates of a column stand, and whether they are of type date or dateTime: "" where its
// cells are no such dates, or where no day above twelve tells, or the marks between the numbers differ. A point between
// the numbers is only written after the day. Some cells may have the form of ISO 8601, as nobody can mistake it.
func dateForm(stats *columnStats) (form, kind string) {
	var seen struct{ dates, times, dayAhead, dayBehind, yearAhead int }
	marks := map[byte]bool{}
	for value := range stats.values {
		text, clock, ok := cutClock([]byte(value))
		d, isDate := numberedDate(text)
		if !ok || !isDate {
			continue
		}
		seen.dates++
		marks[d.mark] = true
		if clock.given {
			seen.times++
		}
		switch {
		case d.yearAhead:
			seen.yearAhead++
		case d.first > 12:
			seen.dayAhead++
		case d.second > 12:
			seen.dayBehind++
		}
	}
	iso := stats.typed["date"] + stats.typed["dateTime"]
	if len(marks) != 1 || (seen.dates+iso)*20 < stats.different()*19 {
		return "", ""
	}
	kind = "date"
	if seen.times+stats.typed["dateTime"] > (seen.dates+iso)/2 {
		kind = "dateTime"
	}
	switch {
	case seen.yearAhead == seen.dates:
		return yearFirst, kind
	case seen.yearAhead > 0:
	case seen.dayBehind == 0 && (seen.dayAhead > 0 || marks['.']):
		return dayFirst, kind
	case seen.dayAhead == 0 && !marks['.'] && seen.dayBehind > 0:
		return monthFirst, kind
	}
	return "", ""
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

// dateNumbers is a date of three numbers: day and month, in an order that it need not tell, and a year before or behind.
type dateNumbers struct {
	first, second int
	year          []byte
	mark          byte // between them
	yearAhead     bool
}

// numberedDate reads two numbers and a year, the same mark between them; one of the two has to be a month. What ISO 8601
// has, a year before minus signs, is none.
func numberedDate(text []byte) (d dateNumbers, ok bool) {
	at := bytes.IndexAny(text, "/.-")
	if at < 1 || at == len(text)-1 {
		return d, false
	}
	d.mark = text[at]
	parts := bytes.Split(text, text[at:at+1])
	if len(parts) != 3 || slices.ContainsFunc(parts, func(p []byte) bool { return len(p) == 0 || countDigits(p) < len(p) }) {
		return d, false
	}
	d.yearAhead = len(parts[0]) == 4 && d.mark != '-'
	if d.yearAhead {
		parts = [][]byte{parts[1], parts[2], parts[0]}
	}
	if len(parts[0]) > 2 || len(parts[1]) > 2 || len(parts[2]) != 4 {
		return d, false
	}
	d.first, d.second, d.year = smallNumber(parts[0]), smallNumber(parts[1]), parts[2]
	if d.yearAhead && d.first > 12 {
		return d, false
	}
	return d, d.first >= 1 && d.second >= 1 && d.first <= 31 && d.second <= 31 && min(d.first, d.second) <= 12
}

// clock is a time of day as it stands behind a date.
type clock struct {
	given                bool
	hour, minute, second int
	fraction             []byte // with its point
}

// cutClock parts a date from the time behind it, 13:05, 1:05 PM or 13:05:00.25; ok is false where what follows is none.
func cutClock(text []byte) (date []byte, c clock, ok bool) {
	at := bytes.IndexAny(text, " T")
	if at < 0 || len(text) > 40 {
		return text, c, at < 0
	}
	date, rest := text[:at], bytes.TrimSpace(text[at+1:])
	half := ""
	if n := len(rest); n > 2 && rest[n-1]|0x20 == 'm' {
		half = strings.ToLower(string(rest[n-2:]))
		rest = bytes.TrimSpace(rest[:n-2])
	}
	if point := bytes.IndexByte(rest, '.'); point >= 0 {
		if rest, c.fraction = rest[:point], rest[point:]; countDigits(c.fraction[1:]) != len(c.fraction)-1 || len(c.fraction) == 1 {
			return date, c, false
		}
	}
	parts := bytes.Split(rest, []byte(":"))
	if len(parts) < 2 || len(parts) > 3 || len(parts) == 2 && c.fraction != nil || len(parts[0]) > 2 {
		return date, c, false
	}
	for i, part := range parts {
		if countDigits(part) != len(part) || len(part) == 0 || i > 0 && len(part) != 2 {
			return date, c, false
		}
		*[]*int{&c.hour, &c.minute, &c.second}[i] = smallNumber(part)
	}
	c.given = true
	return date, c, c.onDial(half) && c.hour < 24 && c.minute < 60 && c.second < 60
}

// onDial turns an hour of twelve into one of a day.
func (c *clock) onDial(half string) bool {
	switch half {
	case "":
		return true
	case "am", "pm":
		ok := c.hour >= 1 && c.hour <= 12
		c.hour %= 12
		if half == "pm" {
			c.hour += 12
		}
		return ok
	}
	return false
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
	date, clock, ok := cutClock(text)
	d, isDate := numberedDate(date)
	month, day := d.first, d.second
	if form == dayFirst {
		day, month = month, day
	}
	if !ok || !isDate || month > 12 || d.yearAhead != (form == yearFirst) {
		return append(to, text...)
	}
	to = appendDate(to, d.year, month, day)
	if !clock.given {
		return to
	}
	to = appendTwo(append(appendTwo(append(to, 'T'), clock.hour), ':'), clock.minute)
	return append(appendTwo(append(to, ':'), clock.second), clock.fraction...)
}

func appendDate(to, year []byte, month, day int) []byte {
	to = append(append(to, year...), '-')
	return appendTwo(append(appendTwo(to, month), '-'), day)
}

func appendTwo(to []byte, n int) []byte { return append(to, byte('0'+n/10), byte('0'+n%10)) }
