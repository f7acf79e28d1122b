package read

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/internal/count"
)

// What a plan supposed is held to all rows as they are read: what turned out otherwise is said.

// reportTable notes how a table was read.
func (l *loader) reportTable(t *table) {
	plan := t.plan
	if plan.SkipLines > 0 {
		l.note("%s: %s before the header left out", t.lines.name, count.Of(plan.SkipLines, "line"))
	}
	if plan.UnitRow {
		l.note("%s: the row below the header has units, and was left out", t.lines.name)
	}
	report := TableReport{Name: t.lines.name, Header: plan.Header && plan.Format != Records && plan.Format != Parquet, Trimmed: t.trimmed, Gaps: t.gaps}
	report.HeaderAsFact = slices.ContainsFunc(plan.Doubts, func(doubt string) bool { return strings.HasPrefix(doubt, "the first line was read as a fact") })
	if t.wide != nil {
		t.wide.report(&report, l.opts.Separator != "")
	} else {
		for _, c := range plan.Columns {
			if c.Role == RoleIgnore {
				report.Skipped = append(report.Skipped, c.Name)
			}
		}
		if plan.Found != "" {
			report.Rows = plan.summary()
		}
	}
	l.report.Tables = append(l.report.Tables, report)
	l.report.Header = l.report.Header || report.Header
}

// report notes what was decided about the columns of a wide table, several values in a cell unless their separator was stated.
func (w *wide) report(report *TableReport, separatorStated bool) {
	report.Missing, report.Repeated, report.Unnamed, report.Late = w.missing, w.repeated, w.unnamed, w.late
	plan := w.plan
	if slices.ContainsFunc(plan.Columns, func(c ColumnPlan) bool { return isKeyCell(c.Name) }) { // Neo4j's header states all of it
		return
	}
	if len(w.subject.columns) == 1 && w.subject.columns[0] >= 0 && plan.Columns[w.subject.columns[0]].Role == RoleIgnore {
		report.Key = plan.Columns[w.subject.columns[0]].Name
	} else {
		report.Rows = plan.summary()
	}
	for i := range plan.References {
		report.References = append(report.References, strings.Join(plan.References[i].Columns, " and ")+" to "+plan.References[i].Table)
	}
	seen := map[string]bool{}
	for i := range plan.Columns {
		c := &plan.Columns[i]
		if c.Role == RoleIgnore {
			continue
		}
		if seen[c.Property] && !slices.Contains(report.Doubled, c.Property) {
			report.Doubled = append(report.Doubled, c.Property)
		}
		seen[c.Property] = true
		c.note(report, separatorStated)
		if n := w.cells[i].untyped; n > 0 && c.Doubt == "" {
			if report.Untyped == nil {
				report.Untyped = map[string]int{}
			}
			report.Untyped[c.Name] = n
		}
	}
}

// note adds a column to the lists of a report that it belongs to.
func (c *ColumnPlan) note(report *TableReport, separatorStated bool) {
	name := strings.TrimSpace(c.Name)
	if c.Separator != "" && c.Separator != listSeparator && !separatorStated {
		report.Separated = append(report.Separated, name)
	}
	if c.Comma {
		report.DecimalComma = append(report.DecimalComma, name)
	}
	if c.Format != "" {
		report.Dates = append(report.Dates, c.Format+" in "+name)
	}
	if c.keys && c.Role == RoleValue {
		report.Keys = append(report.Keys, name)
	}
	if c.unread {
		report.Unread = append(report.Unread, name)
	}
	if c.Table != "" {
		report.References = append(report.References, name+" to "+c.Table)
	}
	if len(c.Keep) > 0 {
		report.Kept = append(report.Kept, name)
	}
	if strings.HasPrefix(c.Doubt, "may refer") {
		report.Ambiguous = append(report.Ambiguous, name+" "+c.Doubt)
	}
}

// verify counts the references that lead to no row.
func (l *loader) verify() {
	l.report.Plan = l.plan
	for _, table := range slices.Sorted(maps.Keys(l.blobs)) {
		if n := int(l.blobs[table].Load()); n > 0 {
			l.note("%s: %s of bytes left out, which are no text", table, count.Of(n, "cell"))
		}
	}
	for table, s := range l.tables {
		if lost := s.lost(); lost > 0 {
			if l.report.LostReferences == nil {
				l.report.LostReferences = map[string]int{}
			}
			l.report.LostReferences[table] = lost
		}
	}
}

// note keeps a sentence for the report.
func (l *loader) note(format string, args ...any) {
	l.report.Notes = append(l.report.Notes, fmt.Sprintf(format, args...))
}
