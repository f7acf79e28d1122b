package packed

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// Texts is an immutable list of packed texts. Those of a block lie one behind the other, each after the length of its codes; where
// a block begins is written down, so that reading a text passes over half a block of lengths, within a cache line or
// two, and a text takes half a byte for its place instead of eight.
type Texts struct {
	table *Table
	data  []byte
	first []uint64 // block b is data[first[b]:first[b+1]], the last ends the data
	len   int
}

// blockOf is the number of texts of a block.
const blockOf = 16

// Arrays are Texts as a file holds them.
type Arrays struct {
	Pieces []byte // see Table.encode
	Data   []byte
	First  []uint64
}

const (
	sampled    = 1 << 14 // texts that the pieces are chosen for
	sampleText = 256     // bytes of each of them at most
	chunkOf    = 1 << 12 * blockOf
)

// Pack packs texts 0 … n-1, which text gives in memory that nobody changes. The same texts give the same arrays. The work is split by
// each, which calls work(0) … work(parts-1), on many cores or one.
func Pack(n int, text func(i int) []byte, each func(parts int, work func(part int))) *Texts {
	t := &Texts{table: train(sample(n, text)), len: n, first: make([]uint64, (n+blockOf-1)/blockOf)}
	chunks := make([][]byte, (n+chunkOf-1)/chunkOf)
	each(len(chunks), func(part int) {
		chunks[part] = t.packChunk(part*chunkOf, min((part+1)*chunkOf, n), text)
	})
	begin := uint64(0)
	for part, chunk := range chunks {
		for b := part * chunkOf / blockOf; b < min((part+1)*chunkOf/blockOf, len(t.first)); b++ {
			t.first[b] += begin
		}
		begin += uint64(len(chunk))
	}
	t.data = bytes.Join(chunks, nil)
	return t
}

// packChunk packs some texts and notes where their blocks begin among them.
func (t *Texts) packChunk(from, to int, text func(i int) []byte) (data []byte) {
	var codes []byte
	for i := from; i < to; i++ {
		if i%blockOf == 0 {
			t.first[i/blockOf] = uint64(len(data))
		}
		codes = t.table.Pack(codes[:0], text(i))
		data = append(binary.AppendUvarint(data, uint64(len(codes))), codes...)
	}
	return data
}

// sample takes texts at even distances.
func sample(n int, text func(i int) []byte) [][]byte {
	some := make([][]byte, 0, min(n, sampled))
	for i := range min(n, sampled) {
		one := text(int(uint64(i) * uint64(n) / uint64(min(n, sampled))))
		some = append(some, one[:min(len(one), sampleText)])
	}
	return some
}

// Len is the number of texts.
func (t *Texts) Len() int { return t.len }

// Append adds text i to a slice.
func (t *Texts) Append(to []byte, i int) []byte { return t.table.Unpack(to, t.Codes(i)) }

// Codes is text i as it is packed.
func (t *Texts) Codes(i int) []byte {
	rest := t.data[t.first[i/blockOf]:]
	for range i % blockOf {
		length, size := recordOf(rest)
		rest = rest[size+length:]
	}
	length, size := recordOf(rest)
	return rest[size : size+length]
}

// recordOf reads how long codes are, and how many bytes say so.
func recordOf(data []byte) (length, size int) {
	if data[0] < 0x80 { // nearly always
		return int(data[0]), 1
	}
	n, size := binary.Uvarint(data)
	return int(n), size
}

// Pack appends the codes that a text has in any list of this table, this one included.
func (t *Texts) Pack(to, text []byte) []byte { return t.table.Pack(to, text) }

// Arrays gives the arrays, which must not be changed.
func (t *Texts) Arrays() Arrays { return Arrays{t.table.encode(), t.data, t.first} }

// FromArrays is a list of n texts by its arrays. Those of a file may deceive until Check has looked at them.
func FromArrays(a Arrays, n int) (*Texts, error) {
	table, err := decodeTable(a.Pieces)
	if err != nil {
		return nil, err
	}
	if len(a.First) != (n+blockOf-1)/blockOf {
		return nil, fmt.Errorf("%d blocks of %d texts", len(a.First), n)
	}
	return &Texts{table, a.Data, a.First, n}, nil
}

// Check makes sure that texts from … to-1 are there and whole. Those who share the work do so at multiples of BlockOf.
func (t *Texts) Check(from, to int) error {
	for b := from / blockOf; b*blockOf < to; b++ {
		end := uint64(len(t.data))
		if b+1 < len(t.first) {
			end = t.first[b+1]
		}
		if b == 0 && t.first[0] != 0 || t.first[b] > end || end > uint64(len(t.data)) {
			return fmt.Errorf("block %d begins at byte %d and ends at %d of %d", b, t.first[b], end, len(t.data))
		}
		if err := t.checkBlock(t.data[t.first[b]:end], min(blockOf, t.len-b*blockOf)); err != nil {
			return fmt.Errorf("block %d: %w", b, err)
		}
	}
	return nil
}

func (t *Texts) checkBlock(data []byte, texts int) error {
	for range texts {
		length, size := binary.Uvarint(data)
		if size <= 0 || length > uint64(len(data)-size) {
			return errors.New("a text is longer than its block")
		}
		if err := t.table.check(data[size : size+int(length)]); err != nil {
			return err
		}
		data = data[size+int(length):]
	}
	if len(data) > 0 {
		return fmt.Errorf("%d bytes are no text's", len(data))
	}
	return nil
}
