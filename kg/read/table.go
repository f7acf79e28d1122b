package read

import (
	"errors"
	"fmt"

	"github.com/lacuna-kg/lacuna/kg"
)

// table reads rows of one dialect into triples.
type table struct {
	splitter
	columns
	lines  *lineBlocks
	into   *loader
	part   split
	header bool // the first row is yet to be skipped
}

// readTable reads text in columns. Empty lines are skipped, everything else is a
// row: there are no comments, as '#' may well begin a name.
func (l *loader) readTable(in *input, sample []byte, format Format, part split) error {
	t := l.newTable(in, sample, format, part)
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

// newTable decides on delimiter, header and order of columns from the beginning of the text.
func (l *loader) newTable(in *input, sample []byte, format Format, part split) *table {
	opts := l.opts
	opts.Format = format
	if len(sample) >= 3 && string(sample[:3]) == "\xef\xbb\xbf" {
		sample = sample[3:]
	}
	delimiter, _ := bestDelimiter(sample, opts)
	t := &table{splitter: splitter{dialect: dialectOf(delimiter)}, lines: newLineBlocks(in), into: l, part: part}
	t.columns, _ = parseColumns(opts.Columns)
	order, found := detectHeader(firstRows(sample, t.dialect), opts.Columns)
	if found && opts.Header != No {
		t.columns = order
	}
	t.header = opts.Header == Yes || opts.Header == Auto && found
	l.report.Header = l.report.Header || t.header
	return t
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
	return used, lines, nil
}

// row makes a triple of the fields.
func (t *table) row(line int) error {
	if t.blank() {
		return nil
	}
	if len(t.fields) != t.count {
		return kg.ErrorAt(kg.Invalid, t.lines.at(line), "%s", t.wrongCount())
	}
	if t.header {
		t.header = false
		return nil
	}
	head, relation, tail := t.fields[t.head], t.fields[t.relation], t.fields[t.tail]
	if len(head) == 0 || len(relation) == 0 || len(tail) == 0 {
		return t.emptyName(line, head, relation)
	}
	t.into.fact(t.part, head, relation, tail)
	return nil
}

func (t *table) emptyName(line int, head, relation []byte) error {
	missing := "tail"
	if len(head) == 0 {
		missing = "head"
	} else if len(relation) == 0 {
		missing = "relation"
	}
	return kg.ErrorAt(kg.Invalid, t.lines.at(line), "the %s is empty", missing)
}

func (t *table) wrongCount() string {
	names := map[byte]string{'\t': "tabs", ',': "commas", ';': "semicolons", '|': "bars", ' ': "spaces"}
	message := fmt.Sprintf("expected %d columns parted by %s, found %d", t.count, names[t.delimiter], len(t.fields))
	switch first := t.fields[0]; {
	case len(first) > 0 && first[0] == '#':
		return message + "; tables have no comments"
	case len(t.fields) > 3 && t.count == 3:
		return message + `; give the order of the columns with - for those to skip, such as "hrt-"`
	}
	return message
}
