package term

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Moment is the value of an xsd:dateTime, xsd:date or xsd:time.
type Moment struct {
	Year, Month, Day, Hour, Minute int
	Seconds                        string // a decimal, as it was written
	Zone                           string // as it was written: Z, +01:00, or nothing
	offset                         int    // of the zone, in minutes
	seconds                        int64  // since 1970, by the clock of its zone
	fraction                       string // of the second, without zeros at its end
}

// parseMoment reads a point in time that has a day, a clock, or both. What it lacks is that of
// the reference of XML Schema.
func parseMoment(hasDay, hasClock bool, lexical string) (m Moment, ok bool) {
	m = Moment{Year: 1972, Month: 12, Day: 31}
	t := &timeText{rest: lexical, ok: true}
	if hasDay {
		m.Year = t.year()
		t.sign("-")
		m.Month = t.two()
		t.sign("-")
		m.Day = t.two()
	}
	if hasDay && hasClock {
		t.sign("T")
	}
	second := 0
	if hasClock {
		m.Hour = t.two()
		t.sign(":")
		m.Minute = t.two()
		t.sign(":")
		second = t.seconds(&m)
	}
	m.Zone = t.rest
	midnight := m.Hour == 24 && m.Minute == 0 && second == 0 && m.fraction == ""
	valid := t.ok && m.Month >= 1 && m.Month <= 12 && m.Day >= 1 && m.Day <= daysIn(m.Year, m.Month) && (m.Hour < 24 || midnight) && m.Minute < 60 && second < 60
	if !valid || !m.readZone() {
		return m, false
	}
	m.seconds = time.Date(m.Year, time.Month(m.Month), m.Day, m.Hour, m.Minute, second, 0, time.UTC).Unix()
	return m, true
}

// timeText is the text of a point in time, part by part; ok is false once one was not as it must be.
type timeText struct {
	rest string
	ok   bool
}

// digits takes all digits up to a number of them.
func (t *timeText) digits(least, most int) (n int, text string) {
	length := 0
	for length < len(t.rest) && length < most && t.rest[length] >= '0' && t.rest[length] <= '9' {
		n = 10*n + int(t.rest[length]-'0')
		length++
	}
	t.ok = t.ok && length >= least
	text, t.rest = t.rest[:length], t.rest[length:]
	return n, text
}

func (t *timeText) two() int {
	n, _ := t.digits(2, 2)
	return n
}

func (t *timeText) sign(sign string) {
	rest, found := strings.CutPrefix(t.rest, sign)
	t.rest, t.ok = rest, t.ok && found
}

func (t *timeText) year() int {
	rest, before := strings.CutPrefix(t.rest, "-")
	t.rest = rest
	n, _ := t.digits(4, 9)
	if before {
		return -n
	}
	return n
}

// seconds takes them with their fraction.
func (t *timeText) seconds(m *Moment) int {
	begin := t.rest
	n := t.two()
	if strings.HasPrefix(t.rest, ".") {
		t.rest = t.rest[1:]
		length := len(t.rest) - len(strings.TrimLeft(t.rest, "0123456789"))
		t.ok = t.ok && length > 0
		m.fraction = strings.TrimRight(t.rest[:length], "0")
		t.rest = t.rest[length:]
	}
	m.Seconds = begin[:len(begin)-len(t.rest)]
	return n
}

func daysIn(year, month int) int {
	return time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

func (m *Moment) readZone() bool {
	if m.Zone == "" || m.Zone == "Z" {
		return true
	}
	if m.Zone[0] != '+' && m.Zone[0] != '-' {
		return false
	}
	t := &timeText{rest: m.Zone[1:], ok: true}
	hours := t.two()
	t.sign(":")
	minutes := t.two()
	m.offset = 60*hours + minutes
	valid := t.ok && t.rest == "" && m.offset <= 14*60 && minutes < 60
	if m.Zone[0] == '-' {
		m.offset = -m.offset
	}
	return valid
}

// compare gives the order of two points in time. One of a zone and one without may be too
// close to tell: whatever the zone of the other was, it is within 14 hours.
func (m Moment) compare(n Moment) (order int, decided bool) {
	if (m.Zone == "") == (n.Zone == "") {
		return m.total(n), true
	}
	const most = 14 * 60 * 60
	difference := m.instant() - n.instant()
	return cmp.Compare(difference, 0), difference > most || difference < -most
}

// total is an order of all: where there is no zone it is taken to be UTC.
func (m Moment) total(n Moment) int {
	return cmp.Or(cmp.Compare(m.instant(), n.instant()), strings.Compare(m.fraction, n.fraction))
}

func (m Moment) instant() int64 { return m.seconds - 60*int64(m.offset) }

// Duration is the zone as an xsd:dayTimeDuration; false without a zone.
func (m Moment) ZoneDuration() (string, bool) {
	sign, offset := "", m.offset
	if offset < 0 {
		sign, offset = "-", -offset
	}
	switch {
	case m.Zone == "":
		return "", false
	case offset == 0:
		return "PT0S", true
	case offset%60 == 0:
		return fmt.Sprintf("%sPT%dH", sign, offset/60), true
	case offset < 60:
		return fmt.Sprintf("%sPT%dM", sign, offset), true
	}
	return fmt.Sprintf("%sPT%dH%dM", sign, offset/60, offset%60), true
}

// Span is the value of a duration.
type Span struct {
	months   int64
	seconds  int64
	fraction string // of the second, without zeros at its end
}

var spanForm = regexp.MustCompile(`^(-?)P(?:(\d{1,9})Y)?(?:(\d{1,9})M)?(?:(\d{1,9})D)?(T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})(?:\.(\d+))?S)?)?$`)

// parseSpan reads a duration of a type of XML Schema.
func parseSpan(name, lexical string) (s Span, ok bool) {
	p := spanForm.FindStringSubmatch(lexical)
	if p == nil || strings.HasSuffix(lexical, "P") || p[5] == "T" {
		return s, false
	}
	n := func(i int) int64 { v, _ := strconv.ParseInt(p[i], 10, 64); return v }
	s = Span{12*n(2) + n(3), 86400*n(4) + 3600*n(6) + 60*n(7) + n(8), strings.TrimRight(p[9], "0")}
	if p[1] == "-" {
		s.months, s.seconds = -s.months, -s.seconds
		if s.fraction != "" {
			s.fraction = "-" + s.fraction
		}
	}
	hasMonths, hasDays := p[2] != "" || p[3] != "", p[4] != "" || p[5] != ""
	return s, !(name == "dayTimeDuration" && hasMonths || name == "yearMonthDuration" && hasDays)
}

// compare orders durations of one kind: months and seconds cannot be told from each other.
func (s Span) compare(t Span) (order int, decided bool) {
	if s.months == t.months {
		order := cmp.Compare(s.seconds, t.seconds)
		return cmp.Or(order, strings.Compare(s.fraction, t.fraction)), order != 0 || !strings.HasPrefix(s.fraction+t.fraction, "-")
	}
	return cmp.Compare(s.months, t.months), s.seconds == t.seconds && s.fraction == t.fraction
}
