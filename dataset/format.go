package dataset

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash/crc32"

	"github.com/lacuna-kg/lacuna/kg"
)

// The own format, one file a split:
//
//	mark (8 bytes), version (uint32), length of the header (uint32), header (JSON)
//	blocks, each a zstd frame (block.go)
//	index (JSON): the templates with the sizes of their blocks, in the order of the file
//	length of the index (uint32), CRC-32C of everything before (uint32), end mark (8 bytes)
//
// Integers are little-endian. The checksum comes last, so that a set of any size
// is written as a stream, and is compared before the first query is read, so
// that a damaged file gives none. The same queries give the same bytes.
const (
	fileMark      = "LACUNAQ\n"
	endMark       = "\nQUNACAL"
	formatVersion = 1
	prefixBytes   = len(fileMark) + 4 + 4
	suffixBytes   = 4 + 4 + len(endMark)
	// FileSuffix follows the name of the split in the name of a file: test.queries.
	FileSuffix = ".queries"
)

// crc is the running CRC-32C of what was written to it.
type crc struct{ sum uint32 }

func (c *crc) Write(data []byte) (int, error) {
	c.sum = crc32.Update(c.sum, crc32.MakeTable(crc32.Castagnoli), data)
	return len(data), nil
}

// Header says what a file of queries belongs to and where it comes from.
type Header struct {
	Split Split `json:"split"`
	// Vocabulary is the hash of the names that the numbers of the file stand for.
	Vocabulary string     `json:"vocabulary"`
	Entities   int        `json:"entities"`
	Relations  int        `json:"relations"` // with inverses
	Provenance Provenance `json:"provenance"`
}

// Provenance is how a set came to be, enough to make it again.
type Provenance struct {
	Source     string            `json:"source,omitempty"` // the folder or graph it was made from
	Method     string            `json:"method,omitempty"` // "sampled", "converted from BetaE"
	Seed       uint64            `json:"seed,omitempty"`
	Parameters map[string]string `json:"parameters,omitempty"`
}

// NewHeader is the header of a file of queries over a vocabulary.
func NewHeader(split Split, v *kg.Vocabulary, from Provenance) Header {
	return Header{
		Split: split, Vocabulary: vocabularyHash(v), Provenance: from,
		Entities: v.Entities.Names.Len(), Relations: v.NumRelations(),
	}
}

func vocabularyHash(v *kg.Vocabulary) string {
	hash := v.Hash()
	return hex.EncodeToString(hash[:])
}

func (h Header) bounds() bounds { return bounds{uint64(h.Entities), uint64(h.Relations)} }

// index is what the end of a file lists.
type index struct {
	Shapes []ShapeCount `json:"shapes"` // in the order of first appearance
	Blocks []blockEntry `json:"blocks"` // in the order of the file
}

type blockEntry struct {
	Shape    string `json:"shape"`
	Template string `json:"template"`
	Absent   Parts  `json:"absent,omitempty"`
	Queries  int    `json:"queries"`
	Bytes    int    `json:"bytes"` // compressed
}

// encodePrefix is the start of a file up to the first block.
func encodePrefix(h Header) ([]byte, error) {
	header, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	prefix := binary.LittleEndian.AppendUint32([]byte(fileMark), formatVersion)
	prefix = binary.LittleEndian.AppendUint32(prefix, uint32(len(header)))
	return append(prefix, header...), nil
}

// checkMark refuses what is not a file of queries, or is one of a later version.
func checkMark(start []byte, name string) error {
	if !bytes.HasPrefix(start, []byte(fileMark)) {
		if len(start) < len(fileMark) && bytes.HasPrefix([]byte(fileMark), start) {
			return truncated(name)
		}
		return kg.Errorf(kg.Invalid, name, "expected a file of queries made by lacuna, found something else")
	}
	if len(start) < prefixBytes {
		return truncated(name)
	}
	if version := binary.LittleEndian.Uint32(start[len(fileMark):]); version != formatVersion {
		return kg.Errorf(kg.Invalid, name, "the file has format version %d, this lacuna reads version %d; use the lacuna that wrote it or make the set anew", version, formatVersion)
	}
	return nil
}

func truncated(name string) error {
	return kg.Errorf(kg.Invalid, name, "the file of queries is truncated: its end is missing; copy or make it again")
}

func corrupt(name, format string, args ...any) error {
	return kg.Errorf(kg.Invalid, name, "the file of queries is corrupt: "+format, args...)
}
