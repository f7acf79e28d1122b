// Package packed keeps many short texts, such as the names of a graph, in less memory, so that any of them is
// read by itself. Codes of one byte stand for the pieces of up to eight bytes that come most often, as in FSST (Boncz,
// Neumann and Leis, 2020): a text is unpacked without its neighbours and within some tens of nanoseconds, which a general
// compressor on blocks of texts is far from. Equal texts have equal codes, so that texts are compared packed.
//
// table.go has the codes, train.go chooses the pieces, texts.go has lists of texts.
package packed

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

const (
	escape  = 255 // stands before a byte that no piece covers
	none    = escape
	longest = 8 // bytes of a piece
)

// piece is a text that a code stands for.
type piece struct {
	word   uint64 // its bytes, the first lowest, zeros behind
	length uint8
	next   uint8 // code of the next shorter piece that begins with the same two bytes, or none
}

// mask covers the first bytes of a word.
func mask(length uint8) uint64 { return ^uint64(0) >> (8 * (longest - uint(length))) }

// Table is a set of pieces by their codes. It is immutable.
type Table struct {
	pieces  [escape]piece // those without a code are empty
	count   int
	singles [256]uint8     // codes of pieces of one byte, or none
	pairs   [1 << 16]uint8 // code of the longest piece that begins with two bytes, or none
}

// newTable gives codes to pieces in their order.
func newTable(pieces []string) *Table {
	t := &Table{count: len(pieces)}
	for i := range t.singles {
		t.singles[i] = none
	}
	for i := range t.pairs {
		t.pairs[i] = none
	}
	for code, text := range pieces {
		word, length := load([]byte(text))
		t.pieces[code] = piece{word, length, none}
		if length == 1 {
			t.singles[text[0]] = uint8(code)
		} else {
			t.chain(uint8(code))
		}
	}
	return t
}

// chain puts a piece among those with the same first bytes, longer ones first.
func (t *Table) chain(code uint8) {
	at := &t.pairs[uint16(t.pieces[code].word)]
	for *at != none && t.pieces[*at].length >= t.pieces[code].length {
		at = &t.pieces[*at].next
	}
	t.pieces[code].next = *at
	*at = code
}

// load gives the first bytes of a text as a word, and how many there are.
func load(text []byte) (word uint64, length uint8) {
	if len(text) >= longest {
		return binary.LittleEndian.Uint64(text), longest
	}
	for i := len(text) - 1; i >= 0; i-- {
		word = word<<8 | uint64(text[i])
	}
	return word, uint8(len(text))
}

// match is the code of the longest piece that a text begins with, and its length; none stands for a byte.
func (t *Table) match(text []byte) (code, length uint8) {
	word, available := load(text)
	if available > 1 {
		for code := t.pairs[uint16(word)]; code != none; code = t.pieces[code].next {
			p := &t.pieces[code]
			if p.length <= available && (word^p.word)&mask(p.length) == 0 {
				return code, p.length
			}
		}
	}
	return t.singles[uint8(word)], 1
}

// Pack appends the codes of a text.
func (t *Table) Pack(to, text []byte) []byte {
	for len(text) > 0 {
		code, length := t.match(text)
		to = append(to, code)
		if code == none {
			to = append(to, text[0])
		}
		text = text[length:]
	}
	return to
}

// Unpack appends the text of codes. What is no code stands for nothing.
func (t *Table) Unpack(to, codes []byte) []byte {
	at := len(to)
	to = slices.Grow(to, longest*(len(codes)+1))
	room := to[:cap(to)]
	for i := 0; i < len(codes); i++ {
		code := codes[i]
		if code != escape {
			p := &t.pieces[code]
			binary.LittleEndian.PutUint64(room[at:], p.word)
			at += int(p.length)
		} else if i++; i < len(codes) {
			room[at] = codes[i]
			at++
		}
	}
	return room[:at]
}

// check makes sure that codes stand for something.
func (t *Table) check(codes []byte) error {
	for i := 0; i < len(codes); i++ {
		switch {
		case codes[i] == escape && i+1 == len(codes):
			return errors.New("a code for a byte without it")
		case codes[i] == escape:
			i++
		case int(codes[i]) >= t.count:
			return fmt.Errorf("code %d of %d", codes[i], t.count)
		}
	}
	return nil
}

// encode is the table as it stands in a file: the length and the bytes of each piece.
func (t *Table) encode() []byte {
	var data []byte
	for _, p := range t.pieces[:t.count] {
		data = append(data, p.length)
		data = append(data, binary.LittleEndian.AppendUint64(nil, p.word)[:p.length]...)
	}
	return data
}

// decodeTable is the way back of encode.
func decodeTable(data []byte) (*Table, error) {
	var pieces []string
	for len(data) > 0 {
		length := int(data[0])
		if length < 1 || length > longest || length >= len(data) || len(pieces) == escape {
			return nil, fmt.Errorf("piece %d has %d bytes, expected at most %d pieces of 1 to %d bytes", len(pieces), length, escape, longest)
		}
		pieces = append(pieces, string(data[1:1+length]))
		data = data[1+length:]
	}
	return newTable(pieces), nil
}
