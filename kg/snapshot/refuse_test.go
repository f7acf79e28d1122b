package snapshot

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
)

// file lays contents out as Write does, whatever is in them.
func (c contents) file() []byte {
	sections := c.layout(func() {})
	data := encodeHeader(sections)
	for _, s := range sections {
		data = append(data, make([]byte, s.offset-uint64(len(data)))...)
		data = append(data, c[s.kind]...)
	}
	return inWords(data)
}

// inWords copies data to where numbers in it are aligned, as those of a mapped file are.
func inWords(data []byte) []byte {
	words := bytesOf(make([]uint64, (len(data)+7)/8))[:len(data)]
	copy(words, data)
	return words
}

// notMapped is the release of data that lies in the memory of the test.
func notMapped() error { return nil }

// reseal makes every checksum right again, as someone who crafts a file would.
func reseal(data []byte) {
	order := binary.LittleEndian
	if len(data) < preambleBytes {
		return
	}
	count := order.Uint32(data[12:])
	if count >= uint32(sectionKinds) || uint64(len(data)) < headerBytes(int(count)) {
		return
	}
	table := data[:headerBytes(int(count))-checksumBytes]
	for line := table[preambleBytes:]; len(line) > 0; line = line[sectionBytes:] {
		offset, length := order.Uint64(line[8:]), order.Uint64(line[16:])
		if offset <= uint64(len(data)) && length <= uint64(len(data))-offset {
			order.PutUint32(line[4:], checksum(data[offset:offset+length]))
		}
	}
	order.PutUint32(data[len(table):], checksum(table))
}

func TestEveryFlippedByteIsRefused(t *testing.T) {
	data := contentsOf(smallSplits()).file()
	for i := range data {
		for _, flip := range []byte{0x01, 0x80, 0xff} {
			data[i] ^= flip
			if _, err := decode(data, notMapped); err == nil {
				t.Errorf("byte %d of %d changed by %#x, and the file opens", i, len(data), flip)
			}
			data[i] ^= flip
		}
	}
	if _, err := decode(data, notMapped); err != nil {
		t.Errorf("the unchanged file: %v", err)
	}
}

func TestEveryTruncationIsRefused(t *testing.T) {
	data := contentsOf(smallSplits()).file()
	for length := range data {
		if _, err := decode(inWords(data[:length]), notMapped); err == nil {
			t.Errorf("the first %d of %d bytes open", length, len(data))
		}
	}
	if _, err := decode(inWords(append(data, 0)), notMapped); err == nil {
		t.Error("a byte more, and the file opens")
	}
}

func TestOpenRefuses(t *testing.T) {
	valid := contentsOf(smallSplits()).file()
	changed := func(at int, to byte) []byte {
		data := slices.Clone(valid)
		data[at] = to
		return data
	}
	tests := []struct {
		name string
		data []byte
		says string
	}{
		{"empty", nil, "an empty file, expected a snapshot"},
		{"text", []byte("alan\tknows\tada\n"), `not a snapshot: it begins with "alan\tkno", expected "LACUNA\x1aG"`},
		{"short text", []byte("hi"), `not a snapshot: it begins with "hi"`},
		{"other Lacuna file", []byte("LACUNA\x1aQ and more bytes"), "not a snapshot"},
		{"part of the mark", valid[:5], "a truncated snapshot: 5 bytes"},
		{"part of the header", valid[:100], "a truncated snapshot: 100 bytes"},
		{"half", valid[:len(valid)/2], "a truncated snapshot"},
		{"newer", changed(8, 7), "a snapshot of format 7, written by a newer release (this one reads up to format 6)"},
		{"format 0", changed(8, 0), "format 0 does not exist"},
		{"too many sections", changed(13, 1), "a corrupt snapshot: 274 sections"},
		{"header", changed(20, 0xaa), "the header's checksum does not match"},
		{"section", changed(len(valid)-1, 0xaa), "the checksum of the test triples does not match"},
		{"trailing", append(slices.Clone(valid), 0), "a corrupt snapshot: "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "graph.lacuna")
			if err := os.WriteFile(path, test.data, 0o666); err != nil {
				t.Fatal(err)
			}
			refused(t, path, kg.Invalid, path+": ", test.says)
		})
	}
	dir := t.TempDir()
	refused(t, dir, kg.Invalid, dir, "a folder, expected a snapshot")
	refused(t, filepath.Join(dir, "none"), kg.NotFound, "none", "there is no such file")
}

func refused(t *testing.T, path string, kind kg.Kind, says ...string) {
	t.Helper()
	s, err := Open(path)
	if err == nil {
		s.Train.Close()
		t.Fatal("it opens")
	}
	if kg.KindOf(err) != kind || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v of kind %d, want one line of kind %d", err, kg.KindOf(err), kind)
	}
	for _, part := range says {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q lacks %q", err, part)
		}
	}
}

func TestIs(t *testing.T) {
	data := contentsOf(smallSplits()).file()
	for length, want := range map[int]bool{0: false, 7: false, 8: true, len(data): true} {
		if Is(data[:length]) != want {
			t.Errorf("of %d bytes: %v", length, !want)
		}
	}
	if Is([]byte("a\tb\tc\nd\te\tf\n")) {
		t.Error("text is a snapshot")
	}
}

// TestUnsoundSnapshotsAreRefused changes one thing at a time behind right checksums.
func TestUnsoundSnapshotsAreRefused(t *testing.T) {
	word32 := func(kind sectionKind, i int, to uint32) func(contents) {
		return func(c contents) { binary.LittleEndian.PutUint32(c[kind][4*i:], to) }
	}
	word64 := func(kind sectionKind, i int, to uint64) func(contents) {
		return func(c contents) { binary.LittleEndian.PutUint64(c[kind][8*i:], to) }
	}
	drop := func(kind sectionKind) func(contents) { return func(c contents) { delete(c, kind) } }
	cut := func(kind sectionKind, by int) func(contents) {
		return func(c contents) { c[kind] = c[kind][:len(c[kind])-by] }
	}
	tests := []struct {
		name   string
		change func(contents)
		says   string
	}{
		{"no rows", drop(graphFirst), "the rows are missing"},
		{"no facts", drop(sectionFacts), "the facts are missing"},
		{"labels without order", drop(entityLabelOrder), "only 2 of the 3 sections of entity labels"},
		{"odd tails", cut(graphTails, 1), "expected a multiple of 4"},
		{"fewer tails", cut(graphTails, 4), "8 relations and 7 tails"},
		{"fewer rows", cut(graphFirst, 8), "4 rows for 5 entities"},
		{"short facts", cut(sectionFacts, 1), "71 bytes of facts, expected 72"},
		{"too many duplicates", word64(sectionFacts, 0, 1<<63), "duplicate triples are more"},
		{"first row", word64(graphFirst, 0, 1), "the first row begins at edge 1"},
		{"falling rows", word64(graphFirst, 2, 1<<40), "rows: number 3 ends at"},
		{"rows beyond", word64(graphFirst, 5, 11), "rows: the last ends at byte 11"},
		{"tail out of range", word32(graphTails, 0, 5), "out of order or out of range"},
		{"relation out of range", word32(graphRelations, 0, 4), "out of order or out of range"},
		{"row out of order", word32(graphRelations, 0, 3), "out of order or out of range"},
		{"lonely edge", word32(graphTails, 0, 4), "the facts of the rows of their heads"},
		{"valid entity", word32(heldOutValid, 0, 5), "validation triple 0 is (5, 2, 3)"},
		{"test relation", word32(heldOutTest, 4, 4), "test triple 1 is (2, 4, 1)"},
		{"half a triple", cut(heldOutTest, 4), "expected a multiple of 12"},
		{"falling ends", word64(entityEnds, 0, 99), "entity names: number 1 ends at byte"},
		{"text beyond", cut(entityText, 1), "entity names: the last ends at byte"},
		{"no power of two", cut(entitySlots, 8), "an index of 15 slots"},
		{"small index", cut(entitySlots, 12*8), "an index of 4 slots for 5 names"},
		{"empty index", cut(relationSlots, 16*8), "relation names: an index of 0 slots for 2 names"},
		{"label ends", word64(entityLabelEnds, 4, 1), "entity labels: number 4 ends at byte"},
		{"label order range", word32(entityLabelOrder, 0, 5), "place 0 of the order holds number 5 of 5"},
		{"order of fewer", cut(entityLabelOrder, 4), "3 of them in order, expected 4"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := contents{}
			for kind, data := range contentsOf(smallSplits()) {
				c[kind] = inWords(data)
			}
			test.change(c)
			_, err := decode(c.file(), notMapped)
			if err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%v, want %q", err, test.says)
			}
		})
	}
}

// TestFormatOneStaysReadable opens a file written when the format was made, and
// holds this release to writing the same.
func TestFormatOneStaysReadable(t *testing.T) {
	path := filepath.Join("testdata", "snapshots", "small-1.lacuna")
	sameSplits(t, openSnapshot(t, path), smallSplits())
	if !bytes.Equal(readAll(t, path), contentsOf(smallSplits()).file()) {
		t.Error("the bytes of a snapshot changed: raise formatVersion and keep the old file")
	}
}

func TestNumbersOnMachinesOfTheOtherOrder(t *testing.T) {
	words := []uint64{1, 1 << 40, 0xfedcba9876543210}
	if got := decodeNumbers[uint64](encodeNumbers(words)); !slices.Equal(got, words) {
		t.Errorf("%x", got)
	}
	triples := []kg.Triple{{Head: 1, Relation: 2, Tail: 3}, {Head: 4, Relation: 5, Tail: 1 << 31}}
	encoded := encodeNumbers(triples)
	if want := []byte{1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0}; !bytes.Equal(encoded[:12], want) || len(encoded) != 24 {
		t.Errorf("% x", encoded)
	}
	if got := decodeNumbers[kg.Triple](encoded); !slices.Equal(got, triples) {
		t.Errorf("%v", got)
	}
	if littleEndian() && !bytes.Equal(bytesOf(triples), encoded) {
		t.Error("memory and file differ on a little-endian machine")
	}
}
