package kg

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"sync"
	"sync/atomic"
)

// OpenSnapshot maps a file that WriteSnapshot wrote. Every checksum and the
// structure of every array are checked first, so that a graph from a snapshot is as
// sound as one built in memory even where the file was made to deceive. Close the
// graph to unmap the file. Held-out triples are copies that outlive it.
func OpenSnapshot(path string) (*Splits, error) {
	data, release, err := mapPath(path)
	if err != nil {
		return nil, err
	}
	s, err := decodeSnapshot(data)
	if err != nil {
		_ = release() // the error to report is the one that came first
		return nil, Errorf(Invalid, path, "%v", err)
	}
	s.Train.use(&mappedFile{unmap: release})
	return s, nil
}

// mappedFile is a file whose memory several graphs may use: it stays mapped until the last of them is closed.
type mappedFile struct {
	unmap func() error
	users atomic.Int64
}

// use makes g one of the users of a file until it is closed, once or more often.
func (g *Graph) use(f *mappedFile) {
	f.users.Add(1)
	g.file = f
	g.release = sync.OnceValue(func() error {
		if f.users.Add(-1) > 0 {
			return nil
		}
		return f.unmap()
	})
}

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
		return nil, nil, Errorf(TooLarge, path, "%d bytes are more than this machine can address", info.Size())
	}
	data, release, err = mapFile(f, int(info.Size()))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return data, release, nil
}

func checkRegular(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Errorf(NotFound, path, "there is no such file")
	case err != nil:
		return err
	case info.IsDir():
		return Errorf(Invalid, path, "a folder, expected a snapshot")
	case !info.Mode().IsRegular():
		return Errorf(Invalid, path, "not a regular file, expected a snapshot")
	}
	return nil
}

// decodeSnapshot gives the Splits whose arrays lie in data.
func decodeSnapshot(data []byte) (*Splits, error) {
	sections, err := decodeHeader(data)
	if err != nil {
		return nil, err
	}
	if err := verifyChecksums(data, sections); err != nil {
		return nil, fmt.Errorf("a corrupt snapshot: %w", err)
	}
	c := contents{}
	for _, s := range sections {
		c[s.kind] = data[s.offset : s.offset+s.length]
	}
	s, err := c.splits()
	if err == nil {
		err = s.check()
	}
	if err != nil {
		return nil, fmt.Errorf("a corrupt snapshot: %w", err)
	}
	return s, nil
}

// verifyChecksums looks at every byte behind the header, the gaps included.
func verifyChecksums(data []byte, sections []section) error {
	end := headerBytes(len(sections))
	var checks []func() error
	for _, s := range sections {
		gap, held := data[end:s.offset], data[s.offset:s.offset+s.length]
		end = s.offset + s.length
		checks = append(checks, func() error {
			if checksum(held) != s.checksum {
				return fmt.Errorf("the checksum of the %s does not match", s.kind)
			}
			if slices.ContainsFunc(gap, func(b byte) bool { return b != 0 }) {
				return fmt.Errorf("the gap before the %s is not empty", s.kind)
			}
			return nil
		})
	}
	return allOf(checks...)
}

// allOf runs checks side by side and gives the first error, by the order of the
// checks and not of time, so that the same file always gives the same message.
func allOf(checks ...func() error) error {
	found := make([]error, len(checks))
	var wait sync.WaitGroup
	for i, check := range checks {
		wait.Go(func() { found[i] = check() })
	}
	wait.Wait()
	for _, err := range found {
		if err != nil {
			return err
		}
	}
	return nil
}

// splits puts the arrays where they belong, unchecked but for their being there and whole.
func (c contents) splits() (*Splits, error) {
	for kind := sectionFacts; kind < sectionKinds; kind++ {
		if _, ok := c[kind]; !ok && !kind.optional() {
			return nil, fmt.Errorf("the %s are missing", kind)
		}
	}
	r := &contentsReader{from: c}
	v := &Vocabulary{
		Entities:  Dictionary{r.names(entityText), r.labels(entityLabelText)},
		Relations: Dictionary{r.names(relationText), r.labels(relationLabelText)},
	}
	g := &Graph{
		Vocabulary: v,
		first:      readNumbers[uint64](r, graphFirst),
		relations:  readNumbers[Relation](r, graphRelations),
		tails:      readNumbers[Entity](r, graphTails),
	}
	r.facts(g)
	s := &Splits{g, slices.Clone(readNumbers[Triple](r, heldOutValid)), slices.Clone(readNumbers[Triple](r, heldOutTest))}
	return s, r.err
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

func (r *contentsReader) names(first sectionKind) *Names {
	return &Names{text: r.from[first], ends: readNumbers[uint64](r, first+1), slots: readNumbers[slot](r, first+2)}
}

// labels gives nil where all three sections are absent.
func (r *contentsReader) labels(first sectionKind) *Labels {
	present := 0
	for kind := first; kind < first+3; kind++ {
		if _, ok := r.from[kind]; ok {
			present++
		}
	}
	if present == 0 {
		return nil
	}
	if present < 3 {
		r.fail("only %d of the 3 sections of %s", present, first)
	}
	return &Labels{text: r.from[first], ends: readNumbers[uint64](r, first+1), order: readNumbers[uint32](r, first+2)}
}

// facts is the way back of factsOf. The digests are taken as they stand, as
// computing them would take longer than all other checks.
func (r *contentsReader) facts(g *Graph) {
	const digest = len(g.Entities.Names.digest)
	facts := r.from[sectionFacts]
	if len(facts) != 8+2*digest {
		r.fail("%d bytes of %s, expected %d", len(facts), sectionFacts, 8+2*digest)
		return
	}
	duplicates := binary.LittleEndian.Uint64(facts)
	if duplicates > math.MaxInt {
		r.fail("%d duplicate triples are more than this machine can count", duplicates)
	}
	g.duplicates = int(duplicates)
	g.Entities.Names.setDigest(facts[8 : 8+digest])
	g.Relations.Names.setDigest(facts[8+digest:])
}

func (n *Names) setDigest(digest []byte) {
	n.once.Do(func() { copy(n.digest[:], digest) })
}
