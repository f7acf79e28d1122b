package read

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
)

// sighting is the beginning of a table, or all of it: what its plan is made of.
type sighting struct {
	TablePlan            // what is known of it before its columns are
	cells     [][]string // the rows, the header as the first
	named     bool       // the format names the columns, in the first row
	whole     bool       // these are all rows
	lists     []bool     // columns that the format has as lists
}

// decide makes the plan of a table by itself. What is stated comes first, then a header
// with the usual words, then what the rows look like.
func (l *loader) decide(s *sighting) (*draft, error) {
	opts, rows, width := l.opts, s.cells, usualWidth(s.cells)
	letters, names := opts.columnsOf(s.Table)
	keys, err := l.statedKeys(s, names)
	switch {
	case err != nil:
		return nil, err
	case letters != "" && keys != nil:
		return nil, kg.Errorf(kg.Invalid, s.File, "--key is for wide tables and --columns for triples: give one of them")
	case letters != "":
		return s.statedTriples(letters, opts.Header)
	case names != nil:
		return l.withNames(s, names, keys)
	case keys != nil || s.named || l.together && isEmptyTable(rows):
		return l.underNames(s, keys)
	}
	if opts.Header != No {
		if order, found := triplesHeader(rows); found {
			return s.triples(order, true), nil
		}
		isBenchmark := l.heldOut && width == 3 // whose files are triples
		if opts.Header == Yes && width != 3 || !isBenchmark && looksWide(rows, s.File) {
			s.Header = true
			return l.planEntities(s, nil)
		}
	}
	return l.withoutHeader(s, width)
}

// withoutHeader takes a table without names of columns for triples, where it can be one.
func (l *loader) withoutHeader(s *sighting, width int) (*draft, error) {
	rows, auto := s.cells, l.opts.Header == Auto
	if l.planning && width == 1 {
		return nil, kg.ErrorAt(kg.Invalid, kg.Place{Name: s.File, Line: 1}, "one column, expected two or more: what a row is about and what it says")
	}
	order := unnamedColumns(rows, width)
	if order.count != width && width > 3 && (len(rows) > 1 || l.opts.Header == No) || width >= 3 && isNoRelation(rows, order.relation) {
		if auto {
			return nil, kg.ErrorAt(kg.Invalid, kg.Place{Name: s.File, Line: 1},
				"no line names the %d columns: name them, - for one to skip, by --columns %s=id,name,…; or say --header no to call them column 1, column 2, …", width, s.Table)
		}
		names := make([]string, width)
		for i := range names {
			names[i] = fmt.Sprint("column ", i+1)
		}
		s.cells = append([][]string{names}, rows...)
		return l.planEntities(s, nil)
	}
	d := s.triples(order, l.opts.Header == Yes)
	d.doubtful = auto && (isLoneHeader(rows) || looksLikeHeader(rows) || nearlyWide(rows) || noRelationTwice(rows, order.relation) ||
		order.relation == absent && opensApart(rows) || hasProse(rows, order.relation) || namesColumns(rows) && isCased(rows))
	if d.doubtful {
		d.Doubts = append(d.Doubts, "the first line was read as a fact; if it names the columns, say --header yes, or --key COLUMN for a wide table")
	}
	return d, nil
}

// isNoRelation tells of a longer table whose rows each have another relation, as no triples have.
func isNoRelation(rows [][]string, column int) bool {
	if len(rows) < 3 || column == absent || sharesNames(rows, 0, 2) {
		return false
	}
	if integers(rows, 0) && distinct(rows, 0) && !integers(rows, 2) {
		return true // rows by their numbers
	}
	if len(rows) < 20 {
		return false
	}
	relations, heads := map[string]bool{}, map[string]bool{}
	for _, row := range rows {
		if len(row) >= 3 {
			relations[row[column]], heads[row[0]] = true, true
		}
	}
	return len(relations)*10 >= len(rows)*8 && len(heads)*10 >= len(rows)*8
}

// triples is the plan of a table with a fact a row.
func (s *sighting) triples(order columns, header bool) *draft {
	d := &draft{TablePlan: s.TablePlan, key: absent, order: order}
	d.Rows, d.Header = RowsTriples, header
	rows := s.cells
	names := make([]string, order.count)
	for i := range names {
		names[i] = fmt.Sprint("column ", i+1)
		if header && len(rows) > 0 && i < len(rows[0]) {
			names[i] = rows[0][i]
		}
	}
	if header && len(rows) > 0 {
		rows = rows[1:]
	}
	d.survey = newSurvey(names, rows, d.Null, s.lists)
	d.whole, d.Seen, d.Sample = s.whole, len(rows), !s.whole
	for i, name := range names {
		c := ColumnPlan{Name: name, Role: RoleIgnore, Filled: d.stats[i].filled, Different: d.stats[i].different()}
		switch i {
		case order.head:
			c.Role = RoleHead
		case order.relation:
			c.Role = RoleRelation
		case order.tail:
			c.Role = RoleTail
			if order.relation == absent {
				c.Property = plainEdge
			}
		default:
			if word := bareWord(name); header && word != "" && word != "id" && word != "edgeid" && !isDirection(s.cells, i) {
				c.Role, c.Property = RoleAnnotation, strings.TrimSpace(name)
			}
		}
		d.Columns = append(d.Columns, c)
	}
	return d
}

// isDirection tells of the column by which Gephi says of an edge whether it holds both ways.
func isDirection(rows [][]string, column int) bool {
	return bareWord(rows[0][column]) == "type" && allCells(rows[1:], column, func(cell string) bool {
		return strings.EqualFold(cell, "directed") || strings.EqualFold(cell, "undirected")
	})
}

// statedTriples has the columns in the order that the user states.
func (s *sighting) statedTriples(letters string, header Choice) (*draft, error) {
	order, err := parseColumns(letters)
	if err != nil {
		return nil, err
	}
	rows := s.cells
	if s.named {
		if len(rows[0]) != order.count {
			return nil, kg.Errorf(kg.Invalid, s.File, "%d columns (%s), --columns %s is an order of %d", len(rows[0]), strings.Join(rows[0], ", "), letters, order.count)
		}
		return s.triples(order, true), nil
	}
	if len(rows) < 2 || len(rows[0]) != order.count || recurs(rows) {
		return s.triples(order, header == Yes), nil
	}
	words := bareWords([]string{rows[0][order.head], rows[0][order.relation], rows[0][order.tail]})
	named := columnOf(words, headWords) != absent && columnOf(words, tailWords) != absent &&
		columnOf(words, slices.Concat(relationWords, perhapsRelation)) != absent
	return s.triples(order, header == Yes || header == Auto && named), nil
}

// withNames reads a table whose columns the user names; its own header, if it has one, is passed over.
func (l *loader) withNames(s *sighting, names []string, keys []int) (*draft, error) {
	if width := usualWidth(s.cells); len(s.cells) > 0 && width != len(names) {
		return nil, kg.Errorf(kg.Invalid, s.File, "%d columns, --columns names %d", width, len(names))
	}
	has := s.named || l.opts.Header == Yes || l.opts.Header == Auto && (isNamed(s.cells, names) || hasTypedHeader(s.cells))
	rows := s.cells
	if has && len(rows) > 0 {
		rows = rows[1:]
	}
	s.cells, s.Header = append([][]string{names}, rows...), has
	if order, found := triplesHeader(s.cells); found && keys == nil {
		d := s.triples(order, true)
		d.Header = has
		return d, nil
	}
	return l.planEntities(s, keys)
}

// isNamed tells whether the first row has the names that the user states.
func isNamed(rows [][]string, names []string) bool {
	return len(rows) > 0 && slices.EqualFunc(rows[0], names, func(a, b string) bool { return strings.EqualFold(a, b) || b == "" })
}

// hasTypedHeader tells of words above numbers or dates.
func hasTypedHeader(rows [][]string) bool {
	if !namesColumns(rows) {
		return false
	}
	for i := range rows[0] {
		if typedColumn(rows[1:], i) {
			return true
		}
	}
	return false
}

// underNames is for a table whose first row certainly names the columns.
func (l *loader) underNames(s *sighting, keys []int) (*draft, error) {
	s.Header = true
	if len(s.cells) < 1 || len(s.cells[0]) == 0 || len(s.cells) < 2 && s.named && !l.together {
		return nil, kg.Errorf(kg.Invalid, s.File, "no triples")
	}
	if keys == nil {
		if order, found := triplesHeader(s.cells); found {
			return s.triples(order, true), nil
		}
	}
	if len(s.cells) == 1 {
		s.Doubts = append(s.Doubts, "a header and no rows")
	}
	return l.planEntities(s, keys)
}

// isEmptyTable tells of a header alone, as a table has among others that nothing was put into yet.
func isEmptyTable(rows [][]string) bool {
	return len(rows) == 1 && len(rows[0]) > 1 && (len(rows[0]) != 3 || isLoneHeader(rows)) && !slices.ContainsFunc(rows[0], func(cell string) bool {
		return cell == "" || isValue(cell)
	})
}

// planEntities is the plan of a table with an entity a row, below a first row of names.
func (l *loader) planEntities(s *sighting, keys []int) (*draft, error) {
	if len(s.cells) == 0 || len(s.cells[0]) == 0 {
		return nil, kg.Errorf(kg.Invalid, s.File, "no triples")
	}
	if len(s.cells[0]) > mostColumns {
		return nil, tooManyColumns(kg.Place{Name: s.File, Line: 1})
	}
	names := uniqueNames(s.cells[0])
	rows := s.cells[1:]
	if s.UnitRow = s.Header && (s.Format == CSV || s.Format == TSV) && hasUnits(rows); s.UnitRow {
		s.Doubts = append(s.Doubts, "the row below the header has units ("+strings.Join(filledOf(rows[0]), ", ")+") and is left out")
		rows = rows[1:]
	}
	survey := newSurvey(names, rows, s.Null, s.lists)
	survey.whole = s.whole
	if slices.ContainsFunc(names, isKeyCell) {
		return neo4jNodes(&s.TablePlan, survey), nil
	}
	var stated *tableSchema
	if keys == nil && l.declared != nil {
		stated = l.declared
		keys = columnsNamed(names, stated.key)
	}
	d := l.guessEntities(&s.TablePlan, survey, keys)
	if stated != nil {
		d.declared, d.Per, d.stated = stated, PerRow, keys != nil
	}
	for i, name := range s.cells[0] {
		if d.Columns[i].Property == names[i] {
			d.Columns[i].Property = strings.TrimSpace(name)
		}
	}
	if keys == nil && d.key == absent && len(names) == 2 && d.Label == "" && (d.areNames() || d.areNodes()) {
		d.edges(0, 1) // Ran, Nakadai under film, actor
		d.Found = "two columns of names"
	}
	return d, nil
}

// hasUnits tells of a first row of words, such as cm and kg, all above numbers, and nothing else.
func hasUnits(rows [][]string) bool {
	if len(rows) < 3 || len(filledOf(rows[0])) == 0 {
		return false
	}
	for i, cell := range rows[0] {
		if cell == "" {
			continue
		}
		if isValue(cell) || len(cell) > 16 || slices.Contains(nullWords, cell) || !allCells(rows[1:], i, func(c string) bool { return numberType([]byte(c)) != "" }) {
			return false
		}
	}
	return true
}

func filledOf(row []string) (cells []string) {
	for _, cell := range row {
		if cell != "" {
			cells = append(cells, cell)
		}
	}
	return cells
}

func (d *draft) areNames() bool {
	return d.Columns[0].Role == RoleReference && d.Columns[1].Role == RoleReference
}

// areNodes tells of two columns of ids, many of which stand in both, of a table by itself.
func (d *draft) areNodes() bool {
	if !d.stats[0].allDigits() || !d.stats[1].allDigits() {
		return false
	}
	both := included(d.stats[1].values, d.stats[0].values)
	return both*2 > min(d.stats[0].different(), d.stats[1].different()) && withoutID(d.names[0]) == d.names[0]
}

// columnsNamed gives the places of columns, nil where one is not there or none is named.
func columnsNamed(names, wanted []string) (at []int) {
	for _, name := range wanted {
		found := keyNamed(names, name)
		if found < 0 {
			return nil
		}
		at = append(at, found)
	}
	return at
}

// uniqueNames tells columns of one name apart: they stay one relation, by, but have names of their own in the plan.
func uniqueNames(names []string) []string {
	seen, result := map[string]int{}, make([]string, len(names))
	for i, name := range names {
		if seen[name]++; seen[name] > 1 && name != "" {
			name = fmt.Sprintf("%s (%d)", name, seen[name])
		}
		result[i] = name
	}
	return result
}

// statedKeys gives the columns that the user says a row is named by, nil where he says nothing of this table.
func (l *loader) statedKeys(s *sighting, names []string) ([]int, error) {
	if names == nil && len(s.cells) > 0 {
		names = s.cells[0]
	}
	for entry := range strings.SplitSeq(l.opts.Key, ",") {
		table, key, specific := strings.Cut(entry, "=")
		switch {
		case entry == "":
			return nil, nil
		case !specific:
			key = entry
		case bareWord(s.Table) != stemOf(table):
			continue
		}
		if len(s.cells) == 0 {
			return nil, kg.Errorf(kg.Invalid, s.File, "no triples")
		}
		keys := []int{}
		for column := range strings.SplitSeq(key, "+") {
			at := keyNamed(names, column)
			switch {
			case at >= 0:
				keys = append(keys, at)
			case column == "row":
				return []int{}, nil
			case l.together && !specific:
				return nil, nil // of another table
			default:
				return nil, kg.ErrorAt(kg.Invalid, kg.Place{Name: s.File, Line: 1}, "no column %q to be the key, expected one of %s", column, strings.Join(names, ", "))
			}
		}
		return keys, nil
	}
	return nil, nil
}

// columnsOf gives what the user says of the columns of a table: the letters of triples, or names.
func (o *Options) columnsOf(table string) (letters string, names []string) {
	for entry := range strings.SplitSeq(o.Columns, ";") {
		if of, columns, specific := strings.Cut(entry, "="); specific {
			if bareWord(table) != stemOf(of) {
				continue
			}
			entry = columns
		}
		switch {
		case entry == "":
		case !strings.Contains(entry, ","):
			return entry, nil
		default:
			names = strings.Split(entry, ",")
			for i, name := range names {
				if names[i] = strings.TrimSpace(name); names[i] == "-" {
					names[i] = ""
				}
			}
			return "", names
		}
	}
	return "", nil
}
