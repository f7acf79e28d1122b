package read

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding"

	"github.com/lacuna-kg/lacuna/kg"
)

const (
	aheadSize  = 256 << 10 // a block that is read and unpacked while the one before is parsed
	sampleSize = 64 << 10  // what detection may look at
	longSample = 4 << 20   // where that has hardly a line
	fewLines   = 4
	maxWindow  = 128 << 20 // the memory a zstd frame may ask for; the usual limit of the zstd tool
)

// input is the text of one file, unpacked.
type input struct {
	name string // in errors
	*bufio.Reader
	file *os.File  // what it is read from, for formats that do not go from front to end; nil for a stream
	from *unpacker // which gives the text
}

// open starts to read a stream, unpacking it as needed.
func (l *loader) open(r io.Reader, name string) *input {
	counted := &countingReader{r: r}
	a := &ahead{name: name, ctx: l.ctx, meter: &l.meter, full: make(chan aheadBlock), free: make(chan []byte, 2)}
	a.free <- nil
	a.free <- nil
	u := &unpacker{packed: counted, name: name, encoding: l.encoding, most: l.opts.Unpacked}
	l.opened = append(l.opened, u)
	go a.pump(u, counted)
	file, _ := r.(*os.File)
	return &input{name, bufio.NewReaderSize(a, sampleSize), file, u}
}

// safely does work of a goroutine of its own. A panic there, of a decoder say, is an error as any other: it must not end the process.
func safely(name string, work func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = kg.Errorf(kg.Failure, name, "reading it panicked: %v", p)
		}
	}()
	return work()
}

// sample is the beginning of the text, without moving through it.
func (in *input) sample() ([]byte, error) {
	text, err := in.Peek(sampleSize)
	if err == nil && bytes.Count(text, []byte("\n")) < fewLines { // cells of much text
		in.Reader = bufio.NewReaderSize(in.Reader, longSample)
		text, err = in.Peek(longSample)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return text, nil
}

// meter adds up the bytes read of all files of a source.
type meter struct {
	notify      func(read, total int64)
	done, total int64
}

func (m *meter) add(n int64) {
	m.done += n
	if m.notify != nil && n > 0 {
		m.notify(m.done, m.total)
	}
}

type countingReader struct {
	r io.Reader
	n atomic.Int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// ahead reads in a goroutine of its own: unpacking then overlaps with parsing,
// and a read that hangs, such as one of a terminal, does not outlast the context.
type ahead struct {
	name  string
	ctx   context.Context
	meter *meter
	full  chan aheadBlock
	free  chan []byte
	now   aheadBlock
	rest  []byte // of now, not yet handed out
}

type aheadBlock struct {
	data   []byte
	stored int64 // bytes of the file, as stored, that were read for this block
	err    error
}

// pump fills blocks until the end or an error, which is the last block's.
func (a *ahead) pump(r io.Reader, counted *countingReader) {
	// Blocks grow, as most files are small.
	for before, size := int64(0), aheadSize/16; ; size = min(2*size, aheadSize) {
		var b aheadBlock
		select {
		case b.data = <-a.free:
		case <-a.ctx.Done():
			return
		}
		if cap(b.data) < size {
			b.data = make([]byte, size)
		}
		n := 0
		err := safely(a.name, func() (err error) {
			n, err = io.ReadAtLeast(r, b.data[:size], size/2)
			return err
		})
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = io.EOF
		}
		stored := counted.n.Load()
		b.data, b.err, b.stored, before = b.data[:n], err, stored-before, stored
		select {
		case a.full <- b:
		case <-a.ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

func (a *ahead) Read(p []byte) (int, error) {
	for len(a.rest) == 0 {
		if a.now.err != nil {
			return 0, a.now.err
		}
		if a.now.data != nil {
			a.free <- a.now.data
		}
		select {
		case a.now = <-a.full:
			a.rest = a.now.data
			a.meter.add(a.now.stored)
		case <-a.ctx.Done():
		}
		if a.ctx.Err() != nil {
			a.now.err = stopped()
			a.rest = nil
		}
	}
	n := copy(p, a.rest)
	a.rest = a.rest[n:]
	return n, nil
}

// unpacker tells gzip, bzip2 and zstd by their first bytes, whatever the file is called, and gives the text as UTF-8.
type unpacker struct {
	packed   io.Reader
	name     string
	encoding encoding.Encoding // stated; nil: UTF-8, or UTF-16 where the text says so
	isUTF16  atomic.Bool       // it did
	isPacked bool
	text     io.Reader // nil until the first Read
	most     int64     // bytes of the text; 0: any number
	given    int64
}

func (u *unpacker) Read(p []byte) (int, error) {
	if u.text == nil {
		if err := u.start(); err != nil {
			return 0, u.explain(err)
		}
	}
	n, err := u.text.Read(p)
	if u.given += int64(n); u.most > 0 && u.given > u.most {
		return 0, tooLong(u.name, u.most)
	}
	return n, u.explain(err)
}

func (u *unpacker) start() error {
	text, err := u.unpacked()
	if err != nil {
		return err
	}
	u.text, err = u.decoded(text)
	return err
}

func (u *unpacker) unpacked() (io.Reader, error) {
	packed := bufio.NewReaderSize(u.packed, sampleSize)
	head, err := packed.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	u.isPacked = true
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return gzip.NewReader(packed)
	case bytes.HasPrefix(head, []byte("BZh")) && len(head) == 4 && head[3] >= '1' && head[3] <= '9':
		return bzip2.NewReader(packed), nil
	case isZstd(head):
		// One core unpacks, the other parses.
		return zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	}
	u.isPacked = false
	return packed, nil
}

// isZstd knows ordinary frames and those to skip, with which some writers begin.
func isZstd(head []byte) bool {
	if len(head) < 4 {
		return false
	}
	magic := binary.LittleEndian.Uint32(head)
	return magic == 0xfd2fb528 || magic&^0xf == 0x184d2a50
}

// explain turns what a decompressor says into a line about the file.
func (u *unpacker) explain(err error) error {
	var known *kg.Error
	var system *fs.PathError
	switch {
	case err == nil || err == io.EOF || errors.As(err, &known):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return kg.Errorf(kg.Invalid, u.name, "the compressed data ends early: truncated?")
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum),
		errors.Is(err, zstd.ErrCRCMismatch), errors.Is(err, zstd.ErrMagicMismatch):
		return kg.Errorf(kg.Invalid, u.name, "the compressed data is damaged: %v", err)
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		return kg.Errorf(kg.TooLarge, u.name, "the zstd window is larger than %d MiB", maxWindow>>20)
	case u.isPacked && !errors.As(err, &system):
		return kg.Errorf(kg.Invalid, u.name, "the compressed data is damaged: %v", err)
	}
	return kg.Errorf(kg.Failure, u.name, "%v", err)
}
