package read

import (
	"bytes"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
)

// dialect is how a table parts its columns.
type dialect struct {
	delimiter byte
	// strict quotes follow RFC 4180: a field that opens with a quote ends with one,
	// and may hold delimiters and line ends. Elsewhere, where quotes may be part of a
	// name ("Hello"@en), only a field that closes on its line, right before the
	// delimiter, counts as quoted, and any other is taken as it is.
	strict bool
}

func dialectOf(delimiter byte) dialect {
	return dialect{delimiter, delimiter == ',' || delimiter == ';' || delimiter == '|'}
}

// columns gives the places of head, relation and tail in a row of count columns.
type columns struct {
	head, relation, tail, count int
}

// parseColumns reads an order of columns such as "hrt", "htr" or "h-rt"; the empty one is "hrt".
func parseColumns(order string) (columns, error) {
	if order == "" {
		order = "hrt"
	}
	c := columns{strings.IndexByte(order, 'h'), strings.IndexByte(order, 'r'), strings.IndexByte(order, 't'), len(order)}
	named := strings.ReplaceAll(order, "-", "")
	if len(named) != 3 || c.head < 0 || c.relation < 0 || c.tail < 0 {
		return c, kg.Errorf(kg.Invalid, "columns", "%q is no order of columns, expected h, r and t once each and - for a column to skip", order)
	}
	return c, nil
}

// sampleRows is how many rows detection looks at.
const sampleRows = 500

// bestDelimiter is the one that parts most of the first rows into the columns
// expected, the earlier in the list at a tie. Where none does so for most of the rows, or
// another parts more of them alike, a table of another width may be meant: then it is the one that
// parts nearly all rows alike. Spaces part words, too, so that they are no delimiter where another
// parts the rows alike. Fits tells whether it is the delimiter of any row.
func bestDelimiter(sample []byte, opts Options, table string) (best byte, fits bool) {
	candidates := []byte("\t,;| ")
	if opts.Delimiter != 0 {
		candidates = []byte{opts.Delimiter}
	} else if opts.Format == CSV {
		candidates = []byte(",;\t| ")
	}
	letters, names := opts.columnsOf(table)
	stated, width := letters != "" || names != nil, 3
	if stated {
		width = max(len(letters), len(names))
	}
	best, bestShare := candidates[0], 0.0
	for _, delimiter := range candidates {
		if share := shareOfWidth(firstRows(sample, dialectOf(delimiter)), width); share > bestShare {
			best, bestShare = delimiter, share
		}
	}
	alike, alikeShare := mostAlike(sample, candidates)
	switch {
	case bestShare == 0 && alikeShare == 0 && !stated && opts.Key == "" && bytes.IndexByte(candidates, ' ') >= 0 && isWeighted(firstRows(sample, dialectOf(' '))):
		return ' ', true
	case stated || alikeShare < 0.8:
		return best, bestShare > 0
	case bestShare > 0.5 && opts.Key == "" && best != ' ' && bestShare >= alikeShare:
		return best, true
	}
	return alike, true
}

// isWeighted tells of triples with a weight or a time behind each.
func isWeighted(rows [][]string) bool { return shareOfWidth(rows, 4) == 1 && typedColumn(rows, 3) }

// mostAlike is the delimiter, spaces aside, that parts the largest share of the rows into equally many columns.
func mostAlike(sample []byte, candidates []byte) (best byte, bestShare float64) {
	for _, delimiter := range candidates {
		rows := firstRows(sample, dialectOf(delimiter))
		width := usualWidth(rows)
		if delimiter == ' ' || width < 2 || len(rows) < 2 {
			continue
		}
		if share := shareOfWidth(rows, width); share > bestShare {
			best, bestShare = delimiter, share
		}
	}
	return best, bestShare
}

// shareOfWidth is the part of the rows that have so many columns.
func shareOfWidth(rows [][]string, width int) float64 {
	count := 0
	for _, row := range rows {
		if len(row) == width {
			count++
		}
	}
	return float64(count) / float64(max(1, len(rows)))
}

// usualWidth is the number of columns that most rows have.
func usualWidth(rows [][]string) int {
	counts := map[int]int{}
	best := 0
	for _, row := range rows {
		if counts[len(row)]++; counts[len(row)] > counts[best] {
			best = len(row)
		}
	}
	return best
}

// firstRows parses the beginning of a table. The last line of a full sample may be cut, so it is left out.
func firstRows(sample []byte, d dialect) [][]string {
	if len(sample) >= sampleSize {
		sample = sample[:bytes.LastIndexByte(sample, '\n')+1]
	}
	var rows [][]string
	s := splitter{dialect: d}
	for len(sample) > 0 && len(rows) < sampleRows {
		used, _, err := s.record(sample, true)
		if err != nil {
			break
		}
		sample = sample[used:]
		if s.blank() {
			continue
		}
		row := make([]string, len(s.fields))
		for i, field := range s.fields {
			row[i] = string(bytes.TrimSpace(field))
		}
		rows = append(rows, row)
	}
	return rows
}
