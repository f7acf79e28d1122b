package read

import (
	"bytes"
	"errors"
)

// splitter parts a table into records and fields, in place: fields point into the
// text, and only those with doubled quotes are copied.
type splitter struct {
	dialect
	fields  [][]byte
	scratch []byte
}

var (
	errUnclosedQuote = errors.New("a quote is opened and not closed")
	errAfterQuote    = errors.New("text after a closing quote, expected the delimiter or the line's end; a quote within a quoted field is doubled")
	// errIncomplete asks for more text: the record runs beyond what is there.
	errIncomplete = errors.New("incomplete record")
)

// record parts the first record of text into fields and gives its length and its
// lines. Final tells that no more text follows.
func (s *splitter) record(text []byte, final bool) (used, lines int, err error) {
	end := bytes.IndexByte(text, '\n')
	if end < 0 {
		end = len(text)
	}
	line := trimLineEnd(text[:end])
	s.fields, s.scratch = s.fields[:0], s.scratch[:0]
	if s.plain(line) {
		return min(end+1, len(text)), 1, nil
	}
	return s.quoted(text, line, final)
}

// plain parts a line that holds no quoted field, and tells if there is one.
func (s *splitter) plain(line []byte) bool {
	if s.delimiter == ' ' {
		if bytes.IndexByte(line, '"') >= 0 {
			return false
		}
		s.words(line)
		return true
	}
	for {
		if s.opensQuote(line) {
			return false
		}
		at := bytes.IndexByte(line, s.delimiter)
		if at < 0 {
			s.fields = append(s.fields, line)
			return true
		}
		s.fields = append(s.fields, line[:at])
		line = line[at+1:]
	}
}

// opensQuote tells whether a field begins with a quote; in a strict dialect blanks may stand before it.
func (s *splitter) opensQuote(text []byte) bool {
	if s.strict {
		text = text[s.blanks(text):]
	}
	return len(text) > 0 && text[0] == '"'
}

// blanks counts those at the front of text.
func (s *splitter) blanks(text []byte) int {
	n := 0
	for n < len(text) && isBlank(text[n]) && text[n] != s.delimiter {
		n++
	}
	return n
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' }

// words parts a line at runs of spaces and tabs.
func (s *splitter) words(line []byte) {
	for {
		for len(line) > 0 && isBlank(line[0]) {
			line = line[1:]
		}
		if len(line) == 0 {
			return
		}
		end := 0
		for end < len(line) && !isBlank(line[end]) {
			end++
		}
		s.fields = append(s.fields, line[:end])
		line = line[end:]
	}
}

// quoted parts a record that may hold quoted fields and, in a strict dialect, span lines.
func (s *splitter) quoted(text, line []byte, final bool) (used, lines int, err error) {
	s.fields = s.fields[:0]
	reach := line
	if s.strict {
		reach = text
	}
	at, lines := 0, 1
	for {
		if s.delimiter == ' ' {
			for at < len(line) && isBlank(line[at]) {
				at++
			}
			if at == len(line) {
				return s.past(text, at), lines, nil
			}
		}
		length, spanned, err := s.field(reach[at:], final)
		if err != nil {
			return 0, lines, err
		}
		at, lines = at+length, lines+spanned
		if at >= len(reach) || reach[at] != s.delimiter && !(s.delimiter == ' ' && reach[at] == '\t') {
			return s.past(text, at), lines, nil
		}
		at++
	}
}

// past gives the length of a record whose last field ends at at: the line's end belongs to it.
func (s *splitter) past(text []byte, at int) int {
	if at < len(text) && text[at] == '\r' {
		at++
	}
	return min(at+1, len(text))
}

// field takes one field from the front of text and gives the bytes it takes there, without what ends it.
func (s *splitter) field(text []byte, final bool) (length, lines int, err error) {
	if s.opensQuote(text) {
		before := 0
		if s.strict {
			before = s.blanks(text)
		}
		length, lines, err = s.quotedField(text[before:], final)
		if err == nil || s.strict {
			return before + length, lines, err
		}
	}
	length = s.plainLength(text)
	s.fields = append(s.fields, text[:length])
	return length, 0, nil
}

// plainLength is the length of a field without quotes.
func (s *splitter) plainLength(text []byte) int {
	for i, b := range text {
		if b == s.delimiter || b == '\n' || s.delimiter == ' ' && b == '\t' {
			return i
		}
		if b == '\r' && (i+1 == len(text) || text[i+1] == '\n') {
			return i
		}
	}
	return len(text)
}

// quotedField takes a field in quotes; a quote within it is doubled.
func (s *splitter) quotedField(text []byte, final bool) (length, lines int, err error) {
	start, doubled := 1, false
	for at := start; ; {
		next := bytes.IndexByte(text[at:], '"')
		if next < 0 {
			if final {
				return 0, 0, errUnclosedQuote
			}
			return 0, 0, errIncomplete
		}
		at += next + 1
		if at < len(text) && text[at] == '"' {
			doubled = true
			at++
			continue
		}
		inside := text[start : at-1]
		after := 0
		if s.strict {
			after = s.blanks(text[at:])
		}
		if !s.ends(text[at+after:]) {
			return 0, 0, errAfterQuote
		}
		s.fields = append(s.fields, s.unquote(inside, doubled))
		return at + after, bytes.Count(inside, []byte{'\n'}), nil
	}
}

// ends tells whether a field may end before rest.
func (s *splitter) ends(rest []byte) bool {
	if len(rest) == 0 || rest[0] == s.delimiter || rest[0] == '\n' {
		return true
	}
	if s.delimiter == ' ' && rest[0] == '\t' {
		return true
	}
	return rest[0] == '\r' && (len(rest) == 1 || rest[1] == '\n')
}

func (s *splitter) unquote(inside []byte, doubled bool) []byte {
	if !doubled {
		return inside
	}
	// Growing the scratch memory leaves earlier fields in the old piece, which stays valid.
	from := len(s.scratch)
	for i := 0; i < len(inside); i++ {
		s.scratch = append(s.scratch, inside[i])
		if inside[i] == '"' {
			i++
		}
	}
	return s.scratch[from:]
}

// blank tells whether the record is an empty line.
func (s *splitter) blank() bool {
	return len(s.fields) == 0 || len(s.fields) == 1 && len(s.fields[0]) == 0
}
