package links

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"io"
	"os"
	"slices"

	"github.com/lacuna-kg/lacuna/internal/atomicfile"
	"github.com/lacuna-kg/lacuna/internal/parallel"
	"github.com/lacuna-kg/lacuna/kg"
)

// PartialSuffix is added to the name of a file while its rows are being made.
const PartialSuffix = ".partial"

// Writing says what goes into a file.
type Writing struct {
	Rows   *Rows
	Pairs  []Pair // in the order of StatedPairs
	Origin Origin // its map, lines and bound are those of Rows
	Sharing
	// Progress, if given, is called after each part with the number of rows that are done.
	Progress func(done, total int)
}

// WriteFile makes a file of rows. Rows that are done lie in path + PartialSuffix until all
// are: where the context ends before, the next call with the same goes on from there. Of several ranks
// rank 0 writes; the header of the others is empty.
func WriteFile(ctx context.Context, path string, w Writing) (Header, error) {
	rows := w.Rows.options
	w.Origin.Map, w.Origin.Least, w.Origin.Literals = rows.Map, rows.Least, rows.Literals
	if !w.Team.Leads() {
		return Header{}, w.assist(ctx)
	}
	p, err := openPartial(path+PartialSuffix, w)
	if err != nil {
		return Header{}, err
	}
	defer p.file.Close()
	if err := p.fill(ctx, w); err != nil {
		return Header{}, err
	}
	var header Header
	err = w.Team.TakeTime(ctx, func(context.Context) (err error) {
		header, err = p.finish(path, w)
		return err
	})
	if err != nil {
		return Header{}, kg.WriteError(path, err)
	}
	if err := p.file.Close(); err != nil { // Windows removes no file that is open
		return Header{}, kg.WriteError(path, err)
	}
	return header, os.Remove(path + PartialSuffix)
}

// assist makes the rows of a rank that does not write.
func (w Writing) assist(ctx context.Context) error {
	done, err := w.position(ctx, 0)
	if err != nil {
		return err
	}
	return w.predict(ctx, w.Rows, w.Pairs[done:], w.most(), nil)
}

// most is how many links of a row are written.
func (w Writing) most() int {
	if w.Origin.Top == 0 {
		return w.Rows.graph.NumEntities()
	}
	return w.Origin.Top
}

// finish puts index and rows together under the file's name.
func (p *partial) finish(path string, w Writing) (Header, error) {
	g := w.Rows.graph
	index := p.index(w.Pairs, g.NumRelations())
	header := Header{
		Origin: w.Origin, Rows: len(w.Pairs), Bytes: p.bytes, LinksInRows: p.links,
		IndexSum: checksum(index), RowsSum: p.sum, Entities: g.NumEntities(), Relations: g.NumRelations(),
	}
	out, err := atomicfile.Create(path)
	if err != nil {
		return header, err
	}
	defer out.Abort()
	to := bufio.NewWriterSize(out, 1<<20)
	head, err := encodeHeader(fileMark, header)
	if err != nil {
		return header, err
	}
	to.Write(head)
	to.Write(index)
	if err := p.each(func(part part) error { _, err := to.Write(part.rows); return err }); err != nil {
		return header, err
	}
	if err := to.Flush(); err != nil {
		return header, err
	}
	return header, out.Commit()
}

func encodeHeader(mark string, header any) ([]byte, error) {
	text, err := json.Marshal(header)
	if err != nil {
		return nil, err
	}
	data := binary.LittleEndian.AppendUint32([]byte(mark), fileVersion)
	data = binary.LittleEndian.AppendUint32(data, uint32(len(text)))
	data = append(data, text...)
	return binary.LittleEndian.AppendUint32(data, checksum(data)), nil
}

// index is all that stands between the header and the rows.
func (p *partial) index(pairs []Pair, relations int) []byte {
	var index []byte
	row := 0
	for r := range relations + 1 {
		for row < len(pairs) && int(pairs[row].Relation) < r {
			row++
		}
		index = binary.LittleEndian.AppendUint64(index, uint64(row))
	}
	for _, pair := range pairs {
		index = binary.LittleEndian.AppendUint32(index, uint32(pair.Head))
	}
	at := uint64(0)
	for _, length := range p.lengths {
		index = binary.LittleEndian.AppendUint64(index, at)
		at += uint64(length)
	}
	return binary.LittleEndian.AppendUint64(index, at)
}

// partial is a file on its way: a header that says of what, then parts, each with its checksum.
//
//	uint32   rows of the part
//	uint32   bytes of its rows
//	uint32   checksum of all that follows of it
//	uint32   for each row: its length
//	         the rows
type partial struct {
	file    *os.File
	start   int64 // of the parts
	lengths []uint32
	bytes   int64
	links   int
	sum     uint32 // of all rows
}

type part struct {
	lengths []uint32
	rows    []byte
}

// partialHeader tells whether parts are of the file that is wanted.
type partialHeader struct {
	Origin
	Pairs   int    `json:"pairs"`
	PairSum uint32 `json:"pairs_checksum"`
}

const partialMark = "LACUNA\x1aP"

// openPartial goes on with a file of the same kind, as far as it is whole, or starts one.
func openPartial(path string, w Writing) (*partial, error) {
	var pairs []byte
	for _, p := range w.Pairs {
		pairs = binary.LittleEndian.AppendUint32(pairs, uint32(p.Head))
		pairs = binary.LittleEndian.AppendUint32(pairs, uint32(p.Relation))
	}
	head, err := encodeHeader(partialMark, partialHeader{w.Origin, len(w.Pairs), checksum(pairs)})
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, kg.WriteError(path, err)
	}
	p := &partial{file: file, start: int64(len(head))}
	if err := p.resume(path, head); err != nil {
		file.Close()
		return nil, err
	}
	return p, nil
}

// resume reads what is there, cuts off a part that was not written whole, and leaves the file at its end.
func (p *partial) resume(path string, head []byte) error {
	info, err := p.file.Stat()
	if err != nil {
		return err
	}
	if info.Size() == 0 {
		_, err := p.file.Write(head)
		return err
	}
	found := make([]byte, len(head))
	if _, err := io.ReadFull(p.file, found); err != nil || string(found) != string(head) {
		return kg.Errorf(kg.Invalid, path, "it was begun for another graph, model or choice of links: remove it to start again")
	}
	end := p.start
	if err := p.each(func(part part) error {
		p.count(part)
		end += partBytes(part)
		return nil
	}); err != nil {
		return err
	}
	if err := p.file.Truncate(end); err != nil {
		return err
	}
	_, err = p.file.Seek(end, io.SeekStart)
	return err
}

func partBytes(p part) int64 { return int64(12 + 4*len(p.lengths) + len(p.rows)) }

func (p *partial) count(part part) {
	p.lengths = append(p.lengths, part.lengths...)
	p.bytes += int64(len(part.rows))
	p.sum = crc32.Update(p.sum, crc32.MakeTable(crc32.Castagnoli), part.rows)
	rows := part.rows
	for _, length := range part.lengths {
		links, _ := binary.Uvarint(rows)
		p.links += int(links)
		rows = rows[length:]
	}
}

// each reads the parts, up to the first that is not whole.
func (p *partial) each(use func(part) error) error {
	if _, err := p.file.Seek(p.start, io.SeekStart); err != nil {
		return err
	}
	from := bufio.NewReaderSize(p.file, 1<<20)
	for {
		part, whole := readPart(from)
		if !whole {
			return nil
		}
		if err := use(part); err != nil {
			return err
		}
	}
}

// maxPart is far above what a part takes: what claims more is no part.
const maxPart = 1 << 30

func readPart(from io.Reader) (p part, whole bool) {
	var head [12]byte
	if _, err := io.ReadFull(from, head[:]); err != nil {
		return p, false
	}
	count, size := binary.LittleEndian.Uint32(head[:]), binary.LittleEndian.Uint32(head[4:])
	if count > maxPart/4 || size > maxPart {
		return p, false
	}
	data := make([]byte, 4*int(count)+int(size))
	if _, err := io.ReadFull(from, data); err != nil || checksum(data) != binary.LittleEndian.Uint32(head[8:]) {
		return p, false
	}
	for i := range int(count) {
		p.lengths = append(p.lengths, binary.LittleEndian.Uint32(data[4*i:]))
	}
	p.rows = data[4*count:]
	return p, true
}

// fill makes the rows that are lacking. A part is what the source computes together: an end of the context loses
// what is under way.
func (p *partial) fill(ctx context.Context, w Writing) error {
	most, width := w.most(), tailBytes(w.Rows.graph.NumEntities())
	done, err := w.position(ctx, len(p.lengths))
	if err != nil {
		return err
	}
	return w.predict(ctx, w.Rows, w.Pairs[done:], most, func(rows []Row) error {
		if err := p.write(encode(rows, most, width)); err != nil {
			return kg.WriteError(p.file.Name(), err)
		}
		if w.Progress != nil {
			w.Progress(len(p.lengths), len(w.Pairs))
		}
		return nil
	})
}

// encode is rows as a part, of each the likeliest links.
func encode(rows []Row, most, width int) (p part) {
	encoded := make([][]byte, len(rows))
	parallel.Each(context.Background(), len(rows), func(i int) { encoded[i] = appendRow(nil, rows[i].Likeliest(most), most, width) })
	for _, row := range encoded {
		p.lengths = append(p.lengths, uint32(len(row)))
	}
	p.rows = slices.Concat(encoded...)
	return p
}

func (p *partial) write(part part) error {
	data := make([]byte, 12, partBytes(part))
	for _, length := range part.lengths {
		data = binary.LittleEndian.AppendUint32(data, length)
	}
	data = append(data, part.rows...)
	binary.LittleEndian.PutUint32(data, uint32(len(part.lengths)))
	binary.LittleEndian.PutUint32(data[4:], uint32(len(part.rows)))
	binary.LittleEndian.PutUint32(data[8:], checksum(data[12:]))
	if _, err := p.file.Write(data); err != nil {
		return err
	}
	p.count(part)
	return nil
}
