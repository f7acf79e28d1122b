package eval

import (
	"fmt"
	"strings"

	"github.com/lacuna-kg/lacuna/internal/count"
)

// heading names what was evaluated.
func (c Comparison) heading() string {
	var parts []string
	if !c.differ(func(r *Report) string { return r.Dataset }) {
		parts = append(parts, c.reports[0].Dataset)
	}
	if !c.differ(func(r *Report) string { return r.Split.String() }) {
		parts = append(parts, c.reports[0].Split.String())
	}
	if len(c.reports) == 1 {
		parts = append(parts, c.label(c.reports[0]))
	} else {
		parts = append(parts, fmt.Sprintf("%d reports", len(c.reports)))
	}
	return strings.Join(parts, " · ")
}

// notes state what a reader must know of the figures: graph, queries, rules. What
// holds for all reports is said once.
func (c Comparison) notes() []string {
	var notes []string
	seen := map[string]bool{}
	add := func(note string) {
		if note != "" && !seen[note] {
			seen[note] = true
			notes = append(notes, note)
		}
	}
	for _, r := range c.reports {
		add(incompleteNote(columnP, r.AvgP))
		add(incompleteNote(columnN, r.AvgN))
	}
	for _, r := range c.reports {
		add(r.answeredNote())
		add(r.queriesNote())
	}
	for _, r := range c.reports {
		add("Ranks: " + r.Rules.Ranks + ". Ties: " + r.Rules.Ties + ".")
		add("Means: " + r.Rules.Averages + ".")
		add("MAPE and Spearman: " + r.Rules.Cardinality + ".")
		if len(r.ByMissingLinks) > 0 {
			add("Missing links: " + r.Rules.MissingLinks + ". Here means are over the types that have such answers; " + r.sharesNote())
		}
	}
	return notes
}

func incompleteNote(column string, a *Average) string {
	if a == nil || a.complete(column) {
		return ""
	}
	return fmt.Sprintf("* %s over %s only", column, strings.Join(a.Types, " "))
}

// bound says which links are predicted, and how.
func (d Description) bound() (text string) {
	if d.Least > 0 {
		text = fmt.Sprintf(", links of %v and more", d.Least)
	}
	if d.BothEnds > 0 {
		text += fmt.Sprintf(", the %d most likely links of a step read from both ends", d.BothEnds)
	}
	return text
}

func (r *Report) answeredNote() string {
	how := "by traversal"
	if r.Method.Kind != "traversal" {
		how = fmt.Sprintf("by a model on %s, %s logic", r.Method.Device, r.Method.Logic)
	}
	if r.Method.By == "links" {
		how += fmt.Sprintf(", by links, following at most %s per step of probability %v and more%s", count.Of(r.Method.Followed, "entity"), r.Method.FollowedFrom, r.Method.bound())
	}
	if r.Method.Negation != 0 {
		how += fmt.Sprintf(" with the complement of λ = %v", r.Method.Negation)
	}
	if r.Method.KeepKnown {
		how += ", known facts kept"
	}
	return fmt.Sprintf("%s: answered %s on the %s (%s, %s), true on the %s (%s).",
		r.Model, how, r.Graph.Name, count.Of(r.Graph.Entities, "entity"), count.Of(r.Graph.Triples, "triple"), r.Full.Name, count.Of(r.Full.Triples, "triple"))
}

func (r *Report) queriesNote() string {
	q := r.Queries
	note := fmt.Sprintf("%s: %s, format %s", r.Dataset, count.Of(r.Avg.Queries, r.Split.String()+" query"), q.Format)
	if q.Provenance.Method != "" {
		note += fmt.Sprintf(", %s from %s", q.Provenance.Method, q.Provenance.Source)
		if q.Provenance.Seed != 0 {
			note += fmt.Sprintf(" with seed %d", q.Provenance.Seed)
		}
	}
	if q.Limit > 0 {
		note += fmt.Sprintf("; at most %d of each type, drawn with seed %d", q.Limit, q.Seed)
	}
	return note + "."
}

func (r *Report) sharesNote() string {
	keys := map[string]bool{}
	for key := range r.ByMissingLinks {
		keys[key] = true
	}
	var shares []string
	for _, key := range sortedLinks(keys) {
		shares = append(shares, fmt.Sprintf("%s missing: %s %%", key, percent(r.ByMissingLinks[key].Share)))
	}
	return "of all answers, " + strings.Join(shares, ", ") + "."
}
