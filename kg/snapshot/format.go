// Package snapshot keeps a graph and its held-out facts in one file that is mapped
// into memory and used in place: opening a graph of millions of facts builds nothing
// and takes the time of checking it (Open), or less where a large file is checked while it is in
// use (OpenTrusting). What the arrays mean is said in package kg; here is how they lie in the file.
package snapshot

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
)

// A snapshot is a Splits as a file that is mapped into memory and used in place.
// All numbers are little-endian.
//
//	8 bytes  "LACUNA\x1aG"
//	uint32   version of the format
//	uint32   number of sections
//	         for each section: uint32 kind, uint32 checksum, uint64 offset, uint64 length
//	uint32   checksum of everything above
//	         the sections
//
// Checksums are CRC-32C. Sections stand in the order of their kinds, each at the
// next multiple of 64 bytes; the gaps are zeros and the last section ends the
// file, so that there is one file for a graph and not a byte in it is unchecked.
const (
	mark          = "LACUNA\x1aG"
	formatVersion = 1 // of files without the sections from statedText on, which older releases read, too
	statedVersion = 2 // of those with them, but none from packedEntityPieces on
	packedVersion = 3 // of those with many names, which are packed, but no named graphs
	namedVersion  = 4 // of those with named graphs, but no annotations
	saidVersion   = 5 // of those with annotations of facts, but none that are known to be false
	newestVersion = 6 // of those with facts known to be false
	sectionAlign  = 64
	preambleBytes = 16 // mark, version, number of sections
	sectionBytes  = 24 // one line of the section table
	checksumBytes = 4
)

// sectionKind numbers what a section holds. Numbers are never reused.
type sectionKind uint32

const (
	sectionFacts sectionKind = iota + 1 // see factsOf
	entityText
	entityEnds
	entitySlots
	relationText
	relationEnds
	relationSlots
	entityLabelText // the three sections of labels are there where labels are
	entityLabelEnds
	entityLabelOrder
	relationLabelText
	relationLabelEnds
	relationLabelOrder
	graphFirst
	graphRelations
	graphTails
	heldOutValid
	heldOutTest
	statedText // label triples, where the data states labels: names that only these have
	statedEnds
	statedSlots
	statedFacts // the digest of these names
	statedSubjects
	statedLiterals
	statedByLiteral
	statedBearers
	statedPrefixes // of the data's file: names and IRIs in turn, each ended by a zero byte

	// Many names stand here, packed, and not in the three sections from entityText, relationText and statedText on.
	packedEntityPieces
	packedEntityTexts
	packedEntityBlocks
	packedEntityIndex
	packedEntityCount
	packedRelationPieces
	packedRelationTexts
	packedRelationBlocks
	packedRelationIndex
	packedRelationCount
	packedStatedPieces
	packedStatedTexts
	packedStatedBlocks
	packedStatedIndex
	packedStatedCount

	namedNames // of named graphs, each ended by a zero byte
	namedFirst
	namedFacts
	namedOnly

	annotatedFacts // annotations of facts, where there are any, and their names
	annotatedFirst
	annotationRelations
	annotationValues
	annotationText
	annotationEnds
	annotationSlots

	deniedFacts  // known to be false
	sectionKinds // one more than the last
)

// packedSections are those of a list of names that is packed.
const packedSections = packedRelationPieces - packedEntityPieces

// packedInstead is the first section of the names that would else stand from first on.
func packedInstead(first sectionKind) sectionKind {
	switch first {
	case entityText:
		return packedEntityPieces
	case relationText:
		return packedRelationPieces
	}
	return packedStatedPieces
}

func (k sectionKind) String() string {
	return [sectionKinds]string{"none", "facts", "entity names", "ends of entity names", "index of entity names",
		"relation names", "ends of relation names", "index of relation names",
		"entity labels", "ends of entity labels", "order of entity labels",
		"relation labels", "ends of relation labels", "order of relation labels",
		"rows", "relations of edges", "tails of edges", "validation triples", "test triples",
		"names of labels", "ends of names of labels", "index of names of labels", "digest of names of labels",
		"subjects of labels", "literals of labels", "literals in order", "bearers of labels", "prefixes",
		"pieces of entity names", "packed entity names", "blocks of entity names", "packed index of entity names", "number of entity names",
		"pieces of relation names", "packed relation names", "blocks of relation names", "packed index of relation names", "number of relation names",
		"pieces of names of labels", "packed names of labels", "blocks of names of labels", "packed index of names of labels", "number of names of labels",
		"names of graphs", "beginnings of named graphs", "facts of named graphs", "facts of named graphs alone",
		"annotated facts", "beginnings of annotations", "relations of annotations", "values of annotations",
		"names of annotations", "ends of names of annotations", "index of names of annotations",
		"facts known to be false",
	}[k]
}

// optional sections are absent from the snapshot of a graph without labels or prefixes, and from one whose names are packed.
func (k sectionKind) optional() bool {
	return k >= entityText && k <= relationLabelOrder || k >= statedText
}

// versionOf is that of a file with these sections.
func versionOf(sections []section) uint32 {
	last := sectionKind(0)
	if len(sections) > 0 {
		last = sections[len(sections)-1].kind
	}
	switch {
	case last >= deniedFacts:
		return newestVersion
	case last >= annotatedFacts:
		return saidVersion
	case last >= namedNames:
		return namedVersion
	case last >= packedEntityPieces:
		return packedVersion
	case last >= statedText:
		return statedVersion
	}
	return formatVersion
}

// section is one line of the section table.
type section struct {
	kind           sectionKind
	checksum       uint32
	offset, length uint64
}

// Is tells by the first eight bytes of a file, or more of them, whether it is a snapshot.
func Is(header []byte) bool { return bytes.HasPrefix(header, []byte(mark)) }

// IsFile looks at the first bytes of a file without moving through it, which a pipe would not forgive.
func IsFile(path string, info fs.FileInfo) bool {
	if !info.Mode().IsRegular() {
		return false
	}
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	head := make([]byte, len(mark))
	n, _ := io.ReadFull(file, head)
	return Is(head[:n])
}

func checksum(data []byte) uint32 { return crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)) }

func aligned(offset uint64) uint64 { return (offset + sectionAlign - 1) / sectionAlign * sectionAlign }

// headerBytes is the length of everything before the sections, without the gap.
func headerBytes(sections int) uint64 {
	return uint64(preambleBytes + sections*sectionBytes + checksumBytes)
}

func encodeHeader(sections []section) []byte {
	order := binary.LittleEndian
	header := []byte(mark)
	header = order.AppendUint32(header, versionOf(sections))
	header = order.AppendUint32(header, uint32(len(sections)))
	for _, s := range sections {
		header = order.AppendUint32(header, uint32(s.kind))
		header = order.AppendUint32(header, s.checksum)
		header = order.AppendUint64(header, s.offset)
		header = order.AppendUint64(header, s.length)
	}
	return order.AppendUint32(header, checksum(header))
}

// decodeHeader reads the section table of a file and checks it against the file's
// length. Its errors say what is wrong; the caller knows with which file.
func decodeHeader(data []byte) ([]section, error) {
	switch {
	case len(data) == 0:
		return nil, fmt.Errorf("an empty file, expected a snapshot")
	case !Is(data) && !bytes.HasPrefix([]byte(mark), data):
		return nil, fmt.Errorf("not a snapshot: it begins with %q, expected %q", data[:min(len(data), len(mark))], mark)
	case len(data) < preambleBytes:
		return nil, truncated(len(data), headerBytes(0))
	}
	order := binary.LittleEndian
	version := order.Uint32(data[8:])
	if version < formatVersion || version > newestVersion {
		return nil, wrongVersion(version)
	}
	count := order.Uint32(data[12:])
	if count >= uint32(sectionKinds) {
		return nil, fmt.Errorf("a corrupt snapshot: %d sections, expected at most %d", count, sectionKinds-1)
	}
	end := headerBytes(int(count))
	if uint64(len(data)) < end {
		return nil, truncated(len(data), end)
	}
	table := data[:end-checksumBytes]
	if order.Uint32(data[len(table):]) != checksum(table) {
		return nil, fmt.Errorf("a corrupt snapshot: the header's checksum does not match")
	}
	sections, err := decodeTable(table[preambleBytes:], end, uint64(len(data)))
	if err == nil && versionOf(sections) != version {
		err = fmt.Errorf("a corrupt snapshot: format %d does not have its sections", version)
	}
	return sections, err
}

func truncated(have int, want uint64) error {
	return fmt.Errorf("a truncated snapshot: %d bytes, expected at least %d", have, want)
}

func wrongVersion(version uint32) error {
	if version > newestVersion {
		return fmt.Errorf("a snapshot of format %d, written by a newer release (this one reads up to format %d)", version, newestVersion)
	}
	return fmt.Errorf("a corrupt snapshot: format %d does not exist, expected %d", version, formatVersion)
}

// decodeTable reads the lines of the section table and holds each section to its
// one place: the caller relies on every section lying within the file.
func decodeTable(table []byte, end, size uint64) ([]section, error) {
	order := binary.LittleEndian
	var sections []section
	last := sectionKind(0)
	for ; len(table) > 0; table = table[sectionBytes:] {
		s := section{sectionKind(order.Uint32(table)), order.Uint32(table[4:]), order.Uint64(table[8:]), order.Uint64(table[16:])}
		switch {
		case s.kind <= last || s.kind >= sectionKinds:
			return nil, fmt.Errorf("a corrupt snapshot: section of kind %d after one of kind %d", s.kind, last)
		case s.offset != aligned(end):
			return nil, fmt.Errorf("a corrupt snapshot: %s at byte %d, expected at %d", s.kind, s.offset, aligned(end))
		case s.offset > size || s.length > size-s.offset:
			return nil, fmt.Errorf("a truncated snapshot: %d bytes, %s of %d bytes expected at byte %d", size, s.kind, s.length, s.offset)
		}
		sections, last, end = append(sections, s), s.kind, s.offset+s.length
	}
	if size != end {
		return nil, fmt.Errorf("a corrupt snapshot: %d bytes, expected %d", size, end)
	}
	return sections, nil
}
