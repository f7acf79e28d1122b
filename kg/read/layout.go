package read

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// plainEdge is the relation of edges that state none.
const plainEdge = "edge"

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
	case isForeign(rows[0]) && len(data) > 1 && distinct(data, 0) && !sharesNames(rows, 0, width-1):
		return true
	case len(data) > 2 && distinct(data, 0) && noRelationTwice(rows, 1), len(data) > 1 && typed:
		return true
	case called || typed && distinct(data, 0) || width == 2 && isCased(rows) && !sharesNames(rows, 0, 1):
		return true
	case distinct(data, 0) && (hasGaps(data) || len(data) > 1 && isCased(rows)):
		return true
	}
	return len(data) >= 8 && nearlyWide(rows)
}

// isForeign tells of names of columns in a script without capitals, such as Chinese, where no letter tells them from what is below.
func isForeign(header []string) bool {
	for _, cell := range header {
		if cell == "" || strings.ContainsFunc(cell, func(char rune) bool { return unicode.IsUpper(char) || unicode.IsLower(char) || unicode.IsDigit(char) }) {
			return false
		}
	}
	return true
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
	if len(rows) < 2 || len(rows[0]) < 2 || len(rows[0]) != usualWidth(rows) || recurring(rows)*3 > len(rows[0])-2 || isNumbered(rows, 0) || isLikeData(rows) {
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

// isLikeData tells of a first row that has a code where all below have one: BQ above AW and AG, N262 above S210.
func isLikeData(rows [][]string) bool {
	if len(rows) < 9 {
		return false
	}
	for i, cell := range rows[0] {
		mixed := codeOfBoth.MatchString(cell)
		if !mixed && !twoCapitals.MatchString(cell) || cell == "ID" {
			continue
		}
		alike, all := 0, 0
		for _, row := range rows[1:] {
			if i < len(row) && row[i] != "" {
				all++
				if mixed && codeOfBoth.MatchString(row[i]) || !mixed && twoCapitals.MatchString(row[i]) {
					alike++
				}
			}
		}
		if alike*10 > all*7 {
			return true
		}
	}
	return false
}

var codeOfBoth = regexp.MustCompile(`^(?:[A-Z]+[0-9]|[0-9]+[A-Z])[A-Z0-9]*$`) // capitals and digits

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
