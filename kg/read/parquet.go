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
func (l *loader) readParquet(in *input, part split) (err error) {
	// The library panics on some damaged files.
	defer func() {
		if damage := recover(); damage != nil {
			err = kg.Errorf(kg.Invalid, in.name, "the Parquet file is damaged: %v", damage)
		}
	}()
	source, size, err := in.whole()
	if err != nil {
		return err
	}
	file, err := parquet.OpenFile(source, size, parquet.SkipBloomFilters(true), parquet.SkipPageIndex(true))
	if err != nil {
		return kg.Errorf(kg.Invalid, in.name, "no Parquet: %v", err)
	}
	t := &parquetTable{leaves: parquetColumns(file.Schema())}
	t.into, t.part, t.lines, t.passing = l, part, &lineBlocks{name: in.name, line: 1}, true
	t.kept = make([][]byte, len(t.leaves))
	if err := t.decide(file); err != nil {
		return err
	}
	defer l.reportTable(&t.table)
	row := 0
	return t.rows(file, func() (bool, error) {
		row++
		return true, t.row(row)
	})
}

// whole gives the file for access at any place: as it lies on the disk, else from memory.
func (in *input) whole() (io.ReaderAt, int64, error) {
	if in.file != nil {
		if info, err := in.file.Stat(); err == nil && info.Mode().IsRegular() && isParquet(in.file) {
			return in.file, info.Size(), nil
		}
	}
	data, err := io.ReadAll(in)
	return bytes.NewReader(data), int64(len(data)), err
}

// isParquet tells a file that is not packed as a whole.
func isParquet(file *os.File) bool {
	var mark [4]byte
	_, err := file.ReadAt(mark[:], 0)
	return err == nil && string(mark[:]) == parquetMark
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

// decide works out what the columns mean from their names and the first rows.
func (t *parquetTable) decide(file *parquet.File) error {
	names := make([]string, len(t.leaves))
	for i, column := range t.leaves {
		names[i] = column.name
	}
	sample := [][]string{names}
	err := t.rows(file, func() (bool, error) {
		row := make([]string, len(t.fields))
		for i, field := range t.fields {
			row[i] = string(field)
		}
		sample = append(sample, row)
		return len(sample) < sampleRows, nil
	})
	if err != nil {
		return err
	}
	if t.layout, err = t.into.decideNamed(sample, t.lines.name); err != nil {
		return err
	}
	t.header, t.begun = true, true // names are no row of this table
	for i, column := range t.leaves {
		if column.repeated && t.wide != nil {
			t.wide.cells[i].separator = listSeparator
		}
	}
	return nil
}

// decideNamed is decide for a table whose columns certainly have names.
func (l *loader) decideNamed(rows [][]string, name string) (layout, error) {
	if l.opts.Key != "" || l.opts.Columns != "" {
		return l.decide(rows, name)
	}
	if order, found := triplesHeader(rows); found {
		return triplesLayout(order, rows), nil
	}
	if len(rows) < 2 || len(rows[0]) == 0 {
		return layout{}, kg.Errorf(kg.Invalid, name, "no triples")
	}
	return l.wideLayout(rows, name, keyColumn(rows, name))
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
