package main

import (
	"strings"

	"github.com/lacuna-kg/lacuna/kg/read"
)

// showReadReport says what a reader decided or passed over, which the user may have
// meant otherwise, and by which flag to say so.
func (a *app) showReadReport(r read.Report) {
	for _, table := range r.Tables {
		a.showTableReport(table)
	}
	if r.ManyRelations {
		a.remark("there are nearly as many relations as facts: if the columns are others than head, relation, tail, give their order by --columns, or the key of a wide table by --key (import --dry-run shows the first facts)")
	}
	if r.InNamedGraphs > 0 {
		a.remark("%s statements stand in named graphs; the names were dropped", thousands(r.InNamedGraphs))
	}
	if r.SkippedProperties > 0 {
		a.remark("%s properties were left out: those of edges, and those that are no single value", thousands(r.SkippedProperties))
	}
	if r.UnknownLabels > 0 {
		a.remark("%s labels are of names that the graph lacks", thousands(r.UnknownLabels))
	}
	if r.HeldOutDuplicates > 0 {
		a.remark("%s held-out triples are given more than once and were dropped", thousands(r.HeldOutDuplicates))
	}
}

func (a *app) showTableReport(t read.TableReport) {
	if t.Key != "" {
		a.remark("%s: a wide table, a row a %s and a column a relation (--key names another column, --columns hrt means triples)", t.Name, t.Key)
	}
	if t.HeaderAsFact {
		a.remark("%s: the first line was read as a fact; if it names the columns, say --header yes, or --key COLUMN for a wide table", t.Name)
	}
	if len(t.Skipped) > 0 {
		a.remark("%s: not read: %s", t.Name, strings.Join(t.Skipped, ", "))
	}
	if len(t.Separated) > 0 {
		a.remark("%s: several values in a cell of %s (--separator parts them otherwise)", t.Name, strings.Join(t.Separated, ", "))
	}
	if t.Missing > 0 {
		a.remark("%s: %s cells that say NA, NULL or the like are empty", t.Name, thousands(t.Missing))
	}
}
