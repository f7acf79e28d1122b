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
	names   []string
	kept    [][]byte // memory of the fields
	whole   bool     // all objects wait
	planned int      // columns that the plan has
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
	t, err := l.newRecordTable(in)
	if err != nil {
		return err
	}
	plan, err := l.planOf(in.name, t.look)
	if err != nil || l.planning || plan.Rows == RowsIgnored {
		return err
	}
	if err := t.start(plan, part); err != nil {
		return err
	}
	defer func() { l.reportTable(&t.table) }()
	for {
		row, err := t.next()
		if errors.Is(err, io.EOF) {
			return t.bad.err()
		}
		if err != nil {
			return err
		}
		if err := t.take(row); err != nil {
			if err := t.bad.add(l, err, row.json()); err != nil {
				return err
			}
		}
	}
}

// newRecordTable reads the first objects, of which the plan is made.
func (l *loader) newRecordTable(in *input) (*recordTable, error) {
	if mark, _ := in.Peek(3); string(mark) == "\xef\xbb\xbf" {
		_, _ = in.Discard(3)
	}
	t := &recordTable{columns: map[string]int{}, decoder: json.NewDecoder(transform.NewReader(in, encoding.UTF8Validator))}
	t.into, t.lines, t.passing = l, &lineBlocks{name: in.name, line: 1}, true
	t.decoder.UseNumber()
	if first, _ := in.sample(); strings.HasPrefix(strings.TrimSpace(string(first)), "[") {
		t.array = true
		if _, err := t.decoder.Token(); err != nil {
			return nil, t.problem(err)
		}
	}
	for len(t.waiting) < surveyRows/4 {
		row, err := t.parse()
		if errors.Is(err, io.EOF) {
			t.whole = true
			break
		}
		if err != nil {
			return nil, err
		}
		t.waiting = append(t.waiting, row)
	}
	t.number = 0
	return t, nil
}

// fill appends values to a field; a name that an object has twice has a list of values, too.
func (t *recordTable) fill(at int, values []string) {
	for _, value := range values {
		if len(t.kept[at]) > 0 {
			t.kept[at] = append(t.kept[at], listSeparator...)
			if t.wide != nil && at < len(t.wide.cells) {
				t.wide.cells[at].separator = listSeparator
			}
		}
		t.kept[at] = append(t.kept[at], value...)
	}
}

// json is an object as it may be written to a file of what was left out.
func (r record) json() []byte {
	object := map[string]any{}
	for _, m := range r {
		object[m.name] = m.values
		if len(m.values) == 1 && !m.list {
			object[m.name] = m.values[0]
		}
	}
	text, _ := json.Marshal(object)
	return append(text, '\n')
}

// look makes the plan of the table from the first objects.
func (t *recordTable) look() (*draft, error) {
	if len(t.waiting) == 1 && t.into.report.SkippedProperties > 0 {
		return nil, kg.Errorf(kg.Invalid, t.lines.name, "one object that holds lists of objects, expected an object a row, in lines or in an array")
	}
	rows := t.surveyed()
	s := &sighting{TablePlan: TablePlan{Table: tableOf(t.lines.name), File: t.lines.name, Format: Records, Null: t.into.opts.null()}, named: true, whole: t.whole && len(rows) == len(t.waiting), lists: t.lists}
	s.cells = [][]string{t.names}
	for _, row := range rows {
		cells := make([]string, len(t.names))
		for _, m := range row {
			at := t.columns[m.name]
			if cells[at] != "" {
				cells[at] += listSeparator
				t.lists[at] = true
			}
			cells[at] += strings.TrimSpace(strings.Join(m.values, listSeparator))
		}
		s.cells = append(s.cells, cells)
	}
	return t.into.decide(s)
}

// surveyed are the first objects, as many as have room in a table of cells: where each has members of its own, most cells are empty.
func (t *recordTable) surveyed() []record {
	for i, row := range t.waiting {
		for _, m := range row {
			t.column(m)
		}
		if (i+1)*len(t.names) > surveyCells {
			return t.waiting[:i+1]
		}
	}
	return t.waiting
}

// start has the plan followed: its columns are those of the objects, by name.
func (t *recordTable) start(plan *TablePlan, part split) error {
	t.columns, t.names, t.kept = map[string]int{}, nil, nil
	for i, c := range plan.Columns {
		t.columns[c.Name] = i
		t.names, t.kept = append(t.names, c.Name), append(t.kept, nil)
	}
	t.lists, t.planned = make([]bool, len(t.names)), len(t.names)
	t.begun = true // names are no row of this table
	return t.into.follow(&t.table, plan, part)
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
	if m.list {
		t.lists[at] = true
	}
	return at
}

// widen adds a column to a table that is being read, which came up too late for the plan. A plan that was stated has no place for it.
func (t *recordTable) widen(m member) {
	s := newSurvey([]string{m.name}, [][]string{{strings.Join(m.values, listSeparator)}}, t.plan.Null, []bool{m.list})
	c := t.into.guessColumn(s, 0)
	if t.into.opts.Plan != nil {
		c = ColumnPlan{Name: m.name, Role: RoleIgnore}
	}
	c.Filled, c.Different, c.Doubt = 0, 0, "came up after the plan was made"
	t.plan.Columns = append(t.plan.Columns, c)
	t.wide.add(t.into.cellColumn(&c))
	t.count++
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
		if at >= mostColumns {
			return tooManyColumns(t.lines.at(t.number))
		}
		if at >= t.planned && t.wide != nil {
			t.wide.late += len(m.values)
		}
		if at >= t.count {
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
