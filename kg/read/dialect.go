package read

import (
	"bytes"
	"slices"
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
const sampleRows = 100

// bestDelimiter is the one that parts most of the first rows into the columns
// expected, the earlier in the list at a tie; fits tells whether it does so for any row.
func bestDelimiter(sample []byte, opts Options) (best byte, fits bool) {
	candidates := []byte("\t,;| ")
	if opts.Delimiter != 0 {
		candidates = []byte{opts.Delimiter}
	} else if opts.Format == CSV {
		candidates = []byte(",;\t| ")
	}
	order, _ := parseColumns(opts.Columns)
	best, bestCount := candidates[0], 0
	for _, delimiter := range candidates {
		count := 0
		for _, row := range firstRows(sample, dialectOf(delimiter)) {
			if len(row) == order.count {
				count++
			}
		}
		if count > bestCount {
			best, bestCount = delimiter, count
		}
	}
	return best, bestCount > 0
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
			row[i] = string(field)
		}
		rows = append(rows, row)
	}
	return rows
}

// What the columns of a table are commonly called.
var (
	headWords     = []string{"head", "h", "subject", "subj", "s", "source", "src", "from", "start", "head_id", "subject_id", "entity1"}
	relationWords = []string{"relation", "rel", "r", "predicate", "pred", "p", "property", "edge", "type", "relation_id", "relationship"}
	tailWords     = []string{"tail", "t", "object", "obj", "o", "target", "dst", "to", "end", "tail_id", "object_id", "entity2"}
)

// detectHeader tells whether the first row names the columns. All three names must
// be of the usual, and none may come up again below: a small graph may well have
// an entity called "s". The order is that of the names if none is stated.
func detectHeader(rows [][]string, stated string) (order columns, found bool) {
	order, _ = parseColumns(stated)
	if len(rows) < 2 || len(rows[0]) != order.count {
		return order, false
	}
	names := []string{rows[0][order.head], rows[0][order.relation], rows[0][order.tail]}
	named := columns{wordIn(names, headWords), wordIn(names, relationWords), wordIn(names, tailWords), 3}
	if named.head < 0 || named.relation < 0 || named.tail < 0 || recurs(rows) {
		return order, false
	}
	if stated != "" {
		return order, true
	}
	return named, true
}

func wordIn(row, words []string) int {
	return slices.IndexFunc(row, func(field string) bool {
		return slices.Contains(words, strings.ToLower(strings.TrimSpace(field)))
	})
}

// recurs tells whether a field of the first row comes up again in its column.
func recurs(rows [][]string) bool {
	for _, row := range rows[1:] {
		for i, field := range row {
			if i < len(rows[0]) && field == rows[0][i] {
				return true
			}
		}
	}
	return false
}
