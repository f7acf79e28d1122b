package read

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/lacuna-kg/lacuna/kg"
)

// listSeparator parts the values of a list, which Parquet has as such.
const listSeparator = "\x1f"

// parquetTable reads the rows of a Parquet file as those of any table.
type parquetTable struct {
	table
	leaves []parquetColumn
	kept   [][]byte // memory of the fields
}

// parquetColumn is a column and how its values are written as text.
type parquetColumn struct {
	name     string
	repeated bool
	text     func([]byte, parquet.Value) []byte
}

// readParquet reads a Parquet file. Its footer comes last, so that a stream is held in memory.
func (l *loader) readParquet(in *input, part split) error {
	return l.withParquet(in, func(t *parquetTable, file *parquet.File) error { return t.read(in.name, file, part) })
}

// withParquet opens a Parquet file for the time of a call.
func (l *loader) withParquet(in *input, use func(*parquetTable, *parquet.File) error) (err error) {
	// The library panics on some damaged files.
	defer func() {
		if damage := recover(); damage != nil {
			err = kg.Errorf(kg.Invalid, in.name, "the Parquet file is damaged: %v", damage)
		}
	}()
	source, size, err := in.whole(parquetMark)
	if err != nil {
		return err
	}
	file, err := parquet.OpenFile(source, size, parquet.SkipBloomFilters(true), parquet.SkipPageIndex(true))
	if err != nil {
		return kg.Errorf(kg.Invalid, in.name, "no Parquet: %v", err)
	}
	t := &parquetTable{leaves: parquetColumns(file.Schema())}
	t.into, t.lines, t.passing = l, &lineBlocks{name: in.name, line: 1}, true
	t.kept = make([][]byte, len(t.leaves))
	return use(t, file)
}

// read follows the plan of the table.
func (t *parquetTable) read(name string, file *parquet.File, part split) error {
	l := t.into
	plan, err := l.planOf(name, func() (*draft, error) { return t.look(file) })
	if err != nil || l.planning || plan.Rows == RowsIgnored {
		return err
	}
	if len(plan.Columns) != len(t.leaves) {
		return kg.Errorf(kg.Invalid, name, "%d columns, the plan has %d", len(t.leaves), len(plan.Columns))
	}
	if err := l.follow(&t.table, plan, part); err != nil {
		return err
	}
	t.begun = true // names are no row of this table
	defer l.reportTable(&t.table)
	row := 0
	err = t.rows(file, func() (bool, error) {
		row++
		if err := t.row(row); err != nil {
			return true, t.bad.add(l, err, append(bytes.Join(t.fields, []byte{'\t'}), '\n'))
		}
		return true, nil
	})
	if err != nil {
		return err
	}
	return t.bad.err()
}

// whole gives the file for access at any place: as it lies on the disk, else from memory.
func (in *input) whole(mark string) (io.ReaderAt, int64, error) {
	if in.file != nil {
		if info, err := in.file.Stat(); err == nil && info.Mode().IsRegular() && beginsWith(in.file, mark) {
			return in.file, info.Size(), nil
		}
	}
	data, err := io.ReadAll(in)
	return bytes.NewReader(data), int64(len(data)), err
}

// beginsWith tells a file that is not packed as a whole.
func beginsWith(file *os.File, mark string) bool {
	begin := make([]byte, len(mark))
	_, err := file.ReadAt(begin, 0)
	return err == nil && string(begin) == mark
}

const parquetMark = "PAR1"

func parquetColumns(schema *parquet.Schema) []parquetColumn {
	var columns []parquetColumn
	for _, path := range schema.Columns() {
		leaf, _ := schema.Lookup(path...)
		name := strings.TrimSuffix(strings.TrimSuffix(strings.Join(path, "."), ".list.element"), ".list.item")
		columns = append(columns, parquetColumn{name, leaf.MaxRepetitionLevel > 0, textOf(leaf.Node)})
	}
	return columns
}

// textOf writes values of a type as a table would have them.
func textOf(node parquet.Node) func([]byte, parquet.Value) []byte {
	logical := node.Type().LogicalType()
	if logical == nil {
		return plainValue
	}
	switch kind := logical.Value.(type) {
	case *format.DateType:
		return func(to []byte, v parquet.Value) []byte {
			return time.Unix(int64(v.Int32())*86400, 0).UTC().AppendFormat(to, time.DateOnly)
		}
	case *format.TimestampType:
		unit := time.Nanosecond
		switch kind.Unit.Value.(type) {
		case *format.MilliSeconds:
			unit = time.Millisecond
		case *format.MicroSeconds:
			unit = time.Microsecond
		}
		return func(to []byte, v parquet.Value) []byte {
			perSecond := int64(time.Second / unit)
			at := time.Unix(v.Int64()/perSecond, v.Int64()%perSecond*int64(unit)).UTC()
			return at.AppendFormat(to, "2006-01-02T15:04:05.999999999Z")
		}
	}
	return plainValue
}

func plainValue(to []byte, v parquet.Value) []byte {
	switch v.Kind() {
	case parquet.Int32:
		return strconv.AppendInt(to, int64(v.Int32()), 10)
	case parquet.Int64:
		return strconv.AppendInt(to, v.Int64(), 10)
	case parquet.Float:
		return strconv.AppendFloat(to, float64(v.Float()), 'g', -1, 32)
	case parquet.Double:
		return strconv.AppendFloat(to, v.Double(), 'g', -1, 64)
	case parquet.Boolean:
		return strconv.AppendBool(to, v.Boolean())
	case parquet.ByteArray, parquet.FixedLenByteArray:
		return append(to, v.ByteArray()...)
	}
	return fmt.Append(to, v)
}

var errEnough = errors.New("enough rows")

// look makes the plan of the table from its first rows.
func (t *parquetTable) look(file *parquet.File) (*draft, error) {
	names, lists := make([]string, len(t.leaves)), make([]bool, len(t.leaves))
	for i, column := range t.leaves {
		names[i], lists[i] = column.name, column.repeated
	}
	s := &sighting{TablePlan: TablePlan{Table: tableOf(t.lines.name), File: t.lines.name, Format: Parquet, Null: t.into.opts.null()}, named: true, lists: lists, whole: true}
	s.cells = [][]string{names}
	err := t.rows(file, func() (bool, error) {
		s.cells = append(s.cells, fieldTexts(t.fields))
		s.whole = len(s.cells) <= surveyRows/4
		return s.whole, nil
	})
	if err != nil {
		return nil, err
	}
	return t.into.decide(s)
}

// rows puts each row into the fields of the table and calls take, until it has enough.
func (t *parquetTable) rows(file *parquet.File, take func() (more bool, err error)) error {
	for _, group := range file.RowGroups() {
		if err := t.group(group, take); err != nil {
			if errors.Is(err, errEnough) {
				return nil
			}
			return err
		}
	}
	return nil
}

func (t *parquetTable) group(group parquet.RowGroup, take func() (bool, error)) error {
	rows := group.Rows()
	defer rows.Close()
	buffer := make([]parquet.Row, 128)
	for {
		if t.into.ctx.Err() != nil {
			return stopped()
		}
		n, err := rows.ReadRows(buffer)
		for _, row := range buffer[:n] {
			if err := t.fill(row); err != nil {
				return err
			}
			more, err := take()
			if err != nil {
				return err
			}
			if !more {
				return errEnough
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return kg.Errorf(kg.Invalid, t.lines.name, "the Parquet file is damaged: %v", err)
		}
	}
}

// fill writes a row's values as text.
func (t *parquetTable) fill(row parquet.Row) error {
	for i := range t.kept {
		t.kept[i] = t.kept[i][:0]
	}
	for _, value := range row {
		column := value.Column()
		if value.IsNull() {
			continue
		}
		if text := t.kept[column]; len(text) > 0 {
			t.kept[column] = append(text, listSeparator...)
		}
		t.kept[column] = t.leaves[column].text(t.kept[column], value)
		if text := t.kept[column]; !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
			return kg.Errorf(kg.Invalid, t.lines.name, "column %s holds bytes, expected text", t.leaves[column].name)
		}
	}
	t.fields = append(t.fields[:0], t.kept...)
	return nil
}
