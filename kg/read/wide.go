package read

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
)

// wide follows the plan of a table with an entity a row: each filled cell is a
// fact, or several where a separator parts its values; empty cells are the gaps.
type wide struct {
	plan     *TablePlan
	subject  template
	key      int // the only column of the subject and all of it; absent where it is made of more
	label    template
	null     map[string]bool
	longest  int // of its words
	cells    []cellColumn
	joined   []joinedCells
	seen     *subjects // of this table
	scratch  []byte
	second   []byte
	relation []kg.Relation // of each column, once it has a fact
	given    []bool        // whether relation is known
	missing  int           // cells that say by a word, such as NA, that they are empty
	repeated int           // rows whose name another had before
	unnamed  int           // rows without a name
	late     int           // cells of columns that the plan lacks
}

// cellColumn is what the cells of a column are.
type cellColumn struct {
	relation  string // "" for a column without facts
	separator string // of several values in a cell, "" for one
	typed     bool   // numbers, dates and truth values, which become literals
	text      bool   // other texts are literals, too
	dates     string // the form of dates that are written otherwise than ISO 8601 has them
	comma     bool   // numbers have a comma for the point, as Excel writes them in many countries
	prefix    string // of the names of the table referred to
	target    *subjects
	keep      []string
	untyped   int // cells that are no value of the column's type
	recent    recentCells
}

// newWide makes a plan ready to be followed.
func (l *loader) newWide(t *TablePlan) (*wide, error) {
	w := &wide{plan: t, key: absent, null: map[string]bool{}, seen: l.subjectsOf(t.Table)}
	var err error
	if w.subject, err = parseTemplate(t.Subject, t.Columns); err == nil {
		w.label, err = parseTemplate(t.Label, t.Columns)
	}
	switch {
	case err != nil:
		return nil, kg.Errorf(kg.Invalid, t.File, "%v", strings.TrimPrefix(err.Error(), ": "))
	case len(w.subject.columns) == 0:
		return nil, kg.Errorf(kg.Invalid, t.File, "the subject %q names all rows alike, expected a column in braces or {%s}", t.Subject, rowWord)
	}
	if at, plain := w.subject.plain(); plain {
		w.key = at
	}
	for _, word := range t.Null {
		w.null[word], w.longest = true, max(w.longest, len(word))
	}
	for i := range t.Columns {
		w.add(l.cellColumn(&t.Columns[i]))
	}
	for i := range t.References {
		joined, err := l.joinedCells(t, &t.References[i])
		if err != nil {
			return nil, err
		}
		w.joined = append(w.joined, joined)
	}
	return w, nil
}

func (w *wide) add(c cellColumn) {
	w.cells, w.relation, w.given = append(w.cells, c), append(w.relation, 0), append(w.given, false)
}

func (l *loader) cellColumn(c *ColumnPlan) cellColumn {
	if c.Role != RoleReference && c.Role != RoleValue || c.Property == "" {
		return cellColumn{}
	}
	cell := cellColumn{relation: c.Property, separator: c.Separator, comma: c.Comma, keep: c.Keep}
	if c.Role == RoleValue {
		cell.dates = c.Format
		cell.text, cell.typed = true, c.Type != "string"
	}
	if target := l.plan.table(c.Table); c.Table != "" && target != nil {
		cell.prefix = target.prefix()
		if cell.prefix != "" {
			cell.target = l.subjectsOf(c.Table)
		}
	}
	return cell
}

// withoutID makes director of director_id, which is what the relation is.
func withoutID(name string) string {
	for _, suffix := range []string{"_id", "_ID", " id", " ID", "-id", "Id", "ID"} {
		if short, ok := strings.CutSuffix(name, suffix); ok && short != "" {
			return short
		}
	}
	return name
}

// isNull tells of a cell that is empty or says so.
func (w *wide) isNull(cell []byte, column int) bool {
	return len(cell) == 0 || len(cell) <= w.longest && w.null[string(cell)] && !slices.Contains(w.cells[column].keep, string(cell))
}

// wideRow makes facts of a row's cells.
func (t *table) wideRow(line int) error {
	w := t.wide
	head, err := t.head(line)
	if err != nil {
		return err
	}
	if len(w.label.columns) > 0 {
		if label, _ := w.label.fill(w.second[:0], t.number, t.bare, true); len(label) > 0 {
			w.second = label
			t.into.labels.addRow(uint32(head), bytes.ReplaceAll(label, []byte(listSeparator), []byte(", ")))
		}
	}
	for i := range w.cells {
		if w.cells[i].relation != "" {
			t.cell(head, i, t.tidy(t.fields[i]))
		} else if i > 0 && w.plan.Columns[i].Name == "" && len(t.fields[i]) > 0 && !t.skips {
			return kg.ErrorAt(kg.Invalid, t.lines.at(line), "column %d has no name and holds %q", i+1, t.fields[i])
		}
	}
	for i := range w.joined {
		t.join(head, &w.joined[i])
	}
	return nil
}

// bare is a cell without blanks around it, empty where it says that it is.
func (t *table) bare(column int) []byte {
	cell := t.fields[column]
	if !t.into.opts.KeepBlanks {
		cell = bytes.TrimSpace(cell)
	}
	if t.wide.isNull(cell, column) {
		return nil
	}
	return cell
}

// keyCell is a cell of the subject.
func (t *table) keyCell(column int) []byte {
	if cell := t.tidy(t.fields[column]); !t.wide.isNull(cell, column) {
		return cell
	}
	return nil
}

// head names the entity of a row. Rows are told apart by their number where the columns of the plan do not.
func (t *table) head(line int) (kg.Entity, error) {
	w := t.wide
	name, complete := w.subject.fill(w.scratch[:0], t.number, t.keyCell, false)
	w.scratch = name
	switch {
	case complete && t.passing && holdsList(name):
		return 0, kg.ErrorAt(kg.Invalid, t.lines.at(line), "the key, %s, is a list, expected one name a row", w.keyWords())
	case !complete && w.plan.Per == PerKey:
		return 0, kg.ErrorAt(kg.Invalid, t.lines.at(line), "the key, %s, is empty", w.keyWords())
	case !complete:
		w.unnamed++
		name = fmt.Appendf(name[:0], "%s/%s %d", w.plan.Table, "row", t.number)
		w.scratch = name
	}
	head := t.into.entities.Intern(name)
	if w.seen.add(head) || w.plan.Per == PerKey {
		return kg.Entity(head), nil
	}
	w.repeated++
	name = fmt.Appendf(name, " (row %d)", t.number)
	w.scratch = name
	head = t.into.entities.Intern(name)
	w.seen.add(head)
	return kg.Entity(head), nil
}

// keyWords name the columns of the subject in messages.
func (w *wide) keyWords() string {
	var names []string
	for _, at := range w.subject.columns {
		if at >= 0 {
			names = append(names, fmt.Sprintf("%q", w.plan.Columns[at].Name))
		}
	}
	if len(names) == 1 {
		return "column " + names[0]
	}
	return "columns " + strings.Join(names, " and ")
}

// cell adds the facts of a cell.
func (t *table) cell(head kg.Entity, column int, text []byte) {
	separator := t.wide.cells[column].separator
	for separator != "" {
		value, rest, more := bytes.Cut(text, []byte(separator))
		if !more {
			break
		}
		t.value(head, column, value)
		text = rest
	}
	t.value(head, column, text)
}

func (t *table) value(head kg.Entity, column int, value []byte) {
	w, c := t.wide, &t.wide.cells[column]
	if c.separator != "" {
		value = bytes.TrimSpace(value)
	}
	if bare := bytes.TrimSpace(value); w.isNull(bare, column) {
		if len(bare) > 0 {
			w.missing++
		}
		return
	}
	if t.into.isFull(t.part) {
		return
	}
	if !w.given[column] {
		w.relation[column], w.given[column] = t.into.relation([]byte(c.relation)), true
	}
	t.into.facts[t.part] = append(t.into.facts[t.part], kg.Triple{Head: head, Relation: w.relation[column], Tail: t.recentTail(c, value)})
}

// recentTail is tailOf, by what is known from other rows.
func (t *table) recentTail(c *cellColumn, value []byte) kg.Entity {
	place := c.recent.place(value)
	if place != nil && place.is(value) {
		return place.entity
	}
	untyped := c.untyped
	tail := t.tailOf(c, value)
	if place != nil && c.untyped == untyped { // which is counted anew each time
		place.put(value, tail)
	}
	return tail
}

// tailOf is the value or the entity that a cell states.
func (t *table) tailOf(c *cellColumn, value []byte) kg.Entity {
	w := t.wide
	if c.comma {
		w.second = appendWithPoint(w.second[:0], value)
		value = w.second
	}
	if c.dates != "" {
		w.second = appendISODate(w.second[:0], value, c.dates)
		value = w.second
	}
	if c.text {
		kind := ""
		if c.typed {
			if kind = literalType(value); kind == "" {
				c.untyped++
			}
		}
		return t.into.literal(value, kind)
	}
	if c.prefix == "" {
		return kg.Entity(t.into.entities.Intern(value))
	}
	w.second = append(append(w.second[:0], c.prefix...), value...)
	id := t.into.entities.Intern(w.second)
	c.target.refer(id)
	return kg.Entity(id)
}

// literal is the entity of a value; its text is its label, so that people need not write its type.
func (l *loader) literal(text []byte, kind string) kg.Entity {
	l.room = appendLiteral(l.room[:0], text, kind)
	before := l.entities.Len()
	id := l.entities.Intern(l.room)
	if l.entities.Len() > before {
		if kind == "boolean" || kind == "dateTime" { // whose text may be written otherwise
			l.labels.addRow(id, text)
		} else {
			set(&l.labels.values, id)
		}
	}
	return kg.Entity(id)
}
