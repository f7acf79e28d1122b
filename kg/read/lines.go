package read

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/lacuna-kg/lacuna/kg"
)

const (
	lineBlockSize = 1 << 20
	// maxRecord bounds a line, or a record in quotes that spans lines.
	maxRecord = kg.MaxName
)

// lineBlocks hands out a text in large blocks of whole lines, checked to be UTF-8
// without NUL, so that parsers work on bytes in place and allocate nothing a line.
type lineBlocks struct {
	r     io.Reader
	size  int // of the next read; it grows, as most files are small
	name  string
	line  int    // number of the first line of the block
	buf   []byte // the block, then what follows it
	block int    // length of the block
	begun bool
	ended bool
	nul   bool // is a character like others
}

func newLineBlocks(in *input) *lineBlocks {
	return &lineBlocks{r: in.Reader, name: in.name, line: 1, size: lineBlockSize / 32}
}

// at is the place of a line for errors.
func (b *lineBlocks) at(line int) kg.Place { return kg.Place{Name: b.name, Line: line} }

// next drops the first used bytes of the block, which hold so many lines, and
// gives the next one, which starts with what was not used. At the end it is empty.
func (b *lineBlocks) next(used, lines int) ([]byte, error) {
	b.line += lines
	b.buf = b.buf[:copy(b.buf, b.buf[used:])]
	b.block -= used
	for enough := b.block; ; {
		if b.ended {
			b.block = len(b.buf)
			break
		}
		if err := b.fill(); err != nil {
			return nil, err
		}
		b.block = bytes.LastIndexByte(b.buf, '\n') + 1
		// What the caller could not use is not worth handing out again alone.
		if b.block > enough {
			break
		}
	}
	return b.buf[:b.block], b.check(b.buf[:b.block])
}

// final tells whether the block is the last and holds all that is left.
func (b *lineBlocks) final() bool { return b.ended && b.block == len(b.buf) }

// fill reads more behind what is there.
func (b *lineBlocks) fill() error {
	if len(b.buf) >= maxRecord {
		return kg.ErrorAt(kg.TooLarge, b.at(b.line), "a line of more than %d MiB", maxRecord>>20)
	}
	b.buf = slices.Grow(b.buf, b.size)
	n, err := io.ReadAtLeast(b.r, b.buf[len(b.buf):len(b.buf)+b.size], b.size/2)
	b.buf = b.buf[:len(b.buf)+n]
	b.size = min(2*b.size, lineBlockSize)
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		b.ended = true
	case err != nil:
		return err
	}
	if !b.begun {
		b.begun = true
		b.skipMark()
	}
	return nil
}

// skipMark drops a byte order mark of UTF-8.
func (b *lineBlocks) skipMark() {
	if bytes.HasPrefix(b.buf, []byte("\xef\xbb\xbf")) {
		b.buf = b.buf[:copy(b.buf, b.buf[3:])]
	}
}

// notUTF8 says what to do about a text in another encoding, which most often is that of Excel's plain CSV.
const notUTF8 = "the text is not valid UTF-8: state its encoding, such as --encoding windows-1252 for what Excel saves as plain CSV in Western Europe and America"

// check looks at the whole block at once, which is much faster than line by line, and finds the line only when it must.
func (b *lineBlocks) check(block []byte) error {
	if (b.nul || bytes.IndexByte(block, 0) < 0) && utf8.Valid(block) {
		return nil
	}
	line := b.line
	for text := range bytes.Lines(block) {
		if !b.nul && bytes.IndexByte(text, 0) >= 0 {
			return kg.ErrorAt(kg.Invalid, b.at(line), "a NUL byte, expected text")
		}
		if !utf8.Valid(text) {
			return kg.ErrorAt(kg.Invalid, b.at(line), notUTF8)
		}
		line++
	}
	return nil
}

// each calls parse with every line, without its end. Lines of nothing count and are passed on.
func (b *lineBlocks) each(parse func(line int, text []byte) error) error {
	used, lines := 0, 0
	for {
		block, err := b.next(used, lines)
		if err != nil {
			return err
		}
		if len(block) == 0 {
			return nil
		}
		used, lines = len(block), 0
		for text := range bytes.Lines(block) {
			if err := parse(b.line+lines, trimLineEnd(text)); err != nil {
				return err
			}
			lines++
		}
	}
}

func trimLineEnd(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line = line[:n-1]
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line
}
