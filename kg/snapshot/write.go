package snapshot

import (
	"context"
	"encoding/binary"
	"hash/crc32"
	"os"
	"slices"

	"github.com/lacuna-kg/lacuna/internal/atomicfile"
	"github.com/lacuna-kg/lacuna/internal/parallel"
	"github.com/lacuna-kg/lacuna/kg"
)

const (
	// writeChunk is written between two looks at the context.
	writeChunk = 4 << 20
	// syncEvery bounds what the last sync of a large file, which nothing interrupts, has left to do.
	syncEvery = 64 << 20
)

// contents holds the bytes of each section; labels that a graph lacks are not in it.
type contents map[sectionKind][]byte

// Write writes a graph and its held-out facts to a file that Open reads. The file
// appears whole or not at all, whatever ends the writing. Equal graphs give equal bytes.
func Write(ctx context.Context, path string, s *kg.Splits) error {
	// What would be refused at opening is refused here, where its maker can still be found.
	if err := check(s); err != nil {
		return kg.Errorf(kg.Invalid, path, "not written: %v", err)
	}
	f, err := atomicfile.Create(path)
	if err != nil {
		return kg.WriteError(path, err)
	}
	defer f.Abort() // no effect after Commit
	w := &chunkWriter{ctx: ctx, file: f.File, path: path, forget: s.Train.Forget}
	if err := w.writeSections(contentsOf(s)); err != nil {
		return kg.WriteError(path, err)
	}
	return kg.WriteError(path, f.Commit())
}

func contentsOf(s *kg.Splits) contents {
	a := s.Train.Arrays()
	c := contents{
		sectionFacts:   factsOf(a),
		graphFirst:     bytesOf(a.First),
		graphRelations: bytesOf(a.EdgeRelations),
		graphTails:     bytesOf(a.EdgeTails),
		heldOutValid:   bytesOf(s.Valid),
		heldOutTest:    bytesOf(s.Test),
	}
	c.putNames(entityText, a.Entities.Names)
	c.putNames(relationText, a.Relations.Names)
	c.putLabels(entityLabelText, a.Entities.Labels)
	c.putLabels(relationLabelText, a.Relations.Labels)
	c.putStated(a.LabelTriples)
	c.putPrefixes(a.Prefixes)
	c.putNamed(a.Named)
	c.putAnnotations(a.Annotations)
	if len(a.Denied) > 0 {
		c[deniedFacts] = bytesOf(a.Denied)
	}
	return c
}

// factsOf holds what is known of the graph besides its arrays: the number of
// duplicates and the digests of both lists of names.
func factsOf(a kg.Arrays) []byte {
	facts := binary.LittleEndian.AppendUint64(nil, uint64(a.Duplicates))
	return append(append(facts, a.Entities.Names.Digest[:]...), a.Relations.Names.Digest[:]...)
}

func (c contents) putNames(first sectionKind, n kg.NameArrays) {
	if p := n.Packed; p != nil {
		first = packedInstead(first)
		c[first], c[first+1], c[first+2], c[first+3] = p.Pieces, p.Data, bytesOf(p.First), bytesOf(p.Index)
		c[first+4] = binary.LittleEndian.AppendUint64(nil, uint64(p.Count))
		return
	}
	c[first], c[first+1], c[first+2] = n.Text, bytesOf(n.Ends), bytesOf(n.Slots)
}

func (c contents) putLabels(first sectionKind, l *kg.LabelArrays) {
	if l != nil {
		c[first], c[first+1], c[first+2] = l.Text, bytesOf(l.Ends), bytesOf(l.Order)
	}
}

func (c contents) putStated(l *kg.LabelTripleArrays) {
	if l == nil {
		return
	}
	c.putNames(statedText, l.Extra)
	c[statedFacts] = l.Extra.Digest[:]
	c[statedSubjects], c[statedLiterals] = bytesOf(l.Subjects), bytesOf(l.Literals)
	c[statedByLiteral], c[statedBearers] = bytesOf(l.Stated), bytesOf(l.Bearers)
}

func (c contents) putPrefixes(prefixes []kg.Prefix) {
	for _, p := range prefixes {
		c[statedPrefixes] = append(append(append(append(c[statedPrefixes], p.Name...), 0), p.IRI...), 0)
	}
}

func (c contents) putNamed(n *kg.NamedArrays) {
	if n == nil {
		return
	}
	c[namedNames] = []byte{}
	for _, name := range n.Names {
		c[namedNames] = append(append(c[namedNames], name...), 0)
	}
	c[namedFirst], c[namedFacts], c[namedOnly] = bytesOf(n.First), bytesOf(n.Facts), bytesOf(n.Only)
}

func (c contents) putAnnotations(a *kg.AnnotationArrays) {
	if a == nil {
		return
	}
	c[annotatedFacts], c[annotatedFirst] = bytesOf(a.Facts), bytesOf(a.First)
	c[annotationRelations], c[annotationValues] = bytesOf(a.Relations), bytesOf(a.Values)
	c[annotationText], c[annotationEnds], c[annotationSlots] = a.Text, bytesOf(a.Ends), bytesOf(a.Slots)
}

// layout places the sections and computes their checksums, all at the same time.
func (c contents) layout(forget func()) []section {
	end := headerBytes(len(c))
	sections := make([]section, 0, len(c))
	for kind := range sectionKinds {
		if data, ok := c[kind]; ok {
			sections = append(sections, section{kind: kind, offset: aligned(end), length: uint64(len(data))})
			end = aligned(end) + uint64(len(data))
		}
	}
	parallel.Each(context.Background(), len(sections), func(i int) {
		for piece := range slices.Chunk(c[sections[i].kind], syncEvery) {
			sections[i].checksum = crc32.Update(sections[i].checksum, crc32.MakeTable(crc32.Castagnoli), piece)
			forget()
		}
	})
	return sections
}

// chunkWriter writes in pieces and stops between two of them when its context ends.
type chunkWriter struct {
	ctx     context.Context
	file    *os.File
	path    string
	written uint64
	forget  func() // what was written is not looked at again
}

func (w *chunkWriter) writeSections(c contents) error {
	sections := c.layout(w.forget)
	if err := w.write(encodeHeader(sections)); err != nil {
		return err
	}
	for _, s := range sections {
		if err := w.write(make([]byte, s.offset-w.written)); err != nil {
			return err
		}
		if err := w.write(c[s.kind]); err != nil {
			return err
		}
	}
	return nil
}

func (w *chunkWriter) write(data []byte) error {
	for len(data) > 0 {
		if err := w.ctx.Err(); err != nil {
			return kg.Errorf(kg.Cancelled, w.path, "not written: %v", err)
		}
		n, err := w.file.Write(data[:min(writeChunk, len(data))])
		if err != nil {
			return err
		}
		before := w.written / syncEvery
		data, w.written = data[n:], w.written+uint64(n)
		if w.written/syncEvery > before {
			if err := w.file.Sync(); err != nil {
				return err
			}
			w.forget()
		}
	}
	return nil
}
