package kg

import (
	"context"
	"encoding/binary"
	"os"
	"sync"

	"github.com/lacuna-kg/lacuna/internal/atomicfile"
)

const (
	// writeChunk is written between two looks at the context.
	writeChunk = 4 << 20
	// syncEvery bounds what the last sync of a large file, which nothing interrupts, has left to do.
	syncEvery = 64 << 20
)

// contents holds the bytes of each section; labels that a graph lacks are not in it.
type contents map[sectionKind][]byte

// WriteSnapshot writes a graph and its held-out facts to a file that OpenSnapshot
// reads. The file appears whole or not at all, whatever ends the writing.
// Equal graphs give equal bytes.
func WriteSnapshot(ctx context.Context, path string, s *Splits) error {
	// What would be refused at opening is refused here, where its maker can still be found.
	if err := s.check(); err != nil {
		return Errorf(Invalid, path, "not written: %v", err)
	}
	f, err := atomicfile.Create(path)
	if err != nil {
		return WriteError(path, err)
	}
	defer f.Abort() // no effect after Commit
	w := &chunkWriter{ctx: ctx, file: f.File, path: path}
	if err := w.writeSections(contentsOf(s)); err != nil {
		return WriteError(path, err)
	}
	return WriteError(path, f.Commit())
}

func contentsOf(s *Splits) contents {
	g := s.Train
	c := contents{
		sectionFacts:   factsOf(g),
		graphFirst:     bytesOf(g.first),
		graphRelations: bytesOf(g.relations),
		graphTails:     bytesOf(g.tails),
		heldOutValid:   bytesOf(s.Valid),
		heldOutTest:    bytesOf(s.Test),
	}
	c.putNames(entityText, g.Entities.Names)
	c.putNames(relationText, g.Relations.Names)
	c.putLabels(entityLabelText, g.Entities.Labels)
	c.putLabels(relationLabelText, g.Relations.Labels)
	return c
}

// factsOf holds what is known of the graph besides its arrays: the number of
// duplicates and the digests of both lists of names.
func factsOf(g *Graph) []byte {
	entities, relations := g.Entities.Names.Digest(), g.Relations.Names.Digest()
	facts := binary.LittleEndian.AppendUint64(nil, uint64(g.duplicates))
	return append(append(facts, entities[:]...), relations[:]...)
}

func (c contents) putNames(first sectionKind, n *Names) {
	c[first], c[first+1], c[first+2] = n.text, bytesOf(n.ends), bytesOf(n.slots)
}

func (c contents) putLabels(first sectionKind, l *Labels) {
	if l != nil {
		c[first], c[first+1], c[first+2] = l.text, bytesOf(l.ends), bytesOf(l.order)
	}
}

// layout places the sections and computes their checksums, all at the same time.
func (c contents) layout() []section {
	end := headerBytes(len(c))
	sections := make([]section, 0, len(c))
	for kind := range sectionKinds {
		if data, ok := c[kind]; ok {
			sections = append(sections, section{kind: kind, offset: aligned(end), length: uint64(len(data))})
			end = aligned(end) + uint64(len(data))
		}
	}
	var wait sync.WaitGroup
	for i := range sections {
		wait.Go(func() { sections[i].checksum = checksum(c[sections[i].kind]) })
	}
	wait.Wait()
	return sections
}

// chunkWriter writes in pieces and stops between two of them when its context ends.
type chunkWriter struct {
	ctx     context.Context
	file    *os.File
	path    string
	written uint64
}

func (w *chunkWriter) writeSections(c contents) error {
	sections := c.layout()
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
			return Errorf(Cancelled, w.path, "not written: %v", err)
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
		}
	}
	return nil
}
