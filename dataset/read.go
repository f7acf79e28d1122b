package dataset

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"iter"
	"math"
	"os"
	"slices"

	"github.com/klauspost/compress/zstd"

	"github.com/lacuna-kg/lacuna/kg"
)

// Reader streams the queries of a file in the own format. Several streams may run at once.
type Reader struct {
	name   string
	from   io.ReaderAt
	close  func() error
	header Header
	index  index
	start  int64 // of the first block
}

// OpenReader opens a file of queries and refuses one that is foreign, of a later
// version, truncated or corrupt.
func OpenReader(path string) (*Reader, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, kg.Errorf(kg.NotFound, path, "there is no such file of queries")
	}
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && info.IsDir() {
		err = kg.Errorf(kg.Invalid, path, "expected a file of queries, found a folder")
	}
	var r *Reader
	if err == nil {
		r, err = newReader(file, info.Size(), path)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	r.close = file.Close
	return r, nil
}

// newReader reads a file of queries of the given size; name stands in errors. The
// checksum is compared at once, so that later reads meet only what was written.
func newReader(from io.ReaderAt, size int64, name string) (*Reader, error) {
	r := &Reader{name: name, from: from, close: func() error { return nil }}
	headerLength, err := r.checkPrefix(size)
	if err != nil {
		return nil, err
	}
	indexLength, err := r.checkSuffix(size)
	if err != nil {
		return nil, err
	}
	r.start = int64(prefixBytes) + headerLength
	indexStart := size - int64(suffixBytes) - indexLength
	if indexStart < r.start {
		return nil, corrupt(name, "its parts overlap")
	}
	if err := r.decode(int64(prefixBytes), headerLength, "header", &r.header); err != nil {
		return nil, err
	}
	if err := r.decode(indexStart, indexLength, "index", &r.index); err != nil {
		return nil, err
	}
	return r, r.check(indexStart)
}

// checkPrefix refuses a foreign file and a later version before anything else is looked at.
func (r *Reader) checkPrefix(size int64) (headerLength int64, err error) {
	start := make([]byte, min(size, int64(prefixBytes)))
	if err := r.read(start, 0); err != nil {
		return 0, err
	}
	if err := checkMark(start, r.name); err != nil {
		return 0, err
	}
	return int64(binary.LittleEndian.Uint32(start[len(fileMark)+4:])), nil
}

// checkSuffix finds the end mark and compares the checksum of the whole file.
func (r *Reader) checkSuffix(size int64) (indexLength int64, err error) {
	if size < int64(prefixBytes+suffixBytes) {
		return 0, truncated(r.name)
	}
	end := make([]byte, suffixBytes)
	if err := r.read(end, size-int64(suffixBytes)); err != nil {
		return 0, err
	}
	if string(end[8:]) != endMark {
		return 0, truncated(r.name)
	}
	var sum crc
	covered := io.NewSectionReader(r.from, 0, size-int64(suffixBytes)+4)
	if _, err := io.CopyBuffer(&sum, covered, make([]byte, min(size, 1<<18))); err != nil {
		return 0, err
	}
	if sum.sum != binary.LittleEndian.Uint32(end[4:]) {
		return 0, corrupt(r.name, "its checksum does not match")
	}
	return int64(binary.LittleEndian.Uint32(end)), nil
}

func (r *Reader) read(into []byte, at int64) error {
	n, err := r.from.ReadAt(into, at)
	if n == len(into) {
		return nil
	}
	if errors.Is(err, io.EOF) {
		return truncated(r.name)
	}
	return err
}

func (r *Reader) decode(at, length int64, what string, into any) error {
	text := make([]byte, length)
	if err := r.read(text, at); err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return corrupt(r.name, "its %s: %v", what, err)
	}
	return nil
}

// check compares what header and index claim with the file.
func (r *Reader) check(indexStart int64) error {
	h := r.header
	if h.Entities < 0 || uint64(h.Entities) > math.MaxUint32 || h.Relations < 0 || uint64(h.Relations) > math.MaxUint32 {
		return corrupt(r.name, "it claims %d entities and %d relations", h.Entities, h.Relations)
	}
	at := r.start
	for i, block := range r.index.Blocks {
		if block.Bytes < 0 || int64(block.Bytes) > indexStart-at || block.Queries < 0 || block.Absent > EasyAnswers|HardAnswers {
			return corrupt(r.name, "entry %d of its index", i)
		}
		at += int64(block.Bytes)
	}
	if at != indexStart {
		return corrupt(r.name, "its blocks end at byte %d, its index starts at %d", at, indexStart)
	}
	return nil
}

// Header is what the file says about itself.
func (r *Reader) Header() Header { return r.header }

// Shapes counts the queries of the file without reading them.
func (r *Reader) Shapes() []ShapeCount { return slices.Clone(r.index.Shapes) }

// Close ends the use of the file; streams must not be used afterwards.
func (r *Reader) Close() error { return r.close() }

// Queries streams the queries of the given shapes, or of all if none is given, in
// the order in which they were written within each shape. It ends at the first error.
func (r *Reader) Queries(ctx context.Context, shapes ...string) iter.Seq2[Query, error] {
	return func(yield func(Query, error) bool) {
		decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxBlock))
		if err != nil {
			yield(Query{}, err)
			return
		}
		defer decoder.Close()
		at := r.start
		for _, entry := range r.index.Blocks {
			if len(shapes) == 0 || slices.Contains(shapes, entry.Shape) {
				if !r.streamBlock(ctx, decoder, at, entry, yield) {
					return
				}
			}
			at += int64(entry.Bytes)
		}
	}
}

// streamBlock yields the queries of one block and tells whether to go on.
func (r *Reader) streamBlock(ctx context.Context, decoder *zstd.Decoder, at int64, entry blockEntry, yield func(Query, error) bool) bool {
	if err := kg.Stopped(ctx); err != nil {
		yield(Query{}, err)
		return false
	}
	queries, err := r.block(decoder, at, entry)
	if err != nil {
		yield(Query{}, err)
		return false
	}
	for _, q := range queries {
		if !yield(q, nil) {
			return false
		}
	}
	return true
}

func (r *Reader) block(decoder *zstd.Decoder, at int64, entry blockEntry) ([]Query, error) {
	compressed := make([]byte, entry.Bytes)
	if err := r.read(compressed, at); err != nil {
		return nil, err
	}
	data, err := decoder.DecodeAll(compressed, nil)
	if err != nil {
		return nil, corrupt(r.name, "the block at byte %d: %v", at, err)
	}
	template, err := parseTemplate(entry.Template)
	if err != nil {
		return nil, corrupt(r.name, "the block at byte %d: %v", at, err)
	}
	queries, err := decodeBlock(data, template, entry.Absent, entry.Queries, r.header.bounds())
	if err != nil {
		return nil, corrupt(r.name, "the block at byte %d: %v", at, err)
	}
	return queries, nil
}
