package read

import (
	"slices"
	"strings"
)

// createTable is what SQL's CREATE TABLE says of a table, as far as its rows need it.
type createTable struct {
	columns    []string
	stored     []int // the place of each column in a record; -1 where it is computed
	rowid      int   // the column that is the number of the row itself; -1 for none
	key        []string
	references map[string]string // column to table
	composites []compositeKey
}

// parseCreate reads a statement; one that is not understood gives no columns.
func parseCreate(statement string) createTable {
	t := createTable{rowid: absent, references: map[string]string{}}
	words := sqlWords(statement)
	open := slices.Index(words, "(")
	if open < 0 {
		return t
	}
	integer, virtual := "", map[string]bool{}
	parts, rest := sqlParts(words[open+1:])
	for _, part := range parts {
		switch strings.ToUpper(part[0]) {
		case "CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN":
			t.constraint(part)
			continue
		}
		name := sqlName(part[0])
		t.columns = append(t.columns, name)
		upper := upperWords(part)
		if at := slices.Index(upper, "PRIMARY"); at > 0 {
			t.key = []string{name}
			if upper[1] == "INTEGER" && !slices.Contains(upper, "DESC") {
				integer = name
			}
		}
		if at := slices.Index(upper, "REFERENCES"); at > 0 && at+1 < len(part) {
			t.references[name] = sqlName(part[at+1])
		}
		if at := slices.Index(upper, "AS"); at > 0 && at+1 < len(upper) && upper[at+1] == "(" && !slices.Contains(upper, "STORED") {
			virtual[name] = true
		}
		if len(t.key) == 1 && t.key[0] == name && integer == "" && len(upper) > 1 && upper[1] == "INTEGER" {
			integer = name
		}
	}
	if integer == "" && len(t.key) == 1 { // PRIMARY KEY (id) behind id INTEGER
		integer = t.declaredInteger(parts)
	}
	t.place(integer, virtual, strings.Contains(strings.Join(upperWords(rest), " "), "WITHOUT ROWID"))
	return t
}

// declaredInteger is the key if its column is declared as INTEGER.
func (t *createTable) declaredInteger(parts [][]string) string {
	for _, part := range parts {
		if len(part) > 1 && strings.EqualFold(sqlName(part[0]), t.key[0]) && strings.EqualFold(part[1], "INTEGER") {
			return t.key[0]
		}
	}
	return ""
}

// place finds where the columns lie in a record: in their order, or behind the key where the table has no rowid.
func (t *createTable) place(integer string, virtual map[string]bool, withoutRowid bool) {
	order := slices.Clone(t.columns)
	if withoutRowid {
		order = slices.Clone(t.key)
		for _, name := range t.columns {
			if !slices.ContainsFunc(t.key, func(key string) bool { return strings.EqualFold(key, name) }) {
				order = append(order, name)
			}
		}
	}
	order = slices.DeleteFunc(order, func(name string) bool { return virtual[name] })
	t.stored = make([]int, len(t.columns))
	for i, name := range t.columns {
		t.stored[i] = slices.IndexFunc(order, func(other string) bool { return strings.EqualFold(other, name) })
		if integer != "" && !withoutRowid && strings.EqualFold(integer, name) {
			t.rowid = i
		}
	}
}

// constraint reads a key or a reference that stands by itself.
func (t *createTable) constraint(part []string) {
	upper := upperWords(part)
	open, end := slices.Index(part, "("), slices.Index(part, ")")
	if open < 0 || end < open {
		return
	}
	names := sqlColumns(part[open+1 : end])
	switch {
	case slices.Contains(upper[:open], "PRIMARY"):
		t.key = names
	case slices.Contains(upper[:open], "FOREIGN") && len(names) == 1:
		if at := slices.Index(upper, "REFERENCES"); at > 0 && at+1 < len(part) {
			t.references[names[0]] = sqlName(part[at+1])
		}
	case slices.Contains(upper[:open], "FOREIGN"):
		if at := slices.Index(upper, "REFERENCES"); at > 0 && at+1 < len(part) {
			key := compositeKey{columns: names, table: sqlName(part[at+1])}
			if rest := part[at+2:]; len(rest) > 0 && rest[0] == "(" {
				key.targets = sqlColumns(rest[1:max(1, slices.Index(rest, ")"))])
			}
			t.composites = append(t.composites, key)
		}
	}
}

// sqlColumns are the names in a list of columns.
func sqlColumns(words []string) (names []string) {
	for _, word := range words {
		if word != "," && !slices.Contains([]string{"ASC", "DESC", "COLLATE", "NOCASE", "BINARY"}, strings.ToUpper(word)) {
			names = append(names, sqlName(word))
		}
	}
	return names
}

func upperWords(words []string) []string {
	upper := make([]string, len(words))
	for i, word := range words {
		upper[i] = strings.ToUpper(word)
	}
	return upper
}

// sqlParts parts words at the commas outside of brackets, up to the bracket that closes them.
func sqlParts(words []string) (parts [][]string, rest []string) {
	depth, from := 0, 0
	for i, word := range words {
		switch {
		case word == "(":
			depth++
		case word == ")" && depth == 0:
			if i > from {
				parts = append(parts, words[from:i])
			}
			return parts, words[i+1:]
		case word == ")":
			depth--
		case word == "," && depth == 0:
			if i > from {
				parts = append(parts, words[from:i])
			}
			from = i + 1
		}
	}
	return parts, nil
}

// sqlName is an identifier without its quotes.
func sqlName(word string) string {
	if len(word) < 2 {
		return word
	}
	closing, quoted := map[byte]string{'"': `"`, '`': "`", '[': "]", '\'': "'"}[word[0]]
	if !quoted || !strings.HasSuffix(word, closing) {
		return word
	}
	return strings.ReplaceAll(word[1:len(word)-1], closing+closing, closing)
}

// sqlWords parts a statement into names, signs and texts; remarks are left out.
func sqlWords(text string) (words []string) {
	for len(text) > 0 {
		length, keep := sqlWord(text)
		if keep {
			words = append(words, text[:length])
		}
		text = text[length:]
	}
	return words
}

// sqlWord gives the length of the first word, and whether it counts.
func sqlWord(text string) (length int, keep bool) {
	until := func(end string, from int) int {
		if at := strings.Index(text[from:], end); at >= 0 {
			return from + at + len(end)
		}
		return len(text)
	}
	switch first := text[0]; {
	case strings.ContainsRune(" \t\r\n", rune(first)):
		return 1, false
	case strings.HasPrefix(text, "--"):
		return until("\n", 2), false
	case strings.HasPrefix(text, "/*"):
		return until("*/", 2), false
	case first == '[':
		return until("]", 1), true
	case first == '"' || first == '`' || first == '\'':
		at := 1
		for {
			at = until(string(first), at)
			if at >= len(text) || text[at] != first {
				return at, true
			}
			at++
		}
	case strings.ContainsRune("(),", rune(first)):
		return 1, true
	}
	if at := strings.IndexAny(text, " \t\r\n(),\"'`["); at > 0 {
		return at, true
	}
	return len(text), true
}
