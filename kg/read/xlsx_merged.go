package read

import (
	"encoding/xml"
	"strconv"
	"strings"
)

// mergedCells fills what Excel shows as one cell: of several rows merged in one column, only the first has the value, and
// the others mean it, too. Cells merged across columns are titles, which are left as they are.
type mergedCells struct {
	numbers []int       // of the rows that are kept, as the sheet counts them
	places  map[int]int // the way back
	next    int         // the number of a row that states none
	filled  int
}

// begin notes the number of a row.
func (m *mergedCells) begin(row xml.StartElement) {
	m.next++
	for _, a := range row.Attr {
		if n, err := strconv.Atoi(a.Value); err == nil && a.Name.Local == "r" && n > 0 {
			m.next = n
		}
	}
}

// kept notes that the row at hand is row number at of those that are kept.
func (m *mergedCells) kept(at int) {
	if m.places == nil {
		m.places = map[int]int{}
	}
	m.places[m.next] = at
	m.numbers = append(m.numbers, m.next)
}

// fill takes a range such as C2:C5 into account, at most as many cells as there is room for.
func (m *mergedCells) fill(rows [][]string, element xml.StartElement, room int) {
	for _, a := range element.Attr {
		first, last, isRange := strings.Cut(a.Value, ":")
		column := columnOfPlace(first, absent)
		if a.Name.Local != "ref" || !isRange || column < 0 || column != columnOfPlace(last, absent) {
			continue
		}
		from, to := rowOfPlace(first), rowOfPlace(last)
		at, there := m.places[from]
		if !there || column >= len(rows[at]) || rows[at][column] == "" {
			continue
		}
		value := rows[at][column]
		for at++; at < len(rows) && m.numbers[at] <= to; at++ {
			for len(rows[at]) <= column {
				rows[at] = append(rows[at], "")
				room--
			}
			if rows[at][column] == "" && room > 0 {
				rows[at][column] = value
				m.filled++
			}
		}
	}
}

// rowOfPlace is the number of the row in a place such as AB12, 0 where it has none.
func rowOfPlace(place string) int {
	n, _ := strconv.Atoi(strings.TrimLeft(place, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
	return n
}
