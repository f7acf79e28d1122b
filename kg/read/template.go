package read

import (
	"strconv"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
)

// template makes a name of the cells of a row: films/{id}, {first} {last}, nobel/{_row}.
type template struct {
	texts   []string // before each column, and one behind the last
	columns []int    // rowNumber for the number of the row
}

const (
	rowNumber = -2
	rowWord   = "_row"
)

// parseTemplate finds the columns in braces; other braces are text.
func parseTemplate(text string, columns []ColumnPlan) (template, error) {
	var t template
	before := ""
	for {
		open := strings.IndexByte(text, '{')
		if open < 0 {
			t.texts = append(t.texts, before+text)
			return t, nil
		}
		at, length := columnAt(text[open+1:], columns)
		if at == absent {
			word, _, _ := strings.Cut(text[open+1:], "}")
			return t, kg.Errorf(kg.Invalid, "", "{%s} is no column of the table", word)
		}
		t.texts, t.columns = append(t.texts, before+text[:open]), append(t.columns, at)
		before, text = "", text[open+1+length:]
	}
}

// columnAt finds the column that text begins with and a brace closes: the longest, as names may hold braces.
func columnAt(text string, columns []ColumnPlan) (at, length int) {
	at = absent
	if strings.HasPrefix(text, rowWord+"}") {
		at, length = rowNumber, len(rowWord)+1
	}
	for i := range columns {
		if name := columns[i].Name; len(name) >= length && strings.HasPrefix(text, name) && strings.HasPrefix(text[len(name):], "}") {
			at, length = i, len(name)+1
		}
	}
	return at, length
}

// plain tells of a template that is one cell and nothing else, and which.
func (t *template) plain() (column int, ok bool) {
	if len(t.columns) != 1 || t.columns[0] == rowNumber || t.texts[0] != "" || t.texts[1] != "" {
		return absent, false
	}
	return t.columns[0], true
}

// fill writes the name of a row; complete tells that no cell of it was empty. Where
// soft, empty cells and the text before them are left out.
func (t *template) fill(to []byte, row int, cell func(int) []byte, soft bool) (name []byte, complete bool) {
	complete = true
	for i, column := range t.columns {
		var text []byte
		if column != rowNumber {
			if text = cell(column); len(text) == 0 {
				complete = false
				if soft {
					continue
				}
			}
		}
		if !soft || i == 0 || len(to) > 0 {
			to = append(to, t.texts[i]...)
		}
		if column == rowNumber {
			to = strconv.AppendInt(to, int64(row), 10)
		}
		to = append(to, text...)
	}
	return append(to, t.texts[len(t.texts)-1]...), complete
}
