package main

import (
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// skipList has the skipped tests by the reason that they gave.
type skipList struct {
	byReason map[string][]string
	tests    int
}

// addFrom takes the skipped tests of a package that has ended.
func (l *skipList) addFrom(pkg string, s *suite) {
	if l.byReason == nil {
		l.byReason = map[string][]string{}
	}
	for _, test := range slices.Sorted(maps.Keys(s.ended)) {
		if s.ended[test] != "skip" {
			continue
		}
		reason := s.reason(test)
		l.byReason[reason] = append(l.byReason[reason], pkg+" "+test)
		l.tests++
	}
}

// place is how testing begins what a test logs: the file and line.
var place = regexp.MustCompile(`^\s*[\w.-]+\.go:\d+: `)

// reason is the last thing that a test logged, which is why it was skipped.
func (s *suite) reason(test string) string {
	var said []string
	for _, l := range s.lines {
		switch {
		case l.test != test, strings.HasPrefix(l.text, "=== "), strings.HasPrefix(strings.TrimSpace(l.text), "--- SKIP"):
		case place.MatchString(l.text):
			said = []string{place.ReplaceAllString(l.text, "")}
		default:
			said = append(said, l.text)
		}
	}
	if words := strings.Fields(strings.Join(said, " ")); len(words) > 0 {
		return strings.Join(words, " ")
	}
	return "(no reason given)"
}

// writeSkips prints the list.
func (r *report) writeSkips(to io.Writer) error {
	if r.skips.tests == 0 {
		return nil
	}
	var b strings.Builder
	for _, reason := range slices.Sorted(maps.Keys(r.skips.byReason)) {
		fmt.Fprintf(&b, "- %s\n", reason)
		for _, test := range r.skips.byReason[reason] {
			fmt.Fprintf(&b, "    %s\n", test)
		}
	}
	_, err := io.WriteString(to, b.String())
	return err
}
