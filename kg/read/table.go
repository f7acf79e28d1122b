package read

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
)

// table reads rows of one dialect into triples.
type table struct {
	splitter
	layout
	lines   *lineBlocks
	into    *loader
	part    split
	excel   bool   // a line such as "sep=;" comes first, by which Excel is told the delimiter
	begun   bool   // the header, if there is one, was passed
	trimmed int    // cells with blanks around them
	batch   batch  // of names that wait for their numbers
	passing bool   // fields last for their row only, not for a block
	scratch []byte // of names that are made of an id and its table
}

// readTable reads text in columns. Empty lines are skipped, everything else is a
// row: there are no comments, as '#' may well begin a name.
func (l *loader) readTable(in *input, sample []byte, format Format, part split) error {
	if bytes.IndexByte(sample, '\n') < 0 && bytes.IndexByte(bytes.TrimRight(sample, "\r"), '\r') >= 0 {
		return kg.ErrorAt(kg.Invalid, kg.Place{Name: in.name, Line: 1}, "its lines end as on old Macs, by a carriage return alone: expected line feeds (tr '\\r' '\\n' makes them)")
	}
	t, err := l.newTable(in, sample, format, part)
	if err != nil {
		return err
	}
	defer l.reportTable(t)
	used, lines := 0, 0
	for {
		block, err := t.lines.next(used, lines)
		if err != nil {
			return err
		}
		if len(block) == 0 {
			return nil
		}
		if used, lines, err = t.rows(block); err != nil {
			return err
		}
	}
}

// newTable decides on delimiter and layout from the beginning of the text.
func (l *loader) newTable(in *input, sample []byte, format Format, part split) (*table, error) {
	opts := l.opts
	opts.Format = format
	sample = bytes.TrimPrefix(sample, []byte("\xef\xbb\xbf"))
	told, sample, excel := cutDelimiterLine(sample)
	if excel && opts.Delimiter == 0 {
		opts.Delimiter = told
	}
	delimiter, _ := bestDelimiter(sample, opts)
	t := &table{splitter: splitter{dialect: dialectOf(delimiter)}, lines: newLineBlocks(in), into: l, part: part, excel: excel}
	var err error
	t.layout, err = l.decide(firstRows(sample, t.dialect), in.name)
	return t, err
}

// reportTable notes how a table was read.
func (l *loader) reportTable(t *table) {
	report := TableReport{Name: t.lines.name, Header: t.header, Skipped: t.skipped(), HeaderAsFact: t.doubtful, Trimmed: t.trimmed}
	if t.wide != nil {
		t.wide.report(&report, l.opts.Separator != "", t.names)
	}
	l.report.Tables = append(l.report.Tables, report)
	l.report.Header = l.report.Header || t.header
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
		if err != nil {
			return 0, 0, kg.ErrorAt(kg.Invalid, t.lines.at(where), "%v", err)
		}
		if err := t.row(where); err != nil {
			return 0, 0, err
		}
		used, lines = used+length, lines+spanned
	}
	t.flush() // its names point into the block
	return used, lines, nil
}

// row makes a triple of the fields.
func (t *table) row(line int) error {
	if t.blank() {
		return nil
	}
	if t.excel {
		t.excel = false
		return nil
	}
	if len(t.fields) != t.count {
		return kg.ErrorAt(kg.Invalid, t.lines.at(line), "%s", t.wrongCount())
	}
	if t.header && !t.begun {
		t.begun = true
		return nil
	}
	if t.wide != nil {
		return t.wideRow(line)
	}
	head, relation, tail := t.tidy(t.fields[t.head]), []byte(plainEdge), t.tidy(t.fields[t.tail])
	if t.relation != absent {
		relation = t.tidy(t.fields[t.relation])
	}
	if len(head) == 0 || len(relation) == 0 || len(tail) == 0 {
		return t.emptyName(line, head, relation)
	}
	if t.passing && holdsList(head, relation, tail) {
		return kg.ErrorAt(kg.Invalid, t.lines.at(line), "a list of values, expected one head, relation and tail a row")
	}
	if t.headIDs != "" || t.tailIDs != "" {
		head, tail = t.withTables(head, tail)
	}
	t.take(head, relation, tail)
	return nil
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
	t.scratch = appendNamed(t.scratch[:0], head, t.headIDs)
	end := len(t.scratch)
	t.scratch = appendNamed(t.scratch, tail, t.tailIDs)
	return t.scratch[:end], t.scratch[end:]
}

func (t *table) emptyName(line int, head, relation []byte) error {
	missing := "tail"
	if len(head) == 0 {
		missing = "head"
	} else if len(relation) == 0 {
		missing = "relation"
	}
	message := "the " + missing + " is empty"
	if t.into.opts.Columns == "" && !t.header {
		message += ", in what was read as triples; if a row is an entity and a column a relation, name the column of the entities by --key"
	}
	return kg.ErrorAt(kg.Invalid, t.lines.at(line), "%s", message)
}

func (t *table) wrongCount() string {
	names := map[byte]string{'\t': "tabs", ',': "commas", ';': "semicolons", '|': "bars", ' ': "spaces"}
	message := fmt.Sprintf("expected %s parted by %s, found %d", count.Of(t.count, "column"), names[t.delimiter], len(t.fields))
	switch first := t.fields[0]; {
	case len(first) > 0 && first[0] == '#':
		return message + "; tables have no comments"
	case t.wide != nil || t.header:
		return message + " unlike the header"
	case len(t.fields) == 2 && t.count == 3:
		return message + `; the key of a wide table, a row an entity, may have one other column`
	case len(t.fields) > 3 && t.count == 3:
		return message + `; give the order of the columns with - for those to skip, such as "hrt-", or the key of a wide table`
	}
	return message
}
