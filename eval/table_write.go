package eval

import (
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lacuna-kg/lacuna/internal/lines"
)

// The text fits 120 columns: a label, two averages that may bear a mark, 14 types.
const (
	textWidth    = 120
	labelWidth   = 22
	averageWidth = 7
	cellWidth    = 6
)

// Text lays the tables out for a terminal.
func (c Comparison) Text() string { return c.page().text() }

// page is tables with a line above them and notes below.
type page struct {
	heading string
	grids   []grid
	notes   []string
}

func (c Comparison) page() page { return page{c.heading(), c.grids(), c.notes()} }

func (p page) text() string {
	var b strings.Builder
	b.WriteString(p.heading + "\n")
	for _, g := range p.grids {
		for _, part := range g.fitted() {
			b.WriteString("\n")
			part.text(&b)
		}
	}
	b.WriteString("\n")
	for _, note := range p.notes {
		b.WriteString(lines.Fill(strings.Fields(note), textWidth, "  ") + "\n")
	}
	return b.String()
}

func (g grid) text(b *strings.Builder) {
	g.textRow(b, gridRow{g.title, g.columns})
	for _, row := range g.rows {
		g.textRow(b, row)
	}
}

func (g grid) textRow(b *strings.Builder, row gridRow) {
	b.WriteString(padRight(clip(row.label, labelWidth), labelWidth))
	for i, cell := range row.cells {
		fmt.Fprintf(b, "%*s", g.width(i), cell)
	}
	b.WriteString("\n")
}

// width of a column: names of types beyond the benchmark can be long.
func (g grid) width(column int) int {
	switch name := g.columns[column]; name {
	case columnP, columnN:
		return averageWidth
	default:
		return max(cellWidth, len(name)+2)
	}
}

// fitted cuts a table with too many columns for the width into several.
func (g grid) fitted() []grid {
	var parts []grid
	for from := 0; from < len(g.columns); {
		to, used := from+1, labelWidth+g.width(from)
		for to < len(g.columns) && used+g.width(to) <= textWidth {
			used += g.width(to)
			to++
		}
		parts = append(parts, g.part(from, to))
		from = to
	}
	return parts
}

func (g grid) part(from, to int) grid {
	p := grid{title: g.title, columns: g.columns[from:to]}
	for _, row := range g.rows {
		p.rows = append(p.rows, gridRow{row.label, row.cells[from:to]})
	}
	return p
}

// Markdown writes the tables for a document.
func (c Comparison) Markdown() string { return c.page().markdown() }

func (p page) markdown() string {
	var b strings.Builder
	b.WriteString("**" + escape(p.heading) + "**\n")
	for _, g := range p.grids {
		b.WriteString("\n| " + escape(g.title) + " | " + strings.Join(escapeAll(g.columns), " | ") + " |\n")
		b.WriteString("| --- |" + strings.Repeat(" ---: |", len(g.columns)) + "\n")
		for _, row := range g.rows {
			b.WriteString("| " + escape(row.label) + " | " + strings.Join(escapeAll(row.cells), " | ") + " |\n")
		}
	}
	b.WriteString("\n")
	for _, note := range p.notes {
		b.WriteString("- " + escape(note) + "\n")
	}
	return b.String()
}

// escape keeps names from being read as markup.
func escape(text string) string {
	return strings.NewReplacer("|", `\|`, "*", `\*`, "_", `\_`).Replace(text)
}

func escapeAll(texts []string) []string {
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = escape(text)
	}
	return all
}

// CSV has a line for each report, type and number of missing links, where it is
// empty for all answers together; figures are fractions.
func (c Comparison) CSV() (string, error) {
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Write([]string{"dataset", "split", "model", "keep_known", "type", "missing_links", "queries", "answers",
		"mrr", "hits@1", "hits@3", "hits@10", "mrr_optimistic", "mrr_pessimistic", "mape", "spearman"})
	for _, r := range c.reports {
		for _, line := range r.csvLines() {
			w.Write(append([]string{r.Dataset, r.Split.String(), r.Model, strconv.FormatBool(r.Method.KeepKnown)}, line...))
		}
	}
	w.Flush()
	return b.String(), w.Error()
}

func (r *Report) csvLines() [][]string {
	var lines [][]string
	add := func(name, links string, in Ranking, rest ...string) {
		lines = append(lines, append(csvRanking(name, links, in), rest...))
	}
	for _, shape := range inOrder(r.Types) {
		add(shape, "", r.Types[shape].Ranking, csvSizes(r.Types[shape])...)
	}
	for _, a := range []struct {
		name string
		*Average
	}{{columnP, r.AvgP}, {columnN, r.AvgN}} {
		if a.Average != nil {
			add(a.name, "", a.Ranking, csvSizes(a.Metrics)...)
		}
	}
	keys := map[string]bool{}
	for key := range r.ByMissingLinks {
		keys[key] = true
	}
	for _, key := range sortedLinks(keys) {
		types := r.ByMissingLinks[key].Types
		for _, shape := range inOrder(types) {
			add(shape, key, types[shape], "", "")
		}
	}
	return lines
}

func csvRanking(name, links string, in Ranking) []string {
	return []string{name, links, strconv.Itoa(in.Queries), strconv.Itoa(in.Answers), decimal(in.MRR), decimal(in.Hits1),
		decimal(in.Hits3), decimal(in.Hits10), decimal(in.Optimistic.MRR), decimal(in.Pessimistic.MRR)}
}

func csvSizes(m Metrics) []string {
	if m.Spearman == nil {
		return []string{decimal(m.MAPE), ""}
	}
	return []string{decimal(m.MAPE), decimal(*m.Spearman)}
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

func padRight(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
}

// clip cuts text to width characters with an ellipsis at its start, as the ends of model names differ.
func clip(text string, width int) string {
	runes := []rune(text)
	if len(runes) < width {
		return text
	}
	return "…" + string(runes[len(runes)-width+2:])
}
