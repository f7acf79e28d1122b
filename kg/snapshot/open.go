package snapshot

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lacuna-kg/lacuna/internal/mapped"
	"github.com/lacuna-kg/lacuna/internal/packed"
	"github.com/lacuna-kg/lacuna/internal/parallel"
	"github.com/lacuna-kg/lacuna/kg"
)

// Open maps a file that Write wrote. Every checksum and the structure of every
// array are checked first, so that a graph from a snapshot is as sound as one built
// in memory even where the file was made to deceive. Close the graph to unmap the
// file. Held-out triples are copies that outlive it.
func Open(path string) (*kg.Splits, error) { return open(path, decode) }

func open(path string, decode decoder) (*kg.Splits, error) {
	data, unmap, err := mapPath(path)
	if err != nil {
		return nil, err
	}
	s, err := decode(data, unmap)
	if err != nil {
		_ = unmap() // the error to report is the one that came first
		return nil, kg.Errorf(kg.Invalid, path, "%v", err)
	}
	return s, nil
}

// decoder gives the Splits whose arrays lie in data, which is released with its graph.
type decoder func(data []byte, release func() error) (*kg.Splits, error)

func mapPath(path string) (data []byte, release func() error, err error) {
	// Before opening, as opening a named pipe would wait for its writer.
	if err := checkRegular(path); err != nil {
		return nil, nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close() // a mapping outlives its file descriptor
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, nil, err
	case info.Size() == 0: // which mmap refuses
		return nil, func() error { return nil }, nil
	case int64(int(info.Size())) != info.Size():
		return nil, nil, kg.Errorf(kg.TooLarge, path, "%d bytes are more than this machine can address", info.Size())
	}
	data, release, err = mapped.File(f, int(info.Size()))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return data, release, nil
}

func checkRegular(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return kg.Errorf(kg.NotFound, path, "there is no such file")
	case err != nil:
		return err
	case info.IsDir():
		return kg.Errorf(kg.Invalid, path, "a folder, expected a snapshot")
	case !info.Mode().IsRegular():
		return kg.Errorf(kg.Invalid, path, "not a regular file, expected a snapshot")
	}
	return nil
}

// decode is the decoder that checks everything.
func decode(data []byte, release func() error) (*kg.Splits, error) {
	sections, err := decodeHeader(data)
	if err != nil {
		return nil, err
	}
	if err := verifyChecksums(data, sections); err != nil {
		return nil, fmt.Errorf("a corrupt snapshot: %w", err)
	}
	s, err := contentsIn(data, sections).splits(kg.FromArrays, release)
	if err != nil {
		return nil, fmt.Errorf("a corrupt snapshot: %w", err)
	}
	return s, nil
}

func contentsIn(data []byte, sections []section) contents {
	c := contents{}
	for _, s := range sections {
		c[s.kind] = data[s.offset : s.offset+s.length]
	}
	return c
}

// verifyChecksums looks at every byte behind the header, the gaps included.
func verifyChecksums(data []byte, sections []section) error {
	return parallel.Check(len(sections), func(i int) error { return verifyChecksum(data, sections, i) })
}

// verifyChecksum looks at a section and the gap before it.
func verifyChecksum(data []byte, sections []section, i int) error {
	s, end := sections[i], headerBytes(len(sections))
	if i > 0 {
		end = sections[i-1].offset + sections[i-1].length
	}
	if checksum(data[s.offset:s.offset+s.length]) != s.checksum {
		return fmt.Errorf("the checksum of the %s does not match", s.kind)
	}
	if slices.ContainsFunc(data[end:s.offset], func(b byte) bool { return b != 0 }) {
		return fmt.Errorf("the gap before the %s is not empty", s.kind)
	}
	return nil
}

// splits puts the arrays where they belong; fromArrays checks what they say.
func (c contents) splits(fromArrays func(kg.Arrays, func() error) (*kg.Graph, error), release func() error) (*kg.Splits, error) {
	for kind := sectionFacts; kind < sectionKinds; kind++ {
		if _, ok := c[kind]; !ok && !kind.optional() {
			return nil, fmt.Errorf("the %s are missing", kind)
		}
	}
	r := &contentsReader{from: c}
	arrays := r.arrays()
	valid, test := slices.Clone(readNumbers[kg.Triple](r, heldOutValid)), slices.Clone(readNumbers[kg.Triple](r, heldOutTest))
	if r.err != nil {
		return nil, r.err
	}
	g, err := fromArrays(arrays, release)
	if err != nil {
		return nil, err
	}
	s := &kg.Splits{Train: g, Valid: valid, Test: test}
	return s, checkHeldOut(s)
}

// contentsReader takes arrays from sections and keeps the first error.
type contentsReader struct {
	from contents
	err  error
}

func (r *contentsReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

func readNumbers[T number](r *contentsReader, kind sectionKind) []T {
	data := r.from[kind]
	if len(data)%sizeOf[T]() != 0 {
		r.fail("%d bytes of %s, expected a multiple of %d", len(data), kind, sizeOf[T]())
		return nil
	}
	return numbersOf[T](data)
}

// arrays takes those of the graph, unchecked but for their being there and whole.
func (r *contentsReader) arrays() kg.Arrays {
	a := kg.Arrays{
		Entities:      kg.DictionaryArrays{Names: r.names(entityText), Labels: r.labels(entityLabelText)},
		Relations:     kg.DictionaryArrays{Names: r.names(relationText), Labels: r.labels(relationLabelText)},
		First:         readNumbers[uint64](r, graphFirst),
		EdgeRelations: readNumbers[kg.Relation](r, graphRelations),
		EdgeTails:     readNumbers[kg.Entity](r, graphTails),
		LabelTriples:  r.stated(),
		Prefixes:      r.prefixes(),
		Named:         r.named(),
		Annotations:   r.annotations(),
		Denied:        slices.Clone(readNumbers[kg.Triple](r, deniedFacts)),
	}
	r.facts(&a)
	return a
}

func (r *contentsReader) names(first sectionKind) kg.NameArrays {
	packed := r.present(packedInstead(first), int(packedSections))
	switch plain := r.present(first, 3); {
	case packed && plain:
		r.fail("%s that are packed and others that are not", first)
	case packed:
		return r.packedNames(packedInstead(first))
	case !plain:
		r.fail("the %s are missing", first)
	}
	return kg.NameArrays{Text: r.from[first], Ends: readNumbers[uint64](r, first+1), Slots: readNumbers[kg.Slot](r, first+2)}
}

func (r *contentsReader) packedNames(first sectionKind) kg.NameArrays {
	count := r.from[first+4]
	if len(count) != 8 || binary.LittleEndian.Uint64(count) > math.MaxInt32 {
		r.fail("the %s is none", first+4)
		return kg.NameArrays{}
	}
	return kg.NameArrays{Packed: &kg.PackedArrays{
		Arrays: packed.Arrays{Pieces: r.from[first], Data: r.from[first+1], First: readNumbers[uint64](r, first+2)},
		Index:  readNumbers[uint32](r, first+3),
		Count:  int(binary.LittleEndian.Uint64(count)),
	}}
}

// labels gives nil where all three sections are absent.
func (r *contentsReader) labels(first sectionKind) *kg.LabelArrays {
	if !r.present(first, 3) {
		return nil
	}
	return &kg.LabelArrays{Text: r.from[first], Ends: readNumbers[uint64](r, first+1), Order: readNumbers[uint32](r, first+2)}
}

// present tells whether so many sections are there; all are, or none.
func (r *contentsReader) present(first sectionKind, sections int) bool {
	present := 0
	for kind := range sectionKind(sections) {
		if _, ok := r.from[first+kind]; ok {
			present++
		}
	}
	if present > 0 && present < sections {
		r.fail("only %d of the %d sections of %s", present, sections, first)
	}
	return present > 0
}

// stated gives nil where the data stated no labels.
func (r *contentsReader) stated() *kg.LabelTripleArrays {
	if !r.present(statedFacts, int(statedPrefixes-statedFacts)) {
		if r.present(statedText, 3) || r.present(packedStatedPieces, int(packedSections)) {
			r.fail("%s without labels", statedText)
		}
		return nil
	}
	l := &kg.LabelTripleArrays{
		Extra:    r.names(statedText),
		Subjects: readNumbers[kg.Entity](r, statedSubjects), Literals: readNumbers[kg.Entity](r, statedLiterals),
		Stated: readNumbers[kg.Entity](r, statedByLiteral), Bearers: readNumbers[kg.Entity](r, statedBearers),
	}
	if len(r.from[statedFacts]) != len(l.Extra.Digest) {
		r.fail("%d bytes of %s, expected %d", len(r.from[statedFacts]), statedFacts, len(l.Extra.Digest))
	}
	copy(l.Extra.Digest[:], r.from[statedFacts])
	return l
}

// prefixes is the way back of putPrefixes.
func (r *contentsReader) prefixes() (prefixes []kg.Prefix) {
	data, given := r.from[statedPrefixes]
	if !given {
		return nil
	}
	parts := strings.Split(string(data), "\x00")
	if len(parts)%2 == 0 || parts[len(parts)-1] != "" || !utf8.Valid(data) {
		r.fail("the %s are not names and IRIs in turn", statedPrefixes)
		return nil
	}
	for i := 0; i+1 < len(parts); i += 2 {
		prefixes = append(prefixes, kg.Prefix{Name: parts[i], IRI: parts[i+1]})
	}
	return prefixes
}

// named is the way back of putNamed; nil where no graph has a name.
func (r *contentsReader) named() *kg.NamedArrays {
	if !r.present(namedNames, int(annotatedFacts-namedNames)) {
		return nil
	}
	data := r.from[namedNames]
	names := strings.Split(string(data), "\x00")
	if names[len(names)-1] != "" || !utf8.Valid(data) {
		r.fail("the %s are not ended by zero bytes", namedNames)
		return nil
	}
	return &kg.NamedArrays{
		Names: names[:len(names)-1], First: readNumbers[uint64](r, namedFirst),
		Facts: readNumbers[kg.Triple](r, namedFacts), Only: readNumbers[kg.Triple](r, namedOnly),
	}
}

// annotations is the way back of putAnnotations; nil where no fact has any.
func (r *contentsReader) annotations() *kg.AnnotationArrays {
	if !r.present(annotatedFacts, int(deniedFacts-annotatedFacts)) {
		return nil
	}
	return &kg.AnnotationArrays{
		Facts: readNumbers[kg.Triple](r, annotatedFacts), First: readNumbers[uint64](r, annotatedFirst),
		Relations: readNumbers[uint32](r, annotationRelations), Values: readNumbers[uint32](r, annotationValues),
		Text: r.from[annotationText], Ends: readNumbers[uint64](r, annotationEnds), Slots: readNumbers[kg.Slot](r, annotationSlots),
	}
}

// facts is the way back of factsOf. The digests are taken as they stand, as
// computing them would take longer than all other checks.
func (r *contentsReader) facts(a *kg.Arrays) {
	const digest = len(a.Entities.Names.Digest)
	facts := r.from[sectionFacts]
	if len(facts) != 8+2*digest {
		r.fail("%d bytes of %s, expected %d", len(facts), sectionFacts, 8+2*digest)
		return
	}
	duplicates := binary.LittleEndian.Uint64(facts)
	if duplicates > math.MaxInt {
		r.fail("%d duplicate triples are more than this machine can count", duplicates)
	}
	a.Duplicates = int(duplicates)
	copy(a.Entities.Names.Digest[:], facts[8:])
	copy(a.Relations.Names.Digest[:], facts[8+digest:])
}
