package read

import (
	"errors"
	"io"
	"unicode/utf8"

	"github.com/lacuna-kg/lacuna/internal/rdf"
	"github.com/lacuna-kg/lacuna/kg"
)

// cursor moves through a text of any length character by character and knows where it is.
type cursor struct {
	r            io.Reader
	name         string
	buf          []byte
	pos          int
	ended        bool
	err          error // of reading, or a character that no text has; everything ends there
	line, column int
}

const (
	cursorBlock = 64 << 10
	endOfText   = rune(-1)
)

func newCursor(in *input) *cursor {
	c := &cursor{r: in.Reader, name: in.name, line: 1, column: 1}
	if c.has(3); string(c.buf[:min(3, len(c.buf))]) == "\xef\xbb\xbf" {
		c.pos = 3
	}
	return c
}

// errorf makes an error at the present place; an error of reading comes first.
func (c *cursor) errorf(format string, args ...any) error {
	if c.err != nil {
		return c.err
	}
	return kg.ErrorAt(kg.Invalid, kg.Place{Name: c.name, Line: c.line, Column: c.column}, format, args...)
}

// has tells whether n more bytes are there, reading them as needed.
func (c *cursor) has(n int) bool {
	for len(c.buf)-c.pos < n && !c.ended && c.err == nil {
		c.fill()
	}
	return len(c.buf)-c.pos >= n
}

func (c *cursor) fill() {
	rest := copy(c.buf, c.buf[c.pos:])
	if cap(c.buf) < rest+cursorBlock {
		c.buf = append(make([]byte, 0, 2*cursorBlock+rest), c.buf[:rest]...)
	}
	c.pos = 0
	n, err := c.r.Read(c.buf[rest : rest+cursorBlock])
	c.buf = c.buf[:rest+n]
	switch {
	case errors.Is(err, io.EOF):
		c.ended = true
	case err != nil:
		c.err = err
	}
}

// peek gives the next character without moving, endOfText at the end or an error.
func (c *cursor) peek() rune {
	char, _ := c.decode(0)
	return char
}

// peekAfter gives the character that begins so many bytes further on.
func (c *cursor) peekAfter(bytes int) rune {
	char, _ := c.decode(bytes)
	return char
}

func (c *cursor) decode(offset int) (char rune, size int) {
	if c.err != nil || !c.has(offset+1) {
		return endOfText, 0
	}
	if b := c.buf[c.pos+offset]; b < utf8.RuneSelf {
		return rune(b), 1
	}
	c.has(offset + utf8.UTFMax)
	char, size = utf8.DecodeRune(c.buf[c.pos+offset:])
	if char == utf8.RuneError && size == 1 {
		c.err = c.errorf("the text is not valid UTF-8")
		return endOfText, 0
	}
	return char, size
}

// next gives the next character and moves past it.
func (c *cursor) next() rune {
	char, size := c.decode(0)
	c.pos += size
	switch {
	case char == '\n':
		c.line, c.column = c.line+1, 1
	case size > 0:
		c.column++
	}
	return char
}

func (c *cursor) skip(characters int) {
	for range characters {
		c.next()
	}
}

// space moves past white space and comments.
func (c *cursor) space() {
	for {
		switch c.peek() {
		case ' ', '\t', '\r', '\n':
			c.next()
		case '#':
			for char := c.peek(); char != '\n' && char != endOfText; char = c.peek() {
				c.next()
			}
		default:
			return
		}
	}
}

// expect moves past white space and the character, which must come.
func (c *cursor) expect(char rune, where string) error {
	c.space()
	if c.peek() != char {
		return c.errorf("expected '%c' %s", char, where)
	}
	c.next()
	return nil
}

// word tells whether a keyword comes next, in any case if folded, and no name that only begins like it.
func (c *cursor) word(keyword string, folded bool) bool {
	if !c.has(len(keyword)) {
		return false
	}
	for i := range len(keyword) {
		char := c.buf[c.pos+i]
		if char != keyword[i] && !(folded && rdf.IsLetter(rune(char)) && char|0x20 == keyword[i]|0x20) {
			return false
		}
	}
	after := c.peekAfter(len(keyword))
	return !rdf.NameChar(after) && after != ':'
}

// comes tells whether a text of ASCII comes next.
func (c *cursor) comes(text string) bool {
	return c.has(len(text)) && string(c.buf[c.pos:c.pos+len(text)]) == text
}
