package read

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"

	"github.com/lacuna-kg/lacuna/kg"
)

// recordTable reads objects of JSON, a line each or in one array, as the rows of a
// table: a member's name is its column, so that the columns are known only as they
// come up. A list is several values, and a member of an object within has the name
// of both: director.name.
type recordTable struct {
	table
	decoder *json.Decoder
	array   bool // the objects stand in one, and not each by itself
	ended   bool // the array
	columns map[string]int
	lists   []bool
	kept    [][]byte // memory of the fields
	waiting []record // read to decide on the columns, and not taken yet
	number  int      // of the object last read, from 1
}

// record is an object, its members in their order; of one name several times, all count.
type record []member

type member struct {
	name   string
	values []string
	list   bool
}

// readRecords reads a table in JSON.
func (l *loader) readRecords(in *input, part split) error {
	t, err := l.newRecordTable(in, part)
	if err != nil {
		return err
	}
	defer func() { l.reportTable(&t.table) }()
	for {
		row, err := t.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := t.take(row); err != nil {
			return err
		}
	}
}

// newRecordTable reads the first objects and decides by them what the columns mean.
func (l *loader) newRecordTable(in *input, part split) (*recordTable, error) {
	if mark, _ := in.Peek(3); string(mark) == "\xef\xbb\xbf" {
		_, _ = in.Discard(3)
	}
	t := &recordTable{columns: map[string]int{}, decoder: json.NewDecoder(transform.NewReader(in, encoding.UTF8Validator))}
	t.into, t.part, t.lines, t.passing = l, part, &lineBlocks{name: in.name, line: 1}, true
	t.decoder.UseNumber()
	if first, _ := in.sample(); strings.HasPrefix(strings.TrimSpace(string(first)), "[") {
		t.array = true
		if _, err := t.decoder.Token(); err != nil {
			return nil, t.problem(err)
		}
	}
	for len(t.waiting) < sampleRows {
		row, err := t.parse()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		t.waiting = append(t.waiting, row)
	}
	t.number = 0
	return t, t.decideColumns()
}

// fill appends values to a field; a name that an object has twice has a list of values, too.
func (t *recordTable) fill(at int, values []string) {
	for _, value := range values {
		if len(t.kept[at]) > 0 {
			t.kept[at] = append(t.kept[at], listSeparator...)
			if !t.lists[at] {
				t.lists[at] = true
				t.separateLists()
			}
		}
		t.kept[at] = append(t.kept[at], value...)
	}
}

// decideColumns works out what the columns of the first objects mean.
func (t *recordTable) decideColumns() (err error) {
	if len(t.waiting) == 1 && t.into.report.SkippedProperties > 0 {
		return kg.Errorf(kg.Invalid, t.lines.name, "one object that holds lists of objects, expected an object a row, in lines or in an array")
	}
	for _, row := range t.waiting {
		for _, m := range row {
			t.column(m)
		}
	}
	rows := [][]string{t.names}
	for _, row := range t.waiting {
		cells := make([]string, len(t.names))
		for _, m := range row {
			cells[t.columns[m.name]] = strings.TrimSpace(strings.Join(m.values, listSeparator))
		}
		rows = append(rows, cells)
	}
	if t.layout, err = t.into.decideNamed(rows, t.lines.name); err != nil {
		return err
	}
	t.begun = true // names are no row of this table
	t.separateLists()
	return nil
}

// column gives the column of a member, a new one where its name was not seen before.
func (t *recordTable) column(m member) int {
	at, known := t.columns[m.name]
	if !known {
		at = len(t.columns)
		t.columns[m.name] = at
		t.names, t.lists, t.kept = append(t.names, m.name), append(t.lists, false), append(t.kept, nil)
		if t.wide != nil {
			t.widen(m)
		}
	}
	if m.list && !t.lists[at] {
		t.lists[at] = true
		t.separateLists()
	}
	return at
}

// widen adds a column to a wide table that is being read.
func (t *recordTable) widen(m member) {
	t.count++
	t.wide.cells = append(t.wide.cells, t.into.wideColumn(m.name, [][]string{{strings.Join(m.values, listSeparator)}}, 0))
	t.wide.relation, t.wide.given = append(t.wide.relation, 0), append(t.wide.given, false)
}

// separateLists parts the values of columns that hold lists, and no other way.
func (t *recordTable) separateLists() {
	for i, list := range t.lists {
		if list && t.wide != nil && i != t.wide.key {
			t.wide.cells[i].separator = listSeparator
		}
	}
}

// next gives the next object, io.EOF at the end.
func (t *recordTable) next() (record, error) {
	if len(t.waiting) > 0 {
		t.number++
		row := t.waiting[0]
		t.waiting = t.waiting[1:]
		return row, nil
	}
	if t.into.ctx.Err() != nil {
		return nil, stopped()
	}
	return t.parse()
}

// take makes facts of an object.
func (t *recordTable) take(row record) error {
	for i := range t.kept {
		t.kept[i] = t.kept[i][:0]
	}
	for _, m := range row {
		at := t.column(m)
		if t.wide == nil && at >= t.count {
			continue
		}
		t.fill(at, m.values)
	}
	t.fields = append(t.fields[:0], t.kept[:t.count]...)
	if len(row) == 0 {
		return nil
	}
	return t.table.row(t.number)
}
