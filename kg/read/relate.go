package read

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
)

// Tables that refer to each other. A column refers to a table if its values are keys of
// it, and its name or nothing else speaks for another: numbers alone are keys of many
// tables. What is stated comes first.

// relate finds what the columns of the tables refer to.
func relate(drafts []*draft, stated map[string]string) error {
	for _, d := range drafts {
		d.rekey(drafts)
	}
	for _, d := range drafts {
		d.extend(drafts)
	}
	if err := relateStated(drafts, stated); err != nil {
		return err
	}
	for _, d := range drafts {
		d.declare(drafts)
	}
	for _, d := range drafts {
		for i := range d.Columns {
			d.refer(i, drafts)
		}
	}
	for _, d := range drafts {
		d.rekeyTogether(drafts)
	}
	for _, d := range drafts {
		d.compose(drafts)
	}
	for _, d := range drafts {
		d.shorten()
		d.asEdges()
	}
	return nil
}

// relateStated takes the references that the user states, as column=table or table.column=table.
func relateStated(drafts []*draft, stated map[string]string) error {
	for _, column := range slices.Sorted(maps.Keys(stated)) {
		target := draftOf(drafts, stated[column])
		if target == nil {
			return kg.Errorf(kg.NotFound, "", "--refer %s=%s: there is no table %s among what is read", column, stated[column], stated[column])
		}
		if strings.Contains(column, "+") && len(target.keys) > 1 {
			if err := relateJoined(drafts, column, stated[column], target); err != nil {
				return err
			}
			continue
		}
		used, open := false, false
		for _, d := range drafts {
			name, mine := strings.CutPrefix(column, d.Table+".")
			if !mine {
				name = column
			}
			if at := keyNamed(d.names, name); at >= 0 && (mine || !strings.Contains(column, ".") || keyNamed(d.names, column) >= 0) {
				used = true
				open = d.point(at, target) || open
			}
		}
		switch {
		case !used:
			return kg.Errorf(kg.NotFound, "", "--refer %s=%s: no table has a column %s", column, stated[column], column)
		case !open:
			return kg.Errorf(kg.Invalid, "", "--refer %s=%s: the rows of %s are named %s, not by one column that %s could hold: state its key by --key %s=COLUMN",
				column, stated[column], target.Table, target.Subject, column, target.Table)
		}
	}
	return nil
}

// declare takes the references that a database states.
func (d *draft) declare(drafts []*draft) {
	if d.declared == nil {
		return
	}
	for column, table := range d.declared.references {
		at, target := keyNamed(d.names, column), draftOf(drafts, table)
		if at < 0 || target == nil || d.Columns[at].Table != "" {
			continue
		}
		if at == d.key && target != d && target.key != absent {
			d.Subject = target.prefix() + "{" + d.names[at] + "}"
			d.Found = "more about the rows of " + target.Table
			continue
		}
		d.point(at, target)
	}
}

func draftOf(drafts []*draft, name string) *draft {
	for _, d := range drafts {
		if bareWord(d.Table) == stemOf(name) {
			return d
		}
	}
	return nil
}

// point makes a column refer to a table, whose rows must be named by one column.
func (d *draft) point(at int, target *draft) bool {
	if target.key == absent || target.Rows != RowsEntities {
		return false
	}
	if d == target && at == target.key {
		return true
	}
	c := &d.Columns[at]
	if c.Role == RoleValue || c.Role == RoleIgnore {
		c.Role = RoleReference
	}
	c.Format = ""
	c.Table, c.Type, c.Comma, c.keys, c.unread, c.Doubt = target.Table, "", false, false, false, ""
	if target.whole && target.prefix() != "" {
		if lost := d.stats[at].different() - included(d.values(at), target.values(target.key)); lost > 0 {
			c.Doubt = fmt.Sprintf("%s of %s no row of %s", count.Number(lost), count.Of(d.stats[at].different(), "value")+" "+count.Either(lost, "is", "are"), target.Table)
		}
	}
	return true
}

// values are those of a column, single ones where it has lists.
func (d *draft) values(at int) map[string]int {
	if separator := d.Columns[at].Separator; separator != "" {
		return d.splitStats(at, separator).values
	}
	return d.stats[at].values
}

// included counts the values that are keys.
func included(values, keys map[string]int) (n int) {
	for value := range values {
		if keys[value] > 0 {
			n++
		}
	}
	return n
}

// rekey names the rows of a table by a column of names in place of ids if other tables hold these names and none the ids.
func (d *draft) rekey(drafts []*draft) {
	at := d.labelOnly()
	if d.stated || at == absent || d.key == absent || !d.stats[d.key].allDigits() || !d.unique(at) || !d.whole {
		return
	}
	byName, keys, names := "", d.stats[d.key].values, d.stats[at].values
	for _, other := range drafts {
		for i := range other.Columns {
			if other == d && (i == d.key || i == at) || other.Columns[i].Role == RoleIgnore && !other.namedBy(other.names[i]) {
				continue
			}
			values := other.values(i)
			if evidence(other.names[i], d) > 0 && included(values, keys)*10 >= len(values)*9 && other.stats[i].allDigits() {
				return // the ids are in use
			}
			if len(values) > 1 && evidence(other.names[i], d) > 1 && included(values, names)*10 >= len(values)*9 {
				byName = other.Table + "." + other.names[i]
			}
		}
	}
	if byName == "" {
		return
	}
	id := &d.Columns[d.key]
	id.Role, id.Type = RoleValue, "integer"
	d.key, d.Subject, d.Label = at, "{"+d.names[at]+"}", ""
	d.Found = "named by " + d.names[at] + ", which " + byName + " holds"
}

// labelOnly is the only column that the label is made of.
func (d *draft) labelOnly() int {
	for i, name := range d.names {
		if d.Label == "{"+name+"}" {
			return i
		}
	}
	return absent
}

// extend takes a table whose key is that of another, such as details of customers, for more about the same entities.
func (d *draft) extend(drafts []*draft) {
	if d.stated || d.key == absent || d.prefix() == "" || !d.stats[d.key].allDigits() || bareWord(d.names[d.key]) == "id" {
		return
	}
	for _, other := range drafts {
		if other == d || other.key == absent || other.prefix() == "" || !other.whole || evidence(d.names[d.key], other) < 3 || evidence(d.names[d.key], d) >= 3 {
			continue
		}
		values := d.stats[d.key].values
		if included(values, other.stats[other.key].values) == len(values) {
			d.Subject = other.prefix() + "{" + d.names[d.key] + "}"
			d.Found = "more about the rows of " + other.Table
			return
		}
	}
}

// refer finds the table that a column refers to, if there is one.
func (d *draft) refer(at int, drafts []*draft) {
	c, stats := &d.Columns[at], &d.stats[at]
	if c.Table != "" || at == d.key || c.Role == RoleIgnore || stats.filled == 0 || d.Rows == RowsTriples && c.Role == RoleRelation {
		return
	}
	values := d.values(at)
	var best *draft
	bestRank, second := 0, []string{}
	for _, target := range drafts {
		rank := d.rank(at, values, target)
		switch {
		case rank == 0 || rank < bestRank:
		case rank > bestRank:
			best, bestRank, second = target, rank, nil
		default:
			second = append(second, target.Table)
		}
	}
	switch {
	case best == nil:
	case len(second) > 0:
		if best.prefix() != "" && len(second) == 1 {
			c.Doubt = fmt.Sprintf("may refer to %s or %s: say --refer %s=%s if so", best.Table, strings.Join(second, " or "), c.Name, best.Table)
			c.keys = false
		}
	default:
		d.point(at, best)
	}
}

// rank tells how much speaks for a reference, 0 for none.
func (d *draft) rank(at int, values map[string]int, target *draft) int {
	if target.key == absent || target.Rows != RowsEntities || d == target && at == target.key {
		return 0
	}
	keys := target.stats[target.key].values
	in := included(values, keys)
	if target.prefix() == "" { // whose keys are names, the same entities anyway
		if d.stats[at].allDigits() || in*10 < len(values)*9 || in == 0 {
			return 0
		}
		return 1 + evidence(d.names[at], target)
	}
	ids := 0
	for value := range values {
		if isDigits(value) {
			ids++
		}
	}
	if ids < len(values) { // as BC is no region of a table of regions
		return 0
	}
	by := evidence(d.names[at], target)
	switch {
	case !target.whole:
		if by >= 2 && in > 0 {
			return by + 1
		}
	case by >= 2 && in*10 >= len(values)*9 || by == 3 && in*2 >= len(values):
		return by + 1
	case in < len(values):
	case by == 1 && in*10 >= len(keys)*3 || d == target && pointsWithin(d.names[at]):
		return 2
	case withoutID(d.names[at]) != d.names[at] && len(values) > 1 && d != target && isSparse(keys):
		return 1
	}
	return 0
}

// isSparse tells of ids that are not just the first numbers, which those of any table include.
func isSparse(keys map[string]int) bool {
	least, most := math.MaxInt, math.MinInt
	for key := range keys {
		if id, err := strconv.Atoi(key); err == nil {
			least, most = min(least, id), max(most, id)
		}
	}
	return most > least && (least > 2*len(keys) || most-least > 2*len(keys))
}

// evidence tells how much the name of a column says that it holds keys of a table: 3 it
// is called after it or as its key, 2 the last words are the same, 1 they begin alike.
func evidence(column string, target *draft) int {
	words := wordsOf(withoutID(strings.TrimSpace(column)))
	table := wordsOf(target.Table)
	if len(words) == 0 || len(table) == 0 {
		return 0
	}
	key := bareWord(target.names[max(0, target.key)])
	generic := slices.Contains(keyWords, key) || slices.Contains(nameWords, key)
	switch {
	case slices.Equal(words, table) || bareWord(column) == key && !generic && target.key != absent:
		return 3
	case endsWith(words, table) || endsWith(table, words) || !generic && target.key != absent && endsWith(words, wordsOf(withoutID(target.names[target.key]))):
		return 2
	case len(commonStart(words[0], table[0])) >= 4:
		return 1
	}
	return 0
}

func endsWith(words, end []string) bool {
	return len(end) <= len(words) && slices.Equal(words[len(words)-len(end):], end)
}

func commonStart(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:n]
}

// wordsOf parts a name at signs and at capitals within it, each word in the singular: orderDetails, order-details.
func wordsOf(name string) (words []string) {
	var word []rune
	flush := func() {
		if len(word) > 0 {
			words = append(words, singular(strings.ToLower(string(word))))
		}
		word = word[:0]
	}
	before := ' '
	for _, char := range name {
		switch {
		case !unicode.IsLetter(char) && !unicode.IsDigit(char):
			flush()
		case unicode.IsUpper(char) && unicode.IsLower(before):
			flush()
			word = append(word, char)
		default:
			word = append(word, char)
		}
		before = char
	}
	flush()
	return words
}

// pointsWithin tells of a column that is called as those are that refer to a row of the same table.
func pointsWithin(column string) bool {
	words := wordsOf(withoutID(column))
	return slices.ContainsFunc(words, func(word string) bool {
		return slices.Contains([]string{
			"parent", "manager", "bos", "boss", "supervisor", "superior", "mentor", "predecessor", "successor", "previou", "next", "father", "mother", "spouse", "partner",
			"sequel", "prequel", "evolve", "reply",
		}, word)
	}) || len(words) > 1 && slices.Contains([]string{"to", "of", "by", "from"}, words[len(words)-1]) && !strings.HasPrefix(words[0], "unit")
}

// shorten calls the relation of a reference director and not director_id, unless another column is called so.
func (d *draft) shorten() {
	for i := range d.Columns {
		c := &d.Columns[i]
		short := withoutID(c.Property)
		if c.Table == "" || slices.ContainsFunc(d.names, func(name string) bool { return strings.EqualFold(strings.TrimSpace(name), short) }) {
			continue
		}
		c.Property = short
	}
}

// asEdges takes a table of nothing but two references, as SQL has for relations of many to many, for edges.
func (d *draft) asEdges() {
	if d.stated && d.declared == nil || d.Rows != RowsEntities || d.key != absent {
		return
	}
	var ends []int
	for i := range d.Columns {
		switch {
		case d.Columns[i].Role == RoleReference && d.Columns[i].Separator == "":
			ends = append(ends, i)
		case d.Columns[i].Role != RoleIgnore:
			return
		}
	}
	if len(ends) != 2 || len(d.names) > 3 || d.Label != "" || len(d.References) > 0 {
		return
	}
	d.edges(ends[0], ends[1])
	d.Found = "two columns that refer to others"
}

// edges makes each row a fact between two columns.
func (d *draft) edges(head, tail int) {
	d.Rows, d.Subject, d.Per, d.Label = RowsTriples, "", "", ""
	d.Columns[head].Role, d.Columns[head].Property = RoleHead, ""
	d.Columns[tail].Role = RoleTail
}
