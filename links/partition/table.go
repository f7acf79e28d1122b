package partition

import (
	"bufio"
	"context"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/lacuna-kg/lacuna/internal/atomicfile"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
)

// line is a link in a table, with the names that people see.
type line struct {
	Head        string  `parquet:"head,dict,zstd"`
	Relation    string  `parquet:"relation,dict,zstd"`
	Tail        string  `parquet:"tail,dict,zstd"`
	Probability float32 `parquet:"probability,zstd"`
	Stated      bool    `parquet:"stated"`
}

// labelledLine is one of a graph with labels, which several things may share: what is joined is ids.
type labelledLine struct {
	Head        string  `parquet:"head,dict,zstd"`
	Relation    string  `parquet:"relation,dict,zstd"`
	Tail        string  `parquet:"tail,dict,zstd"`
	Probability float32 `parquet:"probability,zstd"`
	Stated      bool    `parquet:"stated"`
	HeadID      string  `parquet:"head_id,dict,zstd"`
	RelationID  string  `parquet:"relation_id,dict,zstd"`
	TailID      string  `parquet:"tail_id,dict,zstd"`
}

// link is one on its way into a table.
type link struct {
	kg.Triple
	probability float32
	stated      bool
}

// table takes links. Close ends it, and leaves what it writes to open.
type table interface {
	write([]link) error
	Close() error
}

// newTable starts a table of a graph's links.
func newTable(to io.Writer, v *kg.Vocabulary, origin string) table {
	if v.Entities.Labels == nil && v.Relations.Labels == nil {
		return newTableOf(to, origin, func(l link) line { return named(v, l) })
	}
	return newTableOf(to, origin, func(l link) labelledLine { return labelled(v, l) })
}

func named(v *kg.Vocabulary, l link) line {
	return line{v.Entity(l.Head), v.Relation(l.Relation), v.Entity(l.Tail), l.probability, l.stated}
}

func labelled(v *kg.Vocabulary, l link) labelledLine {
	n := named(v, l)
	relation := v.Relations.Names.At(l.Relation.Base())
	if l.Relation.IsInverse() {
		relation += kg.InverseMark
	}
	return labelledLine{n.Head, n.Relation, n.Tail, n.Probability, n.Stated,
		v.Entities.Names.At(uint32(l.Head)), relation, v.Entities.Names.At(uint32(l.Tail))}
}

// linesOfGroup is what a table holds in memory before it writes: some ten megabytes.
const linesOfGroup = 1 << 20

// tableOf is a table whose lines are of one type.
type tableOf[L any] struct {
	*parquet.GenericWriter[L]
	line  func(link) L
	lines []L
}

func newTableOf[L any](to io.Writer, origin string, of func(link) L) *tableOf[L] {
	return &tableOf[L]{GenericWriter: parquet.NewGenericWriter[L](to, parquet.MaxRowsPerRowGroup(linesOfGroup), parquet.KeyValueMetadata(originKey, origin)), line: of}
}

func (t *tableOf[L]) write(links []link) error {
	t.lines = t.lines[:0]
	for _, l := range links {
		t.lines = append(t.lines, t.line(l))
	}
	_, err := t.Write(t.lines)
	return err
}

// writeOne makes a partition that appears whole, and tells after some rows how many were done.
func (w Writing) writeOne(ctx context.Context, path, origin string, pairs []links.Pair, did func(rows int)) (written int64, err error) {
	file, err := atomicfile.Create(path)
	if err != nil {
		return 0, kg.WriteError(path, err)
	}
	defer file.Abort()
	buffer := bufio.NewWriterSize(file, 1<<20)
	out := newTable(buffer, w.Rows.Graph().Vocabulary, origin)
	for some := range slices.Chunk(pairs, w.Round) {
		if err := kg.Stopped(ctx); err != nil { // rows that are kept ask for no time
			return 0, err
		}
		rows, err := w.Rows.Get(ctx, some)
		if err != nil {
			return 0, err
		}
		for i, p := range some {
			all := linksOf(p, rows[i], w.Origin.Top)
			if err := out.write(all); err != nil {
				return 0, kg.WriteError(path, err)
			}
			written += int64(len(all))
		}
		did(len(some))
	}
	if err := finish(out, buffer, file); err != nil {
		return 0, kg.WriteError(path, err)
	}
	return written, nil
}

func finish(out table, buffer *bufio.Writer, file *atomicfile.File) error {
	if err := out.Close(); err != nil {
		return err
	}
	if err := buffer.Flush(); err != nil {
		return err
	}
	return file.Commit()
}

// linksOf are those of a row: what is stated, then what is predicted, the likeliest first and at most so many; 0 is no bound.
func linksOf(p links.Pair, row links.Row, top int) []link {
	if top == 0 {
		top = len(row.Tails)
	}
	row = row.Likeliest(top)
	all := make([]link, 0, len(row.Stated)+len(row.Tails))
	for _, t := range row.Stated {
		all = append(all, link{kg.Triple{Head: p.Head, Relation: p.Relation, Tail: t}, 1, true})
	}
	for i, t := range row.Tails {
		all = append(all, link{kg.Triple{Head: p.Head, Relation: p.Relation, Tail: t}, row.Probabilities[i], false})
	}
	return all
}
