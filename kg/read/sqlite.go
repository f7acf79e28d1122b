package read

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"

	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
)

// Files of SQLite, read only. Of the format (sqlite.org/fileformat.html) the b-trees of tables are all
// that is needed; the libraries in Go are the whole database translated from C, ten MB of program.

// sqlite is an open database.
type sqlite struct {
	name   string
	data   io.ReaderAt
	size   int64
	page   int // bytes of a page
	usable int // of it
	pages  int64
	text   func([]byte) string
	log    *sqliteLog // of changes that are not in the file yet, nil for none
}

const (
	leafTable     = 0x0d
	interiorTable = 0x05
	leafIndex     = 0x0a // of a table WITHOUT ROWID
	interiorIndex = 0x02
	sqliteDepth   = 40
)

// sqliteFolder makes a folder of the tables.
func (l *loader) sqliteFolder(in *input, data io.ReaderAt, size int64) (*folder, error) {
	db, err := openSQLite(in.name, data, size)
	if err == nil && in.file != nil {
		err = l.openLogs(db, in.file.Name())
	}
	if err != nil {
		return nil, err
	}
	tables, schemas, views := map[string]rowSource{}, map[string]*tableSchema{}, 0
	err = db.walk(1, func(_ int64, record []any) error {
		if len(record) < 5 {
			return db.damaged("its list of tables")
		}
		kind, _ := record[0].(string)
		table, _ := record[1].(string)
		root, _ := record[3].(int64)
		statement, _ := record[4].(string)
		if kind == "view" || kind == "table" && root <= 0 {
			views++
		}
		if kind != "table" || root <= 0 || strings.HasPrefix(table, "sqlite_") {
			return nil
		}
		schema := parseCreate(statement)
		if len(schema.columns) == 0 {
			return kg.Errorf(kg.Invalid, in.name, "the columns of table %s are not understood", table)
		}
		file := sheetFile("", table, false)
		blobs := l.blobsOf(in.name + ": " + table)
		tables[file] = func(take func([]string) error) error { return db.rows(root, schema, blobs, take) }
		schemas[file] = &tableSchema{key: schema.key, references: schema.references, composites: schema.composites}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(tables) == 0 {
		return nil, kg.Errorf(kg.Invalid, in.name, "the database has no tables")
	}
	if views > 0 {
		l.note("%s: %s not read, nor virtual tables: only tables hold rows", in.name, count.Of(views, "view"))
	}
	f := tablesFolder(in.name, tables)
	f.declared = schemas
	return f, nil
}

// blobsOf counts the cells of bytes that are left out of a table.
func (l *loader) blobsOf(table string) *atomic.Int64 {
	if l.blobs == nil {
		l.blobs = map[string]*atomic.Int64{}
	}
	l.blobs[table] = new(atomic.Int64)
	return l.blobs[table]
}

func openSQLite(name string, data io.ReaderAt, size int64) (*sqlite, error) {
	var header [100]byte
	if _, err := data.ReadAt(header[:], 0); err != nil {
		return nil, kg.Errorf(kg.Invalid, name, "the database ends early: truncated?")
	}
	db := &sqlite{name: name, data: data, size: size, page: int(binary.BigEndian.Uint16(header[16:]))}
	if db.page == 1 {
		db.page = 65536
	}
	db.usable = db.page - int(header[20])
	if db.page < 512 || db.page&(db.page-1) != 0 || db.usable < 480 {
		return nil, db.damaged("its header")
	}
	db.pages = size / int64(db.page)
	db.text = func(text []byte) string { return string(text) }
	if order, wide := map[uint32]unicode.Endianness{2: unicode.LittleEndian, 3: unicode.BigEndian}[binary.BigEndian.Uint32(header[56:])]; wide {
		db.text = func(text []byte) string {
			decoded, _ := unicode.UTF16(order, unicode.IgnoreBOM).NewDecoder().Bytes(text)
			return string(decoded)
		}
	}
	return db, nil
}

func (db *sqlite) damaged(where string) error {
	return kg.Errorf(kg.Invalid, db.name, "the database is damaged in %s", where)
}

// read gives a page.
func (db *sqlite) read(number int64) ([]byte, error) {
	if number < 1 || number > db.pages {
		return nil, db.damaged(fmt.Sprintf("page %d, which is not there", number))
	}
	page := make([]byte, db.page)
	if db.log != nil {
		if at, changed := db.log.pages[number]; changed {
			if _, err := db.log.data.ReadAt(page, at); err != nil {
				return nil, db.damaged(fmt.Sprintf("page %d of its log", number))
			}
			return page, nil
		}
	}
	if _, err := db.data.ReadAt(page, (number-1)*int64(db.page)); err != nil {
		return nil, db.damaged(fmt.Sprintf("page %d", number))
	}
	return page, nil
}

// tree is one walk through the records under a page. A sound file holds each page and each byte of a record once.
type tree struct {
	*sqlite
	visited map[int64]bool
	bytes   int64 // of records
	take    func(rowid int64, record []any) error
}

// walk calls take with all records of the tree under a page.
func (db *sqlite) walk(root int64, take func(rowid int64, record []any) error) error {
	t := &tree{sqlite: db, visited: map[int64]bool{}, take: take}
	return t.under(root, sqliteDepth)
}

func (db *tree) under(number int64, depth int) error {
	page, err := db.read(number)
	if err != nil {
		return err
	}
	if depth == 0 || db.visited[number] {
		return db.damaged("a tree that goes in circles")
	}
	db.visited[number] = true
	start := 0
	if number == 1 {
		start = 100
	}
	kind, cells := page[start], int(binary.BigEndian.Uint16(page[start+3:]))
	pointers := start + 8
	if kind == interiorTable || kind == interiorIndex {
		pointers = start + 12
	} else if kind != leafTable && kind != leafIndex {
		return db.damaged(fmt.Sprintf("page %d, of no known kind", number))
	}
	if pointers+2*cells > len(page) {
		return db.damaged(fmt.Sprintf("page %d", number))
	}
	for i := range cells {
		at := int(binary.BigEndian.Uint16(page[pointers+2*i:]))
		if at >= db.usable {
			return db.damaged(fmt.Sprintf("page %d", number))
		}
		if err := db.cell(page[at:db.usable], kind, depth); err != nil {
			return err
		}
	}
	if kind == interiorTable || kind == interiorIndex {
		return db.under(int64(binary.BigEndian.Uint32(page[start+8:])), depth-1)
	}
	return nil
}

// cell reads what a cell of a page holds: a record, what lies to its left, or both.
func (db *tree) cell(cell []byte, kind byte, depth int) error {
	if kind == interiorTable || kind == interiorIndex {
		if len(cell) < 4 {
			return db.damaged("a cell")
		}
		if err := db.under(int64(binary.BigEndian.Uint32(cell)), depth-1); err != nil || kind == interiorTable {
			return err
		}
		cell = cell[4:]
	}
	length, n := varint(cell)
	if db.bytes += length; n == 0 || length < 0 || db.bytes > db.size {
		return db.damaged("a cell")
	}
	cell = cell[n:]
	rowid := int64(0)
	if kind == leafTable {
		if rowid, n = varint(cell); n == 0 {
			return db.damaged("a cell")
		}
		cell = cell[n:]
	}
	payload, err := db.payload(cell, int(length), kind)
	if err != nil {
		return err
	}
	record, ok := db.record(payload)
	if !ok {
		return db.damaged("a record")
	}
	return db.take(rowid, record)
}

// payload gathers a record, of which what has no place in its page lies on pages of its own.
func (db *sqlite) payload(cell []byte, length int, kind byte) ([]byte, error) {
	most, least := db.usable-35, (db.usable-12)*32/255-23
	if kind != leafTable {
		most = (db.usable-12)*64/255 - 23
	}
	if length <= most {
		if length > len(cell) {
			return nil, db.damaged("a cell")
		}
		return cell[:length], nil
	}
	local := least + (length-least)%(db.usable-4)
	if local > most {
		local = least
	}
	if local+4 > len(cell) || int64(length) > db.size {
		return nil, db.damaged("a cell")
	}
	payload := append(make([]byte, 0, length), cell[:local]...)
	for next := int64(binary.BigEndian.Uint32(cell[local:])); len(payload) < length; {
		page, err := db.read(next)
		if err != nil {
			return nil, err
		}
		payload = append(payload, page[4:4+min(length-len(payload), db.usable-4)]...)
		next = int64(binary.BigEndian.Uint32(page))
	}
	return payload, nil
}

// varint reads a number of one to nine bytes, the larger part first; n is 0 where there is none.
func varint(text []byte) (value int64, n int) {
	for n < len(text) && n < 8 {
		value = value<<7 | int64(text[n]&0x7f)
		n++
		if text[n-1] < 0x80 {
			return value, n
		}
	}
	if n == 8 && n < len(text) {
		return value<<8 | int64(text[8]), 9
	}
	return 0, 0
}

// record reads the values of a row: nil, int64, float64, string or []byte.
func (db *sqlite) record(payload []byte) (values []any, ok bool) {
	end, n := varint(payload)
	if n == 0 || end < int64(n) || end > int64(len(payload)) {
		return nil, false
	}
	header, body := payload[n:end], payload[end:]
	for len(header) > 0 {
		kind, n := varint(header)
		if n == 0 || kind < 0 {
			return nil, false
		}
		header = header[n:]
		value, size, ok := db.value(kind, body)
		if !ok {
			return nil, false
		}
		values, body = append(values, value), body[size:]
	}
	return values, true
}

var sizeOfInteger = [...]int{0, 1, 2, 3, 4, 6, 8}

func (db *sqlite) value(kind int64, body []byte) (value any, size int, ok bool) {
	switch {
	case kind == 0:
		return nil, 0, true
	case kind <= 6:
		size = sizeOfInteger[kind]
		if size > len(body) {
			return nil, 0, false
		}
		number := int64(int8(body[0]))
		for _, b := range body[1:size] {
			number = number<<8 | int64(b)
		}
		return number, size, true
	case kind == 7:
		if len(body) < 8 {
			return nil, 0, false
		}
		return math.Float64frombits(binary.BigEndian.Uint64(body)), 8, true
	case kind == 8 || kind == 9:
		return kind - 8, 0, true
	case kind < 12:
		return nil, 0, false
	}
	length := (kind - 12) / 2
	if length > int64(len(body)) {
		return nil, 0, false
	}
	if kind%2 == 0 {
		return body[:length], int(length), true
	}
	return db.text(body[:length]), int(length), true
}

// rows calls take with the names of the columns and then with each row as text; bytes that are no text are left out and counted.
func (db *sqlite) rows(root int64, schema createTable, blobs *atomic.Int64, take func([]string) error) error {
	if err := take(schema.columns); err != nil {
		return err
	}
	row := make([]string, len(schema.columns))
	left := int64(0)
	defer func() { blobs.Store(left) }() // of the last time that the table was read, which is the whole of it
	return db.walk(root, func(rowid int64, record []any) error {
		for i := range row {
			row[i] = ""
			if at := schema.stored[i]; at >= 0 && at < len(record) {
				text, isText := textOfValue(record[at])
				if row[i] = text; !isText {
					left++
				}
			}
			if i == schema.rowid {
				row[i] = strconv.FormatInt(rowid, 10)
			}
		}
		return take(row)
	})
}

// textOfValue is a value as text; isText is false for bytes that are none, and for text that no name may hold.
func textOfValue(value any) (text string, isText bool) {
	switch v := value.(type) {
	case int64:
		return strconv.FormatInt(v, 10), true
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), true
	case string:
		if utf8.ValidString(v) && !strings.ContainsRune(v, 0) {
			return v, true
		}
		return "", false
	case []byte:
		return "", len(v) == 0
	}
	return "", true
}
