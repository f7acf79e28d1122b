package read

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lacuna-kg/lacuna/kg"
)

// layout is what the rows of a table mean: triples, or a wide table.
type layout struct {
	columns           // of triples; its count is that of any table
	header   bool     // the first row names the columns
	names    []string // of the columns, where there is a header
	wide     *wide    // nil for triples
	headIDs  string   // what ids of the head column are ids of, as Neo4j states it; "" for names
	tailIDs  string
	doubtful bool // the first row was taken for a fact and looks like a header
}

// plainEdge is the relation of edges that state none.
const plainEdge = "edge"

// decide tells from the first rows of a table what its columns mean. What is stated
// comes first, then a header with the usual words, then what the rows look like.
func (l *loader) decide(rows [][]string, name string) (layout, error) {
	opts := l.opts
	width := usualWidth(rows)
	switch {
	case opts.Key != "" && (!l.together || hasKey(rows, opts.Key)):
		return l.keyedLayout(rows, name)
	case opts.Columns != "":
		return statedLayout(rows, opts), nil
	case opts.Header != No:
		if order, found := triplesHeader(rows); found {
			return triplesLayout(order, rows), nil
		}
		isBenchmark := l.heldOut && width == 3 // whose files are triples
		if opts.Header == Yes && width != 3 || !isBenchmark && looksWide(rows, name) {
			return l.wideLayout(rows, name, keyColumn(rows, name))
		}
	}
	result := layout{columns: unnamedColumns(rows, width), header: opts.Header == Yes}
	result.doubtful = !result.header && opts.Header == Auto && (isLoneHeader(rows) || looksLikeHeader(rows) || nearlyWide(rows) || noRelationTwice(rows, result.relation) || result.relation == absent && opensApart(rows) || hasProse(rows, result.relation) || namesColumns(rows) && isCased(rows))
	return result, nil
}

// statedLayout has the columns in the order that the user states.
func statedLayout(rows [][]string, opts Options) layout {
	order, _ := parseColumns(opts.Columns)
	if len(rows) < 2 || len(rows[0]) != order.count || recurs(rows) {
		return layout{columns: order, header: opts.Header == Yes}
	}
	header := bareWords([]string{rows[0][order.head], rows[0][order.relation], rows[0][order.tail]})
	named := columnOf(header, headWords) != absent && columnOf(header, tailWords) != absent &&
		columnOf(header, slices.Concat(relationWords, perhapsRelation)) != absent
	return layout{columns: order, header: opts.Header == Yes || opts.Header == Auto && named}
}

func triplesLayout(order columns, rows [][]string) layout {
	return layout{
		columns: order, header: true, names: rows[0],
		headIDs: idSpace(rows[0][order.head]), tailIDs: idSpace(rows[0][order.tail]),
	}
}

// idSpace is what stands in the brackets of Neo4j's ":START_ID(Person)".
func idSpace(cell string) string {
	_, space, _ := strings.Cut(cell, "(")
	return strings.TrimSuffix(space, ")")
}

// unnamedColumns tells what the columns of a table without header are: triples,
// triples with a weight or a time behind, or edges with a weight or without.
func unnamedColumns(rows [][]string, width int) columns {
	switch {
	case width == 4 && (typedColumn(rows, 3)):
		return columns{0, 1, 2, 4}
	case width == 3 && fractions(rows, 2) && sharesNames(rows, 0, 1):
		return columns{0, absent, 1, 3}
	case width == 2 && len(rows) > 1 && sharesNames(rows, 0, 1):
		return columns{0, absent, 1, 2}
	}
	return columns{0, 1, 2, 3}
}

// skipped names the columns that give no part of a fact.
func (c *layout) skipped() []string {
	var names []string
	for i := range c.count {
		if c.wide != nil || i == c.head || i == c.relation || i == c.tail {
			continue
		}
		if c.header && i < len(c.names) {
			names = append(names, c.names[i])
		} else {
			names = append(names, "column "+string(rune('1'+i%9)))
		}
	}
	return names
}

// looksWide tells whether a table without the header of triples is a wide one: the
// first row names columns, the others are entities. With three columns a table of
// triples looks much alike, so that more must speak for it.
func looksWide(rows [][]string, name string) bool {
	if !namesColumns(rows) {
		return false
	}
	width, data := len(rows[0]), rows[1:]
	called := slices.Contains(keyWords, bareWord(rows[0][0])) || singular(bareWord(rows[0][0])) == singular(stemOf(name)) ||
		slices.ContainsFunc(rows[0], func(cell string) bool { return isKeyCell(cell) })
	typed := false
	for i := range width {
		typed = typed || typedColumn(data, i)
	}
	switch {
	case width > 3:
		return called || typed || len(data) > 1
	case called || typed && distinct(data, 0) || width == 2 && isCased(rows) && !sharesNames(rows, 0, 1):
		return true
	case distinct(data, 0) && (hasGaps(data) || len(data) > 1 && isCased(rows)):
		return true
	}
	return len(data) >= 8 && nearlyWide(rows)
}

// hasGaps tells of cells that are empty behind the first, which no part of a triple is.
func hasGaps(data [][]string) bool {
	return slices.ContainsFunc(data, func(row []string) bool { return slices.Contains(row[min(1, len(row)):], "") })
}

// isCased tells whether the first row is in small letters and all others are not, relations among them.
func isCased(rows [][]string) bool {
	isSmall := func(cell string) bool {
		first, _ := utf8.DecodeRuneInString(cell)
		return unicode.IsLower(first)
	}
	return !slices.ContainsFunc(rows[0], func(cell string) bool { return !isSmall(cell) }) &&
		!slices.ContainsFunc(rows[1:], func(row []string) bool { return slices.ContainsFunc(row, isSmall) })
}

// hasProse tells of a column of relations with a cell that is text and no name, under what may name columns.
func hasProse(rows [][]string, column int) bool {
	return namesColumns(rows) && slices.ContainsFunc(rows[1:], func(row []string) bool {
		return column >= 0 && column < len(row) && (strings.Contains(row[column], "\n") || len(strings.Fields(row[column])) > 6)
	})
}

// noRelationTwice tells of rows that all have another relation, the first line too, which may be a header then.
func noRelationTwice(rows [][]string, column int) bool {
	return len(rows) > 2 && column >= 0 && !recurs(rows) && distinct(rows, column) && !sharesNames(rows, 0, len(rows[0])-1)
}

// opensApart tells of edges of which the first has to do with no other.
func opensApart(rows [][]string) bool {
	return len(rows) > 2 && !slices.ContainsFunc(rows[1:], func(row []string) bool {
		return slices.ContainsFunc(row, func(cell string) bool { return slices.Contains(rows[0], cell) })
	})
}

// nearlyWide tells of rows that each begin with another name, which no cell but a key does in a longer table.
func nearlyWide(rows [][]string) bool {
	return namesColumns(rows) && len(rows) > 3 && distinct(rows[1:], 0) && !sharesNames(rows[1:], 0, len(rows[0])-1)
}

// namesColumns tells whether the first row may name columns: texts, none of which comes up again, and different ones
// where it may be a triple, nor numbered as those below are.
func namesColumns(rows [][]string) bool {
	if len(rows) < 2 || len(rows[0]) < 2 || len(rows[0]) != usualWidth(rows) || recurs(rows) || isNumbered(rows, 0) {
		return false
	}
	seen := map[string]bool{}
	for i, cell := range rows[0] {
		if cell == "" && i > 0 && !isEmptyColumn(rows, i) || seen[cell] && len(rows[0]) == 3 || literalType([]byte(cell)) != "" {
			return false
		}
		seen[cell] = true
	}
	return true
}

// isNumbered tells of a column of names that are numbers behind one word, such as Q42, the first row's too.
func isNumbered(rows [][]string, column int) bool {
	word := strings.TrimRight(rows[0][column], "0123456789")
	return word != "" && len(rows) > 2 && allCells(rows, column, func(cell string) bool {
		return len(cell) > len(word) && strings.TrimRight(cell, "0123456789") == word
	})
}

// isEmptyColumn tells of a column without name or cells, as a delimiter at the end of each line makes one.
func isEmptyColumn(rows [][]string, column int) bool {
	return !slices.ContainsFunc(rows, func(row []string) bool { return column < len(row) && row[column] != "" })
}

// typedColumn tells whether a column holds numbers, dates or truth values only.
func typedColumn(rows [][]string, column int) bool {
	return allCells(rows, column, isValue) || commaColumn(rows, column)
}

func fractions(rows [][]string, column int) bool {
	return allCells(rows, column, func(cell string) bool {
		kind := literalType([]byte(cell))
		return kind == "decimal" || kind == "double"
	})
}

func integers(rows [][]string, column int) bool {
	return allCells(rows, column, func(cell string) bool { return literalType([]byte(cell)) == "integer" })
}

// allCells tells whether there are cells in the column, apart from empty ones, and all are as they should be.
func allCells(rows [][]string, column int, fits func(string) bool) bool {
	some := false
	for _, row := range rows {
		if column >= len(row) || isMissing([]byte(row[column])) {
			continue
		}
		if !fits(row[column]) {
			return false
		}
		some = true
	}
	return some
}

// distinct tells whether a column's cells are all there and all different.
func distinct(rows [][]string, column int) bool {
	seen := map[string]bool{}
	for _, row := range rows {
		if column >= len(row) || row[column] == "" || seen[row[column]] {
			return false
		}
		seen[row[column]] = true
	}
	return true
}

// sharesNames tells whether a name stands in both columns.
func sharesNames(rows [][]string, a, b int) bool {
	seen := map[string]bool{}
	for _, row := range rows {
		if a < len(row) {
			seen[row[a]] = true
		}
	}
	return slices.ContainsFunc(rows, func(row []string) bool { return b < len(row) && row[b] != "" && seen[row[b]] })
}

// stemOf is what a table is called by its file: "films" of "data/Films.csv.gz".
func stemOf(name string) string {
	stem, _, _ := strings.Cut(path.Base(strings.ReplaceAll(name, "\\", "/")), ".")
	return bareWord(stem)
}

// singular makes films and film, countries and country, one word.
func singular(word string) string {
	switch {
	case len(word) > 4 && strings.HasSuffix(word, "ies"):
		return word[:len(word)-3] + "y"
	case word == "people":
		return "person"
	}
	return strings.TrimSuffix(word, "s")
}

func keyNamed(header []string, key string) int {
	return slices.IndexFunc(header, func(cell string) bool { return strings.EqualFold(strings.TrimSpace(cell), strings.TrimSpace(key)) })
}

func hasKey(rows [][]string, key string) bool { return len(rows) > 0 && keyNamed(rows[0], key) >= 0 }

// keyedLayout is a wide table whose key the user names.
func (l *loader) keyedLayout(rows [][]string, name string) (layout, error) {
	if l.opts.Columns != "" {
		return layout{}, kg.Errorf(kg.Invalid, name, "a key is of a wide table, an order of columns of triples: state one of them")
	}
	if len(rows) == 0 {
		return layout{}, kg.Errorf(kg.Invalid, name, "no triples")
	}
	at := slices.IndexFunc(rows[0], func(cell string) bool {
		return strings.EqualFold(strings.TrimSpace(cell), strings.TrimSpace(l.opts.Key))
	})
	if at < 0 {
		return layout{}, kg.ErrorAt(kg.Invalid, kg.Place{Name: name, Line: 1}, "no column %q to be the key, expected one of %s", l.opts.Key, strings.Join(rows[0], ", "))
	}
	return l.wideLayout(rows, name, at)
}
