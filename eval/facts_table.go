package eval

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/lacuna-kg/lacuna/internal/count"
)

// FactsTable is one or several reports on the same facts, a row each.
type FactsTable []*FactsReport

// JSON is the report itself if there is one, and a list of them otherwise.
func (t FactsTable) JSON() ([]byte, error) {
	if len(t) == 1 {
		return json.MarshalIndent(t[0], "", "  ")
	}
	return json.MarshalIndent(t, "", "  ")
}

// Text lays the tables out for a terminal.
func (t FactsTable) Text() string { return t.page().text() }

// Markdown writes them for a document.
func (t FactsTable) Markdown() string { return t.page().markdown() }

func (t FactsTable) page() page {
	first := t[0]
	facts := fmt.Sprintf("%s · %s · %s from both ends", first.Graph, first.Split, count.Of(first.Facts, "fact"))
	return page{facts, []grid{t.figures(), t.cases()}, t.notes()}
}

func (t FactsTable) figures() grid {
	g := grid{title: "%", columns: []string{"MRR", "H@1", "H@3", "H@10", "tails", "heads", "ties at best", "at worst"}}
	for _, r := range t {
		a := r.All
		g.add(r.label(), a.MRR, a.Hits1, a.Hits3, a.Hits10, r.Tails.MRR, r.Heads.MRR, a.Optimistic.MRR, a.Pessimistic.MRR)
	}
	return g
}

func (g *grid) add(label string, figures ...float64) {
	row := gridRow{label: label}
	for _, x := range figures {
		row.cells = append(row.cells, percent(x))
	}
	g.rows = append(g.rows, row)
}

// caseNames say where the graph states another fact of the relation, in the order of FactsReport.Cases.
var caseNames = []string{"at both ends", "only at the given", "only at the sought", "at neither"}

func (t FactsTable) cases() grid {
	g := grid{title: "MRR by case", columns: caseNames}
	for _, r := range t {
		g.add(r.label(), r.ofCases(func(c FactCase) float64 { return c.MRR })...)
	}
	g.add("share of the ranks", t[0].ofCases(func(c FactCase) float64 { return c.Share })...)
	return g
}

func (r *FactsReport) ofCases(figure func(FactCase) float64) (list []float64) {
	for _, c := range r.Cases {
		list = append(list, figure(c))
	}
	return list
}

func (r *FactsReport) label() string {
	label := strings.TrimSuffix(filepath.Base(r.Model), ".safetensors")
	if r.Method.By != "" {
		label += " by " + r.Method.By
	}
	return label
}

func (t FactsTable) notes() []string {
	first := t[0]
	notes := []string{
		fmt.Sprintf("Answered on the training facts (%s, %s); ranks are filtered by the facts of all splits. Ties: mean of the best and the worst rank; figures are means over facts and directions.",
			count.Of(first.Size.Entities, "entity"), count.Of(first.Size.Triples, "triple")),
		"Tails are asked for by (h, r, ?), heads by (?, r, t). Cases: whether the training facts have another fact of the relation at the entity that is given, and at the one that is sought.",
	}
	if first.LeftOut > 0 {
		notes = append(notes, fmt.Sprintf("Left out: %s of the split that the training facts state, too.", count.Of(first.LeftOut, "fact")))
	}
	return notes
}

// CSV has a line for each report and part: all, tails, heads and the cases; figures are fractions.
func (t FactsTable) CSV() (string, error) {
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Write([]string{"graph", "split", "model", "by", "part", "ranks", "mrr", "hits@1", "hits@3", "hits@10", "mrr_optimistic", "mrr_pessimistic"})
	for _, r := range t {
		parts := []Ranking{r.All, r.Tails, r.Heads}
		for _, c := range r.Cases {
			parts = append(parts, c.Ranking)
		}
		for i, name := range append([]string{"all", "tails", "heads"}, caseNames...) {
			in := parts[i]
			w.Write([]string{r.Graph, r.Split.String(), r.Model, r.Method.By, name, strconv.Itoa(in.Answers), decimal(in.MRR), decimal(in.Hits1),
				decimal(in.Hits3), decimal(in.Hits10), decimal(in.Optimistic.MRR), decimal(in.Pessimistic.MRR)})
		}
	}
	w.Flush()
	return b.String(), w.Error()
}
