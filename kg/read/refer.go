package read

import (
	"maps"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
)

// Tables that refer to each other: where keys are whole numbers, 1 is a film in one
// table and a person in another, so that such keys are named after their table,
// films/1, and so are the cells of the columns that refer to them.

// keyed notes that the keys of a table are ids.
func (l *loader) keyed(table string) {
	if l.idTables == nil {
		l.idTables = map[string]bool{}
	}
	l.idTables[table] = true
}

// checkReferences refuses a stated reference to a table that is not read.
func (l *loader) checkReferences(tables []string) error {
	for _, column := range slices.Sorted(maps.Keys(l.opts.References)) {
		target := l.opts.References[column]
		if !slices.ContainsFunc(tables, func(name string) bool { return stemOf(name) == stemOf(target) }) {
			return kg.Errorf(kg.NotFound, "", "--refer %s=%s: there is no table %s among what is read", column, target, target)
		}
	}
	return nil
}

// refersTo gives the table whose ids a column holds: the one that is stated, else
// the one that the column is called after, as film_id or film for films.
func (l *loader) refersTo(column string) (ids string, ok bool) {
	for stated, target := range l.opts.References {
		if strings.EqualFold(stated, strings.TrimSpace(column)) {
			target = stemOf(target)
			return idsOf(target, l.idTables), true
		}
	}
	word := bareWord(column)
	short := strings.TrimSuffix(word, "id")
	for _, target := range slices.Sorted(maps.Keys(l.idTables)) {
		if same := singular(target); same == singular(word) || same == singular(short) && short != "" {
			return target, true
		}
	}
	return "", false
}

// idsOf is the table's name where its keys are ids, and "" where they are names as they stand.
func idsOf(table string, known map[string]bool) string {
	if known[table] {
		return table
	}
	return ""
}
