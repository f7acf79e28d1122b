package links

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"

	"github.com/lacuna-kg/lacuna/internal/mapped"
	"github.com/lacuna-kg/lacuna/kg"
)

// A file of rows is mapped into memory and read in place. All numbers are little-endian.
//
//	8 bytes  "LACUNA\x1aL"
//	uint32   version of the format
//	uint32   length of the header
//	         the header, JSON (Header)
//	uint32   checksum of everything above
//	uint64   for each relation and once more: the number of its first row
//	uint32   for each row: its head, ascending within a relation
//	uint64   for each row and once more: where it begins
//	         the rows (code.go)
//
// Checksums are CRC-32C.
const (
	fileMark      = "LACUNA\x1aL"
	fileVersion   = 1
	preambleBytes = 16
	maxHeader     = 1 << 20
)

// Header says what the rows of a file are.
type Header struct {
	Origin
	Rows        int    `json:"rows"`
	Bytes       int64  `json:"bytes"` // of the rows themselves
	IndexSum    uint32 `json:"index_checksum"`
	RowsSum     uint32 `json:"rows_checksum"`
	Entities    int    `json:"entities"`
	Relations   int    `json:"relations"` // inverses counted
	LinksInRows int    `json:"links"`     // predicted ones
}

// DefaultTop is how many predicted links of a row a file holds unless it is told otherwise:
// what ranks behind them in its row is found by chance only.
const DefaultTop = 200

// Origin is what rows depend on: with the same, and for the same pairs, they are the same.
type Origin struct {
	Graph string  `json:"graph"` // GraphHash
	Model string  `json:"model"` // a hash of the network
	Name  string  `json:"model_name"`
	Map   Map     `json:"map"`
	Least float32 `json:"least"`         // links below this probability are not in a row
	Top   int     `json:"top,omitempty"` // nor those behind so many; 0 is no bound
	// Literals tells that numbers and dates are predicted.
	Literals bool `json:"literals,omitempty"`
}

// GraphHash identifies the facts of a graph, names and numbers.
func GraphHash(g *kg.Graph) string {
	hash := sha256.New()
	vocabulary := g.Hash()
	hash.Write(vocabulary[:])
	var line []byte
	for h := range kg.Entity(g.NumEntities()) {
		relations, tails := g.Edges(h)
		line = binary.LittleEndian.AppendUint32(line[:0], uint32(len(tails)))
		for i, r := range relations {
			line = binary.LittleEndian.AppendUint32(line, uint32(r))
			line = binary.LittleEndian.AppendUint32(line, uint32(tails[i]))
		}
		hash.Write(line)
	}
	for _, t := range g.Denied() {
		hash.Write(fmt.Appendf(nil, "!%d %d %d\n", t.Head, t.Relation, t.Tail))
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// File is a file of rows. Any number of goroutines may read it.
type File struct {
	Header
	path                         string
	firsts, heads, offsets, rows []byte
	release                      func() error
}

// OpenFile maps a file of rows and checks it.
func OpenFile(path string) (*File, error) {
	data, release, err := mapPath(path)
	if err != nil {
		return nil, err
	}
	f, err := newFile(data)
	if err != nil {
		_ = release() // the error to report is the one that came first
		return nil, kg.Errorf(kg.Invalid, path, "%v", err)
	}
	f.path, f.release = path, release
	return f, nil
}

func mapPath(path string) ([]byte, func() error, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, kg.Errorf(kg.NotFound, path, "there is no such file")
	case err != nil:
		return nil, nil, err
	case !info.Mode().IsRegular() || info.Size() == 0:
		return nil, nil, kg.Errorf(kg.Invalid, path, "expected a file of links, as lacuna links makes it")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close() // a mapping outlives its file descriptor
	return mapped.File(f, int(info.Size()))
}

// Close lets go of the file. No row may be asked for afterwards.
func (f *File) Close() error { return f.release() }

func newFile(data []byte) (*File, error) {
	header, rest, err := readHeader(data)
	if err != nil {
		return nil, err
	}
	f := &File{Header: header}
	sizes := []uint64{8 * (uint64(header.Relations) + 1), 4 * uint64(header.Rows), 8 * (uint64(header.Rows) + 1), uint64(header.Bytes)}
	if want := sizes[0] + sizes[1] + sizes[2] + sizes[3]; uint64(len(rest)) != want {
		return nil, fmt.Errorf("%d bytes after the header, expected %d", len(rest), want)
	}
	if index := len(rest) - int(header.Bytes); checksum(rest[:index]) != header.IndexSum || checksum(rest[index:]) != header.RowsSum {
		return nil, errors.New("corrupt: a checksum does not match")
	}
	for i, part := range []*[]byte{&f.firsts, &f.heads, &f.offsets, &f.rows} {
		*part, rest = rest[:sizes[i]], rest[sizes[i]:]
	}
	return f, f.checkIndex()
}

func readHeader(data []byte) (h Header, rest []byte, err error) {
	switch {
	case !bytes.HasPrefix(data, []byte(fileMark)) || len(data) < preambleBytes:
		return h, nil, errors.New("not a file of links, as lacuna links makes it")
	case binary.LittleEndian.Uint32(data[8:]) != fileVersion:
		return h, nil, fmt.Errorf("links of format %d, this release reads format %d", binary.LittleEndian.Uint32(data[8:]), fileVersion)
	}
	length := binary.LittleEndian.Uint32(data[12:])
	if length > maxHeader || len(data) < preambleBytes+int(length)+4 {
		return h, nil, errors.New("truncated")
	}
	end := preambleBytes + int(length)
	if checksum(data[:end]) != binary.LittleEndian.Uint32(data[end:]) {
		return h, nil, errors.New("corrupt: the header's checksum does not match")
	}
	if err := json.Unmarshal(data[preambleBytes:end], &h); err != nil {
		return h, nil, fmt.Errorf("its header: %w", err)
	}
	const most = 1 << 40 // sums of sizes stay far from overflow
	if min(h.Rows, h.Relations, h.Entities) < 0 || h.Bytes < 0 || max(int64(h.Rows), int64(h.Relations), int64(h.Entities), h.Bytes) > most {
		return h, nil, errors.New("its header gives sizes that no file has")
	}
	return h, data[end+4:], h.Map.Check()
}

// checkIndex holds the index to what find and row rely on.
func (f *File) checkIndex() error {
	last := uint64(0)
	for r := range f.Relations + 1 {
		first := f.first(r)
		if first < last || first > uint64(f.Rows) || r == 0 && first != 0 {
			return errors.New("corrupt: relations out of order")
		}
		last = first
	}
	if last != uint64(f.Rows) {
		return errors.New("corrupt: rows of no relation")
	}
	last = 0
	for i := range f.Rows + 1 {
		at := f.offset(i)
		if at < last || at > uint64(f.Bytes) || i == 0 && at != 0 {
			return errors.New("corrupt: rows out of order")
		}
		last = at
	}
	if last != uint64(f.Bytes) {
		return errors.New("corrupt: bytes of no row")
	}
	return nil
}

func (f *File) first(r int) uint64  { return binary.LittleEndian.Uint64(f.firsts[8*r:]) }
func (f *File) head(i int) uint32   { return binary.LittleEndian.Uint32(f.heads[4*i:]) }
func (f *File) offset(i int) uint64 { return binary.LittleEndian.Uint64(f.offsets[8*i:]) }

// Fits refuses a file of another graph or model. A nil file fits all.
func (f *File) Fits(g *kg.Graph, model string) error {
	switch {
	case f == nil:
	case f.Graph != GraphHash(g):
		return kg.Errorf(kg.Invalid, f.path, "its links are those of another graph, or of this one with other facts: make them again with lacuna links")
	case f.Model != model:
		return kg.Errorf(kg.Invalid, f.path, "its links were made by another model, %s", f.Name)
	}
	return nil
}

// find gives the number of a pair's row, if the file has it.
func (f *File) find(p Pair) (number int, found bool) {
	if int(p.Relation) >= f.Relations {
		return 0, false
	}
	low, high := int(f.first(int(p.Relation))), int(f.first(int(p.Relation)+1))
	for end := high; low < end; {
		if middle := (low + end) / 2; f.head(middle) < uint32(p.Head) {
			low = middle + 1
		} else {
			end = middle
		}
	}
	return low, low < high && f.head(low) == uint32(p.Head)
}

// row gives the predicted links of a pair, if the file has it.
func (f *File) row(p Pair) (row Row, found bool, err error) {
	at, found := f.find(p)
	if !found {
		return row, false, nil
	}
	row, err = f.numbered(at)
	return row, err == nil, err
}

// numbered gives the predicted links of a row by its number.
func (f *File) numbered(at int) (Row, error) {
	row, err := readRow(f.rows[f.offset(at):f.offset(at+1)], f.Entities)
	if err != nil {
		err = kg.Errorf(kg.Invalid, f.path, "corrupt: %v", err)
	}
	return row, err
}

func checksum(data []byte) uint32 { return crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)) }
