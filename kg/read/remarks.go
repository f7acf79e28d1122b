package read

import (
	"fmt"
	"strconv"
	"strings"
)

// Remarks say, a sentence each, what the reader decided or passed over, which the user may have
// meant otherwise, and by which flag of the command to say so.
func (r Report) Remarks() (remarks []string) {
	say := func(format string, args ...any) { remarks = append(remarks, fmt.Sprintf(format, args...)) }
	for _, name := range r.UTF16 {
		say("%s: read as UTF-16, which its first bytes tell (--encoding states another)", name)
	}
	for _, table := range r.Tables {
		table.remark(say)
	}
	if r.ManyRelations {
		say("there are nearly as many relations as facts: if the columns are others than head, relation, tail, give their order by --columns, or the key of a wide table by --key (import --dry-run shows the first facts)")
	}
	if r.InNamedGraphs > 0 {
		say("%s statements stand in named graphs; the names were dropped", thousands(r.InNamedGraphs))
	}
	if r.SkippedProperties > 0 {
		say("%s properties were left out: those of edges, and those that are no single value", thousands(r.SkippedProperties))
	}
	if r.UnknownLabels > 0 {
		say("%s labels are of names that the graph lacks", thousands(r.UnknownLabels))
	}
	if r.HeldOutDuplicates > 0 {
		say("%s held-out triples are given more than once and were dropped", thousands(r.HeldOutDuplicates))
	}
	return remarks
}

func (t TableReport) remark(say func(string, ...any)) {
	if t.Key != "" {
		say("%s: a wide table, a row %s and a column a relation (--key names another column, --columns hrt means triples)", t.Name, withArticle(t.Key))
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
	if len(t.DecimalComma) > 0 {
		say("%s: numbers with a comma for the point in %s", t.Name, strings.Join(t.DecimalComma, ", "))
	}
	if len(t.Keys) > 0 {
		say("%s: numbers, not entities, in %s: if they are keys of another table, say --refer %s=TABLE", t.Name, strings.Join(t.Keys, ", "), t.Keys[0])
	}
	if len(t.Unread) > 0 {
		say("%s: names, not values, in %s: numbers are read as 1234.5, dates as 2026-01-31", t.Name, strings.Join(t.Unread, ", "))
	}
	if t.Trimmed > 0 {
		say("%s: blanks around %s cells were dropped (--keep-blanks has them as parts of names)", t.Name, thousands(t.Trimmed))
	}
	if t.Missing > 0 {
		say("%s: %s cells that say NA, NULL or the like are empty", t.Name, thousands(t.Missing))
	}
}

func withArticle(word string) string {
	if word != "" && strings.ContainsRune("aeiouAEIOU", rune(word[0])) {
		return "an " + word
	}
	return "a " + word
}

// thousands writes a count with commas.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
