package function

import (
	"io"
	"iter"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/lacuna-kg/lacuna/sparql/limit"
)

// A search of a regular expression takes a time of its size times the length of the text, and one for all matches perhaps
// that for each of them. Nothing can end Go's search of a string. So where that might take long it reads the text
// character by character, from a reader that counts on the meter and says that the text has ended when the query has to.

// instructionsOfStep is how many instructions a character may meet in 1/256 of the time of a step.
const instructionsOfStep = 16

// short is a search that nobody needs to end: some milliseconds.
const short = 1 << 19

// found tells whether a text has a match; ok is false where the query has to end.
func (p *pattern) found(env *Env, text string) (found, ok bool) {
	switch {
	case p.literal != "":
		return strings.Contains(text, p.literal), true
	case len(text)*p.size <= short:
		return p.MatchString(text), env.Meter.Spend(len(text) * p.size / (limit.BytesOfStep * instructionsOfStep))
	}
	r := &pacedReader{meter: env.Meter, text: text, size: p.size}
	found = p.MatchReader(r)
	return found, !r.stopped
}

// matches runs over all matches of a text as the places of their groups, see regexp.FindAllStringSubmatchIndex. One that is nil says
// that the query has to end.
func (p *pattern) matches(env *Env, text string) iter.Seq[[]int] {
	const few = 16 // groups
	if len(text)*len(text)*p.size <= short && p.NumSubexp() <= few {
		return func(yield func([]int) bool) {
			env.Meter.Spend(len(text) * p.size / (limit.BytesOfStep * instructionsOfStep))
			for _, match := range p.FindAllStringSubmatchIndex(text, -1) {
				if !yield(match) {
					return
				}
			}
		}
	}
	return func(yield func([]int) bool) {
		r := &pacedReader{meter: env.Meter, text: text, size: p.size}
		for at, end := 0, -1; at <= len(text); {
			match := p.next(r, at)
			if r.stopped {
				yield(nil)
				return
			}
			if match == nil {
				return
			}
			if (match[1] > match[0] || match[0] != end) && !yield(match) {
				return
			}
			end = match[1]
			if at = end; match[0] == end { // it is empty
				_, width := utf8.DecodeRuneInString(text[end:])
				at += max(1, width)
			}
		}
	}
}

// next is the first match at a place or later, nil if there is none.
func (p *pattern) next(r *pacedReader, at int) []int {
	if at == 0 {
		r.at = 0
		return p.FindReaderSubmatchIndex(r)
	}
	_, width := utf8.DecodeLastRuneInString(r.text[:at])
	r.at = at - width
	match := p.after().FindReaderSubmatchIndex(r)
	if match == nil {
		return nil
	}
	match = match[2:] // without what was skipped
	for i := range match {
		if match[i] >= 0 {
			match[i] += at - width
		}
	}
	return match
}

// after is the expression with one character before it, which ^ and its like look at, and others that are skipped.
func (p *pattern) after() *regexp.Regexp {
	if p.later == nil {
		p.later = regexp.MustCompile(`\A(?s:.)(?s:.*?)(` + p.text + `)`) // p.text compiles
	}
	return p.later
}

// pacedReader reads a text for a search, and counts what that takes.
type pacedReader struct {
	meter   *limit.Meter
	text    string
	at      int
	size    int // of the regular expression
	paid    int // characters
	stopped bool
}

// ReadRune ends the text where the query has to end.
func (r *pacedReader) ReadRune() (char rune, width int, err error) {
	if r.paid == 0 {
		r.paid = limit.BytesOfStep
		r.stopped = !r.meter.Spend(1 + r.size/instructionsOfStep)
	}
	if r.stopped || r.at >= len(r.text) {
		return 0, 0, io.EOF
	}
	r.paid--
	char, width = utf8.DecodeRuneInString(r.text[r.at:])
	r.at += width
	return char, width, nil
}
