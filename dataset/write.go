package dataset

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/lacuna-kg/lacuna/internal/atomicfile"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// Writer writes a file of queries in the own format as a stream. Queries of one
// shape stay in their order; shapes are told apart, so that a reader finds one
// without the others. Nothing stands under the file's name before Close.
// It serves one goroutine at a time.
type Writer struct {
	path    string
	header  Header
	file    *atomicfile.File // nil once closed or aborted
	buffer  *bufio.Writer
	out     io.Writer // buffer and checksum
	sum     crc
	encoder *zstd.Encoder

	pending map[pendingKey]*pendingBlock
	order   []*pendingBlock // in the order of first appearance, for the same bytes each time
	held    int             // bytes pending in all blocks together
	written int             // queries so far
	counts  shapeCounts
	blocks  []blockEntry
	splits  query.Templates
	err     error // what made the file useless
}

// pendingKey tells apart the queries that may share a block.
type pendingKey struct {
	template *query.Template
	absent   Parts
}

type pendingBlock struct {
	blockBuilder
	pendingKey
}

// maxHeld bounds what a stream of very many shapes keeps in memory.
const maxHeld = 32 * blockTarget

// Create starts a file of queries. Each must be closed or aborted.
func Create(path string, header Header) (*Writer, error) {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false),
		zstd.WithEncoderLevel(zstd.SpeedBetterCompression))
	if err != nil {
		return nil, err
	}
	prefix, err := encodePrefix(header)
	if err != nil {
		return nil, err
	}
	file, err := atomicfile.Create(path)
	if err != nil {
		return nil, kg.WriteError(path, err)
	}
	w := &Writer{
		path: path, header: header, file: file, buffer: bufio.NewWriterSize(file, 1<<16), encoder: encoder,
		pending: map[pendingKey]*pendingBlock{},
	}
	w.out = io.MultiWriter(w.buffer, &w.sum)
	_, w.err = w.out.Write(prefix)
	return w, nil
}

// Write adds a query. One that is refused leaves the file as it was.
func (w *Writer) Write(q Query) error {
	if w.file == nil {
		return kg.Errorf(kg.Failure, w.path, "the file of queries is closed already")
	}
	if w.err != nil {
		return kg.WriteError(w.path, w.err)
	}
	block, numbers, err := w.blockOf(q)
	if err != nil {
		return err
	}
	before := block.size
	block.add(numbers, q)
	w.held += block.size - before
	w.counts.add(block.template.String(), q)
	w.written++
	if block.full() {
		w.err = w.flush(block)
	} else if w.held > maxHeld {
		w.err = w.flushAll()
	}
	return kg.WriteError(w.path, w.err)
}

// blockOf checks a query and gives the block it goes to, and its numbers.
func (w *Writer) blockOf(q Query) (*pendingBlock, []uint32, error) {
	if err := checkQuery(q, w.header.bounds()); err != nil {
		return nil, nil, kg.Errorf(kg.Invalid, w.path, "query %d: %v", w.written, err)
	}
	template, numbers := w.splits.Split(q.Expr)
	if !fitsFiles(template) {
		return nil, nil, kg.Errorf(kg.TooLarge, w.path, "query %d: %v", w.written, errTemplateSize)
	}
	key := pendingKey{template, q.Absent}
	block := w.pending[key]
	if block == nil {
		block = &pendingBlock{pendingKey: key}
		w.pending[key] = block
		w.order = append(w.order, block)
	}
	return block, numbers, nil
}

func (w *Writer) flush(block *pendingBlock) error {
	if block.queries == 0 {
		return nil
	}
	if block.size > maxBlock {
		return kg.Errorf(kg.TooLarge, w.path, "a query of shape %s has more answers than a block of %d bytes holds", block.template, maxBlock)
	}
	w.held -= block.size
	entry := blockEntry{Shape: block.template.String(), Template: block.template.Code(), Absent: block.absent, Queries: block.queries}
	compressed := w.encoder.EncodeAll(block.bytes(), nil)
	entry.Bytes = len(compressed)
	w.blocks = append(w.blocks, entry)
	_, err := w.out.Write(compressed)
	return err
}

// flushAll closes all blocks and forgets their templates, of which there may be very many.
func (w *Writer) flushAll() error {
	for _, block := range w.order {
		if err := w.flush(block); err != nil {
			return err
		}
	}
	clear(w.pending)
	w.order, w.splits = w.order[:0], query.Templates{}
	return nil
}

// Close writes the rest and gives the file its name once it is safely on disk.
func (w *Writer) Close() error {
	if w.file == nil {
		return kg.Errorf(kg.Failure, w.path, "the file of queries is closed already")
	}
	defer w.Abort() // no effect after a commit
	if w.err == nil {
		w.err = w.finish()
	}
	return kg.WriteError(w.path, w.err)
}

func (w *Writer) finish() error {
	if err := w.flushAll(); err != nil {
		return err
	}
	if err := w.writeEnd(); err != nil {
		return err
	}
	if err := w.buffer.Flush(); err != nil {
		return err
	}
	return w.file.Commit()
}

func (w *Writer) writeEnd() error {
	list, err := json.Marshal(index{Shapes: w.counts.list, Blocks: w.blocks})
	if err != nil {
		return err
	}
	list = binary.LittleEndian.AppendUint32(list, uint32(len(list)))
	if _, err := w.out.Write(list); err != nil {
		return err
	}
	end := binary.LittleEndian.AppendUint32(nil, w.sum.sum)
	_, err = w.out.Write(append(end, endMark...))
	return err
}

// Abort gives up and removes what was written. After Close it does nothing.
func (w *Writer) Abort() {
	if w.file != nil {
		w.file.Abort()
		w.file = nil
	}
}
