package read

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/internal/count"
)

// Remarks say, a sentence each, what the reader decided or passed over, which the user may have
// meant otherwise, and by which flag of the command to say so.
func (r Report) Remarks() (remarks []string) {
	say := func(format string, args ...any) { remarks = append(remarks, fmt.Sprintf(format, args...)) }
	for _, name := range r.UTF16 {
		say("%s: read as UTF-16, which its first bytes tell (--encoding states another)", name)
	}
	remarks = append(remarks, r.Notes...)
	for _, table := range r.Tables {
		table.remark(say)
	}
	if r.ManyRelations {
		say("there are nearly as many relations as facts: if the columns are others than head, relation, tail, give their order by --columns, or the key of a wide table by --key (import --dry-run shows the first facts)")
	}
	for _, table := range slices.Sorted(maps.Keys(r.LostReferences)) {
		say("%s of %s referred to, of which there is no row", count.Of(r.LostReferences[table], "key"), table)
	}
	if r.BothWays > 0 {
		say("%s stated in both directions", count.Of(r.BothWays, "undirected edge"))
	}
	if r.SkippedRows > 0 {
		say("%s left out (--skip-bad): %s", count.Of(r.SkippedRows, "bad row"), strings.Join(r.FirstSkipped, "; "))
	}
	if r.InNamedGraphs > 0 {
		say("%s in named graphs", count.Of(r.InNamedGraphs, "statement"))
	}
	if r.SkippedProperties > 0 {
		say("%s left out that are no single value", count.Of(r.SkippedProperties, "property"))
	}
	if r.UnknownLabels > 0 {
		say("%s left out: their names are not in the graph", count.Of(r.UnknownLabels, "label"))
	}
	if r.HeldOutDuplicates > 0 {
		say("%s dropped that stood there already", count.Of(r.HeldOutDuplicates, "held-out triple"))
	}
	return remarks
}

func (t TableReport) remark(say func(string, ...any)) {
	if t.Key != "" {
		say("%s: a wide table: %s names the rows, the other columns are relations (--key chooses another column, --columns hrt reads triples)", t.Name, t.Key)
	}
	if t.Rows != "" {
		say("%s: %s (--plan shows all of it, --key names the column of the entities)", t.Name, t.Rows)
	}
	if t.HeaderAsFact {
		say("%s: the first line was read as a fact; if it names the columns, say --header yes, or --key COLUMN for a wide table", t.Name)
	}
	if len(t.Skipped) > 0 {
		say("%s: not read: %s", t.Name, strings.Join(t.Skipped, ", "))
	}
	if len(t.Separated) > 0 {
		say("%s: several values in a cell of %s (--separator parts them otherwise)", t.Name, strings.Join(t.Separated, ", "))
	}
	if len(t.Doubled) > 0 {
		say("%s: several columns are called %s; each gives facts of that relation", t.Name, strings.Join(t.Doubled, ", "))
	}
	for _, dates := range t.Dates {
		say("%s: dates written %s", t.Name, dates)
	}
	if len(t.DecimalComma) > 0 {
		say("%s: numbers with a comma for the point in %s", t.Name, strings.Join(t.DecimalComma, ", "))
	}
	if len(t.References) > 0 {
		say("%s: references: %s (--refer COLUMN=TABLE says otherwise)", t.Name, strings.Join(t.References, ", "))
	}
	for _, column := range t.Ambiguous {
		say("%s: %s", t.Name, column)
	}
	if t.Repeated > 0 {
		say("%s: %s called like an earlier row, told apart by number: the plan saw only the first rows", t.Name, count.Of(t.Repeated, "row"))
	}
	if t.Late > 0 {
		say("%s: %s of members that came up after the plan was made: read as they look, and left out where the plan was given", t.Name, count.Of(t.Late, "value"))
	}
	if t.Gaps > 0 {
		say("%s: %s with one of the two cells empty, no fact", t.Name, count.Of(t.Gaps, "row"))
	}
	if t.Unnamed > 0 {
		say("%s: %s without a key, named by number", t.Name, count.Of(t.Unnamed, "row"))
	}
	for _, column := range slices.Sorted(maps.Keys(t.Untyped)) {
		say("%s: %s of %s of another type than the rest, kept as text", t.Name, count.Of(t.Untyped[column], "cell"), column)
	}
	if len(t.Kept) > 0 {
		say("%s: NA is a code like the others in %s, and is kept (--null says otherwise)", t.Name, strings.Join(t.Kept, ", "))
	}
	if len(t.Keys) > 0 {
		say("%s: numbers, not entities, in %s: if they are keys of another table, say --refer %s=TABLE", t.Name, strings.Join(t.Keys, ", "), t.Keys[0])
	}
	if len(t.Unread) > 0 {
		say("%s: names, not values, in %s: numbers are read as 1234.5, dates as 2026-01-31", t.Name, strings.Join(t.Unread, ", "))
	}
	if t.Trimmed > 0 {
		say("%s: blanks around %s were dropped (--keep-blanks has them as parts of names)", t.Name, count.Of(t.Trimmed, "cell"))
	}
	if t.Missing > 0 {
		say("%s: %s with NA, NULL or the like, taken to be empty", t.Name, count.Of(t.Missing, "cell"))
	}
}
