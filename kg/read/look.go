package read

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
)

const (
	// surveySize and surveyRows bound what the plan of a table is made of: a longer one is held to its plan as it is read.
	surveySize = 8 << 20
	surveyRows = 100_000
	// surveyCells bounds them where rows have columns of their own.
	surveyCells = 4 << 20
	// mostColumns is what spreadsheets have at most. A column is a relation, and each is looked at in turn.
	mostColumns = 16_384
)

func tooManyColumns(at kg.Place) error {
	return kg.ErrorAt(kg.TooLarge, at, "more than %d columns: a column becomes a relation; is the table turned on its side?", mostColumns)
}

// nullWords say that a cell is empty, as programs write it.
var nullWords = []string{"NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", `\N`, "<NA>", "#N/A"}

func (o *Options) null() []string {
	if o.Missing != nil {
		return slices.Clone(o.Missing)
	}
	return slices.Clone(nullWords)
}

// planOf gives the plan of a table: the one that is followed, or one that is made by a look at it.
func (l *loader) planOf(name string, look func() (*draft, error)) (*TablePlan, error) {
	if plan := l.plan.fileOf(name, l.opts.Plan != nil); plan != nil {
		return plan, nil
	}
	if l.opts.Plan != nil {
		return nil, kg.Errorf(kg.Invalid, name, "the plan has no table of this file; add one, with \"rows\": \"ignored\" to leave it out")
	}
	d, err := look()
	if err != nil {
		return nil, err
	}
	if err := relate([]*draft{d}, l.opts.References); err != nil {
		return nil, err
	}
	plan := d.finished()
	l.plan.Tables = append(l.plan.Tables, plan)
	return plan, nil
}

// fileOf gives the plan of a file; one that was saved may have been made from another folder.
func (p *Plan) fileOf(name string, elsewhere bool) *TablePlan {
	for _, t := range p.Tables {
		if t.File == name {
			return t
		}
	}
	for _, t := range p.Tables {
		if elsewhere && (filepath.Base(t.File) == filepath.Base(name) || t.Table == tableOf(name)) {
			return t
		}
	}
	return nil
}

// finished is the plan with what is doubtful about it, apart from the rows that it was made of, so that these need not be kept.
func (d *draft) finished() *TablePlan {
	for i := range d.Columns {
		c := &d.Columns[i]
		switch {
		case c.Doubt != "":
		case c.keys && c.Role == RoleValue:
			c.Doubt = "keys of another table? say --refer " + c.Name + "=TABLE if so"
		case c.unread:
			c.Doubt = "names, not values: numbers are read as 1234.5, dates as 2026-01-31"
		}
		if d.Rows == RowsTriples && c.Role == RoleIgnore {
			c.Doubt = "not read: triples have no place for it"
		}
		c.Examples = d.examples(i)
	}
	plan := d.TablePlan
	return &plan
}

// lookAtText makes the plan of a table in text from its beginning.
func (l *loader) lookAtText(in *input, sample []byte, format Format) (*draft, error) {
	s, whole := l.sight(in.name, sample, format), len(sample) < in.Size()
	d, err := s.dialect()
	if err != nil {
		return nil, err
	}
	s.whole = s.read(sample, d, sampleRows, whole) && whole
	s.named = l.declared != nil // a database names its columns
	first, err := l.decide(s)
	if err != nil || s.whole || first.Rows == RowsTriples && first.Found == "" {
		return first, err
	}
	// Which columns tell rows apart is seen on many rows only.
	names, more := s.cells[0], *s
	more.Doubts = nil
	long, whole, err := in.long(surveySize)
	if err != nil {
		return nil, err
	}
	more.whole = more.read(long, d, surveyRows, whole) && whole
	if more.TablePlan.Header && len(more.cells) > 0 {
		more.cells = more.cells[1:]
	}
	more.cells = append([][]string{names}, more.cells...)
	keys, err := l.statedKeys(&more, nil)
	if err != nil {
		return nil, err
	}
	return l.planEntities(&more, keys)
}

// sight works out how a text is parted into columns, and what of its beginning is no row.
func (l *loader) sight(name string, sample []byte, format Format) *sighting {
	s := &sighting{TablePlan: TablePlan{Table: tableOf(name), File: name, Format: format, Null: l.opts.null()}}
	opts := l.opts
	opts.Format = format
	sample = bytes.TrimPrefix(sample, []byte(utf8Mark))
	told, sample, excel := cutDelimiterLine(sample)
	if excel && opts.Delimiter == 0 {
		opts.Delimiter = told
	}
	delimiter, _ := bestDelimiter(sample, opts, s.Table)
	s.Delimiter = string(delimiter)
	return s
}

// read parses the rows of a text; whole tells that it does not end within a row. All tells whether none was left.
func (s *sighting) read(text []byte, d dialect, most int, whole bool) (all bool) {
	text = bytes.TrimPrefix(text, []byte(utf8Mark))
	_, rest, excel := cutDelimiterLine(text)
	line := 1
	if excel {
		text, line = rest, 2
	}
	if !whole {
		text = text[:bytes.LastIndexByte(text, '\n')+1]
	}
	split := splitter{dialect: d}
	var starts []int
	s.cells = nil
	for len(text) > 0 && len(s.cells) < most {
		used, lines, err := split.record(text, true)
		if err != nil && whole {
			used, lines = lineLength(text), 1 // a bad row, which is said when it is read
		} else if err != nil {
			return false
		}
		text = text[used:]
		if err == nil && !split.blank() {
			s.cells, starts = append(s.cells, fieldTexts(split.fields)), append(starts, line)
		}
		line += lines
	}
	if skip := preamble(s.cells); skip > 0 {
		s.SkipLines = starts[skip] - 1
		s.cells = s.cells[skip:]
	} else {
		s.SkipLines = 0
	}
	s.ragged()
	return len(text) == 0
}

// ragged leaves rows of another width than the usual out of the survey, and says so.
func (s *sighting) ragged() {
	width := usualWidth(s.cells)
	if width < 4 || len(s.cells) < 3 || len(s.cells[0]) != width {
		return
	}
	kept := slices.DeleteFunc(slices.Clone(s.cells), func(row []string) bool { return len(row) != width })
	if lost := len(s.cells) - len(kept); lost > 0 && lost*2 < len(s.cells) && len(kept) > 3 {
		s.cells = kept
		s.Doubts = []string{count.Of(lost, "row") + " with more or fewer cells than the header: --skip-bad leaves them out"}
	}
}

// preamble counts the rows before the header: remarks behind #, and titles, of one cell where the table has several.
func preamble(rows [][]string) int {
	width := usualWidth(rows)
	skip := 0
	for skip < len(rows)-1 && skip < 20 {
		row, filled := rows[skip], 0
		for _, cell := range row {
			if cell != "" {
				filled++
			}
		}
		isRemark := len(row) == 1 && strings.HasPrefix(row[0], "#")
		isTitle := filled <= 1 && (len(row) == 1 && width > 1 || width > 2) && len(rows)-skip > 2 && !isData(rows[skip+1:], row)
		if !isRemark && !isTitle {
			break
		}
		skip++
	}
	if skip > 0 && len(rows[skip]) < 2 {
		return 0
	}
	return skip
}

// isData tells of a row of few cells that is like those below: a table with gaps.
func isData(below [][]string, row []string) bool {
	sparse := 0
	for _, other := range below {
		filled := 0
		for _, cell := range other {
			if cell != "" {
				filled++
			}
		}
		if filled <= 1 && len(other) == len(row) {
			sparse++
		}
	}
	return sparse*4 > len(below)
}

// long is more of the beginning of the text, and whether it is all of it.
func (in *input) long(size int) (text []byte, whole bool, err error) {
	if in.Size() < size {
		in.Reader = bufio.NewReaderSize(in.Reader, size)
	}
	text, err = in.Peek(size)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	return text, err != nil, nil
}
