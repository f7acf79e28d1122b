package pickle

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Error says at which byte of the pickle what was wrong.
type Error struct {
	Offset int64
	What   string
}

func (e *Error) Error() string { return fmt.Sprintf("pickle byte %d: %s", e.Offset, e.What) }

const (
	blockSize = 64 << 10
	// maxLine bounds the lines of the textual opcodes: a number, a module's name, a string of protocol 0.
	maxLine = 1 << 20
)

// source hands out the input byte by byte, by length or by line from one block.
type source struct {
	r      io.Reader
	block  []byte
	pos    int   // next byte of block
	before int64 // bytes of the input before block
}

func newSource(r io.Reader) source { return source{r: r, block: make([]byte, 0, blockSize)} }

// offset is the number of bytes taken so far.
func (s *source) offset() int64 { return s.before + int64(s.pos) }

func (s *source) errorf(format string, args ...any) error {
	return &Error{s.offset(), fmt.Sprintf(format, args...)}
}

// fill reads the next block; only called when the present one is used up.
func (s *source) fill() error {
	s.before += int64(len(s.block))
	s.pos = 0
	n, err := 0, error(nil)
	for tries := 0; n == 0 && err == nil && tries < 100; tries++ {
		n, err = s.r.Read(s.block[:cap(s.block)])
	}
	s.block = s.block[:n]
	switch {
	case n > 0:
		return nil
	case err == nil:
		return io.ErrNoProgress
	case errors.Is(err, io.EOF):
		return s.errorf("the pickle ends before its STOP: truncated?")
	}
	return err
}

func (s *source) byte() (byte, error) {
	if s.pos == len(s.block) {
		if err := s.fill(); err != nil {
			return 0, err
		}
	}
	b := s.block[s.pos]
	s.pos++
	return b, nil
}

// uint reads n bytes, at most 8, as a little-endian number.
func (s *source) uint(n int) (uint64, error) {
	value := uint64(0)
	if s.pos+n <= len(s.block) {
		for i := range n {
			value |= uint64(s.block[s.pos+i]) << (8 * i)
		}
		s.pos += n
		return value, nil
	}
	for i := range n {
		b, err := s.byte()
		if err != nil {
			return 0, err
		}
		value |= uint64(b) << (8 * i)
	}
	return value, nil
}

// bytes takes n bytes into fresh memory. It grows with what really arrives, as n is only what the file claims.
func (s *source) bytes(n uint64) ([]byte, error) {
	taken := make([]byte, 0, min(n, blockSize))
	for uint64(len(taken)) < n {
		if s.pos == len(s.block) {
			if err := s.fill(); err != nil {
				return nil, err
			}
		}
		part := s.block[s.pos:]
		part = part[:min(uint64(len(part)), n-uint64(len(taken)))]
		taken = append(taken, part...)
		s.pos += len(part)
	}
	return taken, nil
}

// sized takes bytes whose number stands before them in width bytes.
func (s *source) sized(width int) ([]byte, error) {
	n, err := s.uint(width)
	if err != nil {
		return nil, err
	}
	return s.bytes(n)
}

// line takes the rest of the line and its end, and gives it without the end.
func (s *source) line() (string, error) {
	var line []byte
	for {
		if s.pos == len(s.block) {
			if err := s.fill(); err != nil {
				return "", err
			}
		}
		rest := s.block[s.pos:]
		if end := bytes.IndexByte(rest, '\n'); end >= 0 {
			s.pos += end + 1
			return string(append(line, rest[:end]...)), nil
		}
		line = append(line, rest...)
		s.pos = len(s.block)
		if len(line) > maxLine {
			return "", s.errorf("a line of more than %d bytes", maxLine)
		}
	}
}
