package read

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
)

// Keys of several columns: a row of another table refers to one by as many cells, as (orderID, productID) does to a line of
// an order. R2RML calls it a join; here the cells fill the subject of the table referred to.

// ReferencePlan is a fact that several cells of a row state together.
type ReferencePlan struct {
	Property string   `json:"property"` // the relation
	Table    string   `json:"table"`    // whose rows are referred to
	Columns  []string `json:"columns"`  // whose cells stand in its subject, in the order that they have there
}

// compositeKey is what a database says of several columns that refer together.
type compositeKey struct {
	columns, targets []string // targets may be left out, which means the key
	table            string
}

// rekeyTogether names the rows of a table by the columns that another table holds, where these tell them apart, in place of
// those that were guessed: a return has order and line, so that lines of orders are named by these.
func (d *draft) rekeyTogether(drafts []*draft) {
	if d.stated || d.key != absent || !d.whole || d.Rows != RowsEntities {
		return
	}
	for _, other := range drafts {
		if other == d || other.Rows != RowsEntities || len(other.rows) > len(d.rows) {
			continue
		}
		var mine, theirs []int
		for i, name := range d.names {
			at := slices.IndexFunc(other.names, func(column string) bool { return bareWord(column) == bareWord(name) })
			if at >= 0 && bareWord(name) != "" {
				mine, theirs = append(mine, i), append(theirs, at)
			}
		}
		if len(mine) < 2 || len(mine) > 3 || sameColumns(d.keys, mine) || !d.tellsApart(mine...) {
			continue
		}
		before := d.keys
		if d.keys = mine; other.holdsKeys(theirs, d) {
			d.Subject = d.subjectOf(mine)
			d.Found += ", named as " + other.Table + " refers to them"
			return
		}
		d.keys = before
	}
}

// subjectOf names rows by several columns.
func (d *draft) subjectOf(key []int) string {
	names := make([]string, len(key))
	for i, at := range key {
		names[i] = "{" + d.names[at] + "}"
	}
	return d.Table + "/" + strings.Join(names, "/")
}

// compose finds the references of several columns, declared ones first.
func (d *draft) compose(drafts []*draft) {
	if d.declared != nil {
		for _, key := range d.declared.composites {
			if target := draftOf(drafts, key.table); target != nil {
				d.join(target, columnsNamed(d.names, target.inOrder(key.columns, key.targets)))
			}
		}
	}
	for _, target := range drafts {
		if at := d.sameNamed(target); at != nil && target.whole && d.holdsKeys(at, target) {
			d.join(target, at)
		}
	}
}

// inOrder gives columns in the order of the key that they refer to.
func (d *draft) inOrder(columns, targets []string) []string {
	if len(targets) != len(columns) {
		return columns
	}
	ordered := make([]string, len(d.keys))
	for i, at := range d.keys {
		place := slices.IndexFunc(targets, func(name string) bool { return bareWord(name) == bareWord(d.names[at]) })
		if place < 0 {
			return nil
		}
		ordered[i] = columns[place]
	}
	return ordered
}

// sameNamed gives the columns that are called as those of another table's key, nil unless all are there. A table that has
// the same key has rows of its own, which do not refer.
func (d *draft) sameNamed(target *draft) (at []int) {
	if d == target || d.Rows != RowsEntities || target.Rows != RowsEntities {
		return nil
	}
	for _, key := range target.keys {
		found := slices.IndexFunc(d.names, func(name string) bool { return bareWord(name) == bareWord(target.names[key]) })
		if found < 0 {
			return nil
		}
		at = append(at, found)
	}
	if sameColumns(d.keys, at) && len(d.rows) >= len(target.rows) {
		return nil // of two tables with one key, the one of fewer rows refers
	}
	return at
}

func sameColumns(a, b []int) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return len(a) > 0 && slices.Equal(a, b)
}

// holdsKeys tells whether nine of ten rows hold keys of the other table, and more than one.
func (d *draft) holdsKeys(at []int, target *draft) bool {
	keys := map[string]bool{}
	for _, row := range target.rows {
		keys[target.joined(row, target.keys)] = true
	}
	all, in := map[string]bool{}, 0
	for _, row := range d.rows {
		key := d.joined(row, at)
		if key == "" || all[key] {
			continue
		}
		all[key] = true
		if keys[key] {
			in++
		}
	}
	return in > 1 && in*10 >= len(all)*9
}

// joined is the cells of a key as one text, "" where one is empty.
func (d *draft) joined(row []string, columns []int) string {
	var b strings.Builder
	for _, at := range columns {
		cell := d.cell(row, at)
		if cell == "" {
			return ""
		}
		b.WriteString(cell)
		b.WriteByte(0)
	}
	return b.String()
}

// join makes columns together refer to a table, and tells whether they can.
func (d *draft) join(target *draft, at []int) bool {
	if len(at) < 2 || len(at) != len(target.keys) || target.Rows != RowsEntities || d.Rows != RowsEntities {
		return false
	}
	reference := ReferencePlan{Property: singular(target.Table), Table: target.Table}
	for _, column := range at {
		reference.Columns = append(reference.Columns, d.names[column])
	}
	if slices.ContainsFunc(d.References, func(other ReferencePlan) bool {
		return other.Table == target.Table && slices.Equal(other.Columns, reference.Columns)
	}) {
		return true
	}
	taken := func(property string) bool {
		return slices.ContainsFunc(d.Columns, func(c ColumnPlan) bool { return c.Role != RoleIgnore && strings.EqualFold(c.Property, property) }) ||
			slices.ContainsFunc(d.References, func(r ReferencePlan) bool { return r.Property == property })
	}
	if taken(reference.Property) {
		reference.Property = target.Table
	}
	if taken(reference.Property) {
		reference.Property = strings.Join(reference.Columns, " and ")
	}
	d.References = append(d.References, reference)
	return true
}

// relateJoined takes a reference of several columns that the user states, as a+b=table or table.a+b=table.
func relateJoined(drafts []*draft, column, table string, target *draft) error {
	used := false
	for _, d := range drafts {
		names := strings.Split(strings.TrimPrefix(column, d.Table+"."), "+")
		if at := columnsNamed(d.names, names); at != nil && d != target {
			if !d.join(target, at) {
				return kg.Errorf(kg.Invalid, "", "--refer %s=%s: the rows of %s are named %s, expected %s in it", column, table, table, target.Subject,
					count.Of(len(names), "column"))
			}
			used = true
		}
	}
	if !used {
		return kg.Errorf(kg.NotFound, "", "--refer %s=%s: no table has the columns %s", column, table, strings.ReplaceAll(column, "+", " and "))
	}
	return nil
}

// describe says what columns refer to together.
func (r *ReferencePlan) describe() string {
	return fmt.Sprintf("%s: reference to %s, as %s", strings.Join(r.Columns, " and "), r.Table, r.Property)
}

// joinedCells makes ready the facts that several cells state together.
type joinedCells struct {
	relation string
	target   *subjects
	name     template // of the table referred to, with columns of this one
}

// joinedCells finds the columns of a reference in the plan of its table.
func (l *loader) joinedCells(t *TablePlan, r *ReferencePlan) (joinedCells, error) {
	target := l.plan.table(r.Table)
	if target == nil || target.Rows != RowsEntities || r.Property == "" {
		return joinedCells{}, kg.Errorf(kg.Invalid, t.File, "the plan has %s refer to %q by several columns, expected a table of entities and a property", t.Table, r.Table)
	}
	name, err := parseTemplate(target.Subject, target.Columns)
	if err != nil {
		return joinedCells{}, kg.Errorf(kg.Invalid, t.File, "%v", strings.TrimPrefix(err.Error(), ": "))
	}
	if len(name.columns) != len(r.Columns) || slices.Contains(name.columns, rowNumber) {
		return joinedCells{}, kg.Errorf(kg.Invalid, t.File, "the plan has %s refer to %s, whose rows are named %s, by %s", t.Table, r.Table, target.Subject,
			strings.Join(r.Columns, " and "))
	}
	for i, column := range r.Columns {
		at := slices.IndexFunc(t.Columns, func(c ColumnPlan) bool { return c.Name == column })
		if at < 0 {
			return joinedCells{}, kg.Errorf(kg.Invalid, t.File, "the plan has %s refer to %s by %q, which is no column", t.Table, r.Table, column)
		}
		name.columns[i] = at
	}
	return joinedCells{relation: r.Property, target: l.subjectsOf(r.Table), name: name}, nil
}

// join states the fact of several cells, where none is empty.
func (t *table) join(head kg.Entity, j *joinedCells) {
	name, complete := j.name.fill(t.wide.second[:0], t.number, t.bare, false)
	t.wide.second = name
	if !complete {
		return
	}
	tail := t.into.entities.Intern(name)
	j.target.refer(tail)
	t.into.facts[t.part] = append(t.into.facts[t.part], kg.Triple{
		Head: head, Relation: t.into.relation([]byte(j.relation)), Tail: kg.Entity(tail),
	})
}
