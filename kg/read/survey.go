package read

import (
	"hash/maphash"
	"regexp"
	"slices"
	"strings"
)

// survey is what rows show of the columns of a table, the basis of its plan.
type survey struct {
	names []string
	rows  [][]string // without the header
	stats []columnStats
	whole bool // these are all rows of the table
	null  []string
}

// columnStats counts what the cells of a column are.
type columnStats struct {
	values map[string]int // how often each stands there
	filled int
	typed  map[string]int // cells by the type of value that they are
	digits int            // cells of digits alone, perhaps behind a minus
	length int            // of all cells together
	long   int            // cells that are a sentence or more
	keep   []string       // words that elsewhere mean an empty cell
	lists  bool           // the format has several values in a cell
}

func (s *columnStats) different() int { return len(s.values) }

// unique tells of a column whose cells are all there and all different.
func (s *survey) unique(column int) bool {
	stats := &s.stats[column]
	return len(s.rows) > 0 && stats.filled == len(s.rows) && stats.different() == stats.filled && !stats.lists
}

// newSurvey looks at all cells. Lists tells the columns that the format has as lists, nil for none.
func newSurvey(names []string, rows [][]string, null []string, lists []bool) *survey {
	s := &survey{names: names, rows: rows, stats: make([]columnStats, len(names)), null: null}
	for i := range s.stats {
		s.stats[i].lists = i < len(lists) && lists[i]
		s.column(i)
	}
	return s
}

func (s *survey) column(at int) {
	stats := &s.stats[at]
	stats.values, stats.typed = map[string]int{}, map[string]int{}
	stats.keep = codesAmongNulls(s.rows, at, s.null)
	for _, row := range s.rows {
		if at >= len(row) {
			continue
		}
		cell := row[at]
		if cell == "" || slices.Contains(s.null, cell) && !slices.Contains(stats.keep, cell) {
			continue
		}
		stats.filled++
		if stats.values[cell]++; stats.values[cell] > 1 {
			continue // its kind is known
		}
		stats.length += len(cell)
		if kind := literalType([]byte(cell)); kind != "" {
			stats.typed[kind]++
		}
		if isDigits(cell) {
			stats.digits++
		}
		if len(cell) > 100 || strings.Contains(cell, "\n") || strings.Count(cell, " ") > 9 {
			stats.long++
		}
	}
}

// cell is the text of a cell, "" for an empty one.
func (s *survey) cell(row []string, at int) string {
	if at >= len(row) || slices.Contains(s.null, row[at]) && !slices.Contains(s.stats[at].keep, row[at]) {
		return ""
	}
	return row[at]
}

// mostExamples is how many values show what a column holds, and exampleLength how much of each.
const mostExamples, exampleLength = 3, 40

// examples are the first values of a column that differ.
func (s *survey) examples(at int) (found []string) {
	for _, row := range s.rows {
		cell := []rune(strings.ReplaceAll(s.cell(row, at), listSeparator, ", "))
		if len(cell) > exampleLength {
			cell = append(cell[:exampleLength-1], '…')
		}
		if len(cell) == 0 || slices.Contains(found, string(cell)) {
			continue
		}
		if found = append(found, string(cell)); len(found) == mostExamples {
			break
		}
	}
	return found
}

// isDigits tells of whole numbers and codes of digits, such as 04109, which keys are.
func isDigits(cell string) bool {
	cell = strings.TrimPrefix(cell, "-")
	return cell != "" && len(cell) < 20 && strings.Trim(cell, "0123456789") == ""
}

// allDigits tells of a column that may hold ids.
func (s *columnStats) allDigits() bool { return s.filled > 0 && s.digits == s.different() }

// valueType is the type of a column of values, "" for one of names. In a longer column a
// few cells of twenty may be something else.
func (s *columnStats) valueType() string {
	total := 0
	for _, n := range s.typed {
		total += n
	}
	if s.different() == 0 || total < s.different() && (s.different() < 40 || total*20 < s.different()*19) {
		return ""
	}
	numbers := s.typed["integer"] + s.typed["decimal"] + s.typed["double"]
	switch {
	case numbers == total && s.typed["double"] > 0:
		return "double"
	case numbers == total && s.typed["decimal"] > 0:
		return "decimal"
	}
	best := ""
	for _, kind := range []string{"integer", "decimal", "double", "date", "dateTime", "boolean"} {
		if s.typed[kind] > s.typed[best] {
			best = kind
		}
	}
	return best
}

// isProse tells of a column of sentences, which are texts and name nothing.
func (s *columnStats) isProse() bool {
	return s.long*2 > s.different() || s.different() > 2 && s.length/s.different() > 80
}

var twoCapitals = regexp.MustCompile(`^[A-Z]{2}$`)

// codesAmongNulls gives the words for an empty cell that are codes where all others
// are: NA is Namibia among countries.
func codesAmongNulls(rows [][]string, at int, null []string) []string {
	if !slices.Contains(null, "NA") {
		return nil
	}
	codes, all, found := map[string]bool{}, 0, 0
	for _, row := range rows {
		if at >= len(row) || row[at] == "" || row[at] != "NA" && slices.Contains(null, row[at]) {
			continue
		}
		if !twoCapitals.MatchString(row[at]) {
			return nil
		}
		all++
		if row[at] == "NA" {
			found++
		}
		codes[row[at]] = true
	}
	// As rare as any other code: where half of the cells are NA, it means what it says.
	if len(codes) >= 20 && found > 0 && found*len(codes) <= 10*all {
		return []string{"NA"}
	}
	return nil
}

var htmlEntity = regexp.MustCompile(`&#?[A-Za-z0-9]+;`)

// separatorOf finds what parts several values in the cells of a column: a bar or a
// semicolon, where the parts are names that stand in other cells too. A comma is too
// common within names (Rome, Italy): it must be stated.
func (s *survey) separatorOf(at int) string {
	for _, separator := range []string{"|", ";"} {
		if s.parts(at, separator) {
			return separator
		}
	}
	return ""
}

func (s *survey) holds(at int, separator string) bool {
	for value := range s.stats[at].values {
		if strings.Contains(value, separator) {
			return true
		}
	}
	return false
}

// parts tells whether a separator parts the cells of a column into names: a third of
// the parts of a cell of several come up again, and none is a sentence.
func (s *survey) parts(at int, separator string) bool {
	if !s.holds(at, separator) {
		return false
	}
	seen := map[string]int{}
	var several [][]string
	for value := range s.stats[at].values {
		cell := value
		if separator == ";" {
			cell = htmlEntity.ReplaceAllString(cell, "&")
		}
		parts := strings.Split(cell, separator)
		for i := range parts {
			parts[i] = strings.TrimSpace(parts[i])
			if len(parts) > 1 && (len(parts[i]) > 60 || strings.Count(parts[i], " ") > 5 || strings.ContainsAny(parts[i], "<>")) {
				return false
			}
			seen[parts[i]]++
		}
		if len(parts) > 1 {
			several = append(several, parts)
		}
	}
	all, again := 0, 0
	for _, parts := range several {
		for _, part := range parts {
			if part == "" {
				continue
			}
			all++
			if seen[part] > 1 {
				again++
			}
		}
	}
	return all > 0 && again*3 >= all
}

var surveySeed = maphash.MakeSeed()

// tellsApart tells whether columns together are different in every row, and filled.
func (s *survey) tellsApart(columns ...int) bool {
	seen := make(map[uint64]bool, len(s.rows))
	var h maphash.Hash
	h.SetSeed(surveySeed)
	for _, row := range s.rows {
		h.Reset()
		for _, at := range columns {
			cell := s.cell(row, at)
			if cell == "" {
				return false
			}
			h.WriteString(cell)
			h.WriteByte(0)
		}
		if seen[h.Sum64()] {
			return false
		}
		seen[h.Sum64()] = true
	}
	return true
}
