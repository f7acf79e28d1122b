package read

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
)

// table reads rows of one dialect as its plan says.
type table struct {
	splitter
	columns  // of triples; its count is that of any table
	plan     *TablePlan
	wide     *wide  // nil for triples
	edge     []byte // the relation of all rows, where no column has it
	said     []int  // columns of annotations
	id       int    // the column that names the statement of a row, as KGTK has it; absent if none
	undirect int    // the column that says Undirected of an edge, as Gephi has it; absent if none
	headIDs  string // what the names of heads begin with
	tailIDs  string
	heads    *subjects // of the tables that these are
	tails    *subjects
	lines    *lineBlocks
	into     *loader
	part     split
	excel    bool   // a line such as "sep=;" comes first, by which Excel is told the delimiter
	begun    bool   // the header, if there is one, was passed
	passed   bool   // so was the row of units
	broken   bool   // the header is not the plan's
	skips    bool   // columns without a name are left out, as the user said
	number   int    // of the row, from 1
	gaps     int    // edges without an end
	trimmed  int    // cells with blanks around them
	batch    batch  // of names that wait for their numbers
	passing  bool   // fields last for their row only, not for a block
	scratch  []byte // of names that are made of an id and its table
	bad      badRows
}

// follow makes a table ready to be read by its plan.
func (l *loader) follow(t *table, plan *TablePlan, part split) (err error) {
	t.plan, t.into, t.part, t.undirect, t.id = plan, l, part, absent, absent
	t.columns = columns{absent, absent, absent, len(plan.Columns)}
	_, names := l.opts.columnsOf(plan.Table)
	t.skips = names != nil
	if plan.Rows == RowsEntities {
		t.wide, err = l.newWide(plan)
		return err
	}
	for i, c := range plan.Columns {
		switch c.Role {
		case RoleHead:
			t.columns.head, t.headIDs, t.heads = i, l.idsOf(&c), l.referred(&c)
		case RoleRelation:
			t.columns.relation = i
		case RoleTail:
			t.columns.tail, t.tailIDs, t.tails, t.edge = i, l.idsOf(&c), l.referred(&c), []byte(c.Property)
		case RoleAnnotation:
			t.said = append(t.said, i)
		case RoleIgnore:
			switch word := bareWord(c.Name); {
			case word == "type" && plan.Header:
				t.undirect = i
			case word == "id" && slices.ContainsFunc(plan.Columns, func(c ColumnPlan) bool { return bareWord(c.Name) == "node1" }):
				t.id = i
			}
		}
	}
	if t.columns.head == absent || t.columns.tail == absent || t.relation == absent && len(t.edge) == 0 {
		return kg.Errorf(kg.Invalid, plan.File, "the plan has triples without head, relation or tail")
	}
	return nil
}

// idsOf is what names of a column begin with: those of the table referred to, or of Neo4j's space of ids.
func (l *loader) idsOf(c *ColumnPlan) string {
	if target := l.plan.table(c.Table); c.Table != "" && target != nil {
		return target.prefix()
	}
	if space := idSpace(c.Name); space != "" {
		return space + "/"
	}
	return ""
}

func (l *loader) referred(c *ColumnPlan) *subjects {
	if c.Table == "" || l.idsOf(c) == "" {
		return nil
	}
	return l.subjectsOf(c.Table)
}

// readTable reads text in columns. Empty lines are skipped, everything else is a
// row: there are no comments but before the first, as '#' may well begin a name.
func (l *loader) readTable(in *input, sample []byte, format Format, part split) error {
	if bytes.IndexByte(sample, '\n') < 0 && bytes.IndexByte(bytes.TrimRight(sample, "\r"), '\r') >= 0 {
		return kg.ErrorAt(kg.Invalid, kg.Place{Name: in.name, Line: 1}, "its lines end as on old Macs, by a carriage return alone: expected line feeds (tr '\\r' '\\n' makes them)")
	}
	plan, err := l.planOf(in.name, func() (*draft, error) { return l.lookAtText(in, sample, format) })
	if err != nil || l.planning || plan.Rows == RowsIgnored {
		return err
	}
	_, _, excel := cutDelimiterLine(bytes.TrimPrefix(sample, []byte(utf8Mark)))
	t := &table{lines: newLineBlocks(in), excel: excel}
	if t.dialect, err = plan.dialect(); err != nil {
		return err
	}
	if err := l.follow(t, plan, part); err != nil {
		return err
	}
	return t.read()
}

// read goes through all rows. Bad ones are counted, so that the error tells of them all.
func (t *table) read() error {
	defer t.into.reportTable(t)
	used, lines := 0, 0
	for {
		block, err := t.lines.next(used, lines)
		if err != nil {
			return err
		}
		if len(block) == 0 {
			return t.bad.err()
		}
		if used, lines, err = t.rows(block); err != nil {
			return err
		}
	}
}

const utf8Mark = "\xef\xbb\xbf"

// dialect is how the plan says that columns are parted.
func (p *TablePlan) dialect() (dialect, error) {
	if len(p.Delimiter) != 1 {
		return dialect{}, kg.Errorf(kg.Invalid, p.File, "the plan has the delimiter %q, expected one character", p.Delimiter)
	}
	return dialectOf(p.Delimiter[0]), nil
}

// rows reads the records of a block and tells how much of it they take.
func (t *table) rows(block []byte) (used, lines int, err error) {
	final := t.lines.final()
	for used < len(block) {
		length, spanned, err := t.record(block[used:], final)
		if errors.Is(err, errIncomplete) {
			break
		}
		where := t.lines.line + lines
		if err != nil { // what is wrong with its quotes spoils this line, and no other if the next is sound
			err = kg.ErrorAt(kg.Invalid, t.lines.at(where), "%v", err)
			length, spanned = lineLength(block[used:]), 1
		} else {
			err = t.row(where)
		}
		if t.broken {
			return 0, 0, err
		}
		if err != nil {
			if err := t.bad.add(t.into, err, block[used:used+length]); err != nil {
				return 0, 0, err
			}
		}
		used, lines = used+length, lines+spanned
	}
	t.flush() // its names point into the block
	return used, lines, t.into.relieve(t.part)
}

func lineLength(text []byte) int {
	if end := bytes.IndexByte(text, '\n'); end >= 0 {
		return end + 1
	}
	return len(text)
}

// row makes facts of the fields.
func (t *table) row(line int) error {
	if t.blank() {
		return nil
	}
	if t.excel {
		t.excel = false
		return nil
	}
	if line <= t.plan.SkipLines && !t.passing {
		return nil
	}
	if t.plan.Header && !t.begun {
		t.begun = true
		err := t.checkHeader(line)
		t.broken = err != nil
		return err
	}
	if t.plan.UnitRow && !t.passed {
		t.passed = true
		return nil
	}
	t.number++
	if len(t.fields) != t.count {
		return kg.ErrorAt(kg.Invalid, t.lines.at(line), "%s", t.wrongCount())
	}
	if t.passing && t.number%batchRows == 0 {
		if err := t.into.relieve(t.part); err != nil {
			return err
		}
	}
	if t.wide != nil {
		return t.wideRow(line)
	}
	return t.triple(line)
}

// checkHeader holds the names of the columns to those of the plan.
func (t *table) checkHeader(line int) error {
	if t.skips {
		return nil
	}
	for i, name := range uniqueNames(fieldTexts(t.fields)) {
		if i >= t.count || bareWord(name) != bareWord(t.plan.Columns[i].Name) {
			return kg.ErrorAt(kg.Invalid, t.lines.at(line), "the header has %q in column %d, unlike the plan", name, i+1)
		}
	}
	if len(t.fields) != t.count {
		return kg.ErrorAt(kg.Invalid, t.lines.at(line), "the header has %s, the plan %d", count.Of(len(t.fields), "column"), t.count)
	}
	return nil
}

func fieldTexts(fields [][]byte) []string {
	texts := make([]string, len(fields))
	for i, field := range fields {
		texts[i] = string(bytes.TrimSpace(field))
	}
	return texts
}

// triple makes a fact of a row of head, relation and tail.
func (t *table) triple(line int) error {
	head, relation, tail := t.tidy(t.fields[t.columns.head]), t.edge, t.tidy(t.fields[t.tail])
	if t.relation != absent {
		relation = t.tidy(t.fields[t.relation])
	}
	if len(head) == 0 || len(relation) == 0 || len(tail) == 0 {
		if t.plan.Header && t.relation == absent && len(t.plan.Columns) == 2 && (len(tail) == 0 || len(head) == 0) {
			t.gaps++
			return nil
		}
		return t.emptyName(line, head, relation)
	}
	if t.passing && holdsList(head, relation, tail) {
		return kg.ErrorAt(kg.Invalid, t.lines.at(line), "a list of values, expected one head, relation and tail a row")
	}
	if t.headIDs != "" || t.tailIDs != "" {
		head, tail = t.withTables(head, tail)
	}
	if t.id != absent && t.into.statements.say(head, relation, tail) {
		return nil // a qualifier
	}
	t.take(head, relation, tail)
	if t.id != absent || len(t.said) > 0 {
		t.annotate()
	}
	both := t.plan.Undirected || t.undirect != absent && bytes.EqualFold(t.fields[t.undirect], []byte("undirected"))
	if both && !bytes.Equal(head, tail) {
		t.take(tail, relation, head)
		if len(t.said) > 0 {
			t.annotate()
		}
		t.into.report.BothWays++
	}
	return nil
}

// annotate says of the fact that was taken last what other cells of its row hold, and what it is called.
func (t *table) annotate() {
	t.flush()
	var said []kg.Annotation
	for _, at := range t.said {
		cell := t.tidy(t.fields[at])
		if isMissing(cell) {
			continue
		}
		for part := range strings.SplitSeq(string(cell), listSeparator) {
			said = append(said, kg.Annotation{Relation: cmp.Or(t.plan.Columns[at].Property, t.plan.Columns[at].Name), Value: string(appendLiteral(nil, []byte(part), literalType([]byte(part))))})
		}
	}
	t.into.annotate(t.part, said)
	if facts := t.into.facts[t.part]; t.id != absent && t.part == trainSplit && len(facts) > 0 {
		t.into.statements.name(t.tidy(t.fields[t.id]), facts[len(facts)-1])
	}
}

// holdsList tells of a name that is a list, which Parquet and JSON have.
func holdsList(names ...[]byte) bool {
	return slices.ContainsFunc(names, func(name []byte) bool { return bytes.Contains(name, []byte(listSeparator)) })
}

// tidy drops the blanks around a cell, which nobody sees and which would make two names of one.
func (t *table) tidy(cell []byte) []byte {
	if t.into.opts.KeepBlanks {
		return cell
	}
	bare := bytes.TrimSpace(cell)
	if len(bare) < len(cell) && len(bare) > 0 {
		t.trimmed++
	}
	return bare
}

// withTables gives ids the names of what they are ids of.
func (t *table) withTables(head, tail []byte) (namedHead, namedTail []byte) {
	t.scratch = append(append(t.scratch[:0], t.headIDs...), head...)
	end := len(t.scratch)
	t.scratch = append(append(t.scratch, t.tailIDs...), tail...)
	head, tail = t.scratch[:end], t.scratch[end:]
	if t.heads != nil {
		t.heads.refer(t.into.entities.Intern(head))
	}
	if t.tails != nil {
		t.tails.refer(t.into.entities.Intern(tail))
	}
	return head, tail
}

func (t *table) emptyName(line int, head, relation []byte) error {
	missing := "tail"
	if len(head) == 0 {
		missing = "head"
	} else if len(relation) == 0 {
		missing = "relation"
	}
	message := "the " + missing + " is empty"
	if t.into.opts.Columns == "" && !t.plan.Header {
		message += ", in what was read as triples; if a row is an entity and a column a relation, name the column of the entities by --key"
	}
	return kg.ErrorAt(kg.Invalid, t.lines.at(line), "%s", message)
}

func (t *table) wrongCount() string {
	names := map[byte]string{'\t': "tabs", ',': "commas", ';': "semicolons", '|': "bars", ' ': "spaces"}
	message := fmt.Sprintf("expected %s separated by %s, found %d", count.Of(t.count, "column"), names[t.delimiter], len(t.fields))
	switch first := t.fields[0]; {
	case len(first) > 0 && first[0] == '#':
		return message + "; tables have no comments"
	case t.wide != nil || t.plan.Header:
		return message + " unlike the header"
	case len(t.fields) == 2 && t.count == 3:
		return message + `; a wide table, one entity per row, may have a key and one other column`
	case len(t.fields) > 3 && t.count == 3:
		return message + `; give the order of the columns with - for those to skip, such as "hrt-", or the key of a wide table`
	}
	return message
}
