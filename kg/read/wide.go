package read

import (
	"bytes"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
)

// wide is a table with a row an entity and a column a relation: each filled cell is a
// fact, or several where a separator parts its values; empty cells are the gaps.
type wide struct {
	key      int
	keyIDs   string // the table that whole numbers in the key column are ids of; "" where keys are names
	label    int    // the column with readable names of the keys, absent if none
	cells    []cellColumn
	missing  int // cells that say by a word, such as NA, that they are empty
	scratch  []byte
	relation []kg.Relation // of each column, once it has a fact
	given    []bool        // whether relation is known
}

// cellColumn is what the cells of a column are.
type cellColumn struct {
	relation  string // "" for a column without facts
	separator string // of several values in a cell, "" for one
	typed     bool   // numbers, dates and truth values, which become literals
	comma     bool   // numbers have a comma for the point, as Excel writes them in many countries
	keys      bool   // whole numbers that may be keys of a table that is not there
	unread    bool   // names look like numbers or dates in a form that is not read
	text      bool   // other texts are literals too, as the properties of property graphs are
	ids       string // the table whose ids they are
}

// wideLayout works out the columns of a wide table from its first rows.
func (l *loader) wideLayout(rows [][]string, name string, key int) (layout, error) {
	header, data := rows[0], rows[1:]
	w := &wide{key: key, label: absent, cells: make([]cellColumn, len(header)), relation: make([]kg.Relation, len(header)), given: make([]bool, len(header))}
	neo4j := slices.ContainsFunc(header, isKeyCell)
	if neo4j {
		w.keyIDs = idSpace(header[key])
	} else if integers(data, key) {
		w.keyIDs = stemOf(name)
		l.keyed(w.keyIDs)
	}
	for i := range header {
		switch {
		case i == key || i == 0 && isRowNumber(header, data):
		case neo4j:
			w.cells[i] = propertyColumn(header[i])
		default:
			w.cells[i] = l.wideColumn(header[i], data, i)
		}
	}
	w.label = labelColumn(header, w, neo4j)
	return layout{columns: columns{count: len(header)}, header: true, names: header, wide: w}, nil
}

// isKeyCell tells Neo4j's header of nodes: ":ID", "personId:ID(Person)".
func isKeyCell(cell string) bool {
	_, kind, ok := strings.Cut(cell, ":")
	kind, _, _ = strings.Cut(kind, "(")
	return ok && kind == "ID"
}

// propertyColumn reads what Neo4j writes behind a column's name: "born:int", "roles:string[]", ":LABEL".
func propertyColumn(cell string) cellColumn {
	name, kind, stated := strings.Cut(cell, ":")
	kind, array := strings.CutSuffix(kind, "[]")
	column := cellColumn{relation: name, typed: stated && kind != "string", text: true}
	switch {
	case kind == "LABEL":
		return cellColumn{relation: "label", separator: ";"}
	case kind == "IGNORE":
		return cellColumn{}
	case array:
		column.separator = ";"
	}
	return column
}

// wideColumn tells what a column holds by its name and its first cells.
func (l *loader) wideColumn(cell string, data [][]string, at int) cellColumn {
	column := cellColumn{relation: strings.TrimSpace(cell), separator: l.opts.Separator}
	if column.separator == "" {
		column.separator = separatorOf(data, at)
	}
	if ids, ok := l.refersTo(cell); ok {
		column.ids = ids
		column.relation = withoutID(column.relation)
		return column
	}
	if column.separator != "" {
		data, at = splitCells(data, at, column.separator), 0
	}
	column.keys = withoutID(column.relation) != column.relation && integers(data, at)
	column.comma = commaColumn(data, at)
	column.typed = column.comma || typedColumn(data, at)
	column.unread = !column.typed && unreadColumn(data, at)
	return column
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

// splitCells gives the values of a column, a row each.
func splitCells(data [][]string, at int, separator string) [][]string {
	var values [][]string
	for _, row := range data {
		if at < len(row) {
			for value := range strings.SplitSeq(row[at], separator) {
				values = append(values, []string{strings.TrimSpace(value)})
			}
		}
	}
	return values
}

// separatorOf finds what parts several values in the cells of a column: a bar or a
// semicolon, if one of the parts also stands in another cell. A comma is too common
// within names (Rome, Italy): it must be stated.
func separatorOf(data [][]string, at int) string {
	for _, separator := range []string{"|", ";"} {
		seen, several, again := map[string]bool{}, false, false
		for _, row := range data {
			if at >= len(row) {
				continue
			}
			several = several || strings.Contains(row[at], separator)
			for part := range strings.SplitSeq(row[at], separator) {
				part = strings.TrimSpace(part)
				again = again || part != "" && seen[part]
				seen[part] = true
			}
		}
		if several && again {
			return separator
		}
	}
	return ""
}

// isRowNumber tells the column without name that pandas and R put before a table.
func isRowNumber(header []string, data [][]string) bool {
	return strings.TrimSpace(header[0]) == "" && integers(data, 0) && distinct(data, 0)
}

// keyColumn chooses the column that says what a row is about: Neo4j's ID, else the
// first whose cells are all different, one that is called id before others.
func keyColumn(rows [][]string, name string) int {
	header, data := rows[0], rows[1:]
	if at := slices.IndexFunc(header, isKeyCell); at >= 0 {
		return at
	}
	start := 0
	if isRowNumber(header, data) {
		start = 1
	}
	words := bareWords(header)
	for _, word := range []string{"id", singular(stemOf(name)) + "id", stemOf(name) + "id"} {
		if at := slices.Index(words, word); at >= 0 && distinct(data, at) {
			return at
		}
	}
	for i := start; i < len(header) && len(header) > 2; i++ {
		if distinct(data, i) && !typedColumn(data, i) {
			return i
		}
	}
	return min(start, len(header)-1)
}

// labelColumn finds the readable names of keys that are ids, which are labels and no facts.
func labelColumn(header []string, w *wide, neo4j bool) int {
	if w.keyIDs == "" && !neo4j && !strings.HasSuffix(bareWord(header[w.key]), "id") {
		return absent
	}
	words := make([]string, len(header))
	for i, cell := range header {
		cell, _, _ = strings.Cut(cell, ":")
		words[i] = bareWord(cell)
	}
	at := columnOf(words, []string{"name", "title", "label", "fullname"})
	if at == w.key {
		return absent
	}
	if at != absent {
		w.cells[at].relation = ""
	}
	return at
}

// wideRow makes facts of a row's cells.
func (t *table) wideRow(line int) error {
	w := t.wide
	key := t.tidy(t.fields[w.key])
	if len(key) == 0 {
		return kg.ErrorAt(kg.Invalid, t.lines.at(line), "the key, column %q, is empty", t.names[w.key])
	}
	if t.passing && holdsList(key) {
		return kg.ErrorAt(kg.Invalid, t.lines.at(line), "the key, column %q, is a list, expected one name a row", t.names[w.key])
	}
	head := kg.Entity(t.into.entities.Intern(w.named(key, w.keyIDs)))
	if w.label != absent {
		if label := bytes.TrimSpace(t.fields[w.label]); !isMissing(label) {
			t.into.labels.addText(w.named(key, w.keyIDs), label)
		}
	}
	for i := range w.cells {
		if w.cells[i].relation != "" {
			t.cell(head, i, t.tidy(t.fields[i]))
		} else if i > 0 && t.names[i] == "" && len(t.fields[i]) > 0 {
			return kg.ErrorAt(kg.Invalid, t.lines.at(line), "column %d has no name and holds %q", i+1, t.fields[i])
		}
	}
	return nil
}

// named gives an id the name of its table, as 1 is another entity in each: films/1.
func (w *wide) named(value []byte, table string) []byte {
	if table == "" {
		return value
	}
	w.scratch = appendNamed(w.scratch[:0], value, table)
	return w.scratch
}

func appendNamed(to, id []byte, table string) []byte {
	if table != "" {
		to = append(append(to, table...), '/')
	}
	return append(to, id...)
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
	if bare := bytes.TrimSpace(value); isMissing(bare) {
		if len(bare) > 0 {
			w.missing++
		}
		return
	}
	if !w.given[column] {
		w.relation[column], w.given[column] = kg.Forward(t.into.relations.Intern([]byte(c.relation))), true
	}
	if c.comma {
		w.scratch = appendWithPoint(w.scratch[:0], value)
		value = w.scratch
	}
	var tail kg.Entity
	if kind := literalType(value); c.typed && kind != "" {
		tail = t.into.literal(value, kind)
	} else if c.text {
		tail = t.into.literal(value, "")
	} else {
		tail = kg.Entity(t.into.entities.Intern(w.named(value, c.ids)))
	}
	t.into.facts[t.part] = append(t.into.facts[t.part], kg.Triple{Head: head, Relation: w.relation[column], Tail: tail})
}

// literal is the entity of a value; its text is its label, so that people need not write its type.
func (l *loader) literal(text []byte, kind string) kg.Entity {
	l.scratch = appendLiteral(l.scratch[:0], text, kind)
	before := l.entities.Len()
	id := l.entities.Intern(l.scratch)
	if l.entities.Len() > before {
		l.labels.addText(l.scratch, text)
	}
	return kg.Entity(id)
}
