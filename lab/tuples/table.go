package tuples

import (
	"encoding/csv"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/lacuna-kg/lacuna/internal/count"
)

// Table lays a report out for people: a row for each type.
func (r *Report) Table(layout string) string {
	text := ""
	for _, t := range r.tables() {
		switch layout {
		case "markdown":
			text += t.markdown()
		case "csv":
			text += t.csv()
		default:
			text += t.text()
		}
	}
	if layout == "text" {
		text += r.notes()
	}
	return text
}

// table is cells, the first row the names of the columns.
type table struct {
	title string
	rows  [][]string
}

// tables are those that have anything to say.
func (r *Report) tables() []table {
	ranked := table{title: "hard answers, %", rows: [][]string{{"type", "questions", "answers", "MRR", "H@1", "H@3", "H@10", "marginal MRR", "H@10", "relaxed MRR", "median ms"}}}
	judged := table{title: "right from wrong", rows: [][]string{{"type", "questions", "right", "wrong", "precision", "recall", "F1", "best F1", "at", "AUC", "median ms"}}}
	found := table{title: "one answer found", rows: [][]string{{"type", "questions", "answerable", "given", "right", "precision", "recall", "F1", "median ms"}}}
	for _, t := range r.Types {
		if j := t.Joint; j != nil {
			ranked.add(t.Type, j.Questions, j.Answers, percent(j.MRR), percent(j.Hits1), percent(j.Hits3), percent(j.Hits10),
				mrr(t.Marginal), hits10(t.Marginal), mrr(t.Relaxed), milliseconds(t.MedianMS))
		}
		if c := t.Told; c != nil {
			judged.add(t.Type, t.Questions, c.Right, c.Wrong, percent(c.Precision), percent(c.Recall), percent(c.F1), percent(c.Best), fmt.Sprintf("%.3g", c.BestAt), percent(c.Area), milliseconds(t.MedianMS))
		}
		if f := t.Found; f != nil {
			found.add(t.Type, t.Questions, f.Answerable, f.Given, f.Right, percent(f.Precision), percent(f.Recall), percent(f.F1), milliseconds(t.MedianMS))
		}
	}
	var all []table
	for _, t := range []table{ranked, judged, found} {
		if len(t.rows) > 1 {
			all = append(all, t)
		}
	}
	return all
}

func (t *table) add(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = fmt.Sprint(c)
	}
	t.rows = append(t.rows, row)
}

func percent(x float64) string { return fmt.Sprintf("%.1f", 100*x) }

// milliseconds has three figures, and no exponent.
func milliseconds(x float64) string {
	switch {
	case x < 10:
		return fmt.Sprintf("%.2f", x)
	case x < 100:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}

func mrr(r *Ranking) string    { return figure(r, func(r *Ranking) float64 { return r.MRR }) }
func hits10(r *Ranking) string { return figure(r, func(r *Ranking) float64 { return r.Hits10 }) }
func figure(r *Ranking, of func(*Ranking) float64) string {
	if r == nil {
		return "-"
	}
	return percent(of(r))
}

func (t table) text() string {
	widths := make([]int, len(t.rows[0]))
	for _, row := range t.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	text := t.title + "\n"
	for _, row := range t.rows {
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				text += cell + pad
			} else {
				text += "  " + pad + cell
			}
		}
		text += "\n"
	}
	return text + "\n"
}

func (t table) markdown() string {
	text := "**" + t.title + "**\n\n"
	for i, row := range t.rows {
		escaped := make([]string, len(row))
		for j, cell := range row {
			escaped[j] = strings.ReplaceAll(cell, "|", "\\|")
		}
		text += "| " + strings.Join(escaped, " | ") + " |\n"
		if i == 0 {
			text += "|" + strings.Repeat(" --- |", len(row)) + "\n"
		}
	}
	return text + "\n"
}

func (t table) csv() string {
	var text strings.Builder
	_ = csv.NewWriter(&text).WriteAll(t.rows) // a Builder takes everything
	return text.String()
}

// notes say what the figures rest on.
func (r *Report) notes() string {
	bounded := 0
	for _, t := range r.Types {
		bounded += t.Bounded
	}
	text := fmt.Sprintf("%s, %s questions, answered by %s on %d training facts in %.1f s\n", r.Dataset, r.Split, r.Model, r.Graph.Triples, r.Seconds)
	if bounded > 0 {
		text += fmt.Sprintf("%s met the bound of time or of steps\n", count.Of(bounded, "question"))
	}
	return text
}
